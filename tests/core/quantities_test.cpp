// Every quantity that a lesson can ask for, held against a closed form, a table of the facts or plain arithmetic in double.
#include "core/lessons/quantities.h"
#include "core/analysis/loss.h"
#include "core/attention/pipeline.h"
#include "core/cost/data.h"
#include "core/display/cost_display.h"
#include "core/display/order_display.h"
#include "core/files/read_file.h"
#include "core/files/scene_file.h"
#include "core/model/scale_settings.h"
#include "core/results.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

namespace heed {
namespace {

using Exact = Eigen::MatrixXd;

// Attention of one head with nothing but loops: Q, K and V as typed, 1/√d_k, a temperature, and which cells are seen.
struct Plain {
    Exact q, k, v, scores, logits, weights, output;

    Plain(const Model& model, int head, const std::function<bool(Index, Index)>& sees, std::vector<int> order = {})
        : q((*model.q[static_cast<std::size_t>(head)]).topLeftCorner(model.n_queries, model.d_k).cast<double>()),
          k((*model.k[static_cast<std::size_t>(head)]).topLeftCorner(model.n_queries, model.d_k).cast<double>()),
          v((*model.v[static_cast<std::size_t>(head)]).topLeftCorner(model.n_queries, model.d_v).cast<double>()) {
        if (!order.empty())
            for (Exact* matrix : {&q, &k, &v}) {
                const Exact before = *matrix;
                for (std::size_t i = 0; i < order.size(); ++i)
                    matrix->row(static_cast<Index>(i)) = before.row(order[i]);
            }
        compute(1 / (std::sqrt(double{1} * model.d_k) * static_cast<double>(model.temperature)), sees);
    }
    Plain(Exact of_q, Exact of_k, Exact of_v, double factor, const std::function<bool(Index, Index)>& sees)
        : q(std::move(of_q)), k(std::move(of_k)), v(std::move(of_v)) {
        compute(factor, sees);
    }

    void compute(double factor, const std::function<bool(Index, Index)>& sees) {
        scores = q * k.transpose();
        logits = scores * factor;
        weights = Exact::Zero(q.rows(), k.rows());
        for (Index i = 0; i < q.rows(); ++i) {
            double sum = 0;
            for (Index j = 0; j < k.rows(); ++j)
                if (sees(i, j)) sum += weights(i, j) = std::exp(logits(i, j));
            if (sum > 0) weights.row(i) /= sum;
        }
        output = weights * v;
    }

