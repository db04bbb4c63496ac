#include "app/platform/visual_text.h"

#include <gtest/gtest.h>

namespace heed::app {
namespace {

TEST(VisualTextTest, TextThatRunsRightwardsIsLeftAlone) {
    for (const std::string_view text : {"", "The cat", "猫坐在垫子上", "α·‖v‖ → √d", "Ελληνικά", "🙂"}) {
        const VisualText visual(text);
        EXPECT_EQ(visual.text().data(), text.data());
    }
}

TEST(VisualTextTest, HebrewIsTurnedRound) {
    EXPECT_EQ(VisualText("שלום").text(), "םולש");
    EXPECT_EQ(VisualText("cat שלום").text(), "cat םולש");
}

TEST(VisualTextTest, ArabicLettersTakeTheirFormsBesideEachOther) {
    // beh, alef: an initial and a final form, from the right.
    EXPECT_EQ(VisualText("با").text(), "\uFE8E\uFE91");
    // lam, alef: one sign.
    EXPECT_EQ(VisualText("لا").text(), "\uFEFB");
}

TEST(VisualTextTest, BrokenBytesDoNoHarm) {
    for (const std::string_view text : {"\xD7", "\xD7\x90\xFF", "\xE0\xA0", "\xD8"})
        EXPECT_LE(VisualText(text).text().size(), 16U);
}

}  // namespace
}  // namespace heed::app
