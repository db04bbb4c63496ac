// Every figure of every example drawn both ways: each mark has the same place and the same colour on the screen and on paper.
//
// Both pictures are made at one pixel for each logical pixel and looked at where marks are: small patches along lines, in the
// middle of bands, boxes, dots and cells, and the whole of a text. Patches forgive what antialiasing does to an edge and
// nothing else; marks that are covered are covered in both.
#include "app/commands/scene_argument.h"
#include "app/platform/fonts.h"
#include "app/platform/offscreen.h"
#include "app/print/print_figure.h"
#include "app/screen/draw_figure.h"
#include "core/attention/pipeline.h"
#include "core/display/gradients_display.h"
#include "core/display/order_display.h"
#include "core/display/saturation_display.h"
#include "core/figure/mark_look.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/model/picture.h"
#include "core/transformer/around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heed::app {
namespace {

constexpr int width = 960;
constexpr int height = 640;
constexpr double most_difference = 45;   // of 255, mean over a patch
constexpr double least_agreement = 0.8;  // of the patches of one mark
constexpr int least_ink = 90;            // of 765: an edge that is only hinted at is none
constexpr double most_text_difference = 28;
constexpr double most_text_shift = 3;  // pixels, of the edges of its ink; and a hundredth of its width

// Mean colour, and the edges of what differs from the ground. (Where the middle of the ink lies depends on its weight: fonts of
// different scripts are bold in different ways.)
struct Seen {
    std::array<double, 3> mean{};
    bool has_ink = false;
    int left = 0, right = 0, top = 0, bottom = 0;
};

Seen look(const Pixels& picture, const Rect& at, Color ground) {
    Seen seen;
    double count = 0;
    for (int y = std::max(0, static_cast<int>(std::floor(at.y)));
         y < std::min<int>(picture.height, static_cast<int>(std::ceil(at.bottom()))); ++y)
        for (int x = std::max(0, static_cast<int>(std::floor(at.x)));
             x < std::min<int>(picture.width, static_cast<int>(std::ceil(at.right()))); ++x) {
            const std::uint8_t* p = picture.at(x, y);
            for (std::size_t c = 0; c < 3; ++c) seen.mean[c] += p[c];
            const int ink = std::abs(p[0] - ground.r) + std::abs(p[1] - ground.g) + std::abs(p[2] - ground.b);
            if (ink > least_ink) {
                seen.left = seen.has_ink ? std::min(seen.left, x) : x;
                seen.right = std::max(seen.right, x);
                if (!seen.has_ink) seen.top = y;
                seen.bottom = y;
                seen.has_ink = true;
            }
            ++count;
        }
    for (double& channel : seen.mean) channel /= std::max(1.0, count);
    return seen;
}

double difference(const Seen& a, const Seen& b) {
    double most = 0;
    for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(a.mean[c] - b.mean[c]));
    return most;
}

// The places at which a mark shows itself.
struct Places {
    std::vector<Point> patches;
    std::vector<Rect> words;
    bool is_turned = false;  // words that lean across their neighbours

