// The cell explainer never prints over itself, whatever the example, the tokens and the room.
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/figure/registry.h"
#include "core/figure/rich_text.h"
#include "core/files/scene_file.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

using Corners = std::array<Point, 4>;

// The corners of a mark's ink, turned as it is drawn. Of a line of type about 0.8 em is ink; exponents stay inside it.
Corners corners(const TextMark& mark) {
    const float w = mark.plain ? rough_measure().width(mark.text, mark.style.size, mark.style.font)
                               : rich_width(rough_measure(), mark.text, mark.style.size, mark.style.font);
    const float h = mark.style.size * 0.8F;
    const float x = mark.align_x == AlignX::left ? 0 : mark.align_x == AlignX::right ? -w : -w / 2;
    const float y = mark.align_y == AlignY::top ? 0 : mark.align_y == AlignY::middle ? -h / 2 : -h;
    const float angle = mark.angle * std::numbers::pi_v<float> / 180;
    const auto turned = [&](float dx, float dy) {
        return Point{mark.at.x + dx * std::cos(angle) + dy * std::sin(angle),
                     mark.at.y - dx * std::sin(angle) + dy * std::cos(angle)};
    };
    return {turned(x, y), turned(x + w, y), turned(x + w, y + h), turned(x, y + h)};
}

// Two turned boxes lie apart where some side of one of them has all of the other beyond it.
bool lie_apart(const Corners& a, const Corners& b) {
    for (const auto& [box, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        for (std::size_t i = 0; i < 4; ++i) {
            const Point from = (*box)[i];
            const Point to = (*box)[(i + 1) % 4];
            const float length = std::hypot(to.x - from.x, to.y - from.y);
            float nearest = 1e9F;
            for (const Point& p : *other)
                nearest =
                    std::min(nearest, ((to.y - from.y) * (p.x - from.x) - (to.x - from.x) * (p.y - from.y)) / length);
            if (nearest > -0.5F) return true;
        }
    return false;
}

void expect_clear(const Scene& scene, Point size, Language language, bool on_paper, const std::string& what) {
    const AttentionTrace trace = run_attention(scene.model);
    FigureContext context{.model = scene.model,
                          .trace = trace,
                          .display = scene.display,
                          .title = scene_title(scene, language),
                          .language = language,
                          .measure = rough_measure(),
                          .width = size.x,
                          .height = size.y};
    context.options.title = context.options.caption = context.on_paper = on_paper;
    const Figure figure = find_figure_kind("explainer")->make(context);
    const std::string where =
        what + " at " + std::to_string(size.x) + " × " + std::to_string(size.y) + (on_paper ? " on paper" : "");
    std::vector<std::pair<Corners, std::string>> texts;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) texts.push_back({corners(*text), text->text});
    for (std::size_t a = 0; a < texts.size(); ++a) {
        for (const Point& p : texts[a].first) {
            EXPECT_TRUE(p.x >= 0 && p.x <= size.x && p.y >= 0 && p.y <= size.y)
                << where << ": outside at " << p.x << ", " << p.y << ": " << texts[a].second;
        }
        for (std::size_t b = a + 1; b < texts.size(); ++b)
            EXPECT_TRUE(lie_apart(texts[a].first, texts[b].first))
                << where << ": " << texts[a].second << " | " << texts[b].second;
    }
}

void expect_clear_everywhere(const Scene& scene, const std::string& what) {
    for (const Language language : {Language::english, Language::chinese}) {
        for (const Point size : {Point{700, 200}, Point{1085, 215}, Point{2600, 215}})
            expect_clear(scene, size, language, false, what);
        for (const Point size : {Point{1000, 625}, Point{500, 640}}) expect_clear(scene, size, language, true, what);
    }
}

std::vector<std::string> example_paths() {
    std::vector<std::string> paths;
    for (const std::string_view path : embedded_files("assets/scenes/")) paths.emplace_back(path);
    return paths;
}

class ExplainerLayout : public testing::TestWithParam<std::string> {
protected:
    Scene scene_ = *load_scene(embedded_file(GetParam()), GetParam());
};

TEST_P(ExplainerLayout, NoTextLiesOnAnotherOrOutside) { expect_clear_everywhere(scene_, GetParam()); }

TEST_P(ExplainerLayout, NoTextLiesOnAnotherWithLongTokens) {
    for (const char* word : {"Donaudampfschifffahrtsgesellschaft", "自注意力机制的数学原理", "W"}) {
        Scene scene = scene_;
        for (auto* tokens : {&scene.model.query_tokens, &scene.model.key_tokens})
            for (std::string& token : *tokens) token = word;
        expect_clear_everywhere(scene, GetParam() + " " + word);
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, ExplainerLayout, testing::ValuesIn(example_paths()), [](const auto& example) {
    std::string name = example.param.substr(example.param.rfind('/') + 1);
    name.resize(name.find('.'));
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(ExplainerLayoutOf, EverySettingThatAddsALine) {
    Scene scene = default_scene();
    scene.model.temperature = 0.37F;
    scene.model.scale->soft_cap = 2.5F;
    scene.model.position->encoding = "alibi";
    scene.model.bias_on = true;
    fit_matrices(scene.model);
    for (const Cell pin : {Cell{4, 0}, Cell{1, 3}})
        for (const Normalizer& rule : normalizers()) {
            scene.display.pin = pin;
            scene.model.normalizer->id = rule.id;
            expect_clear_everywhere(scene, std::string(rule.id));
        }
}

TEST(ExplainerLayoutOf, AHiddenRow) {
    Scene scene = default_scene();
    scene.model.query_offset = -2;
    scene.display.pin = {0, 3};
    for (const MaskedRow choice : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan}) {
        scene.model.normalizer->masked_row = choice;
        expect_clear_everywhere(scene, "hidden row");
    }
}

TEST(ExplainerLayoutOf, OneAndManyTokens) {
    for (const int n : {1, 8, 40, 512}) {
        Scene scene = default_scene();
        scene.model.n_queries = n;
        fit_matrices(scene.model);
        for (const int key : {0, n / 2, n - 1}) {
            scene.display.pin = {n - 1, key};
            expect_clear_everywhere(scene, std::to_string(n) + " tokens, key " + std::to_string(key));
        }
    }
}

}  // namespace
}  // namespace heed
