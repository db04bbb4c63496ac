// Subscripts as one types them.
#include "core/figure/rich_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(RichTextTyped, ALetterAfterALetterIsASubscript) {
    EXPECT_EQ(rich_from_typed("Why √d_k?"), "Why √d_{k}?");
    EXPECT_EQ(rich_from_typed("W_Q 和 W_K"), "W_{Q} 和 W_{K}");
}

TEST(RichTextTyped, AnythingElseStaysAsItIs) {
    for (const char* text : {"snake_case", "_k", "a_", "a__b", "x_你", ""}) EXPECT_EQ(rich_from_typed(text), text);
}

}  // namespace
}  // namespace heed