    static constexpr int most = 24;
    void along(const std::vector<Point>& points) {
        const std::size_t step = std::max<std::size_t>(1, points.size() / most);
        for (std::size_t i = 0; i + 1 < points.size(); i += step)
            for (const float share : {0.25F, 0.75F})
                patches.push_back({points[i].x + share * (points[i + 1].x - points[i].x),
                                   points[i].y + share * (points[i + 1].y - points[i].y)});
    }
    void operator()(const TextMark& mark) {
        const float w = mark.plain ? screen_measure().width(mark.text, mark.style.size, mark.style.font)
                                   : rich_width(screen_measure(), mark.text, mark.style.size, mark.style.font);
        const float left = mark.align_x == AlignX::left ? 0 : mark.align_x == AlignX::right ? -w : -w / 2;
        const float base = baseline_below(mark.align_y, mark.style.size);
        is_turned = mark.angle != 0 && mark.angle != 90;
        const float angle = mark.angle * std::numbers::pi_v<float> / 180;
        Rect box{1e9F, 1e9F, 0, 0};
        float right = -1e9F, bottom = -1e9F;
        for (const float x : {left, left + w})
            for (const float y : {base - mark.style.size, base + mark.style.size * 0.35F}) {
                const Point p{mark.at.x + x * std::cos(angle) + y * std::sin(angle),
                              mark.at.y - x * std::sin(angle) + y * std::cos(angle)};
                box.x = std::min(box.x, p.x);
                box.y = std::min(box.y, p.y);
                right = std::max(right, p.x);
                bottom = std::max(bottom, p.y);
            }
        words.push_back({box.x - 1, box.y - 1, right - box.x + 2, bottom - box.y + 2});
    }
    void operator()(const HeatmapMark& mark) {
        const Index rows = std::max<Index>(1, mark.values.rows / 8);
        const Index cols = std::max<Index>(1, mark.values.cols / 8);
        for (Index i = 0; i < mark.values.rows; i += rows)
            for (Index j = 0; j < mark.values.cols; j += cols) patches.push_back(mark.cell_rect(i, j).center());
    }
    void operator()(const LineMark& mark) { along(mark.points); }
    void operator()(const AreaMark& mark) { along(mark.outline); }
    void operator()(const BandMark& mark) {
        std::vector<Point> middle;
        for (std::size_t i = 0; i < std::min(mark.upper.size(), mark.lower.size()); ++i)
            middle.push_back({mark.upper[i].x, (mark.upper[i].y + mark.lower[i].y) / 2});
        along(middle);
    }
    void operator()(const BoxMark& mark) {
        const Rect& a = mark.area;
        patches = {a.center(),
                   {a.x, a.center().y},
                   {a.right(), a.center().y},
                   {a.center().x, a.y},
                   {a.center().x, a.bottom()}};
    }
    void operator()(const CircleMark& mark) {
        patches.push_back(mark.center);
        for (const auto& [x, y] : {std::pair(1.0F, 0.0F), {-1.0F, 0.0F}, {0.0F, 1.0F}, {0.0F, -1.0F}})
            patches.push_back({mark.center.x + x * mark.radius, mark.center.y + y * mark.radius});
    }
    void operator()(const RibbonMark& mark) {
        patches.push_back({(mark.from_top.x + mark.from_bottom.x) / 2, (mark.from_top.y + mark.from_bottom.y) / 2});
        patches.push_back({(mark.to_top.x + mark.to_bottom.x) / 2, (mark.to_top.y + mark.to_bottom.y) / 2});
        if (!mark.vertical_ends)
            patches.push_back({(mark.from_top.x + mark.to_top.x) / 2,
                               (mark.from_top.y + mark.from_bottom.y + mark.to_top.y + mark.to_bottom.y) / 4});
    }
    void operator()(const ColorBarMark& mark) {
        for (const float share : {0.1F, 0.5F, 0.9F})
            patches.push_back(mark.horizontal ? Point{mark.area.x + share * mark.area.w, mark.area.center().y}
                                              : Point{mark.area.center().x, mark.area.y + share * mark.area.h});
    }
    void operator()(const ClipMark&) {}
    void operator()(const PlotRef&) {}
};

class BothWays : public testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<OffscreenHost> host = std::move(*open_offscreen({.width = width, .height = height}));

    Pixels on_screen(const Figure& figure) {
        for (int frame = 0; frame < 2; ++frame) {
            host->set_theme(figure.theme);
            host->begin_frame();
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({width, height});
            ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
            ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
            ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
            ImGui::Begin("figure", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
            draw_figure("figure", figure);
            ImGui::End();
            ImGui::PopStyleVar(3);
            host->end_frame();
        }
        return host->pixels();
    }

    struct Pictures {
        Pixels screen, paper;
    };
    Pictures both(const Figure& figure) {
        Result<Pixels> paper = print_pixels(figure, {.pixels_per_unit = 1});
        return {on_screen(figure), paper ? std::move(*paper) : Pixels()};
    }

    // Words are looked at in a picture of words alone, where no line beside them is taken for ink of theirs.
    void compare(const Figure& figure, const std::string& what) {
        std::vector<Mark> marks;
        for (const Mark& mark : figure.marks)
            if (const auto* plot = std::get_if<PlotRef>(&mark))
                std::ranges::move(lower(**plot, figure.theme), std::back_inserter(marks));
            else
                marks.push_back(mark);
        Figure words = figure;
        words.marks.clear();
        words.targets.clear();
        std::ranges::copy_if(marks, std::back_inserter(words.marks),
                             [](const Mark& mark) { return std::holds_alternative<TextMark>(mark); });
        const Pictures all = both(figure);
        const Pictures text = both(words);
        ASSERT_EQ(all.screen.width, all.paper.width) << what;
        const Rect whole{0, 0, static_cast<float>(width), static_cast<float>(height)};
        std::vector<Rect> all_words;
        for (const Mark& mark : marks) {
            Places places;
            std::visit(places, mark);
            std::ranges::copy(places.words, std::back_inserter(all_words));
        }
        Rect clip = whole;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (const auto* change = std::get_if<ClipMark>(&marks[i])) clip = change->push ? change->area : whole;
            Places places;
            std::visit(places, marks[i]);
            const std::string which =
                what + ", mark " + std::to_string(i) + " of kind " + std::to_string(marks[i].index()) +
                (std::holds_alternative<TextMark>(marks[i]) ? ": " + std::get<TextMark>(marks[i]).text : "");
            compare_patches(places, clip, all, which);
            for (const Rect& at : places.words)
                compare_words(at, places.is_turned || has_neighbours(at, all_words), text, palette(figure.theme).panel,
                              which);
        }
    }

    void compare_patches(const Places& places, const Rect& clip, const Pictures& pictures, const std::string& what) {
        int count = 0, alike = 0;
        double worst = 0;
        for (const Point& p : places.patches) {
            if (!std::isfinite(p.x) || !std::isfinite(p.y) || !clip.contains(p)) continue;
            const Rect patch{p.x - 2, p.y - 2, 4, 4};
            const double d = difference(look(pictures.screen, patch, {}), look(pictures.paper, patch, {}));
            ++count;
            alike += d <= most_difference ? 1 : 0;
            worst = std::max(worst, d);
        }
        n_marks += count > 0 ? 1 : 0;
        EXPECT_GE(alike, std::floor(count * least_agreement)) << what << ": worst " << worst;
    }

    // Ink of words that stand close reaches into the box, so that its edges say nothing of these words.
    static bool has_neighbours(const Rect& at, const std::vector<Rect>& all) {
        return std::ranges::count_if(all, [&](const Rect& other) {
                   return other.x < at.right() && at.x < other.right() && other.y < at.bottom() &&
                          at.y < other.bottom();
               }) > 1;
    }

    void compare_words(const Rect& at, bool is_turned, const Pictures& pictures, Color ground,
                       const std::string& what) {
        const Seen a = look(pictures.screen, at, ground);
        const Seen b = look(pictures.paper, at, ground);
        ++n_marks;
        EXPECT_LE(difference(a, b), most_text_difference) << what;
        EXPECT_EQ(a.has_ink, b.has_ink) << what;
        if (is_turned) return;
        const double most = most_text_shift + static_cast<double>(at.w) / 100;
        EXPECT_LE(std::abs(a.left - b.left), most) << what;
        EXPECT_LE(std::abs(a.right - b.right), most) << what;
        EXPECT_LE(std::abs(a.top - b.top), most) << what;
        EXPECT_LE(std::abs(a.bottom - b.bottom), most) << what;
    }

    int n_marks = 0;
};