    double entropy(Index i) const {
        double sum = 0;
        for (Index j = 0; j < weights.cols(); ++j)
            if (weights(i, j) > 0) sum -= weights(i, j) * std::log(weights(i, j));
        return sum;
    }
};

bool causal(Index i, Index j) { return j <= i; }
bool everywhere(Index, Index) { return true; }

Scene with(std::initializer_list<std::pair<const char*, const char*>> fields) {
    Scene scene = default_scene();
    for (const auto& [key, value] : fields) {
        const Status set = set_field(scene, key, value);
        EXPECT_TRUE(set) << key << ": " << set.error();
    }
    return scene;
}

// The usual scene with another temperature and head: six tokens, causal, typed vectors.
Scene usual() { return with({{"model.temperature", "0.7"}, {"display.head", "1"}}); }
Plain plain(int head = 1) { return {usual().model, head, causal}; }

struct Case {
    std::string name;        // of the row
    std::string expression;  // that uses it
    std::function<double()> expected;
    double tolerance = 1e-5;
    std::function<Scene()> scene = usual;
};

double mean_of(const std::function<double(Index)>& of_row) {
    double sum = 0;
    for (Index i = 0; i < 6; ++i) sum += of_row(i) / 6;
    return sum;
}

double similarity(int a, int b) {
    Exact centred[2];
    for (int which = 0; which < 2; ++which) {
        Exact weights = plain(which == 0 ? a : b).weights;
        for (Index i = 0; i < 6; ++i) {
            const double mean = weights.row(i).sum() / static_cast<double>(i + 1);
            for (Index j = 0; j <= i; ++j) weights(i, j) -= mean;
        }
        centred[which] = weights;
    }
    return (centred[0].array() * centred[1].array()).sum() / (centred[0].norm() * centred[1].norm());
}

double jacobian_norm(Index row) {
    const Eigen::VectorXd p = plain().weights.row(row).transpose();
    return (Exact(p.asDiagonal()) - p * p.transpose()).norm();
}

std::vector<Case> weight_cases() {
    const auto biased = [] {
        Scene scene = usual();
        scene.model.bias_on = true;
        scene.model.bias[0] = scene.model.bias[0].with([](Matrix& m) { m(4, 2) = 0.25F; });
        return scene;
    };
    const auto two_blind = [] { return with({{"model.query_offset", "-2"}}); };
    const auto overflowing = [] {
        return with({{"model.normalizer", "naive-softmax"}, {"model.scaling", "typed"}, {"model.typed_scale", "1e4"}});
    };
    return {
        {"weight", "weight(4, 2)", [] { return plain().weights(4, 2); }},
        {"weight", "weight(4, 2, 3)", [] { return plain(3).weights(4, 2); }},
        {"score", "score(4, 2)", [] { return plain().scores(4, 2); }},
        {"scaled", "scaled(4, 2)", [] { return plain().logits(4, 2); }},
        {"logit", "logit(4, 2)", [] { return plain().logits(4, 2) + 0.25; }, 1e-5, biased},
        {"is_visible", "is_visible(1, 4)", [] { return 0; }},
        {"is_visible", "is_visible(4, 1)", [] { return 1; }},
        {"max_weight", "max_weight(5)", [] { return plain().weights.row(5).maxCoeff(); }},
        {"second_weight", "second_weight(5)",
         [] {
             Eigen::RowVectorXd row = plain().weights.row(5);
             Index best = 0;
             row.maxCoeff(&best);
             row(best) = 0;
             return row.maxCoeff();
         }},
        {"argmax", "argmax(5)",
         [] {
             Index best = 0;
             plain().weights.row(5).maxCoeff(&best);
             return static_cast<double>(best);
         }},
        {"entropy", "entropy(5)", [] { return plain().entropy(5); }},
        {"entropy_share", "entropy_share(4)", [] { return plain().entropy(4) / std::log(5.0); }},
        {"effective_keys", "effective_keys(5)", [] { return std::exp(plain().entropy(5)); }, 1e-4},
        {"row_sum", "row_sum(3)", [] { return 1; }},
        {"visible", "visible(2)", [] { return 3; }},
        {"is_finite", "is_finite(5)", [] { return 1; }},
        {"is_finite", "is_finite(5)", [] { return 0; }, 0, overflowing},
        {"rows_masked", "rows_masked()", [] { return 2; }, 0, two_blind},
        {"hidden_cells", "hidden_cells()", [] { return 15; }},
        {"n_queries", "n_queries", [] { return 6; }},
        {"n_keys", "n_keys()", [] { return 6; }},
        {"query_label", "query_label(1) == \"cat\"", [] { return 1; }},
        {"key_label", "key_label(5) == \"mat\"", [] { return 1; }},
        {"mean_max_weight", "mean_max_weight()",
         [] { return mean_of([](Index i) { return plain().weights.row(i).maxCoeff(); }); }},
        {"head_entropy", "head_entropy(2)", [] { return mean_of([](Index i) { return plain(2).entropy(i); }); }},
        {"head_similarity", "head_similarity(0, 2)", [] { return similarity(0, 2); }},
        {"first_token_share", "first_token_share()",
         [] { return mean_of([](Index i) { return plain().weights(i, 0); }); }},
        {"previous_token_share", "previous_token_share()",
         [] { return mean_of([](Index i) { return i == 0 ? 0 : plain().weights(i, i - 1); }); }},
        {"diagonal_share", "diagonal_share()", [] { return mean_of([](Index i) { return plain().weights(i, i); }); }},
        {"weights_change", "weights_change()",
         [] {
             double largest = 0;
             for (int head = 0; head < 4; ++head)
                 largest = std::max(
                     largest,
                     (Plain(default_scene().model, head, causal).weights - plain(head).weights).cwiseAbs().maxCoeff());
             return largest;
         }},
    };
}

std::vector<Case> vector_cases() {
    const auto negative = [] {  // the first query sees one key, and gives it the weight −1
        Scene scene = with({{"model.normalizer", "l2"}, {"model.scaling", "typed"}, {"display.head", "1"}});
        scene.model.scale->typed_scale = Plain(scene.model, 1, causal).scores(0, 0) > 0 ? -1.0F : 1.0F;
        return scene;
    };
    const auto component = [] {
        return with({{"display.gradients.loss", "component"},
                     {"display.gradients.component", "0"},
                     {"display.pin.query", "4"}});
    };
    return {
        {"dot", "dot(4, 2)", [] { return plain().scores(4, 2); }},
        {"cosine", "cosine(4, 2)",
         [] { return plain().scores(4, 2) / (plain().q.row(4).norm() * plain().k.row(2).norm()); }},
        {"query_norm", "query_norm(4)", [] { return plain().q.row(4).norm(); }},
        {"key_norm", "key_norm(2)", [] { return plain().k.row(2).norm(); }},
        {"value_norm", "value_norm(2)", [] { return plain().v.row(2).norm(); }},
        {"value", "value(2, 3)", [] { return plain().v(2, 3); }},
        {"value_distance", "value_distance(2, 3)", [] { return (plain().v.row(2) - plain().v.row(3)).norm(); }},
        {"output", "output(4, 1)", [] { return plain().output(4, 1); }},
        {"output_norm", "output_norm(4)", [] { return plain().output.row(4).norm(); }},
        {"output_distance", "output_distance(4, 1)",
         [] { return (plain().output.row(4) - plain().output.row(1)).norm(); }},
        {"output_change", "output_change()",
         [] {
             double squares = 0;
             for (int head = 0; head < 4; ++head)
                 squares += (Plain(default_scene().model, head, causal).output - plain(head).output).squaredNorm();
             return std::sqrt(squares);
         }},
        {"embedding_norm", "embedding_norm(2)",
         [] { return (*usual().model.x).row(2).leftCols(32).cast<double>().norm(); }},
        {"jacobian_norm", "jacobian_norm(4)", [] { return jacobian_norm(4); }},
        {"gradient_norm", "gradient_norm(\"output\")", [] { return 1; }, 1e-6, component},
        // ∂L/∂V_j = α_j · ∂L/∂out, of head 0, which the component belongs to.
        {"gradient_norm", "gradient_norm(\"v\")",
         [] { return Plain(default_scene().model, 0, causal).weights.row(4).norm(); }, 1e-5, component},
        {"in_hull", "in_hull(4)", [] { return 1; }},
        {"in_hull", "in_hull(0)", [] { return 0; }, 0, negative},
        {"hull_distance", "hull_distance(0)", [] { return 2 * plain().v.row(0).norm(); }, 1e-4, negative},
    };
}

std::vector<Case> drawn_cases() {
    // The table of numbers.md: means of 600 draws, good to about ±0.02.
    return {
        {"drawn_max_weight", "drawn_max_weight(64, false)", [] { return 0.88; }, 0.02, default_scene},
        {"drawn_max_weight", "drawn_max_weight(64, true)", [] { return 0.36; }, 0.02, default_scene},
        {"drawn_entropy_share", "drawn_entropy_share(64, false)", [] { return 0.15; }, 0.02, default_scene},
        {"drawn_jacobian", "drawn_jacobian(64, false)", [] { return 0.150; }, 0.02, default_scene},
        {"drawn_deviation", "drawn_deviation(64)", [] { return 8; }, 0.1},
        {"drawn_kurtosis", "drawn_kurtosis(4)", [] { return 3 + 6.0 / 4; }, 0.3},
        {"drawn_inside", "drawn_inside(1024, 1)", [] { return std::erf(1 / std::sqrt(2.0)); }, 0.01},
        {"normal_inside", "normal_inside(2)", [] { return 0.9544997; }, 1e-6},
        {"softmax_of", "softmax_of(0, 3, -3)", [] { return 1 / (1 + std::exp(-6.0)); }, 1e-12},
        {"softmax_of", "softmax_of(2, 8, 2, 1)", [] { return 0.00091; }, 1e-5},
        {"naive_softmax_of", "naive_softmax_of(0, 8, 2, 1)", [] { return 0.99662; }, 1e-5},
        {"sparsemax_of", "sparsemax_of(0, 1, 0.5)", [] { return 0.75; }, 1e-12},
        {"l1_of", "l1_of(1, 3, -1)", [] { return -0.25; }, 1e-12},
        {"argmax_of", "argmax_of(0, 3, 3, 1)", [] { return 0.5; }, 1e-12},
        {"l2_of", "l2_of(0, 3, 4)", [] { return 0.6; }, 1e-12},
        {"format_softmax", "format_softmax(\"float64\", true, 5)",
         [] { return 1 / (1 + std::exp(-1.0) + std::exp(-2.0)); }, 1e-12},
        // e^s passes 65504, the largest of the format.
        {"overflows_from", "overflows_from(\"float16\", false)", [] { return std::log(65504.0); }, 0.05},
    };
}

// The outputs of all heads side by side, of tokens in another order or not.
Exact joined(const Model& model, const std::function<bool(Index, Index)>& sees, const std::vector<int>& order = {}) {
    Exact all(model.n_queries, model.n_heads * model.d_v);
    for (int head = 0; head < model.n_heads; ++head)
        all.middleCols(head * model.d_v, model.d_v) = Plain(model, head, sees, order).output;
    return all;
}

const std::vector<int> turned = {2, 0, 1, 3, 4, 5};

double sum_of_cosines(double distance, int width) {
    double sum = 0;
    for (int t = 0; t < width / 2; ++t) sum += std::cos(distance * std::pow(10000.0, -2.0 * t / width));
    return sum;
}

std::vector<Case> order_cases() {
    const auto moved = [] { return with({{"display.order.permutation", "2 0 1"}}); };
    const auto moved_freely = [] {
        return with({{"display.order.permutation", "2 0 1"}, {"model.mask.causal", "false"}});
    };
    const auto swapped = [] { return with({{"display.order.permutation", "1 0"}}); };
    const auto sines = [] { return with({{"model.source", "projected"}, {"display.order.encoding", "sinusoidal"}}); };
    const auto hot = [] { return with({{"model.temperature", "1e6"}}); };
    return {
        {"equivariance_gap", "equivariance_gap()",
         [moved] {
             const Model model = moved().model;
             const Exact still = joined(model, causal);
             Exact expected = still;
             for (std::size_t i = 0; i < turned.size(); ++i) expected.row(static_cast<Index>(i)) = still.row(turned[i]);
             return (joined(model, causal, turned) - expected).cwiseAbs().maxCoeff();
         },
         1e-5, moved},
        {"equivariance_gap", "equivariance_gap()", [] { return 0; }, 1e-5, moved_freely},
        {"invariance_gap", "invariance_gap()",
         [moved] {
             const Model model = moved().model;
             return (joined(model, causal, turned) - joined(model, causal)).cwiseAbs().maxCoeff();
         },
         1e-5, moved},
        {"mean_gap", "mean_gap()", [] { return 0; }, 1e-5, moved_freely},
        {"permutation_determinant", "permutation_determinant()", [] { return 1; }, 0, moved},
        {"permutation_determinant", "permutation_determinant()", [] { return -1; }, 0, swapped},
        // Each pair of a sine and a cosine adds 1 to the square.
        {"encoding_norm", "encoding_norm(3)", [] { return 4; }, 1e-5, sines},
        {"encoding_dot", "encoding_dot(5)", [] { return sum_of_cosines(5, 32); }, 1e-4, sines},
        {"word_length", "word_length()", [] { return 1; }, 0.02, sines},
        // Independent words of length 1 (or √512) on a position of length √256.
        {"words_alike", "words_alike(false)", [] { return 256.0 / 257; }, 0.01, sines},
        {"words_alike", "words_alike(true)", [] { return 256.0 / 768; }, 0.05, sines},
        {"places_alike", "places_alike(true)", [] { return (512 + sum_of_cosines(20, 512)) / 768; }, 0.05, sines},
        {"rnn_gradient", "rnn_gradient(10)", [] { return std::pow(0.9, 10); }, 1e-5},
        // So hot that every key has the same weight.
        {"attention_path", "attention_path(9)", [] { return 0.1; }, 1e-4, hot},
    };
}

// A window of 32 on drawn data of 256 tokens, and what it gets wrong.
struct PlainWindow {
    Exact exact, exact_weights, window, window_weights, mean;
    PlainWindow() {
        const CostData data = cost_data_kinds()[0].draw(1, 1, 256, 64);
        const auto near = [](Index i, Index j) { return std::abs(i - j) <= 32; };
        const Plain all(data.q.cast<double>(), data.k.cast<double>(), data.v.cast<double>(), 0.125, everywhere);
        const Plain some(data.q.cast<double>(), data.k.cast<double>(), data.v.cast<double>(), 0.125, near);
        exact = all.output;
        exact_weights = all.weights;
        window = some.output;
        window_weights = some.weights;
        mean = all.v.colwise().mean().replicate(256, 1);
    }
};

std::vector<Case> cost_cases() {
    const auto drawn_data = [] { return with({{"display.cost.data", "independent"}, {"display.cost.window", "32"}}); };
    const auto whole = [] { return with({{"display.cost.data", "scene"}, {"display.cost.window", "6"}}); };
    return {
        {"weights_count", "weights_count(10000)", [] { return 1e8; }, 0},
        {"weights_bytes", "weights_bytes(1000)", [] { return 4e6; }, 0},
        // 8 heads of width 64: n² products of 64 terms for the scores, and as many for the output.
        {"operations", "operations(\"dense\", 1000) / 1e9", [] { return 1.024; }, 0.01},
        {"method_bytes", "method_bytes(\"dense\", 1000) / 1e6", [] { return 32; }, 1},
        {"method_error", "method_error(\"window\")", [] { return 0; }, 1e-5, whole},
        {"method_error", "method_error(\"window\")",
         [] {
             const PlainWindow plain_window;
             return (plain_window.window - plain_window.exact).norm() / plain_window.exact.norm();
         },
         1e-4, drawn_data},
        {"mean_error", "mean_error()",
         [] {
             const PlainWindow plain_window;
             return (plain_window.mean - plain_window.exact).norm() / plain_window.exact.norm();
         },
         1e-4, drawn_data},
        {"weights_error", "weights_error(\"window\")",
         [] {
             const PlainWindow plain_window;
             return (plain_window.window_weights - plain_window.exact_weights).cwiseAbs().sum() / 2 / 256;
         },
         1e-4, drawn_data},
        {"parameters", "parameters(\"additive\")", [] { return 2 * 16 * 16 + 16; }, 0},
        {"parameters", "parameters(\"dot\")", [] { return 0; }, 0},
    };
}

std::vector<Case> transformer_cases() {
    const auto narrow = [] {
        return with({{"model.query_tokens", "a b c d e f g h i j k l m"},
                     {"model.mask.causal", "false"},
                     {"model.mask.window", "true"},
                     {"model.mask.window_left", "2"},
                     {"model.mask.window_right", "2"}});
    };
    return {
        {"layer_norm_length", "layer_norm_length(384)", [] { return std::sqrt(384.0); }, 1e-3},
        {"layers_to_reach", "layers_to_reach(\"convolution\", 127)", [] { return 127; }, 0},
        {"layers_to_reach", "layers_to_reach(\"convolution-7\", 127)", [] { return 43; }, 0},
        {"layers_to_reach", "layers_to_reach(\"dilated\", 127)", [] { return 7; }, 0},
        {"layers_to_reach", "layers_to_reach(\"recurrence\", 127)", [] { return 127; }, 0},
        {"layers_to_reach", "layers_to_reach(\"attention\", 127)", [] { return 1; }, 0},
        {"layers_between", "layers_between(0, 12)", [] { return 6; }, 0, narrow},
        // Sixteen steps of −1, 0 or 1.
        {"effective_reach", "effective_reach(\"convolution\", 16)", [] { return std::sqrt(16 * 2.0 / 3); }, 1e-3},
    };
}

std::vector<Case> all_cases() {
    std::vector<Case> all;
    for (const auto part : {weight_cases, vector_cases, drawn_cases, order_cases, cost_cases, transformer_cases})
        for (Case& one : part()) all.push_back(std::move(one));
    return all;
}

double number_of(const LessonValue& value) {
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
    return std::get<double>(value);
}

TEST(Quantities, EachIsWhatPlainArithmeticOrAClosedFormSays) {
    Results results;
    const Scene step = default_scene();
    for (const Case& one : all_cases()) {
        const Result<Expression> expression = parse_expression(one.expression);
        ASSERT_TRUE(expression) << expression.error();
        const Scene scene = one.scene();
        const AttentionTrace trace = run_attention(scene.model);
        for (Results* kept : {static_cast<Results*>(nullptr), &results}) {
            const Result<LessonValue> value =
                evaluate(*expression, {.scene = scene, .trace = trace, .step = &step, .results = kept});
            ASSERT_TRUE(value) << one.expression << ": " << value.error();
            EXPECT_NEAR(number_of(*value), one.expected(), one.tolerance) << one.expression;
        }
    }
}

// Here, or in another quantities*_test.cpp that evaluates it.
TEST(Quantities, EveryRowOfTheTableIsHeldAgainstSomethingElse) {
    std::set<std::string> held;
    for (const Case& one : all_cases()) {
        held.insert(one.name);
        EXPECT_NE(one.expression.find(one.name), std::string::npos) << one.expression;
        EXPECT_NE(find_quantity(one.name), nullptr) << one.name;
    }
    std::string others;
    for (const auto& file : std::filesystem::directory_iterator(HEED_SOURCE_DIR "/tests/core")) {
        const std::string name = file.path().filename().string();
        if (name.starts_with("quantities_") && name != "quantities_test.cpp")
            others += *read_file(file.path(), 1 << 20);
    }
    for (const Quantity& quantity : quantities())
        EXPECT_TRUE(held.contains(std::string(quantity.name)) ||
                    others.find("\"" + std::string(quantity.name) + "(") != std::string::npos)
            << quantity.name << " is held against nothing";
}

TEST(Quantities, EachHasANameOfItsOwnAndHelpInBothLanguages) {
    std::set<std::string_view> names;
    for (const Quantity& quantity : quantities()) {
        EXPECT_TRUE(names.insert(quantity.name).second) << quantity.name;
        EXPECT_TRUE(quantity.help.ends_with('.')) << quantity.name;
        EXPECT_NE(tr(Language::chinese, quantity.help), quantity.help) << quantity.help;
        EXPECT_NE(quantity.compute, nullptr);
    }
    EXPECT_GT(names.size(), 70U);
    EXPECT_EQ(signature(*find_quantity("weight")), "weight(q, k[, head])");
    EXPECT_EQ(signature(*find_quantity("mean_max_weight")), "mean_max_weight([head])");
}

// One token, everything hidden, cross-attention, T = 0, NaN rows, 64 heads: a number or a sentence, never more.
TEST(Quantities, OddScenesGiveANumberOrASentence) {
    const Scene scenes[] = {
        with({{"model.query_tokens", "one"}}),
        with({{"model.query_offset", "-6"}}),
        with({{"model.query_offset", "-6"}, {"model.masked_row", "nan"}}),
        with({{"model.self_attention", "false"}, {"model.key_tokens", "a b c"}, {"model.mask.causal", "false"}}),
        with({{"model.temperature", "0"}}),
        with({{"model.normalizer", "naive-softmax"}, {"model.scaling", "typed"}, {"model.typed_scale", "1e4"}}),
        with({{"model.source", "projected"}, {"model.position", "rope"}, {"model.n_kv_heads", "1"}}),
        with({{"model.position", "alibi"}, {"display.order.encoding", "alibi"}}),
        with({{"display.head", "200"}, {"display.cost.data", "scene"}}),
    };
    int sentences = 0;
    for (const Scene& scene : scenes) {
        const AttentionTrace trace = run_attention(scene.model);
        Results results;
        for (const Case& one : all_cases()) {
            const Result<Expression> expression = parse_expression(one.expression);
            ASSERT_TRUE(expression);
            const Result<LessonValue> value =
                evaluate(*expression, {.scene = scene, .trace = trace, .step = &scenes[0], .results = &results});
            if (value) continue;
            ++sentences;
            EXPECT_EQ(value.error().find('\n'), std::string::npos);
            EXPECT_GT(value.error().size(), 8U);
        }
    }
    EXPECT_GT(sentences, 20);
}

}  // namespace
}  // namespace heed
