// What was wrong to look at in the Cell panel and in the numbers of the Pipeline, each as a claim about the figure.
#include "core/attention/pipeline.h"
#include "core/display/pipeline_display.h"
#include "core/edit/sizes.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/registry.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace heed {
namespace {

struct Room {
    float width, height;
};
// What the Cell panel has in windows of 1024×700 and 1440×900.
constexpr Room usual_cell{710, 185}, large_cell{1110, 250};

Figure draw(const char* kind, Scene scene, Room room, Language language = Language::english) {
    fit_matrices(scene.model);
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    FigureContext context{.model = scene.model,
                          .trace = *trace,
                          .display = scene.display,
                          .trace_owner = trace,
                          .language = language,
                          .measure = rough_measure(),
                          .width = room.width,
                          .height = room.height};
    context.options.title = false;
    return find_figure_kind(kind)->make(context);
}

template <typename M>
std::vector<const M*> marks_of(const Figure& figure) {
    std::vector<const M*> found;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<M>(&mark)) found.push_back(one);
    return found;
}

const TextMark* find_text(const Figure& figure, std::string_view text) {
    for (const TextMark* mark : marks_of<TextMark>(figure))
        if (mark->text == text) return mark;
    return nullptr;
}

Scene with_tokens(int count) {
    Scene scene = default_scene();
    scene.model.source = Source::direct;
    set_size(scene.model, Size::n_queries, count);
    return scene;
}

Matrix filled(Index rows, Index cols, float value) { return Matrix(Matrix::Constant(rows, cols, value)); }

TEST(CellPanel, NoBarIsPaintedOverTheNumberOfTheChosenWeight) {
    Scene scene = with_tokens(24);
    scene.display.pin = {20, 10};
    const Figure figure = draw("explainer", scene, usual_cell);
    bool is_past_number = false;
    int numbers = 0;
    for (const Mark& mark : figure.marks) {
        const auto* text = std::get_if<TextMark>(&mark);
        if (text != nullptr && text->style.font == Font::mono && text->align_x == AlignX::center) {
            is_past_number = true;
            ++numbers;
        }
        if (const auto* box = std::get_if<BoxMark>(&mark); box != nullptr && is_past_number)
            ADD_FAILURE() << "a bar at " << box->area.x << " is drawn after a number";
    }
    EXPECT_EQ(numbers, 1);
}

Scene capped_and_biased() {
    Scene scene = with_tokens(6);
    scene.model.scale->soft_cap = 5.88F;
    scene.model.bias_on = true;
    return scene;
}

TEST(CellPanel, LinesOfAnEarlyStepDoNotGiveWayToLinesThatAreNotShownYet) {
    for (const Room room : {usual_cell, Room{860, 165}, large_cell}) {
        Scene scene = capped_and_biased();
        scene.display.pipeline->explainer_step = 3;
        const Figure figure = draw("explainer", scene, room);
        for (const char* name : {"score", "scale", "soft cap", "bias"})
            EXPECT_NE(find_text(figure, name), nullptr) << name << " at " << room.width << " × " << room.height;
    }
}

TEST(CellPanel, TheStartOfTheDerivationIsThereAtItsEnd) {
    Scene scene = with_tokens(12);
    scene.model.position->encoding = "alibi";
    scene.display.pin = {11, 9};
    const Figure figure = draw("explainer", scene, usual_cell);
    for (const char* name : {"score", "scale", "bias", "weight"}) EXPECT_NE(find_text(figure, name), nullptr) << name;
    Scene few = with_tokens(6);
    set_size(few.model, Size::d_k, 4);
    const Figure small = draw("explainer", few, {560, 160});
    for (const char* name : {"scale", "weight"}) EXPECT_NE(find_text(small, name), nullptr) << name << ", small";
}

TEST(CellPanel, ProductsWithAQueryOfZerosAreWrittenAsZeros) {
    Scene scene = with_tokens(6);
    set_size(scene.model, Size::d_k, 4);
    fit_matrices(scene.model);
    for (SharedMatrix& q : scene.model.q) q = filled(6, 4, 0);
    const Figure figure = draw("explainer", scene, usual_cell);
    for (const char* strip : {"strip 1", "strip 3"}) {
        ASSERT_NE(figure.find_heatmap(strip), nullptr) << strip;
        EXPECT_GE(figure.find_heatmap(strip)->decimals, 0) << strip;
        EXPECT_LE(figure.find_heatmap(strip)->decimals, 2) << strip;
    }
}

