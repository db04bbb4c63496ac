// The program without a window, as a shell sees it: exit status, one sentence, files.
#include "core/model/picture.h"
#include "heed_test_paths.h"

#include "app/commands/scene_argument.h"
#include "app/png.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/figure/registry.h"
#include "core/files/atomic_write.h"
#include "core/files/npy.h"
#include "core/files/read_file.h"
#include "core/random.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace heed::app {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int status = -1;
    std::string out;
    std::string error;
};

class CommandLineTest : public testing::Test {
protected:
    Outcome heed(const std::string& arguments) const {
        const std::string out = (folder / ".out").string();
        const std::string error = (folder / ".err").string();
        const int code = std::system((limit + "cd '" + folder.string() +
                                      "' && env -u DISPLAY -u WAYLAND_DISPLAY '" HEED_PROGRAM "' " + arguments +
                                      " > '" + out + "' 2> '" + error + "'")
                                         .c_str());
        Outcome run{WEXITSTATUS(code), *read_file(out, 1 << 24), *read_file(error, 1 << 24)};
        fs::remove(out);
        fs::remove(error);
        return run;
    }

    // Exit 1 or 2, one line on standard error, and the folder as it was.
    void expect_refused(const std::string& arguments, int status, const std::string& named) const {
        const auto files = [&] {
            return std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator());
        };
        const auto before = files();
        const Outcome run = heed(arguments);
        EXPECT_EQ(run.status, status) << arguments << "\n" << run.error;
        EXPECT_EQ(std::ranges::count(run.error, '\n'), 1) << arguments << "\n" << run.error;
        EXPECT_NE(run.error.find(named), std::string::npos) << arguments << "\n" << run.error;
        EXPECT_EQ(run.out, "") << arguments;
        EXPECT_EQ(files(), before) << arguments;
    }

    void write_array(const char* name, const std::vector<Index>& shape, std::uint64_t seed) const {
        Index count = 1;
        for (const Index size : shape) count *= size;
        std::vector<float> values;
        for (Index i = 0; i < count; ++i) values.push_back(normal_at(seed, 0, static_cast<std::uint64_t>(i), 0));
        ASSERT_TRUE(write_file(folder / name, npy_bytes(shape, values)));
    }
    NpyArray array(const char* name) const { return *read_npy(folder / "out" / name); }

    TemporaryFolder own;
    fs::path folder = own.path;
    std::string limit;  // a shell's command before the program, and " && "
};

constexpr const char* operands = "compute --query q.npy --key k.npy --value v.npy --out out ";

TEST_F(CommandLineTest, ComputeGivesWhatTheFormulaSays) {
    write_array("q.npy", {3, 4}, 1);
    write_array("k.npy", {5, 4}, 2);
    write_array("v.npy", {5, 2}, 3);
    const Outcome run = heed(std::string(operands) + "--causal --query-offset 1 --temperature 0.5");
    ASSERT_EQ(run.status, 0) << run.error;
    const NpyArray q = *read_npy(folder / "q.npy");
    const NpyArray k = *read_npy(folder / "k.npy");
    const NpyArray v = *read_npy(folder / "v.npy");
    EXPECT_EQ(array("weights.npy").shape, (std::vector<Index>{3, 5}));
    EXPECT_EQ(array("output.npy").shape, (std::vector<Index>{3, 2}));
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> e(5, 0.0);
        double sum = 0;
        for (std::size_t j = 0; j < 5; ++j) {
            double score = 0;
            for (std::size_t t = 0; t < 4; ++t)
                score += static_cast<double>(q.values[i * 4 + t]) * static_cast<double>(k.values[j * 4 + t]);
            EXPECT_NEAR(array("scores.npy").values[i * 5 + j], score, 1e-5);
            EXPECT_NEAR(array("scaled.npy").values[i * 5 + j], score / 2 / 0.5, 1e-5);
            if (j <= i + 1) {
                sum += e[j] = std::exp(score / 2 / 0.5);
                continue;
            }
            EXPECT_EQ(array("masked.npy").values[i * 5 + j], -std::numeric_limits<float>::infinity());
        }
        for (std::size_t c = 0; c < 2; ++c) {
            double out = 0;
            for (std::size_t j = 0; j < 5; ++j) out += e[j] / sum * static_cast<double>(v.values[j * 2 + c]);
            EXPECT_NEAR(array("output.npy").values[i * 2 + c], out, 1e-5);
        }
    }
}

