// The open scene with its trace, history and file.
//
// scene() and trace() always match each other. Whoever wants a change writes to next(); the frame's end turns next() into
// the scene, at once where that is quick, or through a job while the old picture stays. A slider that moves in every frame is
// followed as closely as the job can: what is nearly computed is shown before the newest is begun.
#pragma once

#include "app/jobs/job.h"
#include "app/trace_pool.h"
#include "core/attention/trace.h"
#include "core/history.h"
#include "core/result.h"
#include "core/scene.h"
#include "core/transformer/around.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heed::app {

// What computing a model takes, in units of about a nanosecond on one core: decides whether the frame waits for it.
double estimated_nanoseconds(const Model& model);

// What would be lost if the program died now, if it is edited.
struct UnsavedWork {
    const Scene& scene;
    const std::optional<std::filesystem::path>& path;
    bool is_edited;
};

class Document {
public:
    // The scene must pass check_model(). A slow one is computed beside the window; a small scene stands in until then.
    explicit Document(Scene scene);
    ~Document();  // what is being written is written to its end
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    // What is shown this frame.
    const Scene& scene() const { return shown_; }
    const AttentionTrace& trace() const { return *trace_; }
    // The layer that trace() is of, as a model by itself; of a scene without depth, its model.
    const Model& layer() const { return looked_at(shown_.model, *trace_); }
    std::shared_ptr<const AttentionTrace> shared_trace() const { return trace_; }

    // What the user wants; views and widgets write here. Display changes and quick models are taken at the frame's end.
    Scene& next() { return next_; }
    const Scene& next() const { return next_; }

    // Once per frame, before all views: what was computed meanwhile is shown in this very frame.
    void begin_frame() { take_computed(); }
    // Once per frame, after all views. While a widget is held no undo step is recorded: a gesture is one step. A next()
    // that check_model() refuses is dropped, and refusal() says why until a change is accepted.
    void end_frame(bool gesture_in_progress);
    // Blocks until scene() equals next(): for tests and for pictures without a window.
    void settle();
    bool is_computing() const;
    const std::string& refusal() const { return refusal_; }
    void forget_refusal() { refusal_.clear(); }

    // A step is a change of what is computed, or of the title. Looking at another layer is none.
    bool can_undo() const { return history_.can_undo() || !is_at_step(); }
    bool can_redo() const { return history_.can_redo() && is_at_step(); }
    void undo();
    void redo();

    // The file. Opening and starting anew forget the history; the caller has asked about unsaved work.
    void replace(Scene scene, std::optional<std::filesystem::path> path);
    Status open(const std::filesystem::path& path);
    // Writes beside the window; take_saved() has the outcome in a later frame. What is edited meanwhile is unsaved.
    void save(const std::filesystem::path& path);
    bool is_saving() const { return saving_.is_active(); }
    std::optional<Status> take_saved();
    void wait_for_saving() { saving_.wait(); }
    Status finish_saving();  // blocks until it is written
    const std::optional<std::filesystem::path>& path() const { return path_; }
    // Differs from the file, or from the scene it started as. Where the user looks (view, head, pinned cell) is saved
    // too, but looking is not editing.
    bool is_edited() const;
    // The scene holds work that is in no file, whatever it started as: after a recovery.
    void mark_unsaved();

    UnsavedWork work() const { return {next_, path_, is_edited()}; }

    // The scene with its history and its file, put away while another one is open in its place (a lesson's), and brought back
    // exactly as it was.
    class Aside;
    std::unique_ptr<Aside> set_aside(Scene instead);
    void bring_back(std::unique_ptr<Aside> aside);

    // Called beside the window with what was computed there, before it is shown: what a picture reads off a trace is then there
    // when the frame asks for it. Of a scene that is no longer wanted, too; what it throws is not heard of.
    using Prepare = std::function<void(const Scene& scene, const std::shared_ptr<const AttentionTrace>& trace)>;
    void prepare_with(Prepare prepare) { prepare_ = std::move(prepare); }

    // Called from another thread when a trace is ready or a file is written: wakes a sleeping window.
    void on_ready(Wake wake);

private:
    struct Step {
        Model model;
        std::string title, title_zh;
        std::string order;  // of the tokens in Order: display, but moved by hand like the rest
        int head = 0;       // shown when it was left: where a step brings heads or takes them away, it is shown again
        // Whichever layer the models hold.
        bool is(const Model& now, std::string_view now_title, std::string_view now_title_zh,
                std::string_view now_order) const;
        friend bool operator==(const Step& a, const Step& b) { return a.is(b.model, b.title, b.title_zh, b.order); }
    };

    static Step step_of(const Model& model, const Scene& scene);
    bool is_at_step() const;
    void leave_step();
    void go_to(const Step& step);
    void take_computed();
    void take_next();
    void stop_computing();
    void show(Model model, std::shared_ptr<const AttentionTrace> trace);

    static bool differs_from_file(const Scene& now, const std::optional<Scene>& saved);

    using SharedTrace = std::shared_ptr<const AttentionTrace>;
    std::shared_ptr<WeightsCache> weights_ = std::make_shared<WeightsCache>();
    Scene shown_;
    Scene next_;
    std::optional<Scene> saved_;      // none: never saved and not to be lost
    std::optional<Model> requested_;  // what is being computed
    std::chrono::steady_clock::time_point requested_at_;
    Model accepted_;  // the last next() that could be computed
    TracePool traces_;
    SharedTrace trace_;
    History<Step> history_;
    int head_shown_ = 0;  // with as many heads as the step has
    std::string refusal_;
    Prepare prepare_;
    std::optional<std::filesystem::path> path_;
    struct Saving {
        Scene scene;
        std::filesystem::path path;
    };
    Job<Saving> saving_;
    Job<SharedTrace> computing_;
};

class Document::Aside {
public:
    UnsavedWork work() const { return {next_, path_, differs_from_file(next_, saved_)}; }
    const Scene& scene() const { return next_; }

private:
    friend class Document;
    Aside(Scene next, std::optional<Scene> saved, History<Step> history, int head_shown,
          std::optional<std::filesystem::path> path)
        : next_(std::move(next)),
          saved_(std::move(saved)),
          history_(std::move(history)),
          head_shown_(head_shown),
          path_(std::move(path)) {}

    Scene next_;
    std::optional<Scene> saved_;
    History<Step> history_;
    int head_shown_;
    std::optional<std::filesystem::path> path_;
};

}  // namespace heed::app
