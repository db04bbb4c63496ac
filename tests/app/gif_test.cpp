#include "app/print/gif.h"

#include "app/print/quantize.h"
#include "tests/app/print_demo.h"
#include "tests/app/print_support.h"

#include <gif_lib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace heed::app {
namespace {

struct DecodedGif {
    std::vector<Pixels> frames;  // as a viewer shows them, one over the other
    std::vector<int> delays;     // hundredths of a second
};

DecodedGif decode_gif(const std::string& bytes) {
    struct Source {
        const std::string& bytes;
        std::size_t at;
    } source{bytes, 0};
    int code = 0;
    GifFileType* gif = DGifOpen(
        &source,
        [](GifFileType* file, GifByteType* to, int size) {
            auto& from = *static_cast<Source*>(file->UserData);
            const std::size_t count = std::min(static_cast<std::size_t>(size), from.bytes.size() - from.at);
            std::memcpy(to, from.bytes.data() + from.at, count);  // NOLINT(bugprone-not-null-terminated-result)
            from.at += count;
            return static_cast<int>(count);
        },
        &code);
    DecodedGif decoded;
    if (gif == nullptr || DGifSlurp(gif) == GIF_ERROR) {
        ADD_FAILURE() << "not a GIF";
        return decoded;
    }
    Pixels canvas{gif->SWidth, gif->SHeight,
                  std::vector<std::uint8_t>(static_cast<std::size_t>(gif->SWidth * gif->SHeight * 4))};
    for (int frame = 0; frame < gif->ImageCount; ++frame) {
        const SavedImage& image = gif->SavedImages[frame];
        GraphicsControlBlock control{};
        DGifSavedExtensionToGCB(gif, frame, &control);
        decoded.delays.push_back(control.DelayTime);
        const ColorMapObject* map = image.ImageDesc.ColorMap != nullptr ? image.ImageDesc.ColorMap : gif->SColorMap;
        for (int y = 0; y < image.ImageDesc.Height; ++y)
            for (int x = 0; x < image.ImageDesc.Width; ++x) {
                const int index = image.RasterBits[y * image.ImageDesc.Width + x];
                if (index == control.TransparentColor) continue;
                const GifColorType& color = map->Colors[index];
                std::uint8_t* to =
                    canvas.rgba.data() + ((image.ImageDesc.Top + y) * canvas.width + image.ImageDesc.Left + x) * 4;
                to[0] = color.Red;
                to[1] = color.Green;
                to[2] = color.Blue;
                to[3] = 255;
            }
        decoded.frames.push_back(canvas);
    }
    DGifCloseFile(gif, &code);
    return decoded;
}

Pixels solid(int width, int height, Color color) {
    Pixels pixels{width, height, {}};
    for (int i = 0; i < width * height; ++i)
        for (const std::uint8_t value : {color.r, color.g, color.b, color.a}) pixels.rgba.push_back(value);
    return pixels;
}

std::string animation(const std::vector<Pixels>& frames, int delay_ms = 100) {
    GifWriter gif(frames.front().width, frames.front().height, delay_ms);
    for (const Pixels& frame : frames) {
        const Status added = gif.add_frame(frame);
        EXPECT_TRUE(added) << added.error();
    }
    Result<std::string> bytes = gif.finish();
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : std::string();
}

TEST(Gif, FewColoursComeBackExactly) {
    std::vector<Pixels> frames;
    for (int step = 0; step < 4; ++step) {
        Pixels frame = solid(9, 5, hex(0xeef0f3));
        for (int y = 0; y < 5; ++y) {
            std::uint8_t* to = frame.rgba.data() + (y * 9 + step * 2) * 4;
            to[0] = static_cast<std::uint8_t>(40 * step);
            to[1] = static_cast<std::uint8_t>(y * 50);
        }
        frames.push_back(frame);
    }
    frames.push_back(frames.back());  // nothing changes
    const DecodedGif decoded = decode_gif(animation(frames, 80));
    ASSERT_EQ(decoded.frames.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        EXPECT_EQ(decoded.frames[i].rgba, frames[i].rgba) << "frame " << i;
        EXPECT_EQ(decoded.delays[i], 8);
    }
}

TEST(Gif, RepeatsForEver) { EXPECT_NE(animation({solid(2, 2, hex(0))}).find("NETSCAPE2.0"), std::string::npos); }

TEST(Gif, AFigureKeepsItsColoursClosely) {
    std::vector<Pixels> frames;
    for (const float middle : {1.0F, 2.0F}) {
        Figure figure = demo_figure();
        std::get<HeatmapMark>(*std::find_if(figure.marks.begin(), figure.marks.end(), [](const Mark& mark) {
            return std::holds_alternative<HeatmapMark>(mark);
        })).factor = middle;
        frames.push_back(pixels_of(figure, 1));
    }
    const DecodedGif decoded = decode_gif(animation(frames));
    ASSERT_EQ(decoded.frames.size(), 2U);
    for (std::size_t frame = 0; frame < 2; ++frame) {
        double sum = 0;
        int worst = 0;
        for (std::size_t i = 0; i < frames[frame].rgba.size(); ++i) {
            const int off = std::abs(frames[frame].rgba[i] - decoded.frames[frame].rgba[i]);
            sum += off;
            worst = std::max(worst, off);
        }
        EXPECT_LT(sum / static_cast<double>(frames[frame].rgba.size()), 0.6) << "frame " << frame;
        EXPECT_LT(worst, 48) << "frame " << frame;
        EXPECT_EQ(pixel_at(decoded.frames[frame], 1, 1), hex(0xffffff));
    }
}

TEST(Gif, WhatStandsStillDoesNotFlicker) {
    Figure figure = demo_figure();
    const Pixels first = pixels_of(figure, 1);
    figure.marks.emplace_back(CircleMark{{420, 250}, 30, hex(0x15967b)});
    const Pixels second = pixels_of(figure, 1);
    const DecodedGif decoded = decode_gif(animation({first, second}));
    ASSERT_EQ(decoded.frames.size(), 2U);
    for (std::size_t i = 0; i < first.rgba.size(); i += 4) {
        if (!std::equal(&first.rgba[i], &first.rgba[i] + 4, &second.rgba[i])) continue;
        ASSERT_TRUE(std::equal(&decoded.frames[0].rgba[i], &decoded.frames[0].rgba[i] + 4, &decoded.frames[1].rgba[i]));
    }
}

TEST(Gif, TheSameFramesGiveTheSameBytes) {
    const Pixels frame = pixels_of(demo_figure(), 1);
    EXPECT_EQ(animation({frame, solid(frame.width, frame.height, hex(0x123456)), frame}),
              animation({frame, solid(frame.width, frame.height, hex(0x123456)), frame}));
}

TEST(Gif, TransparentPixelsLieOnWhite) {
    const DecodedGif decoded = decode_gif(animation({solid(3, 3, {10, 20, 30, 0})}));
    ASSERT_EQ(decoded.frames.size(), 1U);
    EXPECT_EQ(pixel_at(decoded.frames[0], 1, 1), hex(0xffffff));
}

TEST(Gif, AFrameOfAnotherSizeIsASentence) {
    GifWriter gif(4, 4, 100);
    ASSERT_TRUE(gif.add_frame(solid(4, 4, hex(0))));
    const Status added = gif.add_frame(solid(5, 4, hex(0)));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error(), "Frame 2 of the animation is 5 × 4 pixels and not 4 × 4.");
}

