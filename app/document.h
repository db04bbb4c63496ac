// The open scene with its trace, history and file.
//
// scene() and trace() always match each other. Whoever wants a change writes to next(); the frame's end turns next() into
// the scene, at once where that is quick, or through a worker while the old picture stays.
#pragma once

#include "core/attention/trace.h"
#include "core/history.h"
#include "core/result.h"
#include "core/scene.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace heed::app {

class Worker;

class Document {
public:
    explicit Document(Scene scene);
    ~Document();

    // What is shown this frame.
    const Scene& scene() const { return shown_; }
    const AttentionTrace& trace() const { return *trace_; }
    std::shared_ptr<const AttentionTrace> shared_trace() const { return trace_; }

    // What the user wants; views and widgets write here. Display changes and quick models are taken at the frame's end.
    Scene& next() { return next_; }
    const Scene& next() const { return next_; }

    // Once per frame, after all views. While a widget is held no undo step is recorded: a gesture is one step. A next()
    // that check_model() refuses is dropped, and refusal() says why.
    void end_frame(bool gesture_in_progress);
    // Blocks until scene() equals next(): for tests and for pictures without a window.
    void settle();
    bool is_computing() const;
    const std::string& refusal() const { return refusal_; }

    bool can_undo() const { return history_.can_undo(); }
    bool can_redo() const { return history_.can_redo(); }
    void undo();
    void redo();

    // The file. Opening and starting anew forget the history; the caller has asked about unsaved work.
    void replace(Scene scene, std::optional<std::filesystem::path> path);
    Status open(const std::filesystem::path& path);
    Status save(const std::filesystem::path& path);
    const std::optional<std::filesystem::path>& path() const { return path_; }
    bool is_edited() const;  // differs from the file, or from the scene it started as

    // Called from the worker thread when a trace is ready: wakes a sleeping window.
    void on_ready(void (*wake)());

private:
    Scene shown_;
    Scene next_;
    Scene saved_;
    std::shared_ptr<const AttentionTrace> trace_;
    History<Model> history_;
    std::string refusal_;
    std::optional<std::filesystem::path> path_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace heed::app
