// What was false or misleading in Geometry, each as a claim about what the picture says and shows.
#include "core/attention/pipeline.h"
#include "core/embedded.h"
#include "core/figure/page.h"
#include "core/figure/registry.h"
#include "core/files/scene_file.h"
#include "core/geometry/arrows.h"
#include "core/geometry/output_path.h"
#include "core/geometry/territories.h"
#include "core/language.h"
#include "core/model/normalizer_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace heed {
namespace {

struct Room {
    float width = 1460, height = 850;
};

// Four tokens in the plane, the key of “d” inside the hull of the others; `more` are further fields of the model.
Scene four(const std::string& more, const std::string& keys = "[1, 0.3], [0.2, 1], [-1, -1], [0.05, 0.1]",
           const std::string& queries = "[1, 0.2], [0, 2], [-1, 0.5], [0.3, 0.3]") {
    const std::string file = R"({"heed": 1, "title": "four", "model": {"query_tokens": ["a", "b", "c", "d"], "d_k": 2,
        "d_v": 2, "source": "direct", "n_heads": 1, "q": [[)" +
                             queries + R"(]], "k": [[)" + keys + R"(]], "v": [[[1, 0], [0, 1], [3, 1], [-1, -2]]])" +
                             (more.empty() ? "" : ", " + more) + R"(}, "display": {"view": "geometry"}})";
    Result<Scene> scene = load_scene(file, "four");
    EXPECT_TRUE(scene) << scene.error();
    return scene ? *scene : default_scene();
}

Scene example(const std::string& name) {
    Result<Scene> scene = load_scene(embedded_file("assets/scenes/" + name + ".json"), name);
    EXPECT_TRUE(scene) << scene.error();
    return scene ? *scene : default_scene();
}

struct Drawn {
    Scene scene;
    AttentionTrace trace;
    Figure figure;
    std::string words;  // of all texts, in the order they are drawn

    bool says(std::string_view part) const { return words.find(part) != std::string::npos; }
    const TextMark* text(std::string_view whole) const {
        for (const Mark& mark : figure.marks)
            if (const auto* one = std::get_if<TextMark>(&mark); one != nullptr && one->text == whole) return one;
        return nullptr;
    }
};

Drawn draw(Scene scene, Room room = {}, Language language = Language::english, float text_size = 13) {
    Drawn drawn{std::move(scene), {}, {}, {}};
    drawn.trace = run_attention(drawn.scene.model);
    FigureOptions options;
    options.text_size = text_size;
    const FigureContext context{.model = drawn.scene.model,
                                .trace = drawn.trace,
                                .display = drawn.scene.display,
                                .language = language,
                                .measure = rough_measure(),
                                .width = room.width,
                                .height = room.height,
                                .options = options,
                                .on_paper = true};
    drawn.figure = find_figure_kind("geometry")->make(context);
    add_crowding_note(drawn.figure, context);
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) drawn.words += text->text + " ";
    return drawn;
}

const std::string bias_of_d =
    R"("bias_on": true, "bias": [[[0, 0, 0, 0.06], [0, 0, 0, 0.06], [0, 0, 0, 0.06], [0, 0, 0, 0.06]]])";

// (a)
TEST(GeometrySymptoms, TheRowOfTheScenesOwnScoreIsTheScenesRow) {
    for (const std::string scaling : {R"("scaling": "off")", R"("scaling": "typed", "typed_scale": 3.5)",
                                      R"("scaling": "automatic")", R"("scaling": "off", "score": "cosine")"}) {
        const Scene scene = four(scaling);
        const AttentionTrace trace = run_attention(scene.model);
        const QueryRow row = query_row(scene.model, trace, 0, 0);
        const std::vector<double> weights = weights_by_score(row, scene.model.score);
        for (int j = 0; j < 4; ++j) {
            EXPECT_NEAR(weights[static_cast<std::size_t>(j)], static_cast<double>(trace.weights[0](0, j)), 1e-6)
                << scaling;
            EXPECT_NEAR(score_of_pair(row, scene.model.score, j),
                        static_cast<double>(stage_value(scene.model, trace, Stage::scaled, 0, 0, j)), 1e-5)
                << scaling;
        }
    }
}

// (b)
TEST(GeometrySymptoms, ABiasLetsTheTemperatureMoveOutputsOfL1AndL2ThoughAllScoresAreEqual) {
    const std::string same = "[1, 0.3], [1, 0.3], [1, 0.3], [1, 0.3]";
    const std::string bias = R"("bias_on": true, "bias": [[[0, 1, 0, 2], [0, 1, 0, 2], [0, 1, 0, 2], [0, 1, 0, 2]]])";
    for (const std::string rule : {"l1", "l2"}) {
        const std::string normalizer = R"("normalizer": ")" + rule + "\"";
        EXPECT_FALSE(draw(four(bias + ", " + normalizer, same)).says("No temperature moves this output.")) << rule;
        EXPECT_TRUE(draw(four(normalizer, same)).says("No temperature moves this output.")) << rule;
        // Attention itself, at two temperatures.
        const AttentionTrace warm = run_attention(four(bias + ", " + normalizer, same).model);
        const AttentionTrace hot = run_attention(four(bias + ", \"temperature\": 30, " + normalizer, same).model);
        EXPECT_GT((warm.head_output[0].row(0) - hot.head_output[0].row(0)).norm(), 0.05F) << rule;
    }
    EXPECT_TRUE(draw(four(bias, same)).says("No temperature moves this output."));
}

