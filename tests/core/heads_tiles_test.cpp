// The tiles of Heads tell in boxes what the trace and the model hold: statistics, switches, gains.
#include "core/attention/pipeline.h"
#include "core/figure/heads_figure.h"
#include "tests/core/drawn_figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace heed {
namespace {

const Palette& colors() { return palette(Theme::light); }

Scene scene_of(int heads) {
    Scene scene = default_scene();
    scene.model.n_heads = scene.model.n_kv_heads = heads;
    fit_matrices(scene.model);
    restart_seed(scene.model);
    for (int head = 0; head < heads; ++head) {
        HeadSetting& setting = scene.model.heads[static_cast<std::size_t>(head)];
        setting.on = head % 3 != 1;
        setting.gain = static_cast<float>(head % 5) * 0.4F;
    }
    return scene;
}

DrawnFigure draw(const Scene& scene, float width) {
    return draw_figure("heads", scene, {.width = width, .height = 900, .on_paper = false});
}

// Many heads in tiles without room for words, beside each other.
constexpr int many = 48;

DrawnFigure draw(const Scene& scene) { return draw(scene, scene.model.n_heads == many ? 800 : 1400); }

template <typename OneMark>
std::vector<OneMark> marks_within(const Figure& figure, Rect area) {
    std::vector<OneMark> found;
    for (const Mark& mark : figure.marks)
        if (const auto* one = std::get_if<OneMark>(&mark)) {
            Point middle;
            if constexpr (requires { one->center; })
                middle = one->center;
            else
                middle = one->area.center();
            if (middle.x >= area.x && middle.x <= area.right() && middle.y >= area.y && middle.y <= area.bottom())
                found.push_back(*one);
        }
    return found;
}

Rect map_of(const DrawnFigure& drawn, int head) {
    const Target* target = drawn.figure.find_target({"head", head});
    return target == nullptr ? Rect{} : target->area;
}

// Filled parts of the tracks below the map, from above.
std::vector<float> shares_below(const DrawnFigure& drawn, int head, float height) {
    const Rect map = map_of(drawn, head);
    std::vector<float> shares;
    float whole = 0;
    for (const Mark& mark : drawn.figure.marks) {
        const auto* box = std::get_if<BoxMark>(&mark);
        if (box == nullptr || box->area.x != map.x || box->area.y <= map.bottom() ||
            box->area.bottom() > map.bottom() + height || box->area.h > 3)
            continue;
        if (box->fill == colors().track) whole = box->area.w;
        if (box->fill == colors().dim) shares.push_back(box->area.w / whole);
    }
    return shares;
}

TEST(HeadsTiles, BarsAreSharesOfTheLargestThatCouldBe) {
    int with_words = 0;
    for (const int heads : {2, 4, many}) {
        const DrawnFigure drawn = draw(scene_of(heads));
        const auto n_keys = static_cast<float>(drawn.trace.weights.cols());
        const bool in_words = drawn.says("entropy\n");
        with_words += in_words ? 1 : 0;
        ASSERT_NE(in_words, drawn.says("bars: entropy, mean distance, mean largest weight")) << drawn.text();
        for (int head = 0; head < heads; ++head) {
            const WeightStatistics& told = drawn.trace.heads[static_cast<std::size_t>(head)];
            const std::vector<float> shares = shares_below(drawn, head, in_words ? 70 : 20);
            ASSERT_EQ(shares.size(), 3U) << heads << " heads, head " << head;
            EXPECT_NEAR(shares[0], told.entropy / std::log2(n_keys), 1e-4F);
            EXPECT_NEAR(shares[1], told.mean_distance / (n_keys - 1), 1e-4F);
            EXPECT_NEAR(shares[2], told.peak, 1e-4F);
        }
    }
    EXPECT_GT(with_words, 0);
    EXPECT_LT(with_words, 3);
}

TEST(HeadsTiles, SwitchesStandOnTheSideOfTheirHead) {
    for (const int heads : {3, many}) {
        const Scene scene = scene_of(heads);
        const DrawnFigure drawn = draw(scene);
        for (int head = 0; head < heads; ++head) {
            const Target* target = drawn.figure.find_target({"switch", head});
            ASSERT_NE(target, nullptr);
            const bool is_on = scene.model.heads[static_cast<std::size_t>(head)].on;
            const std::vector<BoxMark> box = marks_within<BoxMark>(drawn.figure, target->area);
            const std::vector<CircleMark> knob = marks_within<CircleMark>(drawn.figure, target->area);
            ASSERT_TRUE(box.size() == 1 && knob.size() == 1) << heads << " heads, head " << head;
            EXPECT_EQ(box[0].fill, is_on ? colors().accent : colors().track);
            EXPECT_EQ(knob[0].center.x > box[0].area.center().x, is_on) << heads << " heads, head " << head;
        }
    }
}

TEST(HeadsTiles, GainsStandAtTheirPlaceOnTheTrack) {
    for (const int heads : {3, many}) {
        const Scene scene = scene_of(heads);
        const DrawnFigure drawn = draw(scene);
        for (int head = 0; head < heads; ++head) {
            const Target* target = drawn.figure.find_target({"gain", head});
            const Frame* frame = drawn.figure.find_frame({"gain", head});
            ASSERT_TRUE(target != nullptr && frame != nullptr);
            const HeadSetting& setting = scene.model.heads[static_cast<std::size_t>(head)];
            const double share = static_cast<double>(setting.gain) / largest_gain;
            const std::vector<CircleMark> knob = marks_within<CircleMark>(drawn.figure, target->area);
            ASSERT_EQ(knob.size(), 1U);
            EXPECT_NEAR(knob[0].center.x, frame->area.x + static_cast<float>(share) * frame->area.w, 0.01F);
            const Color color = setting.on ? colors().accent : colors().faint;
            EXPECT_EQ(heads == 3 ? knob[0].stroke : knob[0].fill, color);
            if (heads > 3) continue;  // a small track has no filled part
            float filled = -1;
            for (const BoxMark& box : marks_within<BoxMark>(drawn.figure, target->area))
                if (box.fill == color) filled = box.area.w;
            EXPECT_NEAR(filled, static_cast<float>(share) * frame->area.w, 0.01F);
        }
    }
}

TEST(HeadsTiles, AHeadThatIsOffIsPale) {
    for (const int heads : {3, many}) {
        const Scene scene = scene_of(heads);
        const DrawnFigure drawn = draw(scene);
        for (int head = 0; head < heads; ++head) {
            const bool is_on = scene.model.heads[static_cast<std::size_t>(head)].on;
            const Rect map = map_of(drawn, head);
            int veils = 0;
            for (const BoxMark& box : marks_within<BoxMark>(drawn.figure, map))
                veils += box.area == map && box.fill.a > 128 && box.fill.a < 255 ? 1 : 0;
            EXPECT_EQ(veils, is_on ? 0 : 1) << heads << " heads, head " << head;
            const TextMark* name =
                drawn.find(heads == 3 ? "Head " + std::to_string(head + 1) : std::to_string(head + 1));
            for (const Mark& mark : drawn.figure.marks)  // the one beside the map's upper edge
                if (const auto* one = std::get_if<TextMark>(&mark))
                    if (one->text == name->text && std::abs(one->at.x - map.x) < 20 && one->at.y < map.y &&
                        one->at.y > map.y - 30)
                        name = one;
            EXPECT_EQ(name->style.color, is_on ? colors().text : colors().faint) << heads << " heads, head " << head;
        }
    }
}

// Two heads of which one looks at the token before and one at the first: whatever the room, a name is of its own pattern.
TEST(HeadsTiles, ShortNamesAreOfTheirPattern) {
    Scene scene = default_scene();
    scene.model.n_queries = 8;
    scene.model.n_heads = scene.model.n_kv_heads = 3;
    scene.model.d_k = 8;
    fit_matrices(scene.model);
    const auto looks_at = [](int step) {
        Matrix q = Matrix::Zero(8, 8);
        for (Index i = 0; i < 8; ++i) q(i, step == 0 ? 0 : std::clamp<Index>(i + step, 0, 7)) = 60;
        return SharedMatrix(q);
    };
    for (std::size_t head = 0; head < 3; ++head) {
        scene.model.k[head] = SharedMatrix(Matrix(Matrix::Identity(8, 8)));
        scene.model.q[head] = looks_at(std::array{-1, 1, 0}[head]);
    }
    int brief = 0;
    for (float width = 240; width <= 1400; width += 20) {
        const DrawnFigure drawn = draw(scene, width);
        for (int head = 0; head < 3; ++head) {
            const std::string own = std::array{"Previous", "Next", "First"}[static_cast<std::size_t>(head)];
            const TextMark* name = drawn.find("Head " + std::to_string(head + 1));
            if (name == nullptr) continue;    // too narrow for names
            const TextMark* badge = nullptr;  // what ends next on its line
            for (const Mark& mark : drawn.figure.marks)
                if (const auto* one = std::get_if<TextMark>(&mark))
                    if (one->plain && one->at.y == name->at.y && one->at.x > name->at.x &&
                        (badge == nullptr || one->at.x < badge->at.x))
                        badge = one;
            if (badge == nullptr) continue;
            EXPECT_TRUE(badge->text.starts_with(own) || badge->text.ends_with("…")) << badge->text << " " << width;
            brief += badge->text == own ? 1 : 0;
        }
    }
    EXPECT_GT(brief, 0) << "none was short: nothing was tested";
}

}  // namespace
}  // namespace heed
