#include "app/gl/changed_tiles.h"
#include "app/gl/imgui_compat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace heed::app {
namespace {

constexpr int tile = 32;                     // pixels
constexpr std::size_t most_rectangles = 16;  // each is a scissor of its own for what it touches
constexpr std::size_t most_scattered = 128;  // merging takes the cube of it; beyond, the whole screen is no dearer

int n_rewritten = 0;

int area(const PixelRect& r) { return (r.x1 - r.x0) * (r.y1 - r.y0); }

PixelRect around(const PixelRect& a, const PixelRect& b) {
    return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

// Both halves of the product, so that every bit of either factor moves every bit of the result.
std::uint64_t multiplied(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// A hash of its corners: place, texture's place and colour. The products do not wait for each other, as those of Hash would.
std::uint64_t content_of(const ImDrawList& list, const ImDrawCmd& command, const DrawnPiece& piece) {
    // Any odd numbers whose bits have no pattern do: the fractions of the roots of small primes.
    constexpr std::array<std::uint64_t, 4> places{0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
                                                  0xA54FF53A5F1D36F1};
    constexpr std::array<std::uint64_t, 4> texels{0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B,
                                                  0x5BE0CD19137E2179};
    const ImDrawIdx* index = list.IdxBuffer.Data + piece.first;
    const ImDrawVert* corners = list.VtxBuffer.Data + command.VtxOffset;
    // The fourth corner of a pair; of one triangle, its first again.
    const std::array<unsigned, 4> at{index[0], index[1], index[2], piece.n_indices == 6 ? index[5] : index[0]};
    std::uint64_t sum = piece.n_indices;
    std::array<std::uint64_t, 4> colors{};
    for (std::size_t i = 0; i < 4; ++i) {
        const ImDrawVert& corner = corners[at[i]];
        sum = std::rotl(sum, 17) + multiplied(std::bit_cast<std::uint64_t>(corner.pos) ^ places[i],
                                              std::bit_cast<std::uint64_t>(corner.uv) ^ texels[i]);
        colors[i] = corner.col;
    }
    return multiplied(sum ^ places[0], (colors[0] | colors[1] << 32U) ^ texels[0]) +
           multiplied(sum ^ places[1], (colors[2] | colors[3] << 32U) ^ texels[1]);
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

void ChangedTiles::collect(const ImDrawData& data) {
    now_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0);
    for (const DrawnCommand& one : drawn_.commands()) {
        const ImDrawCmd& command = *one.command;
        if (command.UserCallback == reset_render_state()) continue;
        // A command's own hash, then that of each piece on it.
        Hash about;
        about.add(static_cast<std::uint64_t>(one.scissor.x0) << 48U ^
                  static_cast<std::uint64_t>(one.scissor.y0) << 32U ^
                  static_cast<std::uint64_t>(one.scissor.x1) << 16U ^ static_cast<std::uint64_t>(one.scissor.y1));
        if (command.UserCallback != nullptr) {
            about.add(static_cast<const CallbackContent*>(command.UserCallbackData)->content);
            mark(common_part(box_of_callback(command, data), one.scissor), about.value());
            continue;
        }
        about.add(texture_number(command));
        for (const DrawnPiece& piece : drawn_.pieces(one))
            mark(piece.box, about.value() ^ content_of(*one.list, command, piece));
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
    drawn_.measure(data, screen);
    collect(data);
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
