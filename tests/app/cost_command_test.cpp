// heed cost and heed compute --method, as a shell sees them.
#include "heed_test_paths.h"

#include "core/cost/methods.h"
#include "core/files/atomic_write.h"
#include "core/files/csv.h"
#include "core/files/npy.h"
#include "core/files/read_file.h"
#include "core/random.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <sys/wait.h>

namespace heed::app {
namespace {

namespace fs = std::filesystem;

class CostCommandTest : public testing::Test {
protected:
    int heed(const std::string& arguments) {
        const int code = std::system(("cd '" + folder.string() + "' && env -u DISPLAY '" HEED_PROGRAM "' " + arguments +
                                      " > out.txt 2> error.txt")
                                         .c_str());
        said = *read_file(folder / "error.txt", 1 << 20);
        return WEXITSTATUS(code);
    }
    void write_array(const char* name, const std::vector<Index>& shape, std::uint64_t seed, float factor = 1) const {
        Index count = 1;
        for (const Index size : shape) count *= size;
        std::vector<float> values;
        for (Index i = 0; i < count; ++i)
            values.push_back(factor * normal_at(seed, 0, static_cast<std::uint64_t>(i), 0));
        ASSERT_TRUE(write_file(folder / name, npy_bytes(shape, values)));
    }
    void write_operands(Index heads, Index n, Index d, float factor = 1) const {
        write_array("q.npy", {heads, n, d}, 1, factor);
        write_array("k.npy", {heads, n, d}, 2);
        write_array("v.npy", {heads, n, d}, 3);
    }
    std::vector<float> array(const std::string& name) const { return read_npy(folder / name)->values; }

