// Every word of every figure of every example, in both languages, on the screen and on paper, at six sizes: none lies on
// another or leaves the figure.
#include "app/print/print_text.h"
#include "core/display/block_display.h"
#include "core/display/cells_display.h"
#include "core/display/cost_display.h"
#include "core/display/flow_display.h"
#include "core/display/geometry_display.h"
#include "core/display/gradients_display.h"
#include "core/display/heads_display.h"
#include "core/display/order_display.h"
#include "core/display/pipeline_display.h"
#include "core/display/reach_display.h"
#include "core/display/saturation_display.h"
#include "core/edit/sizes.h"
#include "core/embedded.h"
#include "core/figure/mark_look.h"
#include "core/figure/plot.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/files/scene_file.h"
#include "core/results.h"
#include "core/transformer/around.h"
#include "tests/core/projection_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>
#include <unordered_map>

namespace heed::app {
namespace {

constexpr std::array<std::pair<float, float>, 6> sizes = {
    {{560, 400}, {800, 600}, {1024, 700}, {1050, 700}, {1440, 900}, {1920, 1080}}};
// What a view has in windows of 1024×700 and 1440×900.
constexpr std::array<std::pair<float, float>, 2> rooms_in_windows = {{{700, 330}, {1085, 480}}};

// The print renderer's widths, remembered: the same words are measured at every size.
class RememberedMeasure : public TextMeasure {
public:
    float width(std::string_view text, float size, Font font) const override {
        std::string key(text);
        key.append(reinterpret_cast<const char*>(&size), sizeof size).push_back(static_cast<char>(font));
        const auto [entry, is_new] = widths_.try_emplace(std::move(key), 0.0F);
        if (is_new) entry->second = print_measure().width(text, size, font);
        return entry->second;
    }

private:
    mutable std::unordered_map<std::string, float> widths_;
};

const TextMeasure& measure() {
    static const RememberedMeasure remembered;
    return remembered;
}

// What a text covers: a box along its own line, from the top of the capitals to just below the base line.
struct Word {
    std::string text;
    std::array<Point, 4> corners;
    std::string of_plot;  // empty: the figure's own
    Rect bounds() const {
        const auto [left, right] = std::ranges::minmax(corners, {}, &Point::x);
        const auto [top, bottom] = std::ranges::minmax(corners, {}, &Point::y);
        return {left.x, top.y, right.x - left.x, bottom.y - top.y};
    }
};

Word word_of(const TextMark& mark) {
    const float size = mark.style.size;
    const float w = mark.plain ? measure().width(mark.text, size, mark.style.font)
                               : rich_width(measure(), mark.text, size, mark.style.font);
    const float left = mark.align_x == AlignX::left ? 0 : mark.align_x == AlignX::right ? -w : -w / 2;
    const float base = baseline_below(mark.align_y, size);
    const float top = base - size * 0.73F;
    const float bottom = base + size * 0.12F;
    const float angle = mark.angle * std::numbers::pi_v<float> / 180;
    const auto turned = [&](float x, float y) {
        return Point{mark.at.x + x * std::cos(angle) + y * std::sin(angle),
                     mark.at.y - x * std::sin(angle) + y * std::cos(angle)};
    };
    return {mark.text, {turned(left, top), turned(left + w, top), turned(left + w, bottom), turned(left, bottom)}, {}};
}

// Whether some line along an edge of `a` has all of `b` on its other side, with a little slack.
bool is_parted_by(const std::array<Point, 4>& a, const std::array<Point, 4>& b) {
    constexpr float slack = 0.5F;
    for (const std::size_t edge : {0, 1}) {
        Point along{a[edge + 1].x - a[edge].x, a[edge + 1].y - a[edge].y};
        const float length = std::hypot(along.x, along.y);
        if (length == 0) return true;
        along = {along.x / length, along.y / length};
        const auto span = [&](const std::array<Point, 4>& box) {
            std::array<float, 4> on{};
            std::ranges::transform(box, on.begin(), [&](Point p) { return p.x * along.x + p.y * along.y; });
            return std::ranges::minmax(on);
        };
        const auto [a_low, a_high] = span(a);
        const auto [b_low, b_high] = span(b);
        if (a_high <= b_low + slack || b_high <= a_low + slack) return true;
    }
    return false;
}

std::array<Point, 4> corners(const Rect& r) {
    return {{{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}};
}

bool overlap(const std::array<Point, 4>& a, const std::array<Point, 4>& b) {
    return !is_parted_by(a, b) && !is_parted_by(b, a);
}

struct Thing {
    std::string name;
    Rect area;
    std::string of_plot;
};

// All words of a figure, and what they must not lie on: maps, colour bars and the bars of plots.
struct Contents {
    std::vector<Word> words;
    std::vector<Thing> things;
    std::vector<Rect> clips;

    void add(const Mark& mark, const std::string& plot, Theme theme) {
        if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && !text->text.empty()) {
            Word word = word_of(*text);
            word.of_plot = plot;
            const bool is_hidden = !clips.empty() && !overlap(word.corners, corners(clips.back()));
            if (!is_hidden) words.push_back(std::move(word));
        } else if (const auto* map = std::get_if<HeatmapMark>(&mark);
                   map != nullptr && plot.empty() && map->id != "territories" && map->id != "overlay") {
            // The two left out are ground for words: names of keys, and the weight of each patch.
            things.push_back({"the map " + map->id, map->area, {}});
        } else if (const auto* bar = std::get_if<ColorBarMark>(&mark)) {
            things.push_back({"a colour bar", bar->area, {}});
        } else if (const auto* box = std::get_if<BoxMark>(&mark); box != nullptr && !plot.empty() && box->fill.a != 0) {
            things.push_back({"a bar of " + plot, box->area, plot});
        } else if (const auto* clip = std::get_if<ClipMark>(&mark)) {
            if (clip->push)
                clips.push_back(clip->area);
            else
                clips.pop_back();
        } else if (const auto* inner = std::get_if<PlotRef>(&mark)) {
            for (const Mark& part : lower(**inner, theme)) add(part, (*inner)->id, theme);
        }
    }
};

// What is wrong with a figure's words, one sentence each.
std::vector<std::string> complaints(const Figure& figure) {
    Contents contents;
    for (const Mark& mark : figure.marks) contents.add(mark, {}, figure.theme);
    std::vector<std::string> found;
    for (std::size_t a = 0; a < contents.words.size(); ++a) {
        const Word& word = contents.words[a];
        const Rect bounds = word.bounds();
        if (bounds.x < -0.5F || bounds.y < -0.5F || bounds.right() > figure.width + 0.5F ||
            bounds.bottom() > figure.height + 0.5F)
            found.push_back("“" + word.text + "” leaves the figure");
        for (std::size_t b = a + 1; b < contents.words.size(); ++b)
            if (overlap(word.corners, contents.words[b].corners))
                found.push_back("“" + word.text + "” lies on “" + contents.words[b].text + "”");
        for (const Thing& thing : contents.things)
            if ((thing.of_plot.empty() || thing.of_plot != word.of_plot) && overlap(word.corners, corners(thing.area)))
                found.push_back("“" + word.text + "” lies on " + thing.name);
    }
    return found;
}

// A figure with something of its display chosen.
struct Variant {
    std::string name;
    std::string kind;
    std::function<void(Display&)> choose = [](Display&) {};
};

std::vector<Variant> variants() {
    std::vector<Variant> all;
    for (const FigureKind& kind : figure_kinds()) {
        const std::string id(kind.id);
        if (id == "saturation") {
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<SaturationPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<SaturationPanel>::ids[panel], id, [panel](Display& display) {
                                   display.saturation->panel = static_cast<SaturationPanel>(panel);
                               }});
            all.push_back({id + " terms", id, [](Display& display) {
                               display.saturation->panel = SaturationPanel::scores;
                               display.saturation->scores = ScoresPart::terms;
                               display.saturation->spread = 1.75F;
                               display.saturation->correlation = -0.35F;
                           }});
        } else if (id == "gradients")
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<GradientsPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<GradientsPanel>::ids[panel], id, [panel](Display& display) {
                                   display.gradients->panel = static_cast<GradientsPanel>(panel);
                               }});
        else if (id == "order")
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<OrderPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<OrderPanel>::ids[panel], id, [panel](Display& display) {
                                   display.order->panel = static_cast<OrderPanel>(panel);
                                   display.order->permutation = "2 0 1 4 3";
                               }});
        else if (id == "cost")
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<CostPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<CostPanel>::ids[panel], id,
                               [panel](Display& display) { display.cost->panel = static_cast<CostPanel>(panel); }});
        else if (id == "block")
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<BlockPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<BlockPanel>::ids[panel], id,
                               [panel](Display& display) { display.block->panel = static_cast<BlockPanel>(panel); }});
        else if (id == "reach")
            for (int panel = 0; panel < static_cast<int>(std::size(ChoiceIds<ReachPanel>::ids)); ++panel)
                all.push_back({id + " " + ChoiceIds<ReachPanel>::ids[panel], id,
                               [panel](Display& display) { display.reach->panel = static_cast<ReachPanel>(panel); }});
        else
            all.push_back({id, id});
    }
    for (const std::string_view encoding : looked_at_encodings())
        all.push_back({"order, " + std::string(encoding), "order", [encoding](Display& display) {
                           display.order->panel = OrderPanel::encoding;
                           display.order->encoding = std::string(encoding);
                       }});
    all.push_back({"heads, winner", "heads", [](Display& d) { d.heads->detail = HeadsDetail::winner; }});
    all.push_back(
        {"geometry, projections", "geometry", [](Display& d) { d.geometry->panel = GeometryPanel::projections; }});
    all.push_back({"flow, arcs", "flow", [](Display& d) { d.flow->arcs = true; }});
    all.push_back({"flow, all heads", "flow", [](Display& d) { d.flow->all_heads = true; }});
    return all;
}

