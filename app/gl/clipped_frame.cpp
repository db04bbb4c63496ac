#include "app/gl/clipped_frame.h"
#include "app/gl/imgui_compat.h"

#include <algorithm>

namespace heed::app {

void ClippedFrame::add_command(const ImDrawList& from, const ImDrawCmd& command, const PixelRect& to, ImDrawList& out) {
    const ImVec2 scale = data_.FramebufferScale;
    ImDrawCmd part = command;
    part.ClipRect = ImVec4(static_cast<float>(to.x0) / scale.x + data_.DisplayPos.x,
                           static_cast<float>(to.y0) / scale.y + data_.DisplayPos.y,
                           static_cast<float>(to.x1) / scale.x + data_.DisplayPos.x,
                           static_cast<float>(to.y1) / scale.y + data_.DisplayPos.y);
    if (command.UserCallback != nullptr) {
        if (!common_part(box_of_callback(command, data_), to).is_empty()) out.CmdBuffer.push_back(part);
        return;
    }
    part.IdxOffset = static_cast<unsigned>(out.IdxBuffer.Size);
    unsigned first = command.IdxOffset;
    for (const PixelRect& box : boxes_) {
        if (!common_part(box, to).is_empty())
            for (unsigned corner = 0; corner < 3; ++corner)
                out.IdxBuffer.push_back(from.IdxBuffer.Data[first + corner]);
        first += 3;
    }
    part.ElemCount = static_cast<unsigned>(out.IdxBuffer.Size) - part.IdxOffset;
    if (part.ElemCount > 0) out.CmdBuffer.push_back(part);
}

void ClippedFrame::measure_triangles(const ImDrawList& from, const ImDrawCmd& command) {
    boxes_.clear();
    for (unsigned first = command.IdxOffset; first + 3 <= command.IdxOffset + command.ElemCount; first += 3)
        boxes_.push_back(box_of_triangle(from, command, first, data_));
}

ClippedFrame::ClippedFrame(ImDrawData& whole, const std::vector<PixelRect>& rectangles, const PixelRect& screen)
    : data_(whole) {
    clear_lists(data_);
    for (ImDrawList* from : whole.CmdLists) {
        auto list = std::make_unique<ImDrawList>(nullptr);
        bool is_disturbed = false;  // by a callback, until ImGui's state is set again
        for (const ImDrawCmd& command : from->CmdBuffer) {
            if (command.UserCallback == reset_render_state()) {
                if (is_disturbed) list->CmdBuffer.push_back(command);
                is_disturbed = false;
                continue;
            }
            const int before = list->CmdBuffer.Size;
            const PixelRect scissor = scissor_of(command, whole, screen);
            if (std::ranges::all_of(rectangles,
                                    [&](const PixelRect& one) { return common_part(scissor, one).is_empty(); }))
                continue;
            measure_triangles(*from, command);
            for (const PixelRect& rectangle : rectangles)
                if (const PixelRect part = common_part(scissor, rectangle); !part.is_empty())
                    add_command(*from, command, part, *list);
            if (command.UserCallback != nullptr && list->CmdBuffer.Size > before) is_disturbed = true;
        }
        if (list->CmdBuffer.Size == 0) continue;
        list->VtxBuffer.swap(from->VtxBuffer);
        add_list(data_, *list);
        lists_.push_back({from, std::move(list)});
    }
}

ClippedFrame::~ClippedFrame() {
    for (Borrowed& one : lists_) one.list->VtxBuffer.swap(one.from->VtxBuffer);
}

}  // namespace heed::app
