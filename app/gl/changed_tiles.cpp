#include "app/gl/changed_tiles.h"
#include "app/gl/imgui_compat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace heed::app {
namespace {

constexpr int tile = 32;                     // pixels
constexpr std::size_t most_rectangles = 16;  // each is a scissor of its own for what it touches
constexpr std::size_t most_scattered = 128;  // merging takes the cube of it; beyond, the whole screen is no dearer

int n_rewritten = 0;

int whole_pixel(float x) { return static_cast<int>(std::clamp(x, -1e6F, 1e6F)); }

int area(const PixelRect& r) { return (r.x1 - r.x0) * (r.y1 - r.y0); }

PixelRect around(const PixelRect& a, const PixelRect& b) {
    return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

// Until few are left, joins the two whose common box holds least besides them, and all that then overlap.
void merge(std::vector<PixelRect>& rectangles) {
    while (rectangles.size() > most_rectangles) {
        int least = std::numeric_limits<int>::max();
        PixelRect box;
        for (std::size_t i = 0; i < rectangles.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const PixelRect both = around(rectangles[i], rectangles[j]);
                const int added = area(both) - area(rectangles[i]) - area(rectangles[j]);
                if (added >= least) continue;
                least = added;
                box = both;
            }
        for (bool grows = true; grows;) {
            grows = false;
            std::erase_if(rectangles, [&](const PixelRect& one) {
                if (common_part(one, box).is_empty()) return false;
                const PixelRect both = around(one, box);
                grows = grows || both != box;
                box = both;
                return true;
            });
        }
        rectangles.push_back(box);
    }
}

}  // namespace

PixelRect common_part(const PixelRect& a, const PixelRect& b) {
    return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

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

PixelRect box_of_triangle(const ImDrawList& list, const ImDrawCmd& command, unsigned first, const ImDrawData& data) {
    float x0 = 1e9F, y0 = 1e9F, x1 = -1e9F, y1 = -1e9F;
    for (unsigned corner = 0; corner < 3; ++corner) {
        const ImVec2 at = list.VtxBuffer.Data[list.IdxBuffer.Data[first + corner] + command.VtxOffset].pos;
        x0 = std::min(x0, at.x);
        y0 = std::min(y0, at.y);
        x1 = std::max(x1, at.x);
        y1 = std::max(y1, at.y);
    }
    const ImVec2 scale = data.FramebufferScale;
    return {whole_pixel(std::floor((x0 - data.DisplayPos.x) * scale.x)),
            whole_pixel(std::floor((y0 - data.DisplayPos.y) * scale.y)),
            whole_pixel(std::ceil((x1 - data.DisplayPos.x) * scale.x)),
            whole_pixel(std::ceil((y1 - data.DisplayPos.y) * scale.y))};
}

PixelRect box_of_callback(const ImDrawCmd& command, const ImDrawData& data) {
    const ImVec4 area = static_cast<const CallbackContent*>(command.UserCallbackData)->area;
    const ImVec2 scale = data.FramebufferScale;
    return {whole_pixel(std::floor((area.x - data.DisplayPos.x) * scale.x)),
            whole_pixel(std::floor((area.y - data.DisplayPos.y) * scale.y)),
            whole_pixel(std::ceil((area.z - data.DisplayPos.x) * scale.x)),
            whole_pixel(std::ceil((area.w - data.DisplayPos.y) * scale.y))};
}

void Hash::add(std::uint64_t value) {
    value_ = (std::rotl(value_, 25) ^ value) * 0x9E3779B97F4A7C15;
    value_ ^= value_ >> 29U;
}
void Hash::add(float value) { add(static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(value))); }

void ChangedTiles::mark(const PixelRect& box, std::uint64_t hash) {
    if (box.is_empty()) return;
    for (int row = box.y0 / tile; row <= (box.y1 - 1) / tile; ++row)
        for (int column = box.x0 / tile; column <= (box.x1 - 1) / tile; ++column) {
            std::uint64_t& entry = now_[static_cast<std::size_t>(row * columns_ + column)];
            entry = (std::rotl(entry, 25) ^ hash) * 0x9E3779B97F4A7C15;
        }
}

void ChangedTiles::collect(const ImDrawData& data, const PixelRect& screen) {
    now_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0);
    for (const ImDrawList* list : data.CmdLists)
        for (const ImDrawCmd& command : list->CmdBuffer) {
            if (command.UserCallback == reset_render_state()) continue;
            const PixelRect scissor = scissor_of(command, data, screen);
            if (scissor.is_empty()) continue;
            // A command's own hash, then that of each triangle on it.
            Hash about;
            about.add(static_cast<std::uint64_t>(scissor.x0) << 48U ^ static_cast<std::uint64_t>(scissor.y0) << 32U ^
                      static_cast<std::uint64_t>(scissor.x1) << 16U ^ static_cast<std::uint64_t>(scissor.y1));
            if (command.UserCallback != nullptr) {
                about.add(static_cast<const CallbackContent*>(command.UserCallbackData)->content);
                mark(common_part(box_of_callback(command, data), scissor), about.value());
                continue;
            }
            about.add(texture_number(command));
            for (unsigned first = command.IdxOffset; first + 3 <= command.IdxOffset + command.ElemCount; first += 3) {
                const PixelRect box = common_part(box_of_triangle(*list, command, first, data), scissor);
                if (box.is_empty()) continue;
                Hash hash = about;
                for (unsigned corner = 0; corner < 3; ++corner) {
                    const ImDrawVert& v =
                        list->VtxBuffer.Data[list->IdxBuffer.Data[first + corner] + command.VtxOffset];
                    hash.add(std::uint64_t{std::bit_cast<std::uint32_t>(v.pos.x)} << 32U |
                             std::bit_cast<std::uint32_t>(v.pos.y));
                    hash.add(std::uint64_t{std::bit_cast<std::uint32_t>(v.uv.x)} << 32U |
                             std::bit_cast<std::uint32_t>(v.uv.y));
                    hash.add(std::uint64_t{v.col});
                }
                mark(box, hash.value());
            }
        }
}