    TemporaryFolder own;
    fs::path folder = own.path;
    std::string said;
};

constexpr const char* compute = "compute --query q.npy --key k.npy --value v.npy ";

float largest_gap(const std::vector<float>& a, const std::vector<float>& b) {
    float most = a.size() == b.size() ? 0.0F : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

TEST_F(CostCommandTest, SinglePrecisionIsWithinTheDocumentedErrorOfDouble) {
    for (const float factor : {1.0F, 20.0F}) {  // the second is too large for float32, and nobody has to ask
        write_operands(2, 200, 32, factor);
        ASSERT_EQ(heed(std::string(compute) + "--out a --causal"), 0) << said;
        ASSERT_EQ(heed(std::string(compute) + "--out b --causal --precision double"), 0) << said;
        EXPECT_LE(largest_gap(array("a/weights.npy"), array("b/weights.npy")), 2e-6F) << factor;
        EXPECT_LE(largest_gap(array("a/output.npy"), array("b/output.npy")), 2e-6F) << factor;
        const bool is_same = largest_gap(array("a/weights.npy"), array("b/weights.npy")) == 0;
        EXPECT_EQ(is_same, factor > 1) << "large logits are computed in double";
    }
    ASSERT_EQ(heed(std::string(compute) + "--out c --causal --precision single"), 0) << said;
    EXPECT_GT(largest_gap(array("c/weights.npy"), array("b/weights.npy")), 0);
    EXPECT_EQ(heed(std::string(compute) + "--out d --precision half"), 2);
}

TEST_F(CostCommandTest, HeadsComputedOneByOneAreThoseComputedTogether) {
    write_array("q.npy", {4, 60, 16}, 1);
    write_array("k.npy", {2, 60, 16}, 2);
    write_array("v.npy", {2, 60, 16}, 3);
    write_array("g.npy", {4, 60, 16}, 4);
    for (const char* position : {"none", "rope", "alibi"}) {
        ASSERT_EQ(heed(std::string(compute) + "--out a --grad-output g.npy --position " + position), 0) << said;
        ASSERT_EQ(heed(std::string(compute) + "--out b --position " + position), 0) << said;
        for (const char* file : {"scores.npy", "scaled.npy", "masked.npy", "weights.npy", "output.npy"})
            EXPECT_LE(largest_gap(array("a/" + std::string(file)), array("b/" + std::string(file))), 1e-5F)
                << position << " " << file;
        EXPECT_EQ(read_npy(folder / "a" / "grad_key.npy")->shape, (std::vector<Index>{2, 60, 16}));
        EXPECT_EQ(read_npy(folder / "b" / "weights.npy")->shape, (std::vector<Index>{4, 60, 60}));
    }
}

TEST_F(CostCommandTest, EveryMethodWritesItsOutputAndItsWeightsWhereItMakesAny) {
    write_operands(2, 100, 16);
    ASSERT_EQ(heed(std::string(compute) + "--out dense"), 0) << said;
    const std::vector<float> exact = array("dense/output.npy");
    for (const CostMethod& method : cost_methods()) {
        if (&method == &exact_method()) continue;
        const std::string id(method.id);
        ASSERT_EQ(heed(std::string(compute) + "--out " + id + " --method " + id), 0) << said;
        const std::vector<float> output = array(id + "/output.npy");
        ASSERT_EQ(output.size(), exact.size());
        EXPECT_EQ(fs::exists(folder / id / "weights.npy"), method.has_weights) << id;
        EXPECT_FALSE(fs::exists(folder / id / "scores.npy")) << id;
        if (method.is_exact) {
            EXPECT_LE(largest_gap(output, exact), 2e-6F);
        } else {
            EXPECT_GT(largest_gap(output, exact), 1e-3F) << id;
        }
    }
    ASSERT_EQ(heed(std::string(compute) + "--out wide --method window:100"), 0) << said;
    EXPECT_LE(largest_gap(array("wide/output.npy"), exact), 2e-6F);
    ASSERT_EQ(heed(std::string(compute) + "--out causal --causal"), 0) << said;
    ASSERT_EQ(heed(std::string(compute) + "--out masked --causal --method chunked"), 0) << said;
    EXPECT_LE(largest_gap(array("masked/output.npy"), array("causal/output.npy")), 2e-6F);
}

TEST_F(CostCommandTest, WhatAMethodCannotDoIsRefusedInASentence) {
    write_operands(1, 20, 8);
    write_array("g.npy", {1, 20, 8}, 4);
    for (const char* other : {"--score cosine", "--normalizer sparsemax", "--temperature 0", "--softcap 5",
                              "--position rope", "--grad-output g.npy", "--precision double", "--masked-row nan"}) {
        EXPECT_EQ(heed(std::string(compute) + "--out no --method linear " + other), 1) << other;
        EXPECT_NE(said.find("--method linear"), std::string::npos) << said;
        EXPECT_FALSE(fs::exists(folder / "no")) << other;
    }
    for (const char* wrong : {"widow", "window:x", "linear:3"})
        EXPECT_EQ(heed(std::string(compute) + "--out no --method " + wrong), 2) << wrong;
}

TEST_F(CostCommandTest, ChunkedComputesWhatNobodyCouldHoldTheWeightsOf) {
    write_operands(1, 12000, 4);
    EXPECT_EQ(heed(std::string(compute) + "--out dense"), 1) << "144,000,000 weights are more than Heed holds";
    ASSERT_EQ(heed(std::string(compute) + "--out chunked --method chunked"), 0) << said;
    EXPECT_EQ(read_npy(folder / "chunked" / "output.npy")->shape, (std::vector<Index>{1, 12000, 4}));
}

TEST_F(CostCommandTest, CostWritesARowForEachMethodAndSize) {
    ASSERT_EQ(heed("cost --method dense,chunked,window:8,linear --n 64:256 --d 16 --heads 2 --out cost.csv"), 0)
        << said;
    const std::string table = *read_file(folder / "cost.csv", 1 << 20);
    EXPECT_TRUE(table.starts_with("method,n,milliseconds,bytes,error\n")) << table;
    EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 4 * 3) << table;
    EXPECT_NE(table.find("\nwindow,128,"), std::string::npos) << table;
    EXPECT_NE(table.find("\ndense,256,"), std::string::npos) << table;
    EXPECT_EQ(heed("cost --out cost.txt"), 2);
    EXPECT_EQ(heed("cost --n 512:256 --out cost.csv"), 2);
    EXPECT_NE(said.find("--n"), std::string::npos) << said;
    EXPECT_EQ(heed("cost --method dense,nothing --out cost.csv"), 2);
    EXPECT_NE(said.find("nothing"), std::string::npos) << said;
}

TEST_F(CostCommandTest, TheCostViewIsDrawnWithoutAWindowAndSaysThatNothingWasMeasured) {
    for (const char* panel : {"measured", "error", "chunks", "time", "sequential"}) {
        const std::string file = std::string(panel) + ".svg";
        ASSERT_EQ(heed("render cat --view cost --set display.cost.panel=" + std::string(panel) + " --out " + file), 0)
            << said;
        const std::string picture = *read_file(folder / file, 1 << 24);
        const bool is_measured_page = panel != std::string("error") && panel != std::string("chunks");
        EXPECT_EQ(picture.find("Nothing was measured") != std::string::npos, is_measured_page) << panel;
    }
}

}  // namespace
}  // namespace heed::app
