#include "heed_test_paths.h"

#include "core/files/npy.h"
#include "core/files/npy_header.h"

#include "core/files/atomic_write.h"
#include "core/files/read_file.h"
#include "core/files/shown.h"
#include "tests/files/mutate.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

namespace heed {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<float>;
using Lengths = std::vector<Index>;

const fs::path goldens = fs::path(HEED_SOURCE_DIR) / "tests" / "golden" / "npy";

NpyArray golden(const std::string& name) {
    Result<NpyArray> array = read_npy(goldens / (name + ".npy"));
    EXPECT_TRUE(array) << array.error();
    return array ? *array : NpyArray{};
}

std::string golden_bytes(const std::string& name) { return *read_file(goldens / (name + ".npy"), 1 << 20); }

// A file with this dictionary, and data of this many bytes.
std::string file_with(const std::string& dictionary, std::size_t data_bytes) {
    std::string bytes = "\x93NUMPY";
    bytes += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8)};
    return bytes + dictionary + std::string(data_bytes, '\0');
}

std::string error_of(const std::string& bytes) {
    Result<NpyArray> array = parse_npy(bytes, "q.npy");
    if (array) return "no error";
    EXPECT_TRUE(error_in_chinese(array.error())) << array.error();
    return array.error();
}

TEST(Npy, EveryTypeAndByteOrderReadsTheSameNumbers) {
    const Values counting{0, 1, 2, 3, 4, 5};
    int files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(goldens)) {
        if (!entry.path().filename().string().starts_with("counting_")) continue;
        const NpyArray array = golden(entry.path().stem().string());
        EXPECT_EQ(array.shape, (Lengths{2, 3})) << entry.path();
        EXPECT_EQ(array.values, counting) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, 23);
}

TEST(Npy, TheTypeInTheFileIsRemembered) {
    EXPECT_EQ(golden("counting_f8_big").kind, 'f');
    EXPECT_EQ(golden("counting_f8_big").item_bytes, 8);
    EXPECT_EQ(golden("counting_u1").kind, 'u');
    EXPECT_EQ(golden("counting_i2_little").kind, 'i');
    EXPECT_EQ(golden("bool").kind, 'b');
    EXPECT_EQ(golden("bool").values, (Values{1, 0, 1, 0, 0, 1}));
}

TEST(Npy, IntegersKeepTheirSignAndRoundToFloat) {
    EXPECT_EQ(golden("signs").values, (Values{-1, 0, 1, -128, 127}));
    EXPECT_EQ(golden("large_i8").values, (Values{-0x1p63F, 0x1p63F, 16777216}));
    EXPECT_EQ(golden("large_u8").values, (Values{0x1p64F}));
}

TEST(Npy, FortranOrderOfThreeAndFourDimensionsIsTurned) {
    const NpyArray four = golden("four_dimensions");
    ASSERT_EQ(four.shape, (Lengths{2, 3, 4, 5}));
    EXPECT_EQ(four.values[1 * 60 + 2 * 20 + 3 * 5 + 4], 1234);
    EXPECT_EQ(golden("four_dimensions_fortran").values, four.values);
    const NpyArray three = golden("three_dimensions_fortran");
    EXPECT_EQ(three.shape, (Lengths{3, 4, 5}));
    EXPECT_EQ(three.values, Values(four.values.begin(), four.values.begin() + 60));
}

TEST(Npy, NoDimensionsIsOneNumberAndNoRowsAreNone) {
    EXPECT_EQ(golden("scalar").shape, Lengths{});
    EXPECT_EQ(golden("scalar").values, Values{2.5F});
    EXPECT_EQ(golden("vector").shape, Lengths{2});
    EXPECT_EQ(golden("empty_rows").shape, (Lengths{0, 5}));
    EXPECT_TRUE(golden("empty_rows").values.empty());
}

void expect_same_floats(const Values& a, const Values& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(b[i]))
            EXPECT_TRUE(std::isnan(a[i])) << "at " << i;
        else
            EXPECT_TRUE(a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i]))
                << "at " << i << ": " << a[i] << ", not " << b[i];
    }
}

TEST(Npy, HalvesAreExactWithSubnormalsInfinitiesAndNan) {
    expect_same_floats(golden("halves").values, golden("halves_as_f4").values);
}

TEST(Npy, DoublesRoundToFloatAsNumpyRounds) {
    expect_same_floats(golden("wide_f8").values, golden("wide_f8_as_f4").values);
}

TEST(Npy, WhatIsWrittenReadsBackBitForBit) {
    const Values values{0.1F, -0.0F, 1e-45F, 3.4e38F, std::numeric_limits<float>::infinity(), 7};
    for (const Lengths& shape : {Lengths{6}, Lengths{2, 3}, Lengths{1, 6, 1}, Lengths{1, 2, 1, 3}}) {
        const std::string bytes = npy_bytes(shape, values);
        const Result<NpyArray> array = parse_npy(bytes, "memory");
        ASSERT_TRUE(array) << array.error();
        EXPECT_EQ(array->shape, shape);
        expect_same_floats(array->values, values);
    }
}

