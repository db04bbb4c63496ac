// The scripts Heed writes are run, and must give Heed's weights.
#include "app/commands/export_text.h"
#include "app/commands/scene_argument.h"
#include "core/attention/pipeline.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

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
            if (std::isnan(ours) && std::isnan(array->values[i])) continue;
            worst = std::max(worst, std::abs(array->values[i] - ours));
        }
        EXPECT_LE(worst, 1e-5F) << name;
    }

    static std::vector<std::pair<std::string, Scene>> variants() {
        std::vector<std::pair<std::string, Scene>> list;
        const auto add = [&](const char* name, auto change) {
            Scene scene = default_scene();
            change(scene.model);
            fit_matrices(scene.model);
            list.emplace_back(name, std::move(scene));
        };
        for (const char* normalizer : {"softmax", "naive-softmax", "sparsemax", "l1", "l2", "argmax"})
            add(normalizer, [&](Model& model) { model.normalizer = normalizer; });
        for (const char* score : {"dot", "cosine", "additive"}) add(score, [&](Model& model) { model.score = score; });
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

    TemporaryFolder own;
    std::filesystem::path folder = own.path;
};

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
            name == "everything" || name == "nan rows")
            expect_same_weights(python, "pytorch", scene, name);
}

TEST(Latex, NamesTheNumbersOfThePinnedCell) {
    const std::string text = find_text_export("latex")->text(default_scene());
    EXPECT_NE(text.find("\\sqrt{16}"), std::string::npos);
    EXPECT_NE(text.find("\\begin{align}"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace heed::app