TEST(GeometrySymptoms, TheTemperatureIsSaidToMoveNothingOnlyWhereItMovesNothing) {
    for (const std::string rule : {"softmax", "naive-softmax", "sparsemax", "l1", "l2", "argmax"})
        for (const std::string& more : {std::string(), bias_of_d, std::string(R"("soft_cap": 0.01)")})
            for (const char* keys :
                 {"[1, 0.3], [0.2, 1], [-1, -1], [0.05, 0.1]", "[9, 3], [9.1, 3], [9.2, 3], [9.3, 3]"}) {
                const std::string fields = R"("normalizer": ")" + rule + "\"" + (more.empty() ? "" : ", " + more);
                if (!draw(four(fields, keys)).says("No temperature moves this output.")) continue;
                const AttentionTrace at_one = run_attention(four(fields, keys).model);
                for (const char* t : {"0.003", "0.3", "3", "300", "30000"}) {
                    const AttentionTrace other = run_attention(four(fields + ", \"temperature\": " + t, keys).model);
                    if (!std::isfinite(other.head_output[0](0, 0))) continue;
                    EXPECT_LT((at_one.head_output[0].row(0) - other.head_output[0].row(0)).norm(), 1e-3F)
                        << fields << " at " << t;
                }
            }
}

// (c)
TEST(GeometrySymptoms, ASoftCapTiesAnInnerKeyWithTheOthersAndNobodyIsSaidToLose) {
    const std::string inner_first = "[0.05, 0.1], [0.2, 1], [-1, -1], [1, 0.3]";
    for (const std::string cap : {R"("temperature": 0, "soft_cap": 2)", R"("temperature": 0.001, "soft_cap": 0.5)"}) {
        const Drawn drawn = draw(four(cap, inner_first));
        EXPECT_EQ(drawn.trace.weights[0](0, 0), drawn.trace.weights[0](0, 3)) << cap;
        EXPECT_FALSE(drawn.says("never win")) << cap;
        EXPECT_FALSE(drawn.says("longer q keeps")) << cap;
    }
    EXPECT_TRUE(draw(four("", inner_first)).says("“a” can never win"));
}

TEST(GeometrySymptoms, ATieIsWonByNobody) {
    const Scene scene = four(R"("temperature": 0, "soft_cap": 2)", "[0.05, 0.1], [0.2, 1], [-1, -1], [1, 0.3]");
    const AttentionTrace trace = run_attention(scene.model);
    const QueryRow row = query_row(scene.model, trace, 0, 0);
    const Plane plane = principal_plane({trace.q[0], trace.k[0]});
    EXPECT_EQ(winner_at(row, plane, {1, 0.2}).key, tied_keys);
    const Territories map = territories(row, plane, {2, 2}, 8, 8);
    EXPECT_EQ(map.winner[map.at(3, 7)], tied_keys);  // up and to the right three keys have the cap
    EXPECT_EQ(map.winner[map.at(7, 0)], 2);          // and down left only “c”
    EXPECT_TRUE(draw(scene).says("Grey: a tie."));
    EXPECT_FALSE(draw(four("")).says("Grey"));
}

// (d)
TEST(GeometrySymptoms, ALongerQueryIsSaidToKeepTheWinnerOnlyWhereItsWeightsStayNumbers) {
    EXPECT_TRUE(draw(four("")).says("A longer q keeps the winner."));
    EXPECT_FALSE(draw(four(R"("normalizer": "naive-softmax")")).says("A longer q keeps the winner."));
    Scene infinite = four("");
    Matrix keys = *infinite.model.k[0];
    keys(1, 0) = std::numeric_limits<float>::infinity();
    infinite.model.k[0] = std::move(keys);
    EXPECT_FALSE(draw(infinite).says("A longer q keeps the winner."));
}