TEST(Gif, NoFramesAndNoSizeAreSentences) {
    GifWriter empty(4, 4, 100);
    EXPECT_FALSE(empty.finish());
    GifWriter nothing(0, 0, 100);
    EXPECT_FALSE(nothing.add_frame(Pixels{}));
}

TEST(Quantize, ManyColoursAreSharedWithoutLosingTheFlatOnes) {
    std::vector<std::uint32_t> pixels(20000, 0x2f6fdeU);
    for (std::uint32_t i = 0; i < 4096; ++i) pixels.push_back((i * 2654435761U) & 0xFFFFFFU);
    const IndexedPixels indexed = quantize(pixels, 64);
    EXPECT_LE(indexed.palette.size(), 64U);
    ASSERT_EQ(indexed.indices.size(), pixels.size());
    EXPECT_EQ(indexed.palette[indexed.indices[0]], hex(0x2f6fde));
}

TEST(Quantize, APhotographIsWithinReach) {
    std::vector<std::uint32_t> pixels;
    for (std::uint32_t i = 0; i < 200000; ++i) pixels.push_back((i * 2654435761U) >> 8U);
    const IndexedPixels indexed = quantize(pixels, 255);
    double sum = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        sum += largest_difference(indexed.palette[indexed.indices[i]], hex(pixels[i]));
    EXPECT_LT(sum / static_cast<double>(pixels.size()), 30);
}

}  // namespace
}  // namespace heed::app
