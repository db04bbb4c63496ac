#include "app/document.h"

#include "app/worker.h"
#include "core/attention/pipeline.h"
#include "core/files/scene_file.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

namespace heed::app {

namespace {

// The frame waits for a model that takes less than this; a longer one is computed beside it.
constexpr double quick_nanoseconds = 4e6;

bool is_quick(const Model& model) { return estimated_nanoseconds(model) < quick_nanoseconds; }

// What remains of a scene when it does not matter where the user looks.
Display without_gaze(Display display) {
    const Display start;
    display.view = start.view;
    display.head = start.head;
    display.pinned = start.pinned;
    display.pin = start.pin;
    display.pipeline.explainer_step = start.pipeline.explainer_step;
    return display;
}

template <typename Block>
void add_bytes_beyond(const std::vector<Block>& now, const std::vector<Block>& before, std::size_t& bytes) {
    for (std::size_t i = 0; i < now.size(); ++i)
        if (i >= before.size() || &*now[i] != &*before[i])
            bytes += static_cast<std::size_t>(now[i]->size()) * sizeof(*now[i]->data());
}

// What a model's matrices hold that another's do not share with it.
std::size_t bytes_beyond(const Model& now, const Model& before) {
    std::size_t bytes = 0;
    for (const auto matrices :
         {&Model::q, &Model::k, &Model::v, &Model::w_q, &Model::w_k, &Model::w_v, &Model::w_o, &Model::bias})
        add_bytes_beyond(now.*matrices, before.*matrices, bytes);
    for (const auto matrix : {&Model::x, &Model::y, &Model::additive_w_q, &Model::additive_w_k, &Model::additive_v})
        add_bytes_beyond<SharedMatrix>({now.*matrix}, {before.*matrix}, bytes);
    add_bytes_beyond(now.painted_mask, before.painted_mask, bytes);
    return bytes;
}

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
    return text;
}

}  // namespace

double estimated_nanoseconds(const Model& model) {
    const double n = model.n_queries;
    const double m = effective_n_keys(model);
    const double heads = model.n_heads;
    const double kv_heads = model.n_kv_heads;
    const bool is_dot = model.score == "scaled-dot" || model.score == "dot";
    const bool is_softmax = model.normalizer == "softmax";
    // Measured on one core: the tuned path multiplies 20 numbers a nanosecond, the plain one 3; tanh takes 5 ns.
    const double per_product = is_dot && is_softmax ? 0.05 : 0.35;
    const double score_products = model.score == "additive" ? 5.0 * model.d_additive : per_product * model.d_k;
    double time = heads * n * m * (score_products + per_product * model.d_v + (is_softmax ? 2.0 : 20.0));
    if (model.source == Source::projected)
        time += 0.2 * model.d_model * (heads * n * model.d_k + kv_heads * m * (model.d_k + model.d_v));
    if (model.output_projection) time += 0.2 * n * heads * model.d_v * model.d_model;
    return time;
}

Document::Document(Scene scene)
    : shown_(std::move(scene)), next_(shown_), saved_(shown_), accepted_(shown_.model), history_(shown_.model) {
    assert(check_model(accepted_).empty());
    if (!is_quick(shown_.model)) shown_.model = default_scene().model;
    auto trace = std::make_shared<AttentionTrace>();
    run_attention(shown_.model, *trace);
    show(shown_.model, std::move(trace));
}

Document::~Document() = default;

Worker& Document::worker() {
    if (!worker_) {
        worker_ = std::make_unique<Worker>();
        worker_->on_ready(wake_);
    }
    return *worker_;
}

void Document::on_ready(void (*wake)()) {
    wake_ = wake;
    if (worker_) worker_->on_ready(wake);
}

std::shared_ptr<AttentionTrace> Document::spare_trace() {
    // Only the list holds it: no figure looks at it any more.
    const auto spare =
        std::find_if(traces_.begin(), traces_.end(), [](const auto& trace) { return trace.use_count() == 1; });
    if (spare != traces_.end()) {
        std::shared_ptr<AttentionTrace> trace = std::move(*spare);
        traces_.erase(spare);
        return trace;
    }
    if (worker_)
        if (auto trace = worker_->take_memory()) return trace;
    return std::make_shared<AttentionTrace>();
}

void Document::show(Model model, std::shared_ptr<AttentionTrace> trace) {
    shown_.model = std::move(model);
    trace_ = trace;
    // Two buffers take turns; a third covers a figure that still shows the one before. More are given back.
    while (traces_.size() > 2) traces_.erase(traces_.begin());
    traces_.push_back(std::move(trace));
}

void Document::take_computed() {
    if (!worker_) return;
    std::optional<ComputedModel> computed = worker_->take();
    if (!computed) return;
    requested_.reset();
    if (computed->trace) {
        show(std::move(computed->model), std::move(computed->trace));
    } else {
        refusal_ = "There is not enough memory for a model of this size";
        accepted_ = shown_.model;
        next_.model = accepted_;
    }
}

void Document::take_next() {
    if (next_.model != accepted_) {
        const std::vector<std::string> sentences = check_model(next_.model);
        refusal_ = joined(sentences);
        if (sentences.empty())
            accepted_ = next_.model;
        else
            next_.model = accepted_;
    }
    shown_.title = next_.title;
    shown_.title_zh = next_.title_zh;
    shown_.display = next_.display;
    if (accepted_ == shown_.model) {
        if (requested_) worker_->cancel();
        requested_.reset();
    } else if (is_quick(accepted_)) {
        if (requested_) worker_->cancel();
        requested_.reset();
        std::shared_ptr<AttentionTrace> trace = spare_trace();
        run_attention(accepted_, *trace);
        show(accepted_, std::move(trace));
    } else if (requested_ != accepted_) {
        requested_ = accepted_;
        worker().request(accepted_, spare_trace());
    }
}

void Document::end_frame(bool gesture_in_progress) {
    take_computed();
    take_next();
    if (!gesture_in_progress && accepted_ != history_.current())
        history_.record(accepted_, bytes_beyond(accepted_, history_.current()));
}

void Document::settle() {
    end_frame(false);
    while (is_computing()) {
        worker_->wait();
        end_frame(false);
    }
}

bool Document::is_computing() const { return requested_.has_value(); }

void Document::undo() {
    if (next_.model != history_.current()) end_frame(false);
    next_.model = history_.undo();
    refusal_.clear();
}

void Document::redo() {
    if (!can_redo()) return;
    next_.model = history_.redo();
    refusal_.clear();
}

void Document::replace(Scene scene, std::optional<std::filesystem::path> path) {
    assert(check_model(scene.model).empty());
    next_ = std::move(scene);
    saved_ = next_;
    history_ = History<Model>(next_.model);
    path_ = std::move(path);
    refusal_.clear();
}

Status Document::open(const std::filesystem::path& path) {
    Result<Scene> scene = read_scene(path);
    if (!scene) return Error{scene.error()};
    replace(std::move(*scene), path);
    return ok();
}

Status Document::save(const std::filesystem::path& path) {
    Status status = write_scene(path, next_);
    if (!status) return status;
    saved_ = next_;
    path_ = path;
    return ok();
}

bool Document::is_edited() const {
    if (!saved_) return true;
    return next_.title != saved_->title || next_.title_zh != saved_->title_zh || next_.model != saved_->model ||
           without_gaze(next_.display) != without_gaze(saved_->display);
}

void Document::mark_unsaved() { saved_.reset(); }

}  // namespace heed::app