// (e)
TEST(GeometrySymptoms, TheGroundIsNoMapOfCells) {
    for (const Room room : {Room{1460, 850}, {1500.7F, 950.6F}, {700.5F, 310.9F}, {1085, 480}})
        EXPECT_FALSE(draw(example("geometry"), room).says("several cells")) << room.width;
}

// (f)
TEST(GeometrySymptoms, OnlyWithoutABiasDoesThePathEndAtTheCentroid) {
    EXPECT_TRUE(draw(four("")).says("to the centroid of what it sees (T → ∞)"));
    for (const std::string& biased : {bias_of_d, std::string(R"("position": "alibi")")}) {
        const Drawn drawn = draw(four(biased));
        EXPECT_FALSE(drawn.says("centroid")) << biased;
        EXPECT_TRUE(drawn.says("to where the bias alone would put it (T → ∞)")) << biased;
    }
    // One that is the same for every key moves nothing.
    EXPECT_TRUE(draw(four(R"("bias_on": true, "bias": [[[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]])"))
                    .says("to the centroid"));
}

TEST(GeometrySymptoms, APlaneOfMoreThanTwoComponentsSaysFirstThatItIsAProjection) {
    for (const Room room : {Room{1460, 850}, {1060, 560}, {700, 310}}) {
        const Drawn cat = draw(example("cat"), room);
        const std::size_t at = cat.words.find("A projection: it holds", cat.words.find("A projection") + 1);
        EXPECT_LT(at, cat.words.find("The output lies")) << room.width;
    }
    EXPECT_FALSE(draw(example("geometry")).says("projection"));
}

TEST(GeometrySymptoms, WhatTheColoursMeanIsSaidBeforeHowToDrag) {
    for (const Room room : {Room{1460, 850}, {1085, 700}, {700, 480}, {700, 310}}) {
        EXPECT_TRUE(draw(example("cat"), room).says("Colour: who wins")) << room.width;
        Scene eight = example("saturated");
        EXPECT_TRUE(draw(eight, room).says("Colour: who wins")) << room.width;
    }
}

TEST(GeometrySymptoms, NegativeWeightsHangBelowTheirLine) {
    const Drawn drawn = draw(four(R"("normalizer": "l1")"));
    ASSERT_LT(drawn.trace.weights[0](0, 2), 0);
    const TextMark* title = drawn.text("Stretch k: which weights move");
    ASSERT_NE(title, nullptr);
    // Under the title each number stands above its bar where it is positive, and below where it is negative.
    int below = 0;
    for (const Mark& mark : drawn.figure.marks) {
        const auto* number = std::get_if<TextMark>(&mark);
        if (number == nullptr || number->style.font != Font::mono || number->at.y < title->at.y ||
            number->at.x < title->at.x || number->align_x != AlignX::center)
            continue;
        EXPECT_EQ(number->align_y == AlignY::top, number->text.starts_with("−") || number->text.starts_with("-"))
            << number->text;
        below += number->align_y == AlignY::top ? 1 : 0;
    }
    EXPECT_GT(below, 0);
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* box = std::get_if<BoxMark>(&mark); box != nullptr && box->area.y > title->at.y) {
            EXPECT_EQ(box->stroke_width > 1.2F, false) << "a hollow bar";
        }
}

// The tallest bar under “Stretch k” is as tall as its row allows, however small the weights are.
TEST(GeometrySymptoms, SmallWeightsHaveBarsThatCanBeSeen) {
    const auto tallest = [](const std::string& scale) {
        const Drawn drawn = draw(four(R"("temperature": )" + scale));
        const TextMark* title = drawn.text("Stretch k: which weights move");
        float found = 0;
        for (const Mark& mark : drawn.figure.marks)
            if (const auto* box = std::get_if<BoxMark>(&mark);
                title != nullptr && box != nullptr && box->area.y > title->at.y && box->area.x > title->at.x)
                found = std::max(found, box->area.h);
        return found;
    };
    EXPECT_NEAR(tallest("1000"), tallest("0.01"), 0.5F);
}

