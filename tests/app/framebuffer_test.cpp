#include "app/gl/framebuffer.h"

#include "app/platform/offscreen.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heed::app {
namespace {

TEST(Framebuffer, MorePixelsThanOpenGLCanHoldAreRefusedAndNotDrawnInto) {
    const auto host = open_offscreen({64, 64});
    ASSERT_TRUE(host) << host.error();
    ASSERT_GE(Framebuffer::largest_side(), 4096);
    EXPECT_THROW(Framebuffer(Framebuffer::largest_side() + 1, 8), std::runtime_error);
    EXPECT_EQ(Framebuffer(33, 17).read().rgba.size(), 33U * 17 * 4);
}

}  // namespace
}  // namespace heed::app