TEST_F(CommandLineTest, ComputeKeepsTheHeadsDimensionAndSharesKeys) {
    write_array("q.npy", {4, 3, 8}, 1);
    write_array("k.npy", {2, 5, 8}, 2);
    write_array("v.npy", {2, 5, 6}, 3);
    write_array("g.npy", {4, 3, 6}, 4);
    ASSERT_EQ(heed(std::string(operands) + "--grad-output g.npy").status, 0);
    EXPECT_EQ(array("weights.npy").shape, (std::vector<Index>{4, 3, 5}));
    EXPECT_EQ(array("grad_query.npy").shape, (std::vector<Index>{4, 3, 8}));
    EXPECT_EQ(array("grad_key.npy").shape, (std::vector<Index>{2, 5, 8}));
    EXPECT_EQ(array("grad_value.npy").shape, (std::vector<Index>{2, 5, 6}));
}

TEST_F(CommandLineTest, NaNInAHiddenKeyNeverReachesTheOutput) {
    write_array("q.npy", {3, 4}, 1);
    std::vector<float> k(20, 0.5F);
    std::vector<float> v(10, 0.25F);
    k[19] = v[9] = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(write_file(folder / "k.npy", npy_bytes(std::vector<Index>{5, 4}, k)));
    ASSERT_TRUE(write_file(folder / "v.npy", npy_bytes(std::vector<Index>{5, 2}, v)));
    ASSERT_EQ(heed(std::string(operands) + "--padding 1").status, 0);
    for (const float number : array("output.npy").values) EXPECT_TRUE(std::isfinite(number));
}

TEST_F(CommandLineTest, BadArgumentsAreRefusedInOneSentence) {
    write_array("q.npy", {3, 4}, 1);
    write_array("k.npy", {5, 4}, 2);
    write_array("v.npy", {5, 2}, 3);
    write_array("wide.npy", {5, 7}, 4);
    ASSERT_TRUE(write_file(folder / "broken.npy", "\x93NUMPY"));
    expect_refused(std::string(operands) + "--temperature -1", 2, "temperature");
    expect_refused(std::string(operands) + "--window x", 2, "--window x");
    expect_refused(std::string(operands) + "--window 1", 2, "--window 1");
    expect_refused(std::string(operands) + "--score fancy", 2, "fancy");
    expect_refused(std::string(operands) + "--padding -2", 2, "padding");
    expect_refused("compute --query none.npy --key k.npy --value v.npy --out out", 1, "none.npy");
    expect_refused("compute --query broken.npy --key k.npy --value v.npy --out out", 1, "broken.npy");
    expect_refused("compute --query q.npy --key wide.npy --value v.npy --out out", 1, "wide.npy");
    expect_refused("compute --query q.npy --key k.npy --value q.npy --out out", 1, "q.npy");
    expect_refused(std::string(operands) + "--mask wide.npy", 1, "wide.npy");
    expect_refused(std::string(operands) + "--score additive", 2, "--additive-wq");
    expect_refused(std::string(operands) + "--additive-wq nosuch.npy", 2, "--score additive");
    expect_refused(std::string(operands) + "--padding -1", 2,
                   "--padding: -1 is not a whole number between 0 and 65536");
    expect_refused(std::string(operands) + "--softcap 0", 2, "--softcap: 0 is not a number above 0");
    expect_refused(std::string(operands) + "--temperature nan", 2, "--temperature: nan");
    expect_refused(std::string(operands) + "--scale inf", 2, "--scale: inf");
    expect_refused("compute --query q.npy --key k.npy --value v.npy --out a/b/c --grad-output wide.npy", 1, "wide.npy");
    expect_refused("compute --query q.npy", 2, "--key");
    expect_refused("frobnicate --now", 2, "--now");
    expect_refused("compute --query q.npy --key k.npy --value v.npy --out q.npy", 1, "q.npy");
}