TEST_P(BothWays, EveryMarkOfEveryFigureHasOnePlaceAndOneColour) {
    const Result<Scene> scene = scene_argument(GetParam(), {});
    ASSERT_TRUE(scene) << scene.error();
    const AttentionTrace trace = run_layers(scene->model);
    const Model& looked = looked_at(scene->model, trace);
    Model changed = looked;
    changed.temperature *= 0.6F;
    const auto baseline = std::make_shared<const Baseline>(Baseline{changed, run_attention(changed)});
    for (const FigureKind& kind : figure_kinds()) {
        const FigureContext context{.model = looked,
                                    .trace = trace,
                                    .display = scene->display,
                                    .title = scene_title(*scene, Language::english),
                                    .theme = kind.id.size() % 2 == 0 ? Theme::light : Theme::dark,
                                    .measure = screen_measure(),
                                    .width = width,
                                    .height = height,
                                    .baseline = baseline};
        compare(kind.make(context), GetParam() + "/" + std::string(kind.id));
    }
    EXPECT_GT(n_marks, 200);
}

std::vector<std::string> example_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.id);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Examples, BothWays, testing::ValuesIn(example_names()), [](const auto& example) {
    std::string name = example.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

class EveryPanel : public BothWays {};

TEST_P(EveryPanel, OfSaturationAndGradientsIsTheSameBothWays) {
    Scene scene = default_scene();
    scene.display.saturation->gradient_of = GradientOf::both;
    zoom_plot(scene.display, "d_k entropy", {4, 512, true}, {0.2, 0.9});
    show_series(scene.display, "temperature peak", "scaled", false);
    const AttentionTrace trace = run_attention(scene.model);
    for (int panel = -1; panel < 9; ++panel) {
        const bool is_saturation = panel < 6;
        scene.display.saturation->scores = panel < 0 ? ScoresPart::terms : ScoresPart::density;
        if (is_saturation)
            scene.display.saturation->panel = static_cast<SaturationPanel>(std::max(panel, 0));
        else
            scene.display.gradients->panel = static_cast<GradientsPanel>(panel - 6);
        const FigureContext context{.model = scene.model,
                                    .trace = trace,
                                    .display = scene.display,
                                    .language = GetParam() == "light" ? Language::english : Language::chinese,
                                    .theme = GetParam() == "light" ? Theme::light : Theme::dark,
                                    .measure = screen_measure(),
                                    .width = width,
                                    .height = height};
        compare(find_figure_kind(is_saturation ? "saturation" : "gradients")->make(context),
                "panel " + std::to_string(panel));
    }
    EXPECT_GT(n_marks, 200);
}

TEST_P(EveryPanel, OfOrderIsTheSameBothWays) {
    Scene scene = default_scene();
    scene.display.order->permutation = "2 0 1 4 3";
    const AttentionTrace trace = run_attention(scene.model);
    for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<OrderPanel>::ids)); ++panel) {
        scene.display.order->panel = static_cast<OrderPanel>(panel);
        const FigureContext context{.model = scene.model,
                                    .trace = trace,
                                    .display = scene.display,
                                    .language = GetParam() == "light" ? Language::english : Language::chinese,
                                    .theme = GetParam() == "light" ? Theme::light : Theme::dark,
                                    .measure = screen_measure(),
                                    .width = width,
                                    .height = height};
        compare(find_figure_kind("order")->make(context), "panel " + std::to_string(panel));
    }
    EXPECT_GT(n_marks, 200);
}

INSTANTIATE_TEST_SUITE_P(Themes, EveryPanel, testing::Values("light", "dark"));

}  // namespace
}  // namespace heed::app
