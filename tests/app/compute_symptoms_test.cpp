// What `heed compute` promised and did not keep. Each test is named after what was seen.
#include "heed_test_paths.h"

#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "core/files/read_file.h"
#include "core/random.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace heed::app {
namespace {

class ComputeSymptoms : public testing::Test {
protected:
    int heed(const std::string& arguments) {
        const int code =
            std::system(("cd '" + own.path.string() + "' && env -u DISPLAY '" HEED_PROGRAM "' compute " +
                         "--query q.npy --key k.npy --value v.npy " + arguments + " > out.txt 2> error.txt")
                            .c_str());
        said = *read_file(own.path / "error.txt", 1 << 20);
        return WEXITSTATUS(code);
    }
    void write(const char* name, Index rows, Index cols, std::uint64_t seed, float factor = 1) const {
        std::vector<float> values;
        for (Index i = 0; i < rows * cols; ++i)
            values.push_back(factor * normal_at(seed, 0, static_cast<std::uint64_t>(i), 0));
        ASSERT_TRUE(write_file(own.path / name, npy_bytes(std::vector<Index>{rows, cols}, values)));
    }
    void write_operands(Index n, Index d, float factor = 1, float value_factor = 1) const {
        write("q.npy", n, d, 1, factor);
        write("k.npy", n, d, 2);
        write("v.npy", n, d, 3, value_factor);
    }
    std::vector<float> array(const std::string& name) const { return read_npy(own.path / name)->values; }
    double apart(const std::string& file) const {
        const std::vector<float> a = array("auto/" + file), b = array("double/" + file);
        double most = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        return most;
    }

    TemporaryFolder own;
    std::string said;
};

TEST_F(ComputeSymptoms, AutoKeepsItsErrorWithALargeBiasLongVectorsAndLargeValues) {
    struct Case {
        float length, value, bias;
    };
    for (const Case& data : {Case{1, 1, 0}, Case{1, 1, 10}, Case{1, 1, 1000}, Case{2.2F, 1, 0}, Case{1, 1000, 0}}) {
        write_operands(512, 64, data.length, data.value);
        write("b.npy", 512, 512, 4, data.bias);
        const std::string bias = data.bias > 0 ? " --bias b.npy" : "";
        for (const char* precision : {"auto", "double"})
            ASSERT_EQ(heed(std::string("--out ") + precision + " --precision " + precision + bias), 0) << said;
        double largest = 0;
        for (const float value : array("v.npy")) largest = std::max(largest, std::abs(static_cast<double>(value)));
        EXPECT_LE(apart("weights.npy"), 2e-6) << data.length << " " << data.value << " " << data.bias;
        EXPECT_LE(apart("output.npy"), 2e-6 * largest) << data.length << " " << data.value << " " << data.bias;
    }
}

TEST_F(ComputeSymptoms, LinearRefusesWhatItWouldLeaveOut) {
    write_operands(32, 8);
    EXPECT_EQ(heed("--out o --method linear"), 0) << said;
    EXPECT_NE(heed("--out p --method linear --temperature 2"), 0);
    EXPECT_NE(said.find("it knows no --temperature"), std::string::npos) << said;
    EXPECT_NE(heed("--out p --method linear --scale=-1"), 0);
    EXPECT_NE(said.find("it knows no --scale"), std::string::npos) << said;
    EXPECT_EQ(heed("--out p --method favor --temperature 2"), 0) << "it stands for e^{q·k} and takes both: " << said;
}

}  // namespace
}  // namespace heed::app
