#include "core/figure/token_pictures.h"

#include "core/figure/kept.h"
#include "core/model/picture.h"
#include "core/picture/patch_tokens.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {
namespace {

constexpr int finest = 8;
constexpr int fewer = 4;  // where there are many tokens, each is small
constexpr int many = 160;

Color byte_color(const Rgbf& mean) {
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
    return {byte(mean.r), byte(mean.g), byte(mean.b), 255};
}

TokenPictures make(const Model& model, bool of_queries) {
    const PatchTokens tokens = patch_tokens(model);
    const auto& patches = of_queries ? tokens.query_patch : tokens.key_patch;
    const Picture& picture = *model.picture;
    TokenPictures pictures;
    pictures.side = patches.size() > many ? fewer : finest;
    pictures.colors.reserve(patches.size() * static_cast<std::size_t>(pictures.side * pictures.side));
    for (const std::optional<Patch>& patch : patches) {
        pictures.has.push_back(patch ? 1 : 0);
        for (int y = 0; y < pictures.side; ++y)
            for (int x = 0; x < pictures.side; ++x) {
                if (!patch) {
                    pictures.colors.push_back({0, 0, 0, 0});
                    continue;
                }
                const double wide = 1.0 / (picture.columns * pictures.side);
                const double high = 1.0 / (picture.rows * pictures.side);
                const double left = (patch->column * pictures.side + x) * wide;
                const double top = (patch->row * pictures.side + y) * high;
                pictures.colors.push_back(byte_color(mean_color(picture, left, top, left + wide, top + high)));
            }
    }
    return pictures;
}

// `cells` of each side stand for the side's own.
Color sample(const TokenPictures& pictures, int token, int x, int y, int cells) {
    const int column = (2 * x + 1) * pictures.side / (2 * cells);
    const int row = (2 * y + 1) * pictures.side / (2 * cells);
    return pictures.colors[static_cast<std::size_t>((token * pictures.side + row) * pictures.side + column)];
}

struct StripKey {
    SharedPictures of;
    std::vector<int> tokens;
    int cells;  // along a side of each
    bool is_down;
    friend bool operator==(const StripKey&, const StripKey&) = default;
};
struct Strip {
    MatrixView values;
    std::shared_ptr<const std::vector<Color>> colors;
    std::size_t bytes() const { return values.bytes() + colors->size() * sizeof(Color); }
};

Strip strip_of(const StripKey& key) {
    const auto count = static_cast<Index>(key.tokens.size());
    const Index rows = key.is_down ? count * key.cells : key.cells;
    const Index cols = key.is_down ? key.cells : count * key.cells;
    auto colors = std::make_shared<std::vector<Color>>();
    colors->reserve(static_cast<std::size_t>(rows * cols));
    for (Index row = 0; row < rows; ++row)
        for (Index col = 0; col < cols; ++col) {
            const auto along = static_cast<int>(key.is_down ? row : col);
            const auto x = static_cast<int>(key.is_down ? col : col % key.cells);
            const auto y = static_cast<int>(key.is_down ? row % key.cells : row);
            const int token = key.tokens[static_cast<std::size_t>(along / key.cells)];
            colors->push_back(key.of->has_picture(token) ? sample(*key.of, token, x, y, key.cells) : Color{0, 0, 0, 0});
        }
    return {view_of(Matrix::Zero(rows, cols)), std::move(colors)};
}

}  // namespace

SharedPictures token_pictures(const FigureContext& context, bool of_queries) {
    if (!has_picture(*context.model.picture)) return nullptr;
    const std::array<std::uint64_t, 2> key{context.trace.version, of_queries ? 1U : 0U};
    SharedPictures pictures = kept(context, "token pictures", key, [&] { return make(context.model, of_queries); });
    if (std::find(pictures->has.begin(), pictures->has.end(), 1) == pictures->has.end()) return nullptr;
    return pictures;
}

LabelPictures label_pictures(const FigureContext& context, bool of_queries, int count,
                             const std::function<int(int)>& token_at) {
    LabelPictures labels{token_pictures(context, of_queries), {}, &context};
    if (!labels) return {};
    for (int i = 0; i < count; ++i) labels.tokens.push_back(token_at(i));
    const auto is_patch = [&](int token) { return labels.of->has_picture(token); };
    if (std::none_of(labels.tokens.begin(), labels.tokens.end(), is_patch)) return {};
    return labels;
}

LabelPictures label_pictures(const FigureContext& context, bool of_queries, int count, int first) {
    return label_pictures(context, of_queries, count, [first](int i) { return first + i; });
}

void add_label_pictures(Figure& figure, const LabelPictures& labels, Rect area, bool is_down) {
    const auto count = static_cast<Index>(labels.tokens.size());
    if (!labels || count == 0 || !(area.w > 0) || !(area.h > 0)) return;
    const float spacing = (is_down ? area.h : area.w) / static_cast<float>(count);
    const float across = is_down ? area.w : area.h;
    StripKey key{labels.of, labels.tokens, std::clamp(static_cast<int>(std::min(spacing, across)), 1, labels.of->side),
                 is_down};
    const auto strip = kept(*labels.context, "token strip", key, [&] { return strip_of(key); });
    HeatmapMark mark;
    mark.area = area;
    mark.values = strip->values;
    mark.cell_colors = strip->colors;
    figure.marks.emplace_back(std::move(mark));
}

void add_token_picture(Figure& figure, const FigureContext& context, bool of_queries, int token, Rect area) {
    add_label_pictures(figure, label_pictures(context, of_queries, 1, token), area, true);
}

}  // namespace heed
