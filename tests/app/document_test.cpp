// The document: one step per gesture, scene and trace that match, files that come back equal.
#include "app/document.h"
#include "core/files/scene_file.h"

#include "core/attention/pipeline.h"
#include "core/display/cells_display.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace heed::app {
namespace {

// 8 heads of 512 × 512: too slow for a frame.
Model slow_model() {
    Model model = default_scene().model;
    model.n_queries = 512;
    model.n_heads = 8;
    model.n_kv_heads = 8;
    model.d_k = 64;
    model.d_v = 64;
    model.score = "cosine";
    fit_matrices(model);
    return model;
}

void expect_trace_matches(const Document& document) {
    const AttentionTrace fresh = run_attention(document.scene().model);
    ASSERT_EQ(document.trace().weights.count(), fresh.weights.count());
    ASSERT_EQ(document.trace().weights.rows(), fresh.weights.rows());
    for (Index h = 0; h < fresh.weights.count(); ++h)
        EXPECT_TRUE(same(document.trace().weights[h], fresh.weights[h])) << "head " << h;
}

TEST(Document, StartsWithATraceOfItsScene) {
    const Document document(default_scene());
    expect_trace_matches(document);
    EXPECT_FALSE(document.is_edited());
    EXPECT_FALSE(document.can_undo());
    EXPECT_FALSE(document.is_computing());
}

TEST(Document, TakesAQuickChangeInTheSameFrame) {
    Document document(default_scene());
    document.next().model.temperature = 0.25F;
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 0.25F);
    expect_trace_matches(document);
}

TEST(Document, DoesNotComputeAgainWhenNothingChanged) {
    Document document(default_scene());
    const std::uint64_t version = document.trace().version;
    document.next().display.head = 2;
    document.next().model.q[0] = SharedMatrix(Matrix(*document.scene().model.q[0]));  // another block, equal numbers
    document.end_frame(false);
    EXPECT_EQ(document.trace().version, version);
    EXPECT_EQ(document.scene().display.head, 2);
}

TEST(Document, GestureOfManyFramesIsOneStep) {
    Document document(default_scene());
    for (int frame = 1; frame <= 20; ++frame) {
        document.next().model.temperature = 1.0F + 0.1F * static_cast<float>(frame);
        document.end_frame(frame < 20);
        EXPECT_EQ(document.scene().model.temperature, document.next().model.temperature);
    }
    document.undo();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    expect_trace_matches(document);
    EXPECT_FALSE(document.can_undo());
    document.redo();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 3.0F);
    EXPECT_FALSE(document.can_redo());
}

TEST(Document, UndoInTheMiddleOfAGestureTakesTheGestureBack) {
    Document document(default_scene());
    document.next().model.d_k = 4;
    document.end_frame(true);
    EXPECT_TRUE(document.can_undo());
    document.undo();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.d_k, 16);
}

TEST(Document, UndoKeepsHowTheSceneIsShown) {
    Document document(default_scene());
    document.next().model.temperature = 2;
    document.end_frame(false);
    document.next().display.head = 3;
    document.end_frame(false);
    document.undo();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    EXPECT_EQ(document.scene().display.head, 3);
}

TEST(Document, ImpossibleModelIsRefusedInASentenceAndChangesNothing) {
    Document document(default_scene());
    document.next().model.temperature = -1;
    document.end_frame(false);
    EXPECT_NE(document.refusal().find("temperature"), std::string::npos) << document.refusal();
    EXPECT_EQ(document.scene(), document.next());
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
    EXPECT_FALSE(document.can_undo());
    document.end_frame(false);
    EXPECT_FALSE(document.refusal().empty()) << "the sentence stays until something is accepted";
    document.next().model.temperature = 2;
    document.end_frame(false);
    EXPECT_TRUE(document.refusal().empty());
}

TEST(Document, RefusedMomentOfAGestureKeepsTheLastGoodOne) {
    Document document(default_scene());
    document.next().model.temperature = 3;
    document.end_frame(true);
    document.next().model.temperature = -1;
    document.end_frame(true);
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 3.0F);
    document.undo();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 1.0F);
}

