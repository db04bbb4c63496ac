#include "app/document.h"

#include "app/picture_file.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/score_functions.h"
#include "core/display/order_display.h"
#include "core/display/pipeline_display.h"
#include "core/files/scene_file.h"
#include "core/layers.h"
#include "core/model/depth.h"
#include "core/model/normalizer_settings.h"
#include "core/model/picture.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

namespace heed::app {

namespace {

using Clock = std::chrono::steady_clock;

// The frame waits for a model that takes less than this; a longer one is computed beside it.
constexpr double quick_nanoseconds = 4e6;

// For so long a model that is no longer the newest is computed on: a slider that never rests is then followed.
constexpr std::chrono::milliseconds patience{500};

bool is_quick(const Model& model) { return estimated_nanoseconds(model) < quick_nanoseconds; }

// What remains of a scene when it does not matter where the user looks.
Display without_gaze(Display display) {
    const Display start;
    display.view = start.view;
    display.head = start.head;
    display.layer = start.layer;
    display.pinned = start.pinned;
    display.pin = start.pin;
    display.pipeline->explainer_step = start.pipeline->explainer_step;
    display.pipeline->explained = start.pipeline->explained;
    display.pipeline->explained_component = start.pipeline->explained_component;
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
    bytes += now.picture->pixels.size();
    const std::vector<LayerOwn>& layers = now.layers.others;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const LayerOwn none;
        const LayerOwn& was = layer < before.layers.others.size() ? before.layers.others[layer] : none;
        for (const auto matrices : {&LayerOwn::w_q, &LayerOwn::w_k, &LayerOwn::w_v, &LayerOwn::w_o, &LayerOwn::bias})
            add_bytes_beyond(layers[layer].*matrices, was.*matrices, bytes);
        add_bytes_beyond(layers[layer].painted_mask, was.painted_mask, bytes);
    }
    return bytes;
}

// As steps and files have it: where the user looks is no part of it.
Model with_first_layer(Model model) {
    hold_layer(model, 0);
    return model;
}

// Whichever layer each of them holds. Asked in every frame: copies only where it must.
bool same_but_for_layer_held(const Model& a, const Model& b) {
    return a.layers.held == 0 && b.layers.held == 0 ? a == b : with_first_layer(a) == with_first_layer(b);
}

// Whatever fails here is computed in the frame, or fails there.
void try_to_prepare(const Document::Prepare& prepare, const Scene& scene,
                    const std::shared_ptr<const AttentionTrace>& trace) {
    try {
        prepare(scene, trace);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
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
    const ScoreFunction& score = score_function(model.score);
    const bool has_kernel = normalizer(model.normalizer->id).has_kernel;
    // Measured on one core: the tuned path multiplies 20 numbers a nanosecond, the plain one 3.
    const bool is_tuned = score.is_dot && has_kernel;
    const double per_product = is_tuned ? 0.05 : 0.35;
    const double scores =
        (is_tuned ? per_product : score.nanoseconds) * (score.uses_hidden_layer ? model.d_additive : model.d_k);
    double time = heads * n * m * (scores + per_product * model.d_v + (has_kernel ? 2.0 : 20.0));
    if (model.source == Source::projected)
        time += 0.2 * model.d_model * (heads * n * model.d_k + kv_heads * m * (model.d_k + model.d_v));
    if (model.output_projection) time += 0.2 * n * heads * model.d_v * model.d_model;
    return time * (is_alone(*model.depth) ? 1 : model.depth->layers + 1) + nanoseconds_around(model);
}

Document::Document(Scene scene)
    : shown_(std::move(scene)),
      next_(shown_),
      saved_(shown_),
      accepted_(shown_.model),
      history_(step_of(shown_.model, shown_)),
      head_shown_(shown_.display.head) {
    assert(check_model(accepted_).empty());
    hold_layer(next_.model, next_.display.layer);
    hold_layer(shown_.model, next_.display.layer);
    accepted_ = shown_.model;
    if (!is_quick(shown_.model)) shown_.model = default_scene().model;
    std::shared_ptr<AttentionTrace> trace = traces_.take();
    run_layers(shown_.model, *trace, weights_.get());
    show(shown_.model, std::move(trace));
}

Document::~Document() { saving_.wait(); }

void Document::on_ready(Wake wake) {
    computing_.set_wake(wake);
    saving_.set_wake(wake);
}

void Document::show(Model model, std::shared_ptr<const AttentionTrace> trace) {
    shown_.model = std::move(model);
    trace_ = std::move(trace);
}

void Document::take_computed() {
    std::optional<Result<SharedTrace>> computed = computing_.take();
    if (!computed) return;
    Model model = std::move(*requested_);
    requested_.reset();
    if (*computed) {
        show(std::move(model), std::move(**computed));
    } else if (model == accepted_) {  // otherwise a newer one is about to be computed
        refusal_ = computed->error();
        accepted_ = shown_.model;
        next_.model = accepted_;
    }
}

void Document::stop_computing() {
    computing_.cancel();
    requested_.reset();
}

void Document::take_next() {
    hold_layer(next_.model, next_.display.layer);
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
        stop_computing();
    } else if (is_quick(accepted_)) {
        stop_computing();
        std::shared_ptr<AttentionTrace> trace = traces_.take();
        run_layers(accepted_, *trace, weights_.get());
        show(accepted_, std::move(trace));
    } else if (requested_ != accepted_ && (!requested_ || Clock::now() - requested_at_ > patience)) {
        requested_ = accepted_;
        requested_at_ = Clock::now();
        // Its memory is taken when it begins: what is replaced before that holds none.
        computing_.start([scene = next_, traces = traces_, weights = weights_,
                          prepare = prepare_](JobControl<>& control) mutable -> Result<SharedTrace> {
            try {
                std::shared_ptr<AttentionTrace> trace = traces.take();
                run_layers(scene.model, *trace, weights.get(), control.cancel_flag());
                if (prepare && !control.is_cancelled()) try_to_prepare(prepare, scene, trace);
                return SharedTrace(std::move(trace));
            } catch (const std::bad_alloc&) {
                return Error{"There is not enough memory for a model of this size"};
            }
        });
    }
}

void Document::end_frame(bool gesture_in_progress) {
    take_computed();
    take_next();
    if (accepted_.n_heads == history_.current().model.n_heads) head_shown_ = next_.display.head;
    if (gesture_in_progress || is_at_step()) return;
    leave_step();
    history_.record(step_of(accepted_, next_), bytes_beyond(with_first_layer(accepted_), history_.current().model));
    head_shown_ = next_.display.head;
}

Document::Step Document::step_of(const Model& model, const Scene& scene) {
    return {with_first_layer(model), scene.title, scene.title_zh, scene.display.order->permutation, scene.display.head};
}

bool Document::is_at_step() const {
    return history_.current().is(next_.model, next_.title, next_.title_zh, next_.display.order->permutation);
}

bool Document::Step::is(const Model& now, std::string_view now_title, std::string_view now_title_zh,
                        std::string_view now_order) const {
    return same_but_for_layer_held(model, now) && title == now_title && title_zh == now_title_zh && order == now_order;
}

void Document::leave_step() { history_.current().head = head_shown_; }

void Document::go_to(const Step& step) {
    if (step.model.n_heads != next_.model.n_heads) next_.display.head = step.head;
    head_shown_ = next_.display.head;
    next_.model = step.model;
    hold_layer(next_.model, next_.display.layer);
    next_.title = step.title;
    next_.title_zh = step.title_zh;
    next_.display.order->permutation = step.order;
    refusal_.clear();
}

void Document::settle() {
    end_frame(false);
    while (is_computing()) {
        computing_.wait();
        end_frame(false);
    }
}

bool Document::is_computing() const { return requested_.has_value(); }

void Document::undo() {
    if (!is_at_step()) end_frame(false);
    leave_step();
    go_to(history_.undo());
}

void Document::redo() {
    if (!can_redo()) return;
    leave_step();
    go_to(history_.redo());
}

void Document::replace(Scene scene, std::optional<std::filesystem::path> path) {
    assert(check_model(scene.model).empty());
    if (is_saving()) (void)finish_saving();  // it is of the scene before
    next_ = std::move(scene);
    hold_layer(next_.model, next_.display.layer);
    saved_ = next_;
    history_ = History<Step>(step_of(next_.model, next_));
    head_shown_ = next_.display.head;
    path_ = std::move(path);
    refusal_.clear();
}

Status Document::open(const std::filesystem::path& path) {
    const bool is_picture = is_picture_file(path);
    Result<Scene> scene = is_picture ? read_picture_scene(path) : read_scene(path);
    if (!scene) return Error{scene.error()};
    // A scene is never saved over the picture it was made from.
    replace(std::move(*scene), is_picture ? std::nullopt : std::optional(path));
    return ok();
}

void Document::save(const std::filesystem::path& path) {
    saving_.wait();  // one after the other, and none is dropped
    saving_.start([scene = next_, path](JobControl<>&) -> Result<Saving> {
        if (Status status = write_scene(path, scene); !status) return Error{status.error()};
        return Saving{scene, path};
    });
}

std::optional<Status> Document::take_saved() {
    std::optional<Result<Saving>> saved = saving_.take();
    if (!saved) return std::nullopt;
    if (!*saved) return Status(Error{saved->error()});
    saved_ = std::move((*saved)->scene);
    path_ = std::move((*saved)->path);
    return ok();
}

Status Document::finish_saving() {
    saving_.wait();
    return take_saved().value_or(ok());
}

bool Document::differs_from_file(const Scene& now, const std::optional<Scene>& saved) {
    if (!saved) return true;
    return now.title != saved->title || now.title_zh != saved->title_zh ||
           !same_but_for_layer_held(now.model, saved->model) ||
           without_gaze(now.display) != without_gaze(saved->display);
}

bool Document::is_edited() const { return differs_from_file(next_, saved_); }

std::unique_ptr<Document::Aside> Document::set_aside(Scene instead) {
    if (is_saving()) (void)finish_saving();
    end_frame(false);  // what the last gesture changed is a step of its own
    std::unique_ptr<Aside> aside(
        new Aside(std::move(next_), std::move(saved_), std::move(history_), head_shown_, std::move(path_)));
    replace(std::move(instead), std::nullopt);
    return aside;
}

void Document::bring_back(std::unique_ptr<Aside> aside) {
    if (is_saving()) (void)finish_saving();
    next_ = std::move(aside->next_);
    saved_ = std::move(aside->saved_);
    history_ = std::move(aside->history_);
    head_shown_ = aside->head_shown_;
    path_ = std::move(aside->path_);
    refusal_.clear();
}

void Document::mark_unsaved() { saved_.reset(); }

}  // namespace heed::app
