// The scripts Heed writes are run, and must give Heed's weights.
#include "app/take_away/export_text.h"
#include "app/commands/scene_argument.h"
#include "core/attention/masks.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/code/script.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace heed::app {
namespace {

// The first interpreter that has the module, or nothing.
std::string interpreter_with(const std::string& module) {
    for (const std::string python : {"/usr/bin/python3", "python3"})
        if (std::system((python + " -c 'import " + module + "' > /dev/null 2>&1").c_str()) == 0) return python;
    return {};
}

class ScriptTest : public testing::Test {
protected:
    void expect_same_weights(const std::string& python, const char* language, const Scene& scene,
                             const std::string& name) {
        const std::filesystem::path script = folder / "script.py";
        const std::filesystem::path weights = folder / "weights.npy";
        std::filesystem::remove(weights);
        ASSERT_TRUE(write_file(script, find_text_export(language)->text(scene)));
        ASSERT_EQ(std::system((python + " " + script.string() + " " + weights.string() + " > " +
                               (folder / "log").string() + " 2>&1; true")
                                  .c_str()),
                  0);
        const Result<NpyArray> array = read_npy(weights);
        ASSERT_TRUE(array) << name << ": " << array.error();
        const AttentionTrace trace = run_attention(scene.model);
        ASSERT_EQ(static_cast<Index>(array->values.size()),
                  trace.weights.count() * trace.weights.rows() * trace.weights.cols())
            << name;
        float worst = 0;
        for (std::size_t i = 0; i < array->values.size(); ++i) {
            const float ours = trace.weights.data()[i];
            EXPECT_EQ(std::isnan(array->values[i]), std::isnan(ours)) << name << ", number " << i;
            if (!std::isnan(ours)) worst = std::max(worst, std::abs(array->values[i] - ours));
        }
        EXPECT_LE(worst, 1e-5F) << name;
    }

    static std::vector<std::pair<std::string, Scene>> variants() {
        std::vector<std::pair<std::string, Scene>> list;
        const auto add = [&](std::string_view name, auto change) {
            Scene scene = default_scene();
            change(scene.model);
            fit_matrices(scene.model);
            list.emplace_back(std::string(name), std::move(scene));
        };
        for (const Normalizer& row : normalizers()) add(row.id, [&](Model& model) { model.normalizer = row.id; });
        for (const ScoreFunction& row : score_functions()) add(row.id, [&](Model& model) { model.score = row.id; });
        // Beyond float32 on both sides: the naive softmax overflows in some rows and finds 0/0 in others.
        add("naive beyond its range", [](Model& model) {
            model.normalizer = "naive-softmax";
            model.scaling = Scaling::typed;
            model.typed_scale = 60;
        });
        add("limit", [](Model& model) { model.temperature = 0; });
        add("everything", [](Model& model) {
            model.temperature = 0.4F;
            model.soft_cap = 3.0F;
            model.position = "alibi";
            model.mask = {.causal = true,
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
        });
        add("uniform rows", [](Model& model) {
            model.query_offset = -2;
            model.masked_row = MaskedRow::uniform;
        });
        add("nan rows", [](Model& model) {
            model.query_offset = -2;
            model.masked_row = MaskedRow::nan;
        });
        return list;
    }

    // Each mask alone, with queries before the first key.
    static std::vector<std::pair<std::string, Scene>> mask_variants() {
        const std::pair<const char*, MaskSettings> settings[] = {
            {"causal", {.causal = true}},
            {"padding", {.padding = 2}},
            {"window", {.window = true, .window_left = 1, .window_right = 2}},
            {"window open to the left", {.window = true, .window_left = -1, .window_right = 0}},
            {"strided", {.stride = 3}},
            {"block", {.block = 2}},
            {"global", {.global_tokens = 2}},
        };
        std::vector<std::pair<std::string, Scene>> list;
        for (const auto& [name, mask] : settings) {
            Scene scene = default_scene();
            scene.model.mask = mask;
            scene.model.query_offset = -3;
            list.emplace_back(name, std::move(scene));
        }
        for (const Mask& row : masks())
            EXPECT_TRUE(std::any_of(list.begin(), list.end(),
                                    [&](const auto& one) { return row.is_on(one.second.model.mask); }))
                << "no script is run with the mask " << row.id;
        return list;
    }

    TemporaryFolder own;
    std::filesystem::path folder = own.path;
};

TEST_F(ScriptTest, NumPyReproducesEveryMaskBeforeTheFirstKey) {
    const std::string python = interpreter_with("numpy");
    if (python.empty()) GTEST_SKIP() << "NumPy is not installed, so its scripts are not run";
    for (const auto& [name, scene] : mask_variants()) expect_same_weights(python, "numpy", scene, name);
}

TEST(Code, EveryScoreFunctionAndNormaliserCanBeWrittenDown) {
    EXPECT_TRUE(missing_code().empty()) << missing_code().front() << " cannot be written yet: see core/code";
}

TEST_F(ScriptTest, NumPyReproducesTheWeights) {
    const std::string python = interpreter_with("numpy");
    if (python.empty()) GTEST_SKIP() << "NumPy is not installed, so its scripts are not run";
    for (const auto& [name, scene] : variants()) expect_same_weights(python, "numpy", scene, name);
    for (const Preset& preset : presets())
        expect_same_weights(python, "numpy", *scene_argument(std::string(preset.id), {}), std::string(preset.id));
}

TEST_F(ScriptTest, PyTorchReproducesTheWeights) {
    const std::string python = interpreter_with("torch");
    if (python.empty()) GTEST_SKIP() << "PyTorch is not installed, so its scripts are not run";
    // Starting PyTorch takes a second: one variant for each part of the script that NumPy's does not share.
    for (const auto& [name, scene] : variants())
        if (name == "softmax" || name == "sparsemax" || name == "l2" || name == "limit" || name == "additive" ||
            name == "everything" || name == "nan rows" || name == "naive beyond its range")
            expect_same_weights(python, "pytorch", scene, name);
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
        scene.model.masked_row = policy;
        const std::string text = find_text_export("latex")->text(scene);
        EXPECT_NE(text.find(std::string("\\alpha_{ij} = ") + line + " \\quad \\text{(the query sees no key)}"),
                  std::string::npos)
            << text;
    }
}

}  // namespace
}  // namespace heed::app
