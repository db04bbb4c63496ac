#include "app/gl/drawn_pieces.h"
#include "app/gl/imgui_compat.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

int whole_pixel(float x) { return static_cast<int>(std::clamp(x, -1e6F, 1e6F)); }

// As whole_pixel(std::floor(x)), which calls a function for each of some ten thousand corners.
int floor_pixel(float x) {
    const int towards_zero = whole_pixel(x);
    return towards_zero - (static_cast<float>(towards_zero) > x ? 1 : 0);
}

PixelRect pixels_around(ImVec2 least, ImVec2 most, const ImDrawData& data) {
    const ImVec2 scale = data.FramebufferScale;
    return {floor_pixel((least.x - data.DisplayPos.x) * scale.x), floor_pixel((least.y - data.DisplayPos.y) * scale.y),
            -floor_pixel((data.DisplayPos.x - most.x) * scale.x), -floor_pixel((data.DisplayPos.y - most.y) * scale.y)};
}

DrawnPiece piece_at(const ImDrawList& list, const ImDrawCmd& command, unsigned first, const ImDrawData& data) {
    const ImDrawIdx* index = list.IdxBuffer.Data + first;
    const ImDrawVert* corners = list.VtxBuffer.Data + command.VtxOffset;
    const ImVec2 p = corners[index[0]].pos;
    const ImVec2 q = corners[index[1]].pos;
    const ImVec2 r = corners[index[2]].pos;
    ImVec2 least(std::min({p.x, q.x, r.x}), std::min({p.y, q.y, r.y}));
    ImVec2 most(std::max({p.x, q.x, r.x}), std::max({p.y, q.y, r.y}));
    const bool is_pair =
        first + 6 <= command.IdxOffset + command.ElemCount && index[3] == index[0] && index[4] == index[2];
    if (is_pair) {
        const ImVec2 s = corners[index[5]].pos;
        least = ImVec2(std::min(least.x, s.x), std::min(least.y, s.y));
        most = ImVec2(std::max(most.x, s.x), std::max(most.y, s.y));
    }
    return {first, is_pair ? 6U : 3U, pixels_around(least, most, data)};
}

}  // namespace

PixelRect scissor_of(const ImDrawCmd& command, const ImDrawData& data, const PixelRect& screen) {
    const ImVec4& clip = command.ClipRect;
    const float left = (clip.x - data.DisplayPos.x) * data.FramebufferScale.x;
    const float top = (clip.y - data.DisplayPos.y) * data.FramebufferScale.y;
    const float right = (clip.z - data.DisplayPos.x) * data.FramebufferScale.x;
    const float bottom = (clip.w - data.DisplayPos.y) * data.FramebufferScale.y;
    if (right <= left || bottom <= top) return {};
    // OpenGL counts rows from below, so that is the end which is rounded.
    const int x0 = whole_pixel(left);
    const int below = whole_pixel(static_cast<float>(screen.y1) - bottom);
    const int y1 = screen.y1 - below;
    return common_part({x0, y1 - whole_pixel(bottom - top), x0 + whole_pixel(right - left), y1}, screen);
}

PixelRect box_of_callback(const ImDrawCmd& command, const ImDrawData& data) {
    const ImVec4 area = static_cast<const CallbackContent*>(command.UserCallbackData)->area;
    return pixels_around({area.x, area.y}, {area.z, area.w}, data);
}

void DrawnPieces::measure(const ImDrawData& data, const PixelRect& screen) {
    commands_.clear();
    pieces_.clear();
    for (ImDrawList* list : data.CmdLists)
        for (const ImDrawCmd& command : list->CmdBuffer) {
            if (command.UserCallback == reset_render_state()) {
                commands_.push_back({list, &command, {}, pieces_.size(), 0});
                continue;
            }
            const PixelRect scissor = scissor_of(command, data, screen);
            if (scissor.is_empty()) continue;
            const std::size_t first_piece = pieces_.size();
            const unsigned end = command.UserCallback != nullptr ? 0 : command.IdxOffset + command.ElemCount;
            for (unsigned first = command.IdxOffset; first + 3 <= end;) {
                DrawnPiece piece = piece_at(*list, command, first, data);
                first += piece.n_indices;
                piece.box = common_part(piece.box, scissor);
                if (!piece.box.is_empty()) pieces_.push_back(piece);
            }
            commands_.push_back({list, &command, scissor, first_piece, pieces_.size() - first_piece});
        }
}

}  // namespace heed::app
