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
#include <vector>

namespace heed::app {

class Worker;

// What computing a model takes, in units of about a nanosecond on one core: decides whether the frame waits for it.
double estimated_nanoseconds(const Model& model);

class Document {
public:
    // The scene must pass check_model(). A slow one is computed beside the window; a small scene stands in until then.
    explicit Document(Scene scene);
    ~Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    // What is shown this frame.
    const Scene& scene() const { return shown_; }
    const AttentionTrace& trace() const { return *trace_; }
    std::shared_ptr<const AttentionTrace> shared_trace() const { return trace_; }

    // What the user wants; views and widgets write here. Display changes and quick models are taken at the frame's end.
    Scene& next() { return next_; }
    const Scene& next() const { return next_; }

    // Once per frame, after all views. While a widget is held no undo step is recorded: a gesture is one step. A next()
    // that check_model() refuses is dropped, and refusal() says why until a change is accepted.
    void end_frame(bool gesture_in_progress);
    // Blocks until scene() equals next(): for tests and for pictures without a window.
    void settle();
    bool is_computing() const;
    const std::string& refusal() const { return refusal_; }
    void forget_refusal() { refusal_.clear(); }

    bool can_undo() const { return history_.can_undo() || next_.model != history_.current(); }
    bool can_redo() const { return history_.can_redo() && next_.model == history_.current(); }
    void undo();
    void redo();

    // The file. Opening and starting anew forget the history; the caller has asked about unsaved work.
    void replace(Scene scene, std::optional<std::filesystem::path> path);
    Status open(const std::filesystem::path& path);
    Status save(const std::filesystem::path& path);
    const std::optional<std::filesystem::path>& path() const { return path_; }
    // Differs from the file, or from the scene it started as. Where the user looks (view, head, pinned cell) is saved
    // too, but looking is not editing.
    bool is_edited() const;
    // The scene holds work that is in no file, whatever it started as: after a recovery.
    void mark_unsaved();

    // Called from the worker's thread when a trace is ready: wakes a sleeping window.
    void on_ready(void (*wake)());

private:
    void take_computed();
    void take_next();
    std::shared_ptr<AttentionTrace> spare_trace();
    Worker& worker();
    void show(Model model, std::shared_ptr<AttentionTrace> trace);

    Scene shown_;
    Scene next_;
    std::optional<Scene> saved_;      // none: never saved and not to be lost
    std::optional<Model> requested_;  // what the worker is at
    Model accepted_;                  // the last next() that could be computed
    std::shared_ptr<const AttentionTrace> trace_;
    std::vector<std::shared_ptr<AttentionTrace>> traces_;  // memory to reuse once nobody looks at it
    History<Model> history_;
    std::string refusal_;
    std::optional<std::filesystem::path> path_;
    void (*wake_)() = nullptr;
    std::unique_ptr<Worker> worker_;  // from the first slow model on
};

}  // namespace heed::app
