#include "app/png.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed::app {
namespace {

std::vector<std::uint8_t> sample_pixels(int width, int height) {
    std::vector<std::uint8_t> rgba;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (const int value : {x * 7, y * 11, x * y, 255 - x}) rgba.push_back(static_cast<std::uint8_t>(value));
    return rgba;
}

TEST(Png, PixelsSurviveTheRoundTrip) {
    const std::vector<std::uint8_t> rgba = sample_pixels(5, 3);
    const Result<Pixels> back = decode_png(encode_png(5, 3, rgba, 0, true));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->width, 5);
    EXPECT_EQ(back->height, 3);
    EXPECT_EQ(back->rgba, rgba);
}

TEST(Png, WithoutAlphaEveryPixelIsOpaque) {
    const std::vector<std::uint8_t> rgba = sample_pixels(4, 4);
    const Result<Pixels> back = decode_png(encode_png(4, 4, rgba, 0, false));
    ASSERT_TRUE(back) << back.error();
    for (std::size_t i = 0; i < rgba.size(); ++i) EXPECT_EQ(back->rgba[i], i % 4 == 3 ? 255 : rgba[i]);
}

TEST(Png, ResolutionIsInTheHeader) {
    const std::string bytes = encode_png(2, 2, sample_pixels(2, 2), 300, true);
    const std::size_t chunk = bytes.find("pHYs");
    ASSERT_NE(chunk, std::string::npos);
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(bytes[chunk + 4 + i]));
    };
    EXPECT_EQ(byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3), 11811U);  // 300 / 0.0254
    EXPECT_EQ(byte(8), 1U);                                                        // per metre
}

TEST(Png, SomethingElseIsNamedInOneSentence) {
    const Result<Pixels> back = decode_png("GIF89a");
    ASSERT_FALSE(back);
    EXPECT_NE(back.error().find("no PNG picture"), std::string::npos);
}

TEST(Png, APictureThatIsCutOffIsCalledDamaged) {
    const std::vector<std::uint8_t> grey(8 * 8 * 4, 200);
    const std::string whole = encode_png(8, 8, grey, 0, true);
    const Result<Pixels> back = decode_png(std::string_view(whole).substr(0, whole.size() / 2));
    ASSERT_FALSE(back);
    EXPECT_NE(back.error().find("damaged"), std::string::npos) << back.error();
}

}  // namespace
}  // namespace heed::app