TEST(CellPanel, WhatAKeyCarriesIsNotZeroEightTimes) {
    Scene scene = with_tokens(200);
    scene.display.pin = {199, 10};
    set_size(scene.model, Size::d_k, 4);
    set_size(scene.model, Size::d_v, 4);
    fit_matrices(scene.model);
    for (SharedMatrix& q : scene.model.q) q = filled(200, 4, 0);
    for (SharedMatrix& v : scene.model.v) {
        Matrix values = filled(200, 4, -2);
        values.col(0).setConstant(12);
        v = values;
    }
    const Figure figure = draw("explainer", scene, large_cell);
    const HeatmapMark* carried = figure.find_heatmap("strip 5");
    ASSERT_NE(carried, nullptr);
    ASSERT_GE(carried->decimals, 0);
    for (Index j = 0; j < carried->values.cols; ++j) {
        const auto value = static_cast<double>(carried->values.at(0, j));
        EXPECT_LT(std::abs(value), 0.1);
        EXPECT_NE(std::stod(decimal(std::abs(value), carried->decimals)), 0) << value;
    }
}

TEST(CellPanel, NoLineBreaksBesideAnEqualsOrADivisionSign) {
    int lines = 0;
    for (const char* normalizer : {"softmax", "naive-softmax", "l1", "l2"})
        for (const char* position : {"none", "alibi"})
            for (const Room room : {usual_cell, large_cell}) {
                Scene scene = with_tokens(8);
                scene.model.normalizer->id = normalizer;
                scene.model.position->encoding = position;
                scene.model.temperature = 0.5F;
                const Figure figure = draw("explainer", scene, room);
                for (const TextMark* mark : marks_of<TextMark>(figure)) {
                    if (mark->style.font != Font::mono || mark->align_x != AlignX::left) continue;
                    ++lines;
                    for (const char* sign : {"=", "÷"}) {
                        EXPECT_FALSE(mark->text.starts_with(sign)) << mark->text << " at " << room.width;
                        EXPECT_FALSE(mark->text.ends_with(sign)) << mark->text << " at " << room.width;
                    }
                }
            }
    EXPECT_GT(lines, 32);
    // Where nothing else is left, it breaks all the same rather than run out of its column.
    const std::vector<std::string> narrow = wrapped(rough_measure(), "1.000 ÷ √4 = 0.500", 10, Font::mono, 50);
    EXPECT_GT(narrow.size(), 1U);
}

// As wide as a lesson leaves it in a window of 1024×700.
TEST(CellPanel, ItsHeadingNamesTheTokensAndEndsBeforeTheButtonsBesideALesson) {
    Scene scene = default_scene();
    scene.model.n_heads = 4;
    scene.model.heads.resize(4);
    scene.display.pinned = true;
    scene.display.pin = {1, 0};
    scene.display.pipeline->explainer_step = 5;
    const Figure figure = draw("explainer", scene, {390, 185});
    const auto back =
        std::ranges::find(figure.targets, "step back", [](const Target& target) { return target.id.name; });
    ASSERT_NE(back, figure.targets.end());
    int n_tokens = 0;
    for (const TextMark* mark : marks_of<TextMark>(figure)) {
        EXPECT_NE(mark->text, "“…”");
        if (!mark->text.starts_with("“") || mark->at.y > 30) continue;
        ++n_tokens;
        EXPECT_LE(mark->at.x + rough_measure().width(mark->text, mark->style.size, mark->style.font), back->area.x);
    }
    EXPECT_EQ(n_tokens, 2);
}

// Beside a lesson in a small window the strips of q and k had no width.
TEST(CellPanel, ItsStripsAreSeenBesideALesson) {
    Scene scene = with_tokens(6);
    scene.display.pinned = true;
    scene.display.pin = {2, 1};
    scene.display.pipeline->explainer_step = 5;
    for (float width = 380; width < 760; width += 20) {
        const Figure figure = draw("explainer", scene, {width, 185});
        int n_strips = 0;
        float end = 0;
        for (const HeatmapMark* strip : marks_of<HeatmapMark>(figure))
            if (strip->id == "strip 1" || strip->id == "strip 2" || strip->id == "strip 3") {
                ++n_strips;
                end = std::max(end, strip->area.right());
                EXPECT_GE(strip->area.w, 40) << strip->id << " at " << width;
            }
        EXPECT_EQ(n_strips, 3) << width;
        // Nothing in words lies over them.
        for (const TextMark* mark : marks_of<TextMark>(figure)) {
            const bool is_beside = mark->align_x == AlignX::right && mark->at.x < end;
            if (is_beside || mark->at.y < 30 || mark->at.x > end) continue;
            ADD_FAILURE() << mark->text << " at " << width;
        }
    }
}

