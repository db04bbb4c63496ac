// The thread that all work beside the window goes through, and the pictures that become fine on it.
#include "app/jobs/job_thread.h"
#include "app/jobs/refinement.h"
#include "core/results.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace heed::app {
namespace {

// A thread with something under way, so that whatever is posted waits until it is let go.
struct Busy {
    JobThread thread;
    std::promise<void> gate;
    Busy() {
        thread.post(this, [open = gate.get_future().share()] { open.wait(); });
    }
    void let_go() {
        gate.set_value();
        thread.wait();
    }
};

TEST(JobThread, WorkThatWaitsIsReplacedByNewerWorkOfItsOwnerAlone) {
    Busy busy;
    std::string ran;
    const int a = 0, b = 0;
    busy.thread.post(&a, [&] { ran += "a1 "; });
    busy.thread.post(&b, [&] { ran += "b1 "; });
    busy.thread.post(&a, [&] { ran += "a2 "; });
    busy.let_go();
    EXPECT_EQ(ran, "b1 a2 ");
}

TEST(JobThread, WorkThatIsDroppedIsNeverRun) {
    Busy busy;
    std::string ran;
    const int a = 0, b = 0;
    busy.thread.post(&a, [&] { ran += "a "; });
    busy.thread.post(&b, [&] { ran += "b "; });
    busy.thread.drop(&a);
    busy.let_go();
    EXPECT_EQ(ran, "b ");
}

std::atomic<int> wakes = 0;

TEST(RefinementTest, AWindowIsWokenOnceItsPictureIsFine) {
    wakes = 0;
    Results results;
    Refinement refinement(results, [] { ++wakes; });
    const auto value = [&] {
        return *results.refined("lane", 1, false, [](int, bool is_fine) { return is_fine ? 2 : 1; });
    };
    EXPECT_EQ(value(), 1);
    refinement.finish();
    EXPECT_EQ(wakes, 1);
    EXPECT_EQ(value(), 2);
    refinement.finish();
    EXPECT_EQ(wakes, 1) << "nothing was left to do";
}

}  // namespace
}  // namespace heed::app
