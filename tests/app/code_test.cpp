// The scripts Heed writes are run, and must give Heed's numbers; and nothing a scene says is run with them.
#include "app/commands/scene_argument.h"
#include "app/take_away/export_text.h"
#include "core/analysis/cell_explanation.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/context.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/transformer/around.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <span>

namespace heed::app {
namespace {

// The first interpreter that has the module, or nothing.
std::string interpreter_with(const std::string& module) {
    for (const std::string python : {"/usr/bin/python3", "python3"})
        if (std::system((python + " -c 'import " + module + "' > /dev/null 2>&1").c_str()) == 0) return python;
    return {};
}

using Variant = std::pair<std::string, Scene>;

// Runs scripts one after the other in one interpreter, each with two files to save to. What goes wrong is in the log.
constexpr const char* run_all = R"(import runpy, sys, traceback
for at in range(int(sys.argv[1])):
    sys.argv = ["script", f"{at}-weights.npy", f"{at}-output.npy"]
    try:
        runpy.run_path(f"{at}.py", run_name="__main__")
    except Exception:
        traceback.print_exc()
)";

void expect_near(const std::filesystem::path& file, std::span<const float> ours, const std::string& name) {
    const Result<NpyArray> array = read_npy(file);
    ASSERT_TRUE(array) << name << ": " << array.error();
    ASSERT_EQ(array->values.size(), ours.size()) << name;
    float worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_EQ(std::isnan(array->values[i]), std::isnan(ours[i])) << name << ", number " << i;
        if (!std::isnan(ours[i]))
            worst = std::max(worst, std::abs(array->values[i] - ours[i]) / std::max(1.0F, std::abs(ours[i])));
    }
    EXPECT_LE(worst, 1e-5F) << name;
}

class ScriptTest : public testing::Test {
protected:
    void expect_same_numbers(const std::string& python, const char* language, const std::vector<Variant>& variants) {
        ASSERT_FALSE(variants.empty());
        ASSERT_TRUE(write_file(folder / "run_all.py", run_all));
        for (std::size_t i = 0; i < variants.size(); ++i)
            ASSERT_TRUE(
                write_file(folder / (std::to_string(i) + ".py"), find_text_export(language)->text(variants[i].second)));
        ASSERT_EQ(std::system(("cd '" + folder.string() + "' && " + python + " run_all.py " +
                               std::to_string(variants.size()) + " > log 2>&1")
                                  .c_str()),
                  0);
        const std::string log = *read_file(folder / "log", 1 << 26);
        const std::size_t error = log.find("Traceback");
        ASSERT_EQ(error, std::string::npos) << log.substr(error, 2000);
        for (std::size_t i = 0; i < variants.size(); ++i) {
            const auto& [name, scene] = variants[i];
            const AttentionTrace trace = run_layers(scene.model);
            const auto size =
                static_cast<std::size_t>(trace.weights.count() * trace.weights.rows() * trace.weights.cols());
            expect_near(folder / (std::to_string(i) + "-weights.npy"), {trace.weights.data(), size}, name);
            expect_near(folder / (std::to_string(i) + "-output.npy"),
                        {trace.output.data(), static_cast<std::size_t>(trace.output.size())}, name + ", output");
        }
    }

    template <typename Change>
    static void add(std::vector<Variant>& list, std::string name, Change&& change) {
        Scene scene = default_scene();
        change(scene.model);
        fit_matrices(scene.model);
        list.emplace_back(std::move(name), std::move(scene));
    }