TEST(Document, SlowModelIsComputedBesideTheWindow) {
    Document document(default_scene());
    document.next().model = slow_model();
    document.end_frame(false);
    EXPECT_TRUE(document.is_computing());
    EXPECT_EQ(document.scene().model.n_queries, 6) << "the old picture stays";
    expect_trace_matches(document);
    document.settle();
    EXPECT_FALSE(document.is_computing());
    EXPECT_EQ(document.scene().model.n_queries, 512);
    EXPECT_EQ(document.trace().weights.rows(), 512);
}

TEST(Document, NewerRequestReplacesAnOlderOne) {
    Document document(default_scene());
    document.next().model = slow_model();
    for (int i = 1; i <= 5; ++i) {
        document.next().model.temperature = static_cast<float>(i);
        document.end_frame(true);
    }
    document.settle();
    EXPECT_EQ(document.scene().model.temperature, 5.0F);
    expect_trace_matches(document);
}

TEST(Document, ASliderThatNeverRestsIsFollowed) {
    Document document(default_scene());
    document.next().model = slow_model();
    document.settle();
    // What takes longer than the document's patience is followed only where the slider rests.
    constexpr double soon = 150;  // ms
    for (Model& model = document.next().model; document.trace().milliseconds > soon && model.n_queries > 32;) {
        model.n_queries /= 2;
        document.settle();
    }
    const std::uint64_t before = document.trace().version;
    const auto start = std::chrono::steady_clock::now();
    int moves = 0;
    while (document.trace().version == before && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
        document.next().model.temperature = 1 + 0.001F * static_cast<float>(++moves);
        document.end_frame(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(4));  // frames leave the processor to others
    }
    EXPECT_NE(document.trace().version, before) << "nothing of it was seen in " << moves << " moves";
    expect_trace_matches(document);
    document.settle();
    EXPECT_EQ(document.scene().model.temperature, document.next().model.temperature) << "and then the last";
}

TEST(Document, WhatWasComputedIsShownInTheFrameThatBegins) {
    Document document(default_scene());
    document.next().model = slow_model();
    document.end_frame(false);
    for (int i = 0; i < 4000 && document.is_computing(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        document.begin_frame();
    }
    EXPECT_EQ(document.scene().model.n_queries, 512);
    expect_trace_matches(document);
}

TEST(Document, GoingBackToAQuickModelCancelsTheSlowOne) {
    Document document(default_scene());
    document.next().model = slow_model();
    document.end_frame(false);
    document.undo();
    document.end_frame(false);
    EXPECT_FALSE(document.is_computing());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.n_queries, 6);
    expect_trace_matches(document);
}

std::atomic<int> wakes = 0;