TEST(Npy, WrittenBytesAreNumpysOwn) {
    Matrix matrix(2, 3);
    matrix << 0, 1, 2, 3, 4, 5;
    EXPECT_EQ(npy_bytes(matrix), golden_bytes("counting_f4_little"));
    EXPECT_EQ(npy_bytes(Lengths{2}, Values{1.5F, -2.5F}), golden_bytes("vector"));
    EXPECT_EQ(npy_bytes(Lengths{}, Values{2.5F}), golden_bytes("scalar"));
}

TEST(Npy, EntriesMayComeInAnyOrderAndSpacing) {
    for (const char* dictionary : {"{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
                                   "{ \"fortran_order\":True,\"shape\":(1,2),\"descr\":\"=f4\" , }\n",
                                   "{'descr':'|u1','fortran_order':False,'shape':(8L,)}"})
        EXPECT_TRUE(parse_npy(file_with(dictionary, 8), "q.npy"))
            << dictionary << ": " << error_of(file_with(dictionary, 8));
}

TEST(Npy, HeaderAndDataThatDisagreeAreNamedWithBothSizes) {
    const std::string square = "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 4096), }";
    EXPECT_EQ(error_of(file_with(square, 1024)),
              "q.npy: the header says 4096 × 4096 float32 (67108864 bytes), but the file holds 1024 bytes of data");
    const std::string pair = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
    EXPECT_EQ(error_of(file_with(pair, 5)),
              "q.npy: the header says 2 int16 (4 bytes), but the file holds 5 bytes of data");
}

TEST(Npy, LyingHeadersAreNamedInOneSentence) {
    const auto with = [](const std::string& descr, const std::string& order, const std::string& shape) {
        return file_with("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }", 16);
    };
    EXPECT_EQ(error_of(with("'<c8'", "False", "(2,)")),
              "q.npy: the element type '<c8' is not supported; use float16, float32, float64, bool or an integer");
    EXPECT_NE(error_of(with("'<f3'", "False", "(2,)")).find("'<f3'"), std::string::npos);
    EXPECT_NE(error_of(with("''", "False", "(2,)")).find("''"), std::string::npos);
    EXPECT_NE(error_of(with("[('a', '<f4')]", "False", "(2,)")).find("structured"), std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "Maybe", "(4,)")).find("True or False"), std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "False", "(-4,)")).find("a length in 'shape'"), std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "False", "(4)")).find("not a tuple"), std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "False", "(1, 1, 1, 1, 4)")).find("more than 4 dimensions"), std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "False", "(99999999999999999999999999,)")).find("99999999999999999999999999"),
              std::string::npos);
    EXPECT_NE(error_of(with("'<f4'", "False", "(268435456, 268435456, 268435456, 268435456)"))
                  .find("more than the 268435456 numbers"),
              std::string::npos);
    EXPECT_EQ(error_of(file_with("{'descr': '<f4', 'descr': '<f4'}", 0)), "q.npy: the header has two entries 'descr'");
    EXPECT_EQ(error_of(file_with("{'descr': '<f4', 'fortran_order': False}", 0)), "q.npy: the header has no 'shape'");
    EXPECT_EQ(error_of(file_with("{'colour': 3}", 0)), "q.npy: the header has an unknown entry 'colour'");
    EXPECT_EQ(error_of(file_with("{'shape': (), 'descr': '<f4', 'fortran_order': False} + 1", 4)),
              "q.npy: the header goes on after its closing brace");
}

TEST(Npy, FilesNumpyWritesButAttentionCannotUseAreRefusedByName) {
    for (const char* name : {"complex", "text", "structured", "long_double", "five_dimensions"}) {
        const Result<NpyArray> array = read_npy(goldens / (std::string(name) + ".npy"));
        ASSERT_FALSE(array) << name;
        EXPECT_NE(array.error().find("supported") != std::string::npos,
                  array.error().find("dimensions") != std::string::npos)
            << array.error();
    }
}

TEST(Npy, TruncatedHeaderIsNamedInOneSentence) {
    const std::string whole = golden_bytes("counting_f4_little");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string error = error_of(whole.substr(0, length));
        EXPECT_TRUE(test::is_one_sentence(error, "q.npy")) << length << ": " << error;
    }
    EXPECT_EQ(error_of(""), "q.npy: the file is empty");
    EXPECT_EQ(error_of("PK\x03\x04 a zip"), "q.npy: this is not an NPY file (it does not start with \\x93NUMPY)");
    EXPECT_EQ(error_of(whole.substr(0, 50)), "q.npy: the header should have 118 bytes, but the file ends after 40");
    EXPECT_EQ(error_of("\x93NUMPY\x04" + std::string(1, '\0') + whole.substr(8)),
              "q.npy: the format version 4.0 is not 1.0, 2.0 or 3.0");
}