    // Every row of every table, and everything at once.
    static std::vector<Variant> variants() {
        std::vector<Variant> list;
        for (const Normalizer& row : normalizers()) {
            const auto with_row = [&](Model& model) { model.normalizer->id = row.id; };
            add(list, std::string(row.id), with_row);
            add(list, std::string(row.id) + " at T = 0", [&](Model& model) {
                with_row(model);
                if (row.has_argmax_limit) model.temperature = 0;
            });
            // Far beyond float32 on both sides: a naive softmax overflows in some rows and finds 0/0 in others.
            add(list, std::string(row.id) + " of large scores", [&](Model& model) {
                with_row(model);
                model.scale->scaling = Scaling::typed;
                model.scale->typed_scale = 60;
            });
        }
        for (const ScoreFunction& row : score_functions())
            for (const bool projected : {false, true})
                add(list, std::string(row.id) + (projected ? ", projected" : ""), [&](Model& model) {
                    model.score = row.id;
                    model.source = projected ? Source::projected : Source::direct;
                    model.temperature = 0.4F;
                });
        for (const PositionEncoding& row : position_encodings())
            for (const bool projected : {false, true})
                for (const bool self : {false, true})
                    add(list, std::string(row.id) + (projected ? ", projected" : "") + (self ? "" : ", two sentences"),
                        [&](Model& model) {
                            model.position->encoding = row.id;
                            model.source = projected ? Source::projected : Source::direct;
                            model.self_attention = self;
                            model.n_keys = 5;
                            model.query_offset = 2;
                            model.d_k = 7;  // an odd one: the last component has no partner
                            model.d_model = 9;
                            model.n_heads = 6;  // not a power of two
                            model.n_kv_heads = 3;
                            model.position->embedding_scale = self;
                        });
        add(list, "everything", everything);
        add(list, "gains, a head off and W_O", [](Model& model) {
            model.output_projection = true;
            model.heads[1].gain = -0.5F;
            model.heads[2].on = false;
            model.heads[3].gain = 2;
        });
        add(list, "every head off", [](Model& model) {
            model.output_projection = true;
            for (HeadSetting& head : model.heads) head.on = false;
        });
        for (const MaskedRow policy : {MaskedRow::zero, MaskedRow::uniform, MaskedRow::nan})
            add(list, "rows that see nothing, policy " + std::to_string(static_cast<int>(policy)), [&](Model& model) {
                model.query_offset = -2;
                model.normalizer->masked_row = policy;
            });
        for (const Normalizer& row : normalizers())
            for (const bool capped : {false, true})
                add(list, "T = 0 with a bias, " + std::string(row.id) + (capped ? ", capped" : ""), [&](Model& model) {
                    everything(model);
                    *model.mask = {.causal = true};
                    model.normalizer->id = row.id;
                    model.temperature = 0;
                    if (!capped) model.scale->soft_cap.reset();
                    // Two equal keys, between which the bias decides, and a query that scores 0 with all.
                    model.source = Source::direct;
                    for (SharedMatrix& k : model.k) k = k.with([](Matrix& rows) { rows.row(1) = rows.row(0); });
                    for (SharedMatrix& q : model.q) q = q.with([](Matrix& rows) { rows.row(4).setZero(); });
                });
        add(list, "a cold temperature", [](Model& model) { model.temperature = 0.0004F; });
        return list;
    }

    static void everything(Model& model) {
        model.source = Source::projected;
        model.output_projection = true;
        model.temperature = 0.4F;
        model.scale->soft_cap = 3.0F;
        model.position->encoding = position_with_bias();
        *model.mask = {.causal = true,
                       .padding = 1,
                       .window = true,
                       .window_left = 2,
                       .window_right = 1,
                       .stride = 3,
                       .block = 2,
                       .global_tokens = 1,
                       .painted = true};
        model.query_offset = -1;
        model.n_kv_heads = 2;
        model.bias_on = true;
        fit_matrices(model);
        model.bias[0] = model.bias[0].with([](Matrix& bias) {
            bias.setRandom();
            bias(3, 1) = -std::numeric_limits<float>::infinity();
        });
        model.painted_mask[0] = model.painted_mask[0].with([](MaskMatrix& mask) { mask(4, 2) = 0; });
    }

    static std::string position_with_bias() {
        for (const PositionEncoding& row : position_encodings())
            if (row.bias != nullptr) return std::string(row.id);
        return {};
    }

