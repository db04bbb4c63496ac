// What figures keep between frames: coarse then fine, bounded, and apart from what other lanes keep.
#include "core/results.h"

#include "core/matrix.h"
#include "core/version.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <utility>

namespace heed {
namespace {

// A thread for each piece of work, one after the other.
class BesideTheTest final : public Background {
public:
    explicit BesideTheTest(Results& results) : results_(results) { results_.compute_beside(this); }
    ~BesideTheTest() override { results_.compute_beside(nullptr); }
    void later(std::string_view, std::function<void()> work) override {
        last_ = std::async(std::launch::async, [before = std::move(last_), work = std::move(work)] {
            if (before.valid()) before.wait();
            work();
        });
    }
    void finish() override {
        if (last_.valid()) last_.wait();
    }

private:
    Results& results_;
    std::future<void> last_;
};

TEST(Results, ComesCoarseThenFineInTheBackgroundAndFineAtOnceWithoutAWindow) {
    Results cache;
    const auto compute = [](int key, bool is_fine) { return key * 10 + (is_fine ? 1 : 0); };
    EXPECT_EQ(*cache.refined("lane", 1, false, compute), 11);
    {
        const BesideTheTest beside(cache);
        EXPECT_EQ(*cache.refined("lane", 2, false, compute), 20);
        cache.finish();
        EXPECT_EQ(*cache.refined("lane", 2, false, compute), 21);
        EXPECT_EQ(*cache.refined("lane", 4, true, compute), 41);  // for a picture that is drawn once
    }
    EXPECT_EQ(*cache.refined("lane", 3, false, compute), 31);
}

TEST(Results, AJobThatWasReplacedIsQueuedAgainWhenAskedForAgain) {
    Results cache;
    std::mutex gate;  // holds the first job, so that the others wait
    const auto compute = [&gate](int key, bool is_fine) {
        if (is_fine && key == 1) const std::scoped_lock wait(gate);
        return key * 10 + (is_fine ? 1 : 0);
    };
    const BesideTheTest beside(cache);
    {
        const std::scoped_lock held(gate);
        cache.refined("lane", 1, false, compute);
        cache.refined("lane", 2, false, compute);
        cache.refined("lane", 3, false, compute);  // replaces the job of 2 where that still waits
        EXPECT_EQ(*cache.refined("lane", 2, false, compute), 20);
    }
    cache.finish();
    for (const int key : {3, 2}) {  // whichever came last was computed; the other is queued by being asked for
        cache.refined("lane", key, false, compute);
        cache.finish();
        EXPECT_EQ(*cache.refined("lane", key, false, compute), key * 10 + 1);
    }
}

TEST(Results, WhatFailsStaysCoarseAndIsNotTriedEveryFrame) {
    Results cache;
    std::atomic<int> tries = 0;
    const auto compute = [&tries](int key, bool is_fine) {
        if (is_fine && ++tries > 0) throw std::bad_alloc();
        return key * 10;
    };
    const BesideTheTest beside(cache);
    for (int frame = 0; frame < 3; ++frame) {
        EXPECT_EQ(*cache.refined("lane", 1, false, compute), 10);
        cache.finish();
    }
    EXPECT_EQ(tries, 1);
}

TEST(Results, LanesAndKeysAreKeptApart) {
    Results results;
    EXPECT_EQ(*results.now("a", 1, [] { return 10; }), 10);
    EXPECT_EQ(*results.now("b", 1, [] { return 20; }), 20);
    EXPECT_EQ(*results.now("a", 2, [] { return 30; }), 30);
    EXPECT_EQ(*results.now("a", 1, [] { return 40; }), 10);
    EXPECT_EQ(*results.now("a", std::string("1"), [] { return 50; }), 50);
    results.clear();
    EXPECT_EQ(results.entries(), 0U);
    EXPECT_EQ(*results.now("a", 1, [] { return 40; }), 40);
}

TEST(Results, KeysAreFoundAgainWhateverTheyAreMadeOf) {
    struct Place {
        int row, col;
        bool operator==(const Place&) const = default;
    };
    Results results;
    int computed = 0;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(*results.now("place", Place{i, -i}, [&] { return ++computed, i; }), i);
            EXPECT_EQ(*results.now("place", std::pair(i, 0.5F), [&] { return ++computed, i + 100; }), i + 100);
            EXPECT_EQ(*results.now("place", std::tuple(std::string("x"), i, true), [&] { return ++computed, i + 200; }),
                      i + 200);
        }
    EXPECT_EQ(computed, 300);
    EXPECT_EQ(results.entries(), 300U);
}

TEST(Results, TheOldestGoWhenThereAreTooManyOrTheyAreTooLarge) {
    Results results;
    constexpr int many = static_cast<int>(Results::most_entries) + 500;
    for (int key = 0; key < many; ++key) results.now("small", key, [key] { return key; });
    EXPECT_EQ(results.entries(), Results::most_entries);
    EXPECT_EQ(*results.now("small", many - 1, [] { return -1; }), many - 1);
    EXPECT_EQ(*results.now("small", 0, [] { return -1; }), -1);
    const auto large = [] { return Matrix(Matrix::Zero(4096, 8192)); };  // 128 MB
    for (int key = 0; key < 6; ++key) results.now("large", key, large);
    EXPECT_LE(results.bytes(), Results::most_bytes);
    EXPECT_GE(results.entries(), 3U);
}

TEST(Results, WhatIsAskedForStaysWhileOthersGo) {
    Results results;
    const auto keep = [&results](int key) { results.now("small", key, [key] { return key; }); };
    for (int key = 0; key < static_cast<int>(Results::most_entries); ++key) keep(key);
    keep(0);  // the oldest is asked for again
    keep(-1);
    EXPECT_EQ(*results.now("small", 0, [] { return -5; }), 0);
    EXPECT_EQ(*results.now("small", 1, [] { return -5; }), -5) << "now the oldest, so it went";
}

// Whose work is handed in, and when it runs.
class Handed final : public Background {
public:
    void later(std::string_view, std::function<void()> work) override {
        ++count;
        work_ = std::move(work);
    }
    void finish() override {}
    void run() { std::exchange(work_, nullptr)(); }

    int count = 0;

private:
    std::function<void()> work_;
};

TEST(Results, WorkIsHandedInOnceForAKeyAndAgainAfterAnother) {
    Results results;
    Handed beside;
    results.compute_beside(&beside);
    const auto ask = [&results](int key) {
        return *results.refined("lane", key, false, [](int k, bool is_fine) { return k * 10 + (is_fine ? 1 : 0); });
    };
    for (const int key : {1, 1, 2, 2, 1, 1}) EXPECT_EQ(ask(key), key * 10);
    EXPECT_EQ(beside.count, 3) << "the work of 2 took the place of 1's, which waited";
    beside.run();
    EXPECT_EQ(ask(1), 11);
    EXPECT_EQ(beside.count, 3);
    results.clear();
    EXPECT_EQ(ask(1), 10);
    EXPECT_EQ(beside.count, 4) << "work that is done waits no longer";
    results.compute_beside(nullptr);
}

TEST(Version, IsNeverTheSameTwice) {
    const std::uint64_t first = next_version();
    EXPECT_LT(first, next_version());
}

}  // namespace
}  // namespace heed