TEST(GeometrySymptoms, HowManyKeysAreShownIsSaidWhereverSomeAreLeftOut) {
    Scene many = example("geometry");
    many.model.n_queries = many.model.n_keys = 40;
    fit_matrices(many.model);
    for (const Room room : {Room{800, 850}, {900, 850}, {1000, 850}, {1085, 700}, {1460, 850}}) {
        const Drawn drawn = draw(many, room, Language::english, 17);
        if (drawn.says("Stretch k")) {
            EXPECT_TRUE(drawn.says(" of 40 keys ")) << room.width;
        }
    }
    EXPECT_TRUE(draw(many, {1460, 850}).says("Stretch k"));
}

TEST(GeometrySymptoms, AStrongNegativeWeightIsNotTheOneLeftOut) {
    Scene scene = example("geometry");
    scene.model.normalizer->id = "l2";
    scene.model.n_queries = scene.model.n_keys = 40;
    fit_matrices(scene.model);
    const Drawn drawn = draw(scene);
    ASSERT_TRUE(drawn.says(" of 40 keys "));
    const TextMark* title = nullptr;
    for (const Mark& mark : drawn.figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark); text != nullptr && text->text.starts_with("Stretch k"))
            title = text;
    ASSERT_NE(title, nullptr);
    Index strongest = 0;
    EXPECT_LT(drawn.trace.weights[0].row(scene.display.pin.query).minCoeff(&strongest), -0.1F);
    const std::string label = key_label(scene.model, static_cast<int>(strongest));
    EXPECT_TRUE(std::ranges::any_of(drawn.figure.marks, [&](const Mark& mark) {
        const auto* text = std::get_if<TextMark>(&mark);
        return text != nullptr && text->at.x > title->at.x && text->text == label;
    })) << label;
}

TEST(GeometrySymptoms, BothRowsOfWHaveTheirNamesAndEachIsNearestToItsOwn) {
    for (const Room room : {Room{1460, 850}, {1085, 700}}) {
        Scene scene = example("three-arrows");
        Matrix beside = *scene.model.w_q[0];
        beside << 0.9F, 0.5F, 0.9F, 0.35F;  // the two rows nearly on each other
        scene.model.w_q[0] = std::move(beside);
        const Drawn drawn = draw(scene, room);
        for (const char* w : {"w_q", "w_k", "w_v"}) {
            const Frame* frame = drawn.figure.find_frame(TargetId(std::string(w) + " plane"));
            ASSERT_NE(frame, nullptr) << w;
            const Target* handles[] = {drawn.figure.find_target(TargetId(w, 0)),
                                       drawn.figure.find_target(TargetId(w, 1))};
            const std::string names[] = {"(1, 0)", "(0, 1)"};
            for (int i = 0; i < 2; ++i) {
                const TextMark* name = nullptr;
                for (const Mark& mark : drawn.figure.marks)
                    if (const auto* text = std::get_if<TextMark>(&mark);
                        text != nullptr && text->text == names[i] && text->at.x > frame->area.x &&
                        text->at.x < frame->area.right() && text->at.y > frame->area.y &&
                        text->at.y < frame->area.bottom())
                        name = text;
                ASSERT_NE(name, nullptr) << w << " " << names[i];
                const auto distance = [&](const Target* handle) {
                    return std::hypot(handle->area.center().x - name->at.x, handle->area.center().y - name->at.y);
                };
                EXPECT_LT(distance(handles[i]), distance(handles[1 - i])) << w << " " << names[i];
            }
        }
    }
}

TEST(GeometrySymptoms, MadeTwoDimensionalNoProjectionIsNothing) {
    Model model = example("cat").model;
    make_two_dimensional(model);
    EXPECT_TRUE(check_model(model).empty());
    const AttentionTrace trace = run_attention(model);
    for (int head = 0; head < model.n_heads; ++head)
        for (Index i = 0; i < 6; ++i) {
            EXPECT_GT(trace.q[head].row(i).norm(), 0.01F) << head << ", " << i;
            EXPECT_GT(trace.v[head].row(i).norm(), 0.01F) << head << ", " << i;
        }
}

TEST(GeometrySymptoms, TheDashedArrowOfTheExampleLiesUnderNoOther) {
    const Drawn drawn = draw(example("geometry"));
    ASSERT_TRUE(drawn.says("“mat” can never win"));
    const auto mat = drawn.trace.k[0].row(5);
    const auto is_apart = [&](const auto& other) {
        return std::abs(mat(0) * other(1) - mat(1) * other(0)) > 0.4F * mat.norm() * other.norm() || mat.dot(other) < 0;
    };
    EXPECT_TRUE(is_apart(drawn.trace.q[0].row(drawn.scene.display.pin.query)));
    for (Index j = 0; j < 5; ++j) EXPECT_TRUE(is_apart(drawn.trace.k[0].row(j))) << j;
}