struct Page {
    Language language;
    bool on_paper;
    std::pair<float, float> size;
    std::string name() const {
        return std::to_string(static_cast<int>(size.first)) + "×" + std::to_string(static_cast<int>(size.second)) +
               (on_paper ? " on paper" : "") + (language == Language::chinese ? " in Chinese" : "");
    }
};

// A word that tells the reader to do what paper cannot have done to it; empty: none.
std::string asked_of_paper(const Figure& figure) {
    const auto asks = [](std::string_view words) {
        for (const std::string_view doing :
             {"Drag", "drag", "Press", "press ", "Click", "click", "拖动", "点击", "按下"})
            if (words.find(doing) != std::string_view::npos) return true;
        return false;
    };
    for (const Mark& mark : figure.marks) {
        if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && !text->plain && asks(text->text))
            return text->text;
        if (const auto* plot = std::get_if<std::shared_ptr<const PlotMark>>(&mark);
            plot != nullptr && asks((*plot)->title))
            return (*plot)->title;
    }
    return {};
}

// Each of the given pages of each figure; one line for each thing that is wrong, with the pages it is wrong on.
void expect_clear(const Scene& scene, const std::vector<Page>& pages, std::string_view only = {}) {
    const AttentionTrace trace = run_layers(scene.model);
    Results results;
    for (const Variant& variant : variants()) {
        if (!only.empty() && variant.kind != only) continue;
        Display display = scene.display;
        variant.choose(display);
        for (const Page& page : pages) {
            FigureContext context{.model = looked_at(scene.model, trace),
                                  .trace = trace,
                                  .display = display,
                                  .title = scene_title(scene, page.language),
                                  .language = page.language,
                                  .measure = measure(),
                                  .width = page.size.first,
                                  .height = page.size.second,
                                  .results = &results,
                                  .on_paper = page.on_paper};
            context.options.title = context.options.caption = page.on_paper;
            const Figure figure = find_figure_kind(variant.kind)->make(context);
            const std::vector<std::string> found = complaints(figure);
            EXPECT_TRUE(found.empty()) << variant.name << ", " << page.name() << ": " << found.size()
                                       << " such, the first: " << found.front();
            if (page.on_paper) {
                EXPECT_EQ(asked_of_paper(figure), "") << variant.name << ", " << page.name();
            }
        }
    }
}