TEST_F(CommandLineTest, SizesBeyondAllBoundsAreRefusedBeforeMemoryIsAskedFor) {
    write_array("q.npy", {40000, 1}, 1);
    write_array("k.npy", {40000, 1}, 2);
    write_array("v.npy", {40000, 1}, 3);
    expect_refused(operands, 1, "more than the 134217728 Heed can hold");
}

// Three files of a gigabyte each, all zeros that take no room: what does not fit is known from their headers.
TEST_F(CommandLineTest, LargeArraysThatDoNotFitAreRefusedWithLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need all addresses";
#endif
    const auto write_large = [&](const char* name, Index rows, Index cols) {
        std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                                 std::to_string(cols) + ")}";
        dictionary.resize(118, ' ');
        const std::string header = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary;
        ASSERT_TRUE(write_file(folder / name, header));
        fs::resize_file(folder / name, header.size() + static_cast<std::uintmax_t>(rows * cols) * 4);
    };
    write_large("q.npy", 16384, 16384);
    write_large("k.npy", 16384, 16384);
    write_large("v.npy", 16385, 16383);
    limit = "ulimit -v 1000000 && ";
    expect_refused(operands, 1, "v.npy: 16385 × 16383 does not fit; it must have as many rows as k.npy, 16384");
}

TEST_F(CommandLineTest, AMachineWithoutTheMemoryGivesASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need all addresses";
#endif
    write_array("q.npy", {10000, 1}, 1);
    write_array("k.npy", {10000, 1}, 2);
    write_array("v.npy", {10000, 1}, 3);
    limit = "ulimit -v 1000000 && ";
    expect_refused(operands, 1, "not enough memory");
}

TEST_F(CommandLineTest, ArgmaxLimitSharesTies) {
    const std::vector<float> q{1, 0};
    const std::vector<float> k{2, 0, 2, 0, 1, 5};
    ASSERT_TRUE(write_file(folder / "q.npy", npy_bytes(std::vector<Index>{1, 2}, q)));
    ASSERT_TRUE(write_file(folder / "k.npy", npy_bytes(std::vector<Index>{3, 2}, k)));
    write_array("v.npy", {3, 2}, 3);
    ASSERT_EQ(heed(std::string(operands) + "--temperature 0").status, 0);
    EXPECT_EQ(array("weights.npy").values, (std::vector<float>{0.5F, 0.5F, 0}));
}

TEST_F(CommandLineTest, ExportWritesTheMatrixOfThePreset) {
    ASSERT_EQ(heed("export cat --what weights --out w.npy").status, 0);
    const NpyArray weights = *read_npy(folder / "w.npy");
    const AttentionTrace trace = run_attention(scene_argument("cat", {})->model);
    ASSERT_EQ(weights.values.size(),
              static_cast<std::size_t>(trace.weights.count() * trace.weights.rows() * trace.weights.cols()));
    EXPECT_EQ(weights.values[7], trace.weights.data()[7]);
    ASSERT_EQ(heed("export cat --what scores --head 1 --out s.csv").status, 0);
    EXPECT_TRUE(fs::exists(folder / "s.csv"));
    expect_refused("export cat --what nothing --out n.csv", 2, "nothing");
    expect_refused("export cat --what weights --out n.txt", 2, "n.txt");
    expect_refused("export cat --what numpy --out n.npy", 2, "n.npy");
    expect_refused("export cat --what numpy --head 99 --out n.py", 2, "--head");
    expect_refused("export cat --what weights --head -1 --out n.npy", 2, "-1");
    expect_refused("export cat --what weights --head 99 --out n.npy", 1, "99");
    expect_refused("export no-such-scene --what weights --out n.npy", 1, "no-such-scene");
}

TEST_F(CommandLineTest, ExportGivesTheBiasOfTheHeadThoughMoreAreStored) {
    ASSERT_TRUE(write_file(folder / "s.json", R"({"heed": 1, "model": {"n_queries": 1, "n_heads": 2,
        "bias": [[[10]], [[11]], [[12]]]}})"));
    ASSERT_EQ(heed("export s.json --what bias --head 1 --out one.npy").status, 0);
    EXPECT_EQ(read_npy(folder / "one.npy")->values, std::vector<float>{11});
    ASSERT_EQ(heed("export s.json --what bias --out all.npy").status, 0);
    EXPECT_EQ(read_npy(folder / "all.npy")->values, (std::vector<float>{10, 11}));
}

