// Work beside the window: the newest wins, progress and parts are seen, and nothing that is thrown ends the program.
#include "app/jobs/job.h"
#include "core/kernels/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace heed::app {
namespace {

std::atomic<int> wakes = 0;
void count_wake() { ++wakes; }

TEST(Job, GivesItsResultOnce) {
    Job<int> job;
    EXPECT_FALSE(job.is_active());
    EXPECT_FALSE(job.take());
    job.start([](JobControl<>&) -> Result<int> { return 7; });
    EXPECT_TRUE(job.is_active());
    job.wait();
    EXPECT_TRUE(job.is_done());
    const auto result = job.take();
    ASSERT_TRUE(result && *result);
    EXPECT_EQ(**result, 7);
    EXPECT_FALSE(job.take());
    EXPECT_FALSE(job.is_active());
}

#ifdef __linux__
TEST(Job, WorkBesideTheWindowStepsBackOnEveryThread) {
    const int window = sched_getscheduler(0);
    ThreadPool& pool = shared_pool();
    const int count = pool.thread_count();
    pool.set_thread_count(count + 1);  // new ones, which the window's thread starts
    Job<bool> job;
    job.start([&pool](JobControl<>&) -> Result<bool> {
        std::vector<std::atomic<int>> policies(static_cast<std::size_t>(pool.thread_count()));
        std::atomic<int> seen = 0;  // threads that took a task
        pool.parallel_for(pool.thread_count(), [&](Index, int slot) {
            policies[static_cast<std::size_t>(slot)] = sched_getscheduler(0);
            ++seen;
            while (seen < pool.thread_count()) std::this_thread::yield();  // one task each
        });
        return std::ranges::all_of(policies, [](int policy) { return policy == SCHED_BATCH; });
    });
    job.wait();
    pool.set_thread_count(count);
    EXPECT_TRUE(**job.take());
    EXPECT_EQ(sched_getscheduler(0), window);
}
#endif

TEST(Job, OnlyTheNewestIsSeenAndWhatWaitedIsNeverRun) {
    Job<int> job;
    std::promise<void> started;
    std::atomic<bool> first_saw_cancel = false;
    std::atomic<int> runs = 0;
    job.start([&](JobControl<>& control) -> Result<int> {
        started.set_value();
        while (!control.is_cancelled()) std::this_thread::yield();
        first_saw_cancel = true;
        return 1;
    });
    started.get_future().wait();
    // The first is still running: of these only the last gets its turn.
    for (int number = 2; number <= 5; ++number)
        job.start([&runs, number](JobControl<>&) -> Result<int> {
            ++runs;
            return number;
        });
    job.wait();
    const auto result = job.take();
    ASSERT_TRUE(result && *result);
    EXPECT_EQ(**result, 5);
    EXPECT_TRUE(first_saw_cancel);
    EXPECT_EQ(runs, 1) << "2, 3 and 4 were replaced before they began, or should have been";
}

TEST(Job, WhatIsCancelledIsNotSeenAndStoppedIsStillTaken) {
    Job<int> job;
    const auto until_cancelled = [](JobControl<>& control) -> Result<int> {
        while (!control.is_cancelled()) std::this_thread::yield();
        return 3;
    };
    job.start(until_cancelled);
    job.cancel();
    EXPECT_FALSE(job.is_active());
    EXPECT_FALSE(job.take());
    job.start(until_cancelled);
    job.stop();
    job.wait();
    EXPECT_TRUE(job.take());
}

TEST(Job, PartsComeInOrderBeforeTheEnd) {
    Job<std::string, int> job(count_wake);
    std::promise<void> handed, seen;
    wakes = 0;
    job.start([&](JobControl<int>& control) -> Result<std::string> {
        for (int part = 0; part < 3; ++part) control.hand_over(part);
        control.report(0.5);
        handed.set_value();
        seen.get_future().wait();
        control.hand_over(3);
        return std::string("done");
    });
    handed.get_future().wait();
    EXPECT_EQ(job.take_parts(), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(job.progress(), 0.5);
    EXPECT_FALSE(job.is_done());
    EXPECT_GE(wakes, 3) << "a sleeping window hears of each part";
    seen.set_value();
    job.wait();
    EXPECT_EQ(job.take_parts(), (std::vector<int>{3}));
    EXPECT_EQ(**job.take(), "done");
}

TEST(Job, WhatItThrowsIsASentence) {
    Job<int> job;
    const auto sentence_of = [&job](Job<int>::Work work) {
        job.start(std::move(work));
        job.wait();
        const auto result = job.take();
        return result && !*result ? result->error() : std::string("no error");
    };
    EXPECT_EQ(sentence_of([](JobControl<>&) -> Result<int> { throw std::bad_alloc(); }),
              "There is not enough memory for this");
    EXPECT_EQ(sentence_of([](JobControl<>&) -> Result<int> { throw std::runtime_error("the disk is upside down"); }),
              "This could not be done (the disk is upside down)");
    EXPECT_EQ(sentence_of([](JobControl<>&) -> Result<int> { throw 3; }), "This could not be done");
    job.start([](JobControl<>&) -> Result<int> { return 4; });  // and the thread goes on
    job.wait();
    EXPECT_EQ(**job.take(), 4);
}

TEST(Job, TheEndWakesTheWindow) {
    Job<int> job(count_wake);
    wakes = 0;
    job.start([](JobControl<>&) -> Result<int> { return 1; });
    const auto start = std::chrono::steady_clock::now();
    while (wakes == 0 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) std::this_thread::yield();
    EXPECT_EQ(wakes, 1);
    EXPECT_TRUE(job.is_done()) << "the result is there before the window is woken";
}

TEST(Job, WhatTheWorkHoldsIsGoneWhenTheResultIsThere) {
    Job<int> job;
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = held;
    job.start([held = std::move(held)](JobControl<>&) -> Result<int> { return *held; });
    job.wait();
    EXPECT_TRUE(watched.expired());
}

TEST(Job, GoingAwayCancelsAndWaits) {
    std::atomic<bool> ended = false;
    std::promise<void> started;
    {
        Job<int> job;
        job.start([&](JobControl<>& control) -> Result<int> {
            started.set_value();
            while (!control.is_cancelled()) std::this_thread::yield();
            ended = true;
            return 0;
        });
        started.get_future().wait();
    }
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace heed::app
