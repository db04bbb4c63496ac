#include "tests/app/print_demo.h"

#include <cmath>
#include <limits>

namespace heed::app {
namespace {

void add_text(Figure& figure, std::string text, Point at, TextStyle style, AlignX align_x = AlignX::left,
              AlignY align_y = AlignY::baseline, float angle = 0) {
    figure.marks.emplace_back(TextMark{std::move(text), at, style, align_x, align_y, angle, false});
}

void add_texts(Figure& figure, const Palette& colors) {
    const TextStyle words{14, Font::words, colors.text};
    const TextStyle bold{14, Font::bold, colors.query};
    const TextStyle small{12, Font::words, colors.dim};
    add_text(figure, "Weights, softmax by row", {20, 26}, bold);
    add_text(figure, "scores ÷ √d_{k} · K^{T} ⊙ V → output", {240, 26}, words);
    add_text(figure, "注意力权重", {540, 26}, words);
    add_text(figure, "加粗的标题", {640, 26}, bold);
    add_text(figure, "9.446 ÷ √16 = 2.361", {20, 46}, {11, Font::mono, colors.text});
    figure.marks.emplace_back(
        TextMark{"<a & b> d_{k} 🙂", {240, 46}, small, AlignX::left, AlignY::baseline, 0, true});
    // Every alignment, against lines that show where it should sit.
    int column = 0;
    for (const AlignY y : {AlignY::top, AlignY::middle, AlignY::baseline, AlignY::bottom}) {
        const Point at{500.0F + 60.0F * static_cast<float>(column++), 60};
        figure.marks.emplace_back(LineMark{{{at.x - 25, at.y}, {at.x + 25, at.y}}, colors.hairline, 1, false});
        add_text(figure, "Agh中5", at, small, AlignX::center, y);
    }
    column = 0;
    for (const AlignX x : {AlignX::left, AlignX::center, AlignX::right}) {
        const Point at{780, 20.0F + 16.0F * static_cast<float>(column++)};
        figure.marks.emplace_back(LineMark{{{at.x, at.y - 8}, {at.x, at.y + 8}}, colors.hairline, 1, false});
        add_text(figure, "aligned", at, small, x, AlignY::middle);
    }
}

void add_heatmaps(Figure& figure, const Palette& colors) {
    const char* const rows[] = {"The", "cat", "sat", "今天", "mat"};
    HeatmapMark weights = counting_heatmap(5, 7, {70, 90, 280, 150});
    weights.id = "weights";
    weights.visible = causal_view(5, 7);
    weights.decimals = 1;
    weights.lit_row = 3;
    weights.lit_col = 1;
    weights.pinned_row = 3;
    weights.pinned_col = 2;
    for (int row = 0; row < 5; ++row) {
        const Rect cell = weights.cell_rect(row, 0);
        add_text(figure, rows[row], {64, cell.center().y}, {13, Font::words, colors.query}, AlignX::right,
                 AlignY::middle);
    }
    for (int col = 0; col < 7; ++col) {
        const Rect cell = weights.cell_rect(4, col);
        add_text(figure, "key" + std::to_string(col), {cell.center().x + 3, 248}, {13, Font::words, colors.key},
                 AlignX::right, AlignY::middle, 45);
    }
    figure.marks.emplace_back(weights);
    figure.marks.emplace_back(BoxMark{weights.area, {0, 0, 0, 0}, colors.hairline});
    figure.marks.emplace_back(ColorBarMark{{362, 90, 10, 150}, weights.scale, false});
    add_text(figure, "5", {378, 90}, {11, Font::words, colors.dim}, AlignX::left, AlignY::middle);
    add_text(figure, "0", {378, 240}, {11, Font::words, colors.dim}, AlignX::left, AlignY::middle);

    Matrix scores = Matrix::NullaryExpr(
        6, 4, [](Index i, Index j) { return static_cast<float>(std::sin(static_cast<double>(i * 5 + j * 3)) * 4); });
    scores(1, 1) = std::numeric_limits<float>::quiet_NaN();
    scores(2, 3) = std::numeric_limits<float>::infinity();
    HeatmapMark diverging;
    diverging.id = "scores";
    diverging.area = {410, 90, 120, 150};
    diverging.values = view_of(scores);
    diverging.scale = {"blue-orange", -4, 4};
    diverging.grid = true;
    figure.marks.emplace_back(diverging);
    diverging.id = "dots";
    diverging.area = {545, 90, 120, 150};
    diverging.style = HeatmapStyle::dots;
    figure.marks.emplace_back(diverging);

    HeatmapMark large = counting_heatmap(300, 200, {680, 90, 100, 150});
    large.id = "large";
    large.scale = {"viridis", 0, 300};
    large.visible = causal_view(300, 200);
    figure.marks.emplace_back(large);

    HeatmapMark turned = counting_heatmap(3, 9, {20, 300, 60, 180});
    turned.id = "turned";
    turned.transposed = true;
    turned.scale = {"magma", 0, 4};
    figure.marks.emplace_back(turned);

    HeatmapMark hues = counting_heatmap(4, 4, {95, 300, 80, 80});
    hues.id = "hues";
    auto cell_colors = std::make_shared<std::vector<Color>>();
    for (int cell = 0; cell < 16; ++cell) cell_colors->push_back(head_color(colors, cell));
    hues.cell_colors = cell_colors;
    figure.marks.emplace_back(hues);
    figure.marks.emplace_back(ColorBarMark{{95, 400, 80, 10}, diverging.scale, true});
}

void add_shapes(Figure& figure, const Palette& colors) {
    const Rect plot{220, 300, 220, 160};
    figure.marks.emplace_back(BoxMark{plot, colors.field, colors.hairline, 1, 8});
    figure.marks.emplace_back(ClipMark{plot, true});
    LineMark curve{{}, colors.query, 2, false};
    BandMark band{{}, {}, with_alpha(colors.query, 0.15F)};
    for (int i = 0; i <= 60; ++i) {
        const auto t = static_cast<float>(i) / 60;
        const Point p{plot.x + 10 + t * 260, plot.y + 80 - 60 * std::sin(t * 7)};
        curve.points.push_back(p);
        band.upper.push_back({p.x, p.y - 14});
        band.lower.push_back({p.x, p.y + 14});
    }
    figure.marks.emplace_back(band);
    figure.marks.emplace_back(curve);
    figure.marks.emplace_back(LineMark{{{230, 420}, {430, 420}}, colors.key, 1, true});
    figure.marks.emplace_back(LineMark{{{230, 440}, {300, 330}, {430, 450}}, colors.value, 1.5F, true});
    figure.marks.emplace_back(
        AreaMark{{{240, 450}, {300, 400}, {330, 430}, {360, 390}, {380, 450}}, with_alpha(colors.output, 0.5F)});
    figure.marks.emplace_back(ClipMark{plot, false});
    figure.marks.emplace_back(CircleMark{{300, 380}, 5, colors.query, colors.panel, 1.5F});

    figure.marks.emplace_back(BoxMark{{460, 300, 60, 30}, colors.field_selected, colors.accent, 1, 6});
    figure.marks.emplace_back(BoxMark{{530, 300, 60, 30}, colors.field, colors.hairline, 1, 10, true});
    figure.marks.emplace_back(BoxMark{{600, 300, 20, 60}, colors.query});
    figure.marks.emplace_back(BoxMark{{620, 320, 20, 40}, colors.track});
    int head = 0;
    for (const float share : {0.1F, 0.3F, 0.6F}) {
        const float y = 350 + share * 120;
        figure.marks.emplace_back(RibbonMark{{470, 350 + static_cast<float>(head) * 30},
                                             {470, 362 + static_cast<float>(head) * 30},
                                             {590, y},
                                             {590, y + 20},
                                             with_alpha(head_color(colors, head), 0.5F),
                                             false});
        ++head;
    }
    figure.marks.emplace_back(
        RibbonMark{{640, 460}, {650, 460}, {750, 460}, {740, 460}, with_alpha(colors.output, 0.5F), true});
    figure.marks.emplace_back(
        RibbonMark{{660, 380}, {672, 380}, {770, 420}, {790, 420}, with_alpha(colors.value, 0.5F), true});
}

}  // namespace

Matrix counting_matrix(Index rows, Index cols) {
    return Matrix::NullaryExpr(rows, cols,
                               [](Index i, Index j) { return static_cast<float>(i) + static_cast<float>(j) / 10; });
}

MaskView causal_view(Index rows, Index cols) {
    const auto mask = std::make_shared<MaskMatrix>(
        MaskMatrix::NullaryExpr(rows, cols, [](Index i, Index j) { return static_cast<std::uint8_t>(j <= i); }));
    return {mask->data(), rows, cols, mask, 1};
}

HeatmapMark counting_heatmap(Index rows, Index cols, Rect area) {
    HeatmapMark heatmap;
    heatmap.id = "counting";
    heatmap.area = area;
    heatmap.values = view_of(counting_matrix(rows, cols));
    heatmap.scale = {"ink", 0, static_cast<float>(rows)};
    return heatmap;
}

Figure demo_figure(Theme theme) {
    const Palette& colors = palette(theme);
    Figure figure;
    figure.width = 840;
    figure.height = 500;
    figure.theme = theme;
    add_texts(figure, colors);
    add_heatmaps(figure, colors);
    add_shapes(figure, colors);
    return figure;
}

}  // namespace heed::app