TEST(CellPanel, HeadsOfTheOutputStayApartAndTheTitleNamesSomething) {
    Scene scene = with_tokens(6);
    scene.model.query_tokens = {"The", "cat", "sat", "on", "the", "mat"};
    for (float width = 480; width < 760; width += 20) {
        const Figure figure = draw("explainer", scene, {width, 148});
        std::vector<Rect> heads;
        for (const TextMark* mark : marks_of<TextMark>(figure)) {
            EXPECT_EQ(mark->text.find("weights of “…”"), std::string::npos) << mark->text << " at " << width;
            const bool is_head = mark->style.font == Font::bold && mark->align_x == AlignX::center;
            const float w = rough_measure().width(mark->text, mark->style.size, Font::bold);
            if (is_head && mark->text != "›" && mark->text != "‹") heads.push_back({mark->at.x - w / 2, 0, w, 1});
        }
        ASSERT_EQ(heads.size(), 3U) << width;
        for (std::size_t i = 0; i + 1 < heads.size(); ++i)
            EXPECT_GE(heads[i + 1].x - heads[i].right(), 3) << i << " at " << width;
    }
}

TEST(CellNumbers, AMinusSignTakesNoRoomWhereNoValueHasOne) {
    Scene scene = with_tokens(6);
    fit_matrices(scene.model);
    const auto decimals_of = [](Scene with, float first) {
        with.model.v[0] = filled(6, with.model.d_v, 0.83F);
        with.model.v[0] = with.model.v[0].with([&](Matrix& v) { v(0, 0) = first; });
        const auto trace = std::make_shared<const AttentionTrace>(run_attention(with.model));
        const FigureContext context{.model = with.model,
                                    .trace = *trace,
                                    .display = with.display,
                                    .trace_owner = trace,
                                    .measure = rough_measure(),
                                    .width = 800,
                                    .height = 500};
        const StagePanel panel = stage_panel(context, Stage::v);
        // Four characters of nine pixels and their air fit, five do not.
        const float cell = rough_measure().width("0.00", 9, Font::mono) + 3;
        return fitting_numbers(context, panel, cell, cell).decimals;
    };
    EXPECT_EQ(decimals_of(scene, 0.25F), 2);
    EXPECT_EQ(decimals_of(scene, -0.25F), -1);
}

NumberLook look_of(const Scene& scene, Stage stage, float cell_w, float cell_h) {
    const auto trace = std::make_shared<const AttentionTrace>(run_attention(scene.model));
    const FigureContext context{.model = scene.model,
                                .trace = *trace,
                                .display = scene.display,
                                .trace_owner = trace,
                                .measure = rough_measure(),
                                .width = 800,
                                .height = 500};
    return fitting_numbers(context, stage_panel(context, stage), cell_w, cell_h);
}

TEST(CellNumbers, AWideCellShowsWeightsNearOneAsTheyAre) {
    Scene scene = with_tokens(6);
    fit_matrices(scene.model);
    EXPECT_EQ(look_of(scene, Stage::weights, 55, 60).decimals, 2);
    EXPECT_GE(look_of(scene, Stage::weights, 62, 60).decimals, 3);
    EXPECT_EQ(look_of(scene, Stage::weights, 150, 60).decimals, 4);
}

TEST(CellNumbers, WhatIsNotZeroDoesNotReadZeroWhereThereIsRoom) {
    Scene scene = with_tokens(6);
    fit_matrices(scene.model);
    const auto decimals_with = [&](float small, float cell) {
        scene.model.v[0] = filled(6, scene.model.d_v, 4);
        scene.model.v[0] = scene.model.v[0].with([&](Matrix& v) {
            v(0, 0) = -30;
            v(0, 1) = small;
        });
        return look_of(scene, Stage::v, cell, 24).decimals;
    };
    const float room = rough_measure().width("−30.0", 9, Font::mono) + 3;
    EXPECT_EQ(decimals_with(0.5F, room), 1);
    EXPECT_EQ(decimals_with(0, room), 0) << "larger, for 0 is 0";
    EXPECT_EQ(decimals_with(0.5F, room - 1), 0);
}

TEST(CellPanel, StripsWithoutAMinusSignKeepTheirNumbers) {
    Scene scene = with_tokens(6);
    set_size(scene.model, Size::d_k, 4);
    fit_matrices(scene.model);
    for (SharedMatrix& q : scene.model.q) q = filled(6, 4, 0.83F);
    for (SharedMatrix& k : scene.model.k) k = filled(6, 4, 0.62F);
    const Figure figure = draw("explainer", scene, {760, 185});
    for (const char* strip : {"strip 1", "strip 2", "strip 3"})
        EXPECT_EQ(figure.find_heatmap(strip)->decimals, 2) << strip;
}