TEST(Document, WakesTheWindowWhenASlowTraceIsReady) {
    Document document(default_scene());
    document.on_ready([] { ++wakes; });
    document.next().model = slow_model();
    document.end_frame(false);
    document.settle();
    for (int i = 0; i < 100 && wakes == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(wakes, 1);
}

TEST(Document, SlowSceneAtTheStartDoesNotHoldTheWindowBack) {
    Scene scene = default_scene();
    scene.title = "large";
    scene.model = slow_model();
    Document document(scene);
    expect_trace_matches(document);
    EXPECT_EQ(document.scene().model.n_queries, 6) << "a small scene stands in";
    EXPECT_FALSE(document.is_edited());
    document.settle();
    EXPECT_EQ(document.scene(), scene);
}

TEST(Document, MemoryOfTracesIsReused) {
    Document document(default_scene());
    std::set<const float*> places;
    for (int i = 0; i < 50; ++i) {
        document.next().model.temperature = 1.0F + static_cast<float>(i);
        document.end_frame(true);
        places.insert(document.trace().weights.data());
    }
    EXPECT_LE(places.size(), 3U);
}

TEST(Document, TraceHeldByAFigureIsNotWrittenTo) {
    Document document(default_scene());
    const std::shared_ptr<const AttentionTrace> held = document.shared_trace();
    const float before = held->weights[0](1, 0);
    for (int i = 0; i < 10; ++i) {
        document.next().model.temperature = 2.0F + static_cast<float>(i);
        document.end_frame(true);
    }
    EXPECT_EQ(held->weights[0](1, 0), before);
}

TEST(Document, OldStepsMakeRoomForLargeMatrices) {
    History<int> history(0);
    const std::size_t large = History<int>::max_bytes / 3;
    for (int step = 1; step <= 10; ++step) history.record(step, large);
    int steps = 0;
    for (; history.can_undo(); ++steps) history.undo();
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(history.current(), 8);
    history.record(11, 10 * large);
    EXPECT_TRUE(history.can_undo()) << "the last step can always be undone";
    EXPECT_EQ(history.undo(), 8);
}

TEST(Document, OpenEditSaveReopenIsEqual) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path / "猫.heed.json";
    Document document(default_scene());
    document.next().model.temperature = 0.7F;
    document.next().model.query_tokens = {"今", "天", "🙂", "a\tb", ""};
    document.next().display.head = 1;
    document.next().title = "A \"title\"";
    document.settle();
    EXPECT_TRUE(document.is_edited());
    document.save(file);
    const Status saved = document.finish_saving();
    ASSERT_TRUE(saved) << saved.error();
    EXPECT_FALSE(document.is_edited());
    EXPECT_EQ(document.path(), file);

    Document other(default_scene());
    const Status opened = other.open(file);
    ASSERT_TRUE(opened) << opened.error();
    other.settle();
    EXPECT_EQ(other.scene(), document.scene());
    EXPECT_FALSE(other.is_edited());
    EXPECT_FALSE(other.can_undo());
    expect_trace_matches(other);
}

TEST(Document, UndoingToTheSavedSceneIsNotEdited) {
    Document document(default_scene());
    document.next().model.temperature = 2;
    document.end_frame(false);
    EXPECT_TRUE(document.is_edited());
    document.undo();
    document.end_frame(false);
    EXPECT_FALSE(document.is_edited());
}

TEST(Document, LookingIsNotEditing) {
    Document document(default_scene());
    document.next().display.pin = {2, 1};
    document.next().display.head = 3;
    document.next().display.view = "heads";
    document.end_frame(false);
    EXPECT_FALSE(document.is_edited());
    document.next().display.cells->log_scale = true;
    document.end_frame(false);
    EXPECT_TRUE(document.is_edited());
}

TEST(Document, FileThatIsNoSceneIsRefusedAndTheOldSceneStays) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path / "broken.json";
    std::ofstream(file) << "{\"model\": 3";
    Document document(default_scene());
    document.next().model.temperature = 2;
    document.end_frame(false);
    const Status opened = document.open(file);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().find("broken.json"), std::string::npos) << opened.error();
    document.end_frame(false);
    EXPECT_EQ(document.scene().model.temperature, 2.0F);
    EXPECT_FALSE(document.path());
    EXPECT_TRUE(document.can_undo());
}

TEST(Document, WhatIsEditedWhileTheFileIsWrittenIsUnsaved) {
    const TemporaryFolder folder;
    Document document(default_scene());
    document.next().model.temperature = 2;
    document.end_frame(false);
    document.save(folder.path / "scene.json");
    document.next().model.temperature = 3;
    document.end_frame(false);
    ASSERT_TRUE(document.finish_saving());
    EXPECT_TRUE(document.is_edited());
    document.undo();
    document.end_frame(false);
    EXPECT_FALSE(document.is_edited());
}

TEST(Document, ClosingWhileTheFileIsWrittenWritesItToItsEnd) {
    const TemporaryFolder folder;
    {
        Document document(default_scene());
        document.save(folder.path / "scene.json");
    }
    EXPECT_TRUE(read_scene(folder.path / "scene.json"));
}

TEST(Document, FailedSaveKeepsTheWorkUnsaved) {
    Document document(default_scene());
    document.next().model.temperature = 2;
    document.end_frame(false);
    document.save("/nonexistent-folder/scene.json");
    const Status saved = document.finish_saving();
    ASSERT_FALSE(saved);
    EXPECT_TRUE(document.is_edited());
    EXPECT_FALSE(document.path());
}

}  // namespace
}  // namespace heed::app
