#include "app/gl/clipped_frame.h"
#include "app/gl/imgui_compat.h"

#include <algorithm>
#include <limits>
#include <span>

namespace heed::app {
namespace {

// The colour of a box with straight sides along the axes that hides whatever is below it; 0 of anything else.
ImU32 opaque_color(const ImDrawList& list, const ImDrawCmd& command, const DrawnPiece& piece, ImVec2 white_texel) {
    if (piece.n_indices != 6) return 0;
    const auto corner = [&](unsigned i) -> const ImDrawVert& {
        return list.VtxBuffer.Data[list.IdxBuffer.Data[piece.first + i] + command.VtxOffset];
    };
    const ImDrawVert& p = corner(0);
    const ImDrawVert& q = corner(1);
    const ImDrawVert& r = corner(2);
    const ImDrawVert& s = corner(5);
    const bool is_box = p.pos.y == q.pos.y && q.pos.x == r.pos.x && r.pos.y == s.pos.y && s.pos.x == p.pos.x;
    const bool is_opaque = (p.col & IM_COL32_A_MASK) == IM_COL32_A_MASK;
    const bool is_plain = q.col == p.col && r.col == p.col && s.col == p.col;
    if (!is_box || !is_opaque || !is_plain) return 0;
    for (const ImDrawVert* at : {&p, &q, &r, &s})
        if (at->uv.x != white_texel.x || at->uv.y != white_texel.y) return 0;
    return p.col;
}

}  // namespace

void ClippedFrame::find_grounds(ImVec2 white_texel) {
    grounds_.assign(rectangles_.size(), 0);
    starts_.assign(rectangles_.size(), {});
    int narrowest = std::numeric_limits<int>::max();
    for (const PixelRect& one : rectangles_) narrowest = std::min(narrowest, one.x1 - one.x0);
    const std::span<const DrawnCommand> commands = drawn_.commands();
    for (std::size_t c = 0; c < commands.size(); ++c) {
        const std::span<const DrawnPiece> pieces = drawn_.pieces(commands[c]);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const DrawnPiece& piece = pieces[i];
            if (piece.box.x1 - piece.box.x0 < narrowest) continue;  // nearly all are letters
            for (std::size_t r = 0; r < rectangles_.size(); ++r) {
                if (!contains(piece.box, rectangles_[r])) continue;
                const ImU32 color = opaque_color(*commands[c].list, *commands[c].command, piece, white_texel);
                if (color == 0) break;
                grounds_[r] = color;
                starts_[r] = {c, i + 1};
            }
        }
    }
}

void ClippedFrame::add_command(const DrawnCommand& from, std::size_t rectangle, std::size_t number, ImDrawList& out) {
    const PixelRect to = common_part(from.scissor, rectangles_[rectangle]);
    const Start& start = starts_[rectangle];
    if (to.is_empty() || number < start.command) return;
    const ImVec2 scale = data_.FramebufferScale;
    ImDrawCmd part = *from.command;
    part.ClipRect = ImVec4(static_cast<float>(to.x0) / scale.x + data_.DisplayPos.x,
                           static_cast<float>(to.y0) / scale.y + data_.DisplayPos.y,
                           static_cast<float>(to.x1) / scale.x + data_.DisplayPos.x,
                           static_cast<float>(to.y1) / scale.y + data_.DisplayPos.y);
    if (part.UserCallback != nullptr) {
        if (overlap(box_of_callback(part, data_), to)) out.CmdBuffer.push_back(part);
        return;
    }
    part.IdxOffset = static_cast<unsigned>(out.IdxBuffer.Size);
    for (const DrawnPiece& piece : drawn_.pieces(from).subspan(number == start.command ? start.piece : 0)) {
        if (!overlap(piece.box, to)) continue;
        const ImDrawIdx* index = from.list->IdxBuffer.Data + piece.first;
        for (unsigned corner = 0; corner < piece.n_indices; ++corner) out.IdxBuffer.push_back(index[corner]);
    }
    part.ElemCount = static_cast<unsigned>(out.IdxBuffer.Size) - part.IdxOffset;
    if (part.ElemCount > 0) out.CmdBuffer.push_back(part);
}

ClippedFrame::ClippedFrame(ImDrawData& whole, const DrawnPieces& drawn, const std::vector<PixelRect>& rectangles)
    : data_(whole), drawn_(drawn), rectangles_(rectangles) {
    clear_lists(data_);
    find_grounds(ImGui::GetIO().Fonts->TexUvWhitePixel);
    const std::span<const DrawnCommand> commands = drawn_.commands();
    for (std::size_t number = 0; number < commands.size();) {
        ImDrawList* from = commands[number].list;
        auto list = std::make_unique<ImDrawList>(nullptr);
        bool is_disturbed = false;  // by a callback, until ImGui's state is set again
        for (; number < commands.size() && commands[number].list == from; ++number) {
            const ImDrawCmd& command = *commands[number].command;
            if (command.UserCallback == reset_render_state()) {
                if (is_disturbed) list->CmdBuffer.push_back(command);
                is_disturbed = false;
                continue;
            }
            const int before = list->CmdBuffer.Size;
            for (std::size_t r = 0; r < rectangles_.size(); ++r) add_command(commands[number], r, number, *list);
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