TEST(RowLabels, FewLowRowsAreAllNamedBesideThemselves) {
    const auto labels = [](int rows, float height) {
        LabelSpec spec;
        spec.style = {12, Font::words, {}};
        spec.count = rows;
        spec.label_at = [](int i) { return std::to_string(i); };
        Figure figure;
        add_row_labels(figure, rough_measure(), spec, {100, 100, 50, height}, 60);
        return figure;
    };
    const Figure three = labels(3, 33);
    ASSERT_EQ(three.marks.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& text = std::get<TextMark>(three.marks[i]);
        EXPECT_GE(text.style.size, 11);
        EXPECT_NEAR(text.at.y, 105.5F + 11 * static_cast<float>(i), 11 * 0.35F);
        if (i > 0) {
            EXPECT_GE(text.at.y - std::get<TextMark>(three.marks[i - 1]).at.y, text.style.size * 1.1F);
        }
    }
    EXPECT_LT(labels(3, 18).marks.size(), 3U) << "they would stand beside other rows";
    EXPECT_LT(labels(7, 77).marks.size(), 7U);
}

TEST(CellPanel, NumbersOfAStripStandFourPixelsApart) {
    Scene scene = with_tokens(6);
    set_size(scene.model, Size::d_k, 6);
    fit_matrices(scene.model);
    for (SharedMatrix& q : scene.model.q) q = filled(6, 6, 2.5F);
    for (const float width : {600.0F, 650.0F, 700.0F, 750.0F, 800.0F, 900.0F, 1000.0F}) {
        const Figure figure = draw("explainer", scene, {width, 185});
        const HeatmapMark& strip = *figure.find_heatmap("strip 1");
        if (strip.decimals < 0) continue;
        const float number = rough_measure().width(decimal(2.5, strip.decimals), strip.number_size, Font::mono);
        EXPECT_LE(number + 4, strip.area.w / 6) << width;
    }
}

TEST(PipelineNumbers, ComponentsAreAsWideAsTokensWhereNumbersNeedIt) {
    Scene scene = with_tokens(10);
    scene.display.pipeline->folded = {"masked"};
    set_size(scene.model, Size::d_k, 10);
    set_size(scene.model, Size::d_v, 5);
    fit_matrices(scene.model);
    for (SharedMatrix& q : scene.model.q) q = filled(10, 10, 0.9F);
    for (SharedMatrix& v : scene.model.v) v = filled(10, 5, 0.4F);
    const Figure figure = draw("pipeline", scene, {1085, 480});
    for (const char* map : {"q", "v", "head_output"}) {
        EXPECT_GE(figure.find_heatmap(map)->decimals, 0) << map;
        EXPECT_GT(figure.find_heatmap(map)->cell_rect(0, 0).w, figure.find_heatmap(map)->cell_rect(0, 0).h) << map;
    }
}

TEST(PipelineNumbers, AMapDoesNotLoseItsNumbersWithItsNeighbours) {
    Scene scene = with_tokens(6);
    set_size(scene.model, Size::d_k, 4);
    fit_matrices(scene.model);
    scene.model.q[0] = scene.model.q[0].with([](Matrix& q) { q *= 1e9F; });
    const Figure figure = draw("pipeline", scene, {1085, 480});
    EXPECT_LT(figure.find_heatmap("q")->decimals, 0);
    EXPECT_GE(figure.find_heatmap("k")->decimals, 0);
}

// Where maps and bars are, and on which side of the maps the bars are.
std::vector<std::string> places(const Scene& scene, Room room) {
    const Figure figure = draw("pipeline", scene, room);
    std::vector<std::string> found;
    for (const HeatmapMark* map : marks_of<HeatmapMark>(figure))
        found.push_back(map->id + " " + std::to_string(map->area.x) + " " + std::to_string(map->area.y) + " " +
                        std::to_string(map->area.w) + " " + std::to_string(map->area.h));
    for (const ColorBarMark* bar : marks_of<ColorBarMark>(figure))
        found.emplace_back(bar->horizontal ? "below" : "beside");
    return found;
}

TEST(PipelineNumbers, DraggingTheTemperatureOrTheSoftCapMovesNoMap) {
    for (const Source source : {Source::direct, Source::projected})
        for (const int tokens : {6, 10, 40})
            for (const Room room : {Room{700, 330}, Room{1085, 480}, Room{1560, 760}}) {
                Scene scene = with_tokens(tokens);
                scene.model.source = source;
                scene.display.pipeline->folded.clear();
                const std::vector<std::string> usual = places(scene, room);
                for (const float temperature : {0.05F, 0.5F, 2.0F, 7.46F, 30.0F}) {
                    scene.model.temperature = temperature;
                    EXPECT_EQ(places(scene, room), usual)
                        << tokens << " tokens at " << room.width << ", T = " << temperature;
                }
                scene.model.scale->soft_cap = 50.0F;
                const std::vector<std::string> capped = places(scene, room);
                for (const float cap : {0.5F, 5.88F, 12.0F}) {
                    scene.model.scale->soft_cap = cap;
                    EXPECT_EQ(places(scene, room), capped) << tokens << " tokens at " << room.width << ", " << cap;
                }
            }
}

}  // namespace
}  // namespace heed
