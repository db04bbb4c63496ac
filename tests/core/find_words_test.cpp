// Names are found by parts of them, the nearest first.
#include "core/find_words.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(FindWords, NearerMatchesComeFirst) {
    const auto far = [](const char* name, const char* typed) { return match_distance(name, typed).value_or(1 << 20); };
    EXPECT_EQ(far("Heads", "heads"), 0);
    EXPECT_LT(far("Heads h", "heads"), far("K, V heads", "heads"));
    EXPECT_LT(far("Soft cap", "cap"), far("Escape", "cap"));
    EXPECT_LT(far("Escape", "cap"), far("Copy a picture", "cap"));
    EXPECT_LT(far("Copy a picture", "cap"), 1 << 20);
}

TEST(FindWords, EveryTypedWordMustFit) {
    EXPECT_TRUE(match_distance("Window left", "left win"));
    EXPECT_FALSE(match_distance("Window left", "left mask"));
}

TEST(FindWords, SubscriptsAreFoundAsOneTypesThem) {
    for (const char* typed : {"d_k", "dk", "DK", "key size dk"})
        EXPECT_TRUE(match_distance("Key size d_{k}", typed)) << typed;
    EXPECT_FALSE(match_distance("Value size d_{v}", "d_k"));
}

TEST(FindWords, ChineseIsFoundByItsCharacters) {
    EXPECT_EQ(match_distance("温度", "温度"), 0);
    EXPECT_TRUE(match_distance("键维度 d_{k}", "维度"));
    EXPECT_FALSE(match_distance("键维度 d_{k}", "温度"));
}

TEST(FindWords, AnEmptyTextFitsAllAndALongOneNothing) {
    EXPECT_EQ(match_distance("Heads", ""), 0);
    EXPECT_EQ(match_distance("Heads", "   "), 0);
    EXPECT_FALSE(match_distance("Heads", std::string(100000, 'x')));
    EXPECT_FALSE(match_distance("", "x"));
}

}  // namespace
}  // namespace heed
