// The Pipeline of every example, in windows from 1024×700 up: maps keep a size, and nothing covers anything else.
#include "core/attention/pipeline.h"
#include "core/display/cells_display.h"
#include "core/display/pipeline_display.h"
#include "core/embedded.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/files/scene_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr float thinnest = 12;  // of a map's shorter side
constexpr float shortest = 28;  // of its longer one

struct Room {
    float width, height;  // what the view has, in logical pixels
};
constexpr Room rooms[] = {{700, 290}, {700, 330}, {700, 400}, {1085, 480}};

// The corners' bounds of a text as both renderers place it; turned labels hang from their right end.
Rect bounds(const TextMark& mark) {
    const float w = mark.plain ? rough_measure().width(mark.text, mark.style.size, mark.style.font)
                               : rich_width(rough_measure(), mark.text, mark.style.size, mark.style.font);
    const float h = mark.style.size;
    if (mark.angle != 0) {
        const float reach = w * 0.7072F;
        return {mark.at.x - reach, mark.at.y - h * 0.3F, reach, reach + h * 0.3F};
    }
    const float x = mark.align_x == AlignX::left    ? mark.at.x
                    : mark.align_x == AlignX::right ? mark.at.x - w
                                                    : mark.at.x - w / 2;
    // Digits and capitals: from the top of the letters to the base line.
    const float y = mark.align_y == AlignY::top      ? mark.at.y + h * 0.2F
                    : mark.align_y == AlignY::middle ? mark.at.y - h * 0.4F
                                                     : mark.at.y - h * 0.8F;
    return {x, y, w, h * 0.8F};
}

bool overlap(const Rect& a, const Rect& b) {
    constexpr float slack = 0.5F;
    return a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() && b.y + slack < a.bottom();
}

bool is_inside(const Rect& rect, const Figure& figure) {
    return rect.x >= -1 && rect.y >= -1 && rect.right() <= figure.width + 1 && rect.bottom() <= figure.height + 1;
}

struct Thing {
    std::string name;
    Rect area;
    bool is_turned = false;
};

void expect_clear(const Figure& figure, const std::string& where) {
    std::vector<Thing> maps;
    std::vector<Thing> words;
    for (const Mark& mark : figure.marks) {
        // One without a name is a picture in the place of labels.
        if (const auto* heatmap = std::get_if<HeatmapMark>(&mark); heatmap != nullptr && !heatmap->id.empty())
            maps.push_back({heatmap->id, heatmap->area});
        if (const auto* bar = std::get_if<ColorBarMark>(&mark)) words.push_back({"a colour bar", bar->area});
        if (const auto* text = std::get_if<TextMark>(&mark))
            words.push_back({text->text, bounds(*text), text->angle != 0});
    }
    for (std::size_t a = 0; a < maps.size(); ++a) {
        const auto& [name, area, turned] = maps[a];
        EXPECT_TRUE(is_inside(area, figure)) << where << name;
        EXPECT_GE(std::min(area.w, area.h), thinnest) << where << name;
        EXPECT_GE(std::max(area.w, area.h), shortest) << where << name;
        for (std::size_t b = a + 1; b < maps.size(); ++b)
            EXPECT_FALSE(overlap(area, maps[b].area)) << where << name << " and " << maps[b].name;
    }
    for (std::size_t a = 0; a < words.size(); ++a) {
        EXPECT_TRUE(is_inside(words[a].area, figure)) << where << words[a].name;
        for (const Thing& map : maps)
            EXPECT_FALSE(overlap(words[a].area, map.area)) << where << words[a].name << " and the map " << map.name;
        // Turned labels lie side by side along their diagonals: their bounds say nothing.
        for (std::size_t b = a + 1; b < words.size() && !words[a].is_turned; ++b)
            EXPECT_TRUE(words[b].is_turned || !overlap(words[a].area, words[b].area))
                << where << words[a].name << " and " << words[b].name;
    }
}

std::vector<std::string> example_paths() {
    std::vector<std::string> paths;
    for (const std::string_view path : embedded_files("assets/scenes/")) paths.emplace_back(path);
    return paths;
}

class PipelineOfExample : public testing::TestWithParam<std::string> {};

TEST_P(PipelineOfExample, KeepsItsMapsReadableInSmallWindows) {
    const Result<Scene> example = load_scene(embedded_file(GetParam()), GetParam());
    ASSERT_TRUE(example);
    for (const bool projection : {false, true}) {
        Scene scene = *example;
        scene.model.output_projection = projection;
        fit_matrices(scene.model);
        const AttentionTrace trace = run_attention(scene.model);
        using Folded = std::vector<std::string>;
        const Folded all{"q", "k", "scores", "scaled", "masked", "weights", "v", "head_output", "output"};
        for (const Folded& folded : {example->display.pipeline->folded, Folded{}, all, Folded{"q", "weights"}})
            for (const bool keys_down : {false, true})
                for (const Language language : {Language::english, Language::chinese})
                    for (const Room& room : rooms) {
                        scene.display.cells->keys_down = keys_down;
                        scene.display.pipeline->folded = folded;
                        FigureContext context{.model = scene.model,
                                              .trace = trace,
                                              .display = scene.display,
                                              .title = scene_title(scene, language),
                                              .language = language,
                                              .measure = rough_measure(),
                                              .width = room.width,
                                              .height = room.height};
                        context.options.title = false;
                        expect_clear(find_figure_kind("pipeline")->make(context),
                                     std::to_string(room.width) + " × " + std::to_string(room.height) +
                                         (projection ? ", W_O" : "") + ", " + std::to_string(folded.size()) +
                                         " folded" + (keys_down ? ", queries as columns" : "") +
                                         (language == Language::chinese ? ", Chinese: " : ": "));
                    }
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, PipelineOfExample, testing::ValuesIn(example_paths()), [](const auto& example) {
    std::string name = example.param.substr(example.param.rfind('/') + 1);
    name = name.substr(0, name.find('.'));
    std::ranges::replace(name, '-', '_');
    return name;
});

}  // namespace
}  // namespace heed