TEST(GeometrySymptoms, TwoKeysThatNeverWinAreNamedAsASentence) {
    const Drawn drawn = draw(four("", "[3, 0], [0, 3], [-3, -3], [0.05, 0.1]"));
    EXPECT_TRUE(drawn.says("“d” can never win"));
    Scene two = four("");
    two.model.n_queries = two.model.n_keys = 5;
    two.model.query_tokens.emplace_back("e");
    fit_matrices(two.model);
    Matrix keys = Matrix::Zero(5, 2);
    keys << 3, 0, 0, 3, -3, -3, 0.1F, 0.1F, -0.1F, 0.1F;
    two.model.k[0] = std::move(keys);
    EXPECT_TRUE(draw(two).says("“d” and “e” can never win"));
    EXPECT_TRUE(draw(two, {}, Language::chinese).says("“d”和“e”永远不会获胜（虚线），因为它们"));
}

TEST(GeometrySymptoms, ASumThatIsNotOneIsNotWrittenAsOne) {
    const Result<Scene> scene = load_scene(
        R"({"heed": 1, "title": "sum", "model": {"query_tokens": ["a", "b", "c", "d"], "d_k": 1, "d_v": 2,
        "source": "direct", "n_heads": 1, "q": [[[1], [1], [1], [1]]], "k": [[[100], [0.02], [0], [0]]],
        "v": [[[3, 1], [3, -1], [0, 0], [0, 0]]], "normalizer": "l2"}, "display": {"view": "geometry"}})",
        "sum");
    ASSERT_TRUE(scene) << scene.error();
    const Drawn drawn = draw(*scene);
    EXPECT_TRUE(drawn.says("not to 1."));
    EXPECT_FALSE(drawn.says("sum to 1.00,"));
    EXPECT_TRUE(drawn.says("sum to 1.0002, not to 1."));
}

TEST(GeometrySymptoms, ARowThatSeesNoKeyIsToldItsOutputByThePolicy) {
    const std::string hidden = R"("mask": {"padding": 4}, "masked_row": )";
    const Drawn uniform = draw(four(hidden + R"("uniform")"));
    EXPECT_TRUE(uniform.says("the mean of all"));
    EXPECT_NE(uniform.text("output"), nullptr);
    const Drawn zero = draw(four(hidden + R"("zero")"));
    EXPECT_TRUE(zero.says("its output is 0."));
    EXPECT_EQ(zero.text("output"), nullptr);
}

TEST(GeometrySymptoms, EqualWordsHaveTheirPlaces) {
    Scene scene = four("");
    scene.model.query_tokens = {"again", "and", "again", "d"};
    const Drawn drawn = draw(scene);
    EXPECT_NE(drawn.text("again₁"), nullptr);
    EXPECT_NE(drawn.text("again₃"), nullptr);
    EXPECT_NE(drawn.text("and"), nullptr);
}

TEST(GeometrySymptoms, TheExampleOfThreeArrowsOpensOnThem) {
    const Drawn drawn = draw(example("three-arrows"));
    EXPECT_EQ(drawn.scene.display.view, "geometry");
    EXPECT_TRUE(drawn.says("Embeddings x"));
    EXPECT_TRUE(drawn.says("q = xW_{Q}"));
    const Matrix& x = drawn.trace.x_in;
    EXPECT_LT((drawn.trace.q[0] - x * *drawn.scene.model.w_q[0]).norm(), 1e-6F);
    EXPECT_LT((drawn.trace.k[0] - x * *drawn.scene.model.w_k[0]).norm(), 1e-6F);
    EXPECT_LT((drawn.trace.v[0] - x * *drawn.scene.model.w_v[0]).norm(), 1e-6F);
}

TEST(GeometrySymptoms, TheWinnerOfArgmaxGoesToNoCentroid) {
    const std::string cap = R"("soft_cap": 1.5)";
    const std::string keys = "[2, 0], [-1, 2], [-1, -2], [0.2, 0.1]";
    EXPECT_TRUE(draw(four(cap, keys)).says("to the centroid of what it sees"));
    EXPECT_FALSE(draw(four(cap + R"(, "normalizer": "argmax")", keys)).says("centroid of what it sees (T → ∞)"));
}

}  // namespace
}  // namespace heed