TEST(Npy, MissingFolderUnreadableAndEmptyFilesEachHaveASentence) {
    const fs::path folder = fs::temp_directory_path() / ("heed-npy-" + std::to_string(::getpid()));
    ASSERT_TRUE(make_folder(folder));
    EXPECT_EQ(read_npy(folder / "none.npy").error(), (folder / "none.npy").string() + ": there is no such file");
    EXPECT_EQ(read_npy(folder).error(), folder.string() + ": this is a folder, not a file");
    EXPECT_EQ(read_npy("/dev/zero").error(), "/dev/zero: this is a device or pipe, not a file");
    EXPECT_EQ(read_npy("").error(), "the file name is empty");
    ASSERT_TRUE(write_file(folder / "empty.npy", ""));
    EXPECT_EQ(read_npy(folder / "empty.npy").error(), (folder / "empty.npy").string() + ": the file is empty");
    if (::geteuid() != 0) {
        fs::permissions(folder / "empty.npy", fs::perms::none);
        EXPECT_NE(read_npy(folder / "empty.npy").error().find("Permission denied"), std::string::npos);
    }
    fs::remove_all(folder);
}

// A file of a gigabyte that takes no room: only what stands at its beginning is ever read.
TEST(Npy, WrongMagicShapeOrSizeIsRefusedBeforeTheNumbersAreRead) {
    const fs::path folder = fs::temp_directory_path() / ("heed-npy-large-" + std::to_string(::getpid()));
    ASSERT_TRUE(make_folder(folder));
    const fs::path file = folder / "large.npy";
    const auto error_with = [&](const std::string& start, std::uintmax_t bytes) {
        EXPECT_TRUE(write_file(file, start));
        fs::resize_file(file, bytes);
        const Result<NpyArray> array = read_npy(file, [](const NpyHeader& header) {
            return header.shape.size() == 2 ? ok() : Status(Error{"three sides are too many"});
        });
        return array ? std::string("no error") : array.error();
    };
    constexpr std::uintmax_t gigabyte = std::uintmax_t{1} << 30;
    const auto header = [](const std::string& shape) {
        return file_with("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", 0);
    };
    const std::string three = header("(4, 8192, 8192)");
    const auto peak_kilobytes = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const long before = peak_kilobytes();
    EXPECT_NE(error_with("PK\x03\x04", gigabyte).find("this is not an NPY file"), std::string::npos);
    EXPECT_EQ(error_with(three, three.size() + gigabyte), "three sides are too many");
    EXPECT_NE(error_with(header("(2, 2)"), gigabyte).find("but the file holds"), std::string::npos);
    EXPECT_LT(peak_kilobytes() - before, 256 * 1024);
    fs::remove_all(folder);
}

TEST(Npy, NumbersAreReadInPiecesAcrossEveryType) {
    const fs::path folder = fs::temp_directory_path() / ("heed-npy-pieces-" + std::to_string(::getpid()));
    ASSERT_TRUE(make_folder(folder));
    Matrix large(700, 1000);  // 2.8 MB: more than two pieces
    for (Index i = 0; i < large.size(); ++i) large.data()[i] = static_cast<float>(i);
    ASSERT_TRUE(write_file(folder / "large.npy", npy_bytes(large)));
    const Result<NpyArray> array = read_npy(folder / "large.npy");
    ASSERT_TRUE(array);
    EXPECT_TRUE(std::equal(array->values.begin(), array->values.end(), large.data(), large.data() + large.size()));
    fs::remove_all(folder);
}

TEST(Npy, ThousandsOfBrokenFilesGiveAConsistentArrayOrASentence) {
    std::vector<std::string> whole;
    for (const fs::directory_entry& entry : fs::directory_iterator(goldens))
        whole.push_back(*read_file(entry.path(), 1 << 20));
    std::sort(whole.begin(), whole.end());
    test::Mutator mutator(20260101);
    int refused = 0;
    constexpr int n_files = 20000;
    for (int i = 0; i < n_files; ++i) {
        const std::string bytes =
            mutator.damage(whole[mutator.below(whole.size())], whole[mutator.below(whole.size())]);
        const Result<NpyArray> array = parse_npy(bytes, "broken.npy");
        if (array) {
            const Index product =
                std::accumulate(array->shape.begin(), array->shape.end(), Index{1}, std::multiplies<>());
            ASSERT_EQ(product, static_cast<Index>(array->values.size()));
            ASSERT_LE(array->values.capacity(), bytes.size()) << "a number takes at least a byte of the file";
            ASSERT_LE(array->shape.size(), 4U);
        } else {
            ASSERT_TRUE(test::is_one_sentence(array.error(), "broken.npy")) << array.error();
            ++refused;
        }
    }
    EXPECT_GT(refused, n_files / 2);  // the damage reaches the reader
    EXPECT_LT(refused, n_files);      // and not only its first check
}

}  // namespace
}  // namespace heed