std::vector<Page> all_pages() {
    std::vector<Page> pages;
    for (const Language language : {Language::english, Language::chinese})
        for (const bool on_paper : {false, true})
            for (const auto& size : sizes) pages.push_back({language, on_paper, size});
    for (const auto& size : rooms_in_windows) pages.push_back({Language::english, false, size});
    return pages;
}

class WordsOfExample : public testing::TestWithParam<std::string> {};

TEST_P(WordsOfExample, NeitherOverlapNorLeaveTheFigure) {
    const Result<Scene> example = load_scene(embedded_file(GetParam()), GetParam());
    ASSERT_TRUE(example);
    expect_clear(*example, all_pages());
}

std::vector<std::string> example_paths() {
    std::vector<std::string> paths;
    for (const std::string_view path : embedded_files("assets/scenes/")) paths.emplace_back(path);
    return paths;
}

INSTANTIATE_TEST_SUITE_P(Examples, WordsOfExample, testing::ValuesIn(example_paths()), [](const auto& example) {
    std::string name = example.param.substr(example.param.rfind('/') + 1);
    name = name.substr(0, name.find('.'));
    std::ranges::replace(name, '-', '_');
    return name;
});

// Few and many tokens and heads, in the two languages of their tokens.
class WordsOfSize : public testing::TestWithParam<std::tuple<const char*, int, int>> {};