    // Each mask alone, with queries before the first key.
    static std::vector<Variant> mask_variants() {
        const std::pair<const char*, MaskSettings> settings[] = {
            {"causal", {.causal = true}},
            {"padding", {.padding = 2}},
            {"window", {.window = true, .window_left = 1, .window_right = 2}},
            {"window open to the left", {.window = true, .window_left = -1, .window_right = 0}},
            {"window open on both sides", {.window = true, .window_left = -1, .window_right = -1}},
            {"strided", {.stride = 3}},
            {"block", {.block = 2}},
            {"global", {.global_tokens = 2}},
            {"2-D window", {.grid_window = true, .grid_radius = 1, .grid_columns = 3}},
        };
        std::vector<Variant> list;
        for (const auto& [name, mask] : settings) {
            Scene scene = default_scene();
            *scene.model.mask = mask;
            scene.model.query_offset = -3;
            list.emplace_back(name, std::move(scene));
        }
        for (const Mask& row : masks())
            EXPECT_TRUE(std::any_of(list.begin(), list.end(),
                                    [&](const auto& one) { return row.is_on(*one.second.model.mask); }))
                << "no script is run with the mask " << row.id;
        return list;
    }

    // Values, keys and a switched-off head's W_O that are not numbers, where nothing sees them.
    static std::vector<Variant> hidden_numbers() {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        std::vector<Variant> list;
        for (const MaskedRow policy : {MaskedRow::zero, MaskedRow::uniform})
            for (const ScoreFunction& row : score_functions())
                add(list, "hidden NaN, " + std::string(row.id) + std::to_string(static_cast<int>(policy)),
                    [&](Model& model) {
                        model.score = row.id;
                        *model.mask = {.padding = 2};
                        model.normalizer->masked_row = policy;
                        model.output_projection = true;
                        model.heads[1].on = false;
                        for (auto* list_of : {&model.k, &model.v})
                            for (SharedMatrix& one : *list_of)
                                one = one.with([&](Matrix& rows) { rows.bottomRows(2).setConstant(nan); });
                        model.w_o[1] = model.w_o[1].with([&](Matrix& w) { w.setConstant(nan); });
                    });
        return list;
    }

    TemporaryFolder own;
    std::filesystem::path folder = own.path;
};

constexpr const char* no_numpy = "python3 with NumPy runs the scripts of this test: install python3-numpy";

TEST_F(ScriptTest, NumPyReproducesEveryMaskBeforeTheFirstKey) {
    const std::string python = interpreter_with("numpy");
    ASSERT_FALSE(python.empty()) << no_numpy;
    expect_same_numbers(python, "numpy", mask_variants());
}

TEST_F(ScriptTest, NumPyReproducesWeightsAndOutputForEveryRowOfEveryTable) {
    const std::string python = interpreter_with("numpy");
    ASSERT_FALSE(python.empty()) << no_numpy;
    expect_same_numbers(python, "numpy", variants());
}

TEST_F(ScriptTest, NumPyReproducesEveryExample) {
    const std::string python = interpreter_with("numpy");
    ASSERT_FALSE(python.empty()) << no_numpy;
    std::vector<Variant> list;
    for (const Preset& preset : presets()) list.emplace_back(preset.id, *scene_argument(std::string(preset.id), {}));
    expect_same_numbers(python, "numpy", list);
}

TEST_F(ScriptTest, HiddenNumbersThatAreNoneDoNotReachTheOutput) {
    const std::string python = interpreter_with("numpy");
    ASSERT_FALSE(python.empty()) << no_numpy;
    const std::vector<Variant> list = hidden_numbers();
    for (const auto& [name, scene] : list) ASSERT_TRUE(run_attention(scene.model).output.allFinite()) << name;
    expect_same_numbers(python, "numpy", list);
}

TEST_F(ScriptTest, PyTorchReproducesWeightsAndOutputForEveryRowOfEveryTable) {
    const std::string python = interpreter_with("torch");
    if (python.empty()) GTEST_SKIP() << "PyTorch is not installed, so its scripts are not run";
    std::vector<Variant> list = variants();
    for (const auto& more : {mask_variants(), hidden_numbers()}) list.insert(list.end(), more.begin(), more.end());
    expect_same_numbers(python, "pytorch", list);
}