TEST_F(CommandLineTest, EveryViewInEveryFormatLanguageAndTheme) {
    for (const FigureKind& kind : figure_kinds()) {
        const std::string view(kind.id);
        for (const char* format : {"png", "svg", "pdf"}) {
            const std::string look = std::string(format) == "png"   ? " --lang en --theme light"
                                     : std::string(format) == "svg" ? " --lang zh --theme dark"
                                                                    : " --lang zh --theme light";
            const Outcome run = heed("render alignment --view " + view + " --out f." + format +
                                     " --width 900 --height 600 --scale 1 --dpi 200" + look);
            ASSERT_EQ(run.status, 0) << view << " " << format << ": " << run.error;
        }
        const Result<Pixels> picture = decode_png(*read_file(folder / "f.png", 1 << 24));
        ASSERT_TRUE(picture);
        EXPECT_EQ(picture->width, 900);
        EXPECT_EQ(picture->height, 600);
        const std::string svg = *read_file(folder / "f.svg", 1 << 24);
        EXPECT_NE(svg.find("<text"), std::string::npos) << view;
        EXPECT_TRUE(read_file(folder / "f.pdf", 1 << 24)->starts_with("%PDF")) << view;
    }
}

TEST_F(CommandLineTest, RenderIsTheSameFromRunToRun) {
    for (const char* format : {"png", "svg", "pdf"}) {
        ASSERT_EQ(heed(std::string("render weather --view pipeline --out a.") + format).status, 0);
        ASSERT_EQ(heed(std::string("render weather --view pipeline --out b.") + format).status, 0);
        EXPECT_EQ(*read_file(folder / ("a." + std::string(format)), 1 << 24),
                  *read_file(folder / ("b." + std::string(format)), 1 << 24))
            << format;
    }
}

TEST_F(CommandLineTest, RenderRefusesWhatCannotBeDrawn) {
    expect_refused("render cat --view nowhere --out f.png", 2, "nowhere");
    expect_refused("render cat --view pipeline --out f.png --width 0", 2, "0");
    expect_refused("render cat --view pipeline --out f.png --width 100000", 2, "100000");
    expect_refused("render cat --view pipeline --out f.bmp", 2, "f.bmp");
    expect_refused("render cat --view pipeline --out f.png --scale nan", 2, "--scale: nan");
    expect_refused("render cat --view pipeline --out f.png --dpi 0", 2, "--dpi: 0");
    expect_refused("render cat --view pipeline --out f.png --set foo", 2, "foo");
    expect_refused("render cat --view pipeline --out no/such/folder/f.png", 1, "no/such/folder");
    expect_refused("render cat --view pipeline --out f.png --set model.temperature=-1", 1, "temperature");
    expect_refused("render cat --view pipeline --out f.png --set model.temprature=1", 1, "temprature");
    expect_refused("render cat --view pipeline --out f.png --head 12", 1, "12");
    expect_refused("render cat --view pipeline", 2, "--out");
}

TEST_F(CommandLineTest, AFullDiskLeavesNothingBehind) {
    if (::geteuid() != 0) GTEST_SKIP() << "only the administrator may mount a small disk";
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (std::system(("mount -t tmpfs -o size=4k tmpfs '" + disk.string() + "' 2> /dev/null").c_str()) != 0)
        GTEST_SKIP() << "no small disk can be mounted here";
    const Outcome run = heed("render cat --view pipeline --out disk/f.png");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(std::ranges::count(run.error, '\n'), 1) << run.error;
    EXPECT_TRUE(fs::is_empty(disk));
    EXPECT_EQ(std::system(("umount '" + disk.string() + "'").c_str()), 0);
}