TEST_P(WordsOfSize, NeitherOverlapNorLeaveTheFigure) {
    const auto& [name, tokens, heads] = GetParam();
    const std::string path = "assets/scenes/" + std::string(name) + ".json";
    Result<Scene> scene = load_scene(embedded_file(path), path);
    ASSERT_TRUE(scene);
    set_heads(scene->model, heads, heads);
    set_size(scene->model, Size::n_queries, tokens);
    ASSERT_EQ(scene->model.n_heads, heads);
    ASSERT_EQ(scene->model.n_queries, tokens);
    std::vector<Page> pages;
    for (const auto& size : {sizes[2], sizes[4]})
        for (const Language language : {Language::english, Language::chinese})
            pages.push_back({language, size == sizes[4], size});
    for (const auto& size : rooms_in_windows) pages.push_back({Language::english, false, size});
    expect_clear(*scene, pages);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WordsOfSize,
                         testing::Values(std::tuple{"cat", 1, 1}, std::tuple{"cat", 40, 12}, std::tuple{"cat", 10, 64},
                                         std::tuple{"weather", 6, 4}, std::tuple{"weather", 40, 12},
                                         std::tuple{"weather", 256, 1}),
                         [](const auto& of) {
                             return std::string(std::get<0>(of.param)) + "_" + std::to_string(std::get<1>(of.param)) +
                                    "_tokens_" + std::to_string(std::get<2>(of.param)) + "_heads";
                         });

// What the embeddings become, in each of the ways in which they can.
TEST(WordsOfProjections, NeitherOverlapNorLeaveTheFigure) {
    for (const auto& [name, scene] : projected_scenes())
        for (const char* explained : {"", "k"})
            for (const bool keys_down : {false, true}) {
                SCOPED_TRACE(name + (keys_down ? ", queries as columns" : ""));
                Scene shown = scene;
                shown.display.cells->keys_down = keys_down;
                shown.display.pipeline->explained = explained;
                std::vector<Page> pages;
                for (const auto& size : sizes) pages.push_back({Language::english, size == sizes[3], size});
                for (const auto& size : rooms_in_windows) pages.push_back({Language::chinese, false, size});
                expect_clear(shown, pages, *explained == 0 ? "pipeline" : "explainer");
            }
}

}  // namespace
}  // namespace heed::app