std::vector<PixelRect> ChangedTiles::rectangles(const PixelRect& screen) const {
    const auto differs = [&](int row, int column) {
        const auto i = static_cast<std::size_t>(row * columns_ + column);
        return now_[i] != seen_[i];
    };
    // Runs along a row; one that stands exactly below another continues it.
    std::vector<PixelRect> found;  // in tiles
    const auto add_run = [&](PixelRect run) {
        for (PixelRect& above : found)
            if (above.y1 == run.y0 && above.x0 == run.x0 && above.x1 == run.x1) {
                above.y1 = run.y1;
                return;
            }
        found.push_back(run);
    };
    for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column) {
            if (!differs(row, column)) continue;
            int end = column + 1;
            while (end < columns_ && differs(row, end)) ++end;
            add_run({column, row, end, row + 1});
            column = end;
        }
    if (found.size() > most_scattered) return {screen};
    merge(found);
    for (PixelRect& one : found)
        one = common_part({one.x0 * tile, one.y0 * tile, one.x1 * tile, one.y1 * tile}, screen);
    return found;
}

std::vector<PixelRect> ChangedTiles::update(const ImDrawData& data, int width, int height) {
    const PixelRect screen{0, 0, width, height};
    columns_ = (width + tile - 1) / tile;
    rows_ = (height + tile - 1) / tile;
    collect(data, screen);
    const ImVec4 view(data.DisplayPos.x, data.DisplayPos.y, data.FramebufferScale.x, data.FramebufferScale.y);
    const bool is_known = !seen_.empty() && screen == screen_ && view.x == view_.x && view.y == view_.y &&
                          view.z == view_.z && view.w == view_.w;
    std::vector<PixelRect> changed = is_known ? rectangles(screen) : std::vector<PixelRect>{screen};
    screen_ = screen;
    view_ = view;
    seen_.swap(now_);
    return changed;
}

void count_rewritten_texture() { ++n_rewritten; }
int n_textures_rewritten() { return n_rewritten; }

}  // namespace heed::app