TEST_F(CommandLineTest, SweepMakesFramesAndAnAnimation) {
    ASSERT_EQ(heed("sweep cat --view weights --vary model.temperature=0.1:10:log --frames 3 --out frames --width 320 "
                   "--height 240")
                  .status,
              0);
    EXPECT_TRUE(fs::exists(folder / "frames" / "frame-0003.png"));
    ASSERT_EQ(
        heed("sweep cat --view weights --vary model.d_k=1:4 --frames 4 --out d.gif --width 320 --height 240").status,
        0);
    EXPECT_TRUE(read_file(folder / "d.gif", 1 << 24)->starts_with("GIF89a"));
    expect_refused("sweep cat --view weights --vary model.temperature=1 --frames 3 --out g.gif", 2, "--vary");
    expect_refused("sweep cat --view weights --vary model.score=0:1 --frames 3 --out g.gif", 1, "model.score");
    expect_refused("sweep cat --view weights --vary model.temperature=1:-4 --frames 3 --out g", 1, "temperature");
    expect_refused("sweep cat --view weights --vary model.temperature=1:1e300 --frames 2 --out g.gif", 1, "1e+300");
    const std::string long_value = "model.temperature=" + std::string(5000, 'x');
    EXPECT_LT(heed("render cat --view weights --out g.png --set " + long_value).error.size(), 600U);
    expect_refused("sweep cat --view weights --vary model.temperature=1:2 --frames 0 --out g.gif", 2, "0");
    expect_refused("sweep cat --view weights --vary model.d_k=1e20:1e30 --frames 2 --out g.gif", 1,
                   "model.d_k: 1e+20 is out of all bounds");
    expect_refused("sweep cat --view weights --vary model.temperature=1:-4 --frames 3 --out a/b/c", 1, "temperature");
}

TEST_F(CommandLineTest, SweepRefusesHeadsThatAreNotThere) {
    const std::string two_heads = "sweep cat --view weights --frames 10 --out g.gif --set model.n_heads=2 ";
    expect_refused(two_heads + "--vary display.head=0:9", 1, "the heads are 0 to 1");
    expect_refused(two_heads + "--vary display.head=0:1 --head 0", 2, "--head");
    expect_refused(two_heads + "--vary display.pin.query=0:99", 1, "the queries are 0 to 5");
}

TEST_F(CommandLineTest, SnapshotDrawsTheWindowWithoutADisplay) {
    const Outcome run = heed("snapshot cat --out w.png --size 1024x700 --scale 2 --theme dark --lang zh --view heads");
    ASSERT_EQ(run.status, 0) << run.error;
    const Result<Pixels> picture = decode_png(*read_file(folder / "w.png", 1 << 26));
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, 2048);
    EXPECT_EQ(picture->height, 1400);
    expect_refused("snapshot cat --out w2.png --size 10", 2, "--size");
    expect_refused("snapshot cat --out w2.png --view nowhere", 2, "nowhere");
    expect_refused("snapshot cat --out w2.png --view weights", 2, "weights");  // a figure, and no view of the window
    for (const char* scale : {"0", "nan", "-1", "inf", "100"})
        expect_refused(std::string("snapshot cat --out w2.png --scale ") + scale, 2, "--scale");
    for (const char* size : {"0x0", "-5x10", "20000x900", "2000000000x2000000000", "16384x16384", "8x900"})
        expect_refused(std::string("snapshot cat --out w2.png --size=") + size, 2, "--size");
    expect_refused("snapshot cat --out w2.png --size 9000x900 --scale 2", 2, "--size");
    expect_refused("snapshot cat --out s.jpg", 2, "s.jpg");
    EXPECT_EQ(heed("snapshot cat --out small.png --size 64x64 --scale 0.25").status, 0);
}

TEST_F(CommandLineTest, WithoutADisplayTheWindowSaysSo) {
    expect_refused("", 1, "display");
    expect_refused("no-such-file.json", 1, "no-such-file.json");
}

TEST_F(CommandLineTest, AListThatCannotBePrintedIsNotDone) {
    for (const std::string list : {"views", "presets", "--version", "--help"}) {
        const int code = std::system(("'" HEED_PROGRAM "' " + list + " > /dev/full 2> /dev/null").c_str());
        EXPECT_EQ(WEXITSTATUS(code), 1) << list;
    }
}