// Texts that have run code, ended a string or left a comment in one program or another.
const std::vector<std::string>& hostile_texts() {
    static const std::vector<std::string> texts = {
        // GBK takes the last byte of 你 and the backslash after it for one character.
        "coding: gbk \u4f60\"\nopen('pwned','w') #",
        "coding: gbk",
        "\"\nopen('pwned','w').close()\n\"",
        "\\\"; open('pwned','w') #",
        "'''\nopen('pwned','w')\n'''",
        "a\ropen('pwned','w')",
        std::string("a\0open('pwned','w')", 19),
        "\f\v\x1b]0;pwned\x07\x85\u2028open('pwned','w')",
        "\\N{DIGIT ONE}\\x22\\",
        "\xff\xfe\xe4",
        "{__import__('os')} %s ${HOME} `id`",
    };
    return texts;
}

Scene hostile_scene(const std::string& text) {
    Scene scene = default_scene();
    scene.title = text;
    scene.title_zh = text;
    for (std::string& token : scene.model.query_tokens) token = text;
    scene.model.key_tokens = scene.model.query_tokens;
    return scene;
}

// Bytes that Heed can be made to hold, in any of the encodings a reader may take the file for.
TEST_F(ScriptTest, NothingASceneSaysIsExecuted) {
    const std::string python = interpreter_with("numpy");
    ASSERT_FALSE(python.empty()) << no_numpy;
    std::size_t at = 0;
    for (const std::string& text : hostile_texts())
        for (const char* language : {"numpy", "pytorch"}) {
            const std::string script = find_text_export(language)->text(hostile_scene(text));
            EXPECT_TRUE(script.starts_with("# -*- coding: utf-8 -*-\n"));
            EXPECT_TRUE(std::ranges::all_of(script, [](unsigned char c) {
                return c == '\n' || (c >= 0x20 && c < 0x7F);
            })) << text;
            ASSERT_TRUE(write_file(folder / ("hostile" + std::to_string(at++) + ".py"), script));
        }
    // Read as files, in this encoding and as if in others; and where NumPy serves also run.
    ASSERT_TRUE(write_file(folder / "read_all.py", R"(import ast, os, runpy, sys, tokenize
for at in range(int(sys.argv[1])):
    name = f"hostile{at}.py"
    with tokenize.open(name) as file:
        assert file.encoding == "utf-8", file.encoding
        tree = ast.parse(file.read())
    for encoding in ("utf-8", "gbk", "shift_jis", "latin-1"):
        text = open(name, "rb").read().decode(encoding, "replace")
        titles = [node.value.value for node in ast.parse(text).body
                  if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "title"] if "\0" not in text else []
        assert len(titles) == 1, (name, encoding, titles)
    if at % 2 == 0:
        sys.argv = [name]
        runpy.run_path(name, run_name="__main__")
    assert os.system(sys.executable + " -m py_compile " + name) == 0
assert not os.path.exists("pwned")
)"));
    ASSERT_EQ(
        std::system(("cd '" + folder.string() + "' && " + python + " read_all.py " + std::to_string(at) + " > log 2>&1")
                        .c_str()),
        0)
        << read_file(folder / "log", 1 << 22)->substr(0, 3000);
    EXPECT_FALSE(std::filesystem::exists(folder / "pwned"));
}

TEST(Latex, ATokenCannotLeaveItsComment) {
    for (const std::string& text : hostile_texts()) {
        const std::string latex = find_text_export("latex")->text(hostile_scene(text));
        const std::size_t begin = latex.find("\\begin{align}");
        const std::string comment = latex.substr(0, begin);
        EXPECT_TRUE(comment.starts_with("% needs amsmath"));
        EXPECT_EQ(std::ranges::count(comment, '\n'), 1) << comment;
        EXPECT_EQ(comment.back(), '\n');
        EXPECT_TRUE(is_utf8(latex)) << comment;
        for (const char c : comment.substr(0, comment.size() - 1))
            EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << static_cast<int>(c);
    }
}

std::string latex_of(const Scene& scene) { return find_text_export("latex")->text(scene); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Latex, AColdTemperatureKeepsItsDigits) {
    Scene scene = default_scene();
    scene.model.temperature = 0.0004F;
    const std::string text = latex_of(scene);
    EXPECT_TRUE(has(text, "\\frac{1}{4 \\cdot 10^{-4}}") || has(text, "\\frac{1}{0.0004}")) << text;
    EXPECT_FALSE(has(text, "0.000}")) << text;
}

TEST(Latex, TheNormaliserIsWrittenOfWhatComesAfterSoftCapAndBias) {
    Scene scene = default_scene();
    scene.display.pin = {4, 2};
    scene.model.scale->soft_cap = 2.5F;
    scene.model.bias_on = true;
    scene.model.bias[0] = scene.model.bias[0].with([](Matrix& bias) { bias(4, 2) = -0.75F; });
    const AttentionTrace trace = run_attention(scene.model);
    const CellExplanation cell = explain_cell(scene.model, trace, shown_head(scene), pinned_cell(scene));
    const std::string text = latex_of(scene);
    EXPECT_TRUE(has(text, "t_{ij} = \\frac{1}{\\sqrt{16}} \\cdot r_{ij} &= ")) << text;
    EXPECT_TRUE(has(text, "u_{ij} = 2.5 \\tanh\\frac{t_{ij}}{2.5} &= ")) << text;
    char logit[32];
    std::snprintf(logit, sizeof logit, "%.4f", static_cast<double>(cell.logit));
    EXPECT_TRUE(has(text, "s_{ij} = u_{ij} + \\left(-0.75\\right) &= " + std::string(logit))) << text;
    EXPECT_TRUE(has(text, "\\alpha_{ij} = \\frac{e^{s_{ij}}}")) << text;
}

TEST(Latex, OnlyTheLastOfTheLogitsIsCalledS) {
    for (const bool capped : {false, true})
        for (const bool biased : {false, true})
            for (const PositionEncoding& position : position_encodings()) {
                Scene scene = default_scene();
                if (capped) scene.model.scale->soft_cap = 5.0F;
                scene.model.bias_on = biased;
                scene.model.position->encoding = position.id;
                const std::string text = latex_of(scene);
                std::size_t count = 0;
                for (std::size_t at = text.find("  s_{ij} = "); at != std::string::npos;
                     at = text.find("  s_{ij} = ", at + 1))
                    ++count;
                EXPECT_EQ(count, 1U) << text;
            }
}

TEST(Latex, ANegativeFactorStandsInBracketsAfterADot) {
    Scene scene = default_scene();
    scene.model.scale->scaling = Scaling::typed;
    scene.model.scale->typed_scale = -2;
    scene.model.temperature = 0.5F;
    for (int query = 0; query < 6; ++query) {
        scene.display.pin = {query, 0};
        EXPECT_FALSE(has(latex_of(scene), "\\cdot -")) << latex_of(scene);
        EXPECT_FALSE(has(latex_of(scene), "+ -")) << latex_of(scene);
    }
}

TEST(Latex, NamesTheNumbersOfThePinnedCell) {
    const std::string text = find_text_export("latex")->text(default_scene());
    EXPECT_NE(text.find("\\sqrt{16}"), std::string::npos);
    EXPECT_NE(text.find("\\begin{align}"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Latex, ARowThatSeesNothingIsExplainedByThePolicy) {
    Scene scene = default_scene();
    scene.display.pin = {0, 3};
    EXPECT_NE(find_text_export("latex")->text(scene).find("0 &= 0.0000 \\quad \\text{(hidden)}"), std::string::npos);
    scene.model.query_offset = -3;  // causal: the first three queries see no key
    const std::pair<MaskedRow, const char*> wanted[] = {{MaskedRow::zero, "0 &= 0.0000"},
                                                        {MaskedRow::uniform, "\\frac{1}{6} &= 0.1667"},
                                                        {MaskedRow::nan, "\\tfrac{0}{0} &= \\mathrm{NaN}"}};
    for (const auto& [policy, line] : wanted) {
        scene.model.normalizer->masked_row = policy;
        const std::string text = find_text_export("latex")->text(scene);
        EXPECT_NE(text.find(std::string("\\alpha_{ij} = ") + line + " \\quad \\text{(the query sees no key)}"),
                  std::string::npos)
            << text;
    }
}

}  // namespace
}  // namespace heed::app