TEST_F(CommandLineTest, ListsAndVersion) {
    EXPECT_NE(heed("views").out.find("pipeline"), std::string::npos);
    EXPECT_NE(heed("presets").out.find("alignment"), std::string::npos);
    EXPECT_TRUE(heed("--version").out.starts_with("heed "));
    EXPECT_NE(heed("snapshot --help").out.find("pipeline, heads"), std::string::npos);
    const Outcome help = heed("--help");
    EXPECT_EQ(help.status, 0);
    for (const char* command : {"compute", "render", "snapshot", "sweep", "export", "lesson", "views", "presets"})
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
}

TEST_F(CommandLineTest, NoSentenceMovesTheCursorOrTalksToTheTerminal) {
    // A window title set by OSC 0, a cleared screen by CSI, and the same CSI as one C1 character.
    const std::string hostile = "$'\\x1b]0;x\\x07\\x1b[2J\\xc2\\x9b2J\\r'";
    for (const std::string& arguments :
         {"render " + hostile + " --view weights --out a.png", "export cat --what " + hostile + " --out a.csv",
          "export cat --what weights --out " + hostile, "export cat --what numpy --out a.py --set " + hostile + "=1",
          "export cat --what numpy --out a.py --set model.score=" + hostile, "snapshot --" + hostile}) {
        ASSERT_TRUE(write_file(folder / "try.sh", "'" HEED_PROGRAM "' " + arguments + " 2> said.txt > /dev/null"));
        const int code = std::system(("cd '" + folder.string() + "' && bash try.sh").c_str());
        EXPECT_NE(WEXITSTATUS(code), 0) << arguments;
        const std::string said = *read_file(folder / "said.txt", 1 << 20);
        EXPECT_GT(said.size(), 6U) << arguments;
        for (const char c : said.substr(0, said.size() - 1))
            EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << arguments << ": " << static_cast<int>(c);
        EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos) << arguments;
    }
}

TEST_F(CommandLineTest, ListsAreTextForATerminal) {
    const Outcome views = heed("views");
    EXPECT_EQ(views.out.find("_{"), std::string::npos) << views.out;
    EXPECT_EQ(views.out.find("^{"), std::string::npos) << views.out;
    EXPECT_NE(views.out.find("√d_k"), std::string::npos) << views.out;
}

// Completed names are quoted by bash itself, and the words offered are those of the tables.
TEST_F(CommandLineTest, CompletionOffersTheRowsOfTheTablesAndQuotesFiles) {
    ASSERT_TRUE(write_file(folder / "complete.sh", R"(source ")" HEED_SOURCE_DIR R"(/assets/heed.bash"
heed() { ")" HEED_PROGRAM R"(" "$@"; }
complete -p heed
for option in --score --normalizer --position; do
    COMP_WORDS=(heed compute $option ""); COMP_CWORD=3; COMPREPLY=(); _heed
    echo "$option ${COMPREPLY[*]}"
done
)"));
    ASSERT_EQ(std::system(("cd '" + folder.string() + "' && bash complete.sh > said.txt 2>&1").c_str()), 0);
    const std::string said = *read_file(folder / "said.txt", 1 << 20);
    EXPECT_NE(said.find("-o filenames"), std::string::npos) << said;
    std::string scores = "--score";
    for (const ScoreFunction& row : score_functions()) scores += " " + std::string(row.id);
    std::string rules = "--normalizer";
    for (const Normalizer& row : normalizers()) rules += " " + std::string(row.id);
    EXPECT_NE(said.find(scores + "\n"), std::string::npos) << said;
    EXPECT_NE(said.find(rules + "\n"), std::string::npos) << said;
    for (const PositionEncoding& row : position_encodings())
        if (row.add == nullptr) {
            EXPECT_NE(said.find(" " + std::string(row.id)), std::string::npos) << said;
        }
}

TEST_F(CommandLineTest, AChoiceThatIsNoneIsToldByItsNames) {
    for (const auto& [arguments, sentence] : {std::pair{"render cat --view weights --out a.png --lang fr",
                                                        "--lang: there is no language \"fr\"; there are en and zh"},
                                              {"render cat --view weights --out a.png --theme 1",
                                               "--theme: there is no theme \"1\"; there are light and dark"},
                                              {"lesson --list fish", "--list and --quantities go without a lesson"}}) {
        const auto ran = heed(arguments);
        EXPECT_EQ(ran.status, 2) << arguments;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
    }
}

}  // namespace
}  // namespace heed::app
