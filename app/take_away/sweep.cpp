#include "app/take_away/sweep.h"

#include "app/print/gif.h"
#include "core/attention/pipeline.h"
#include "core/counting.h"
#include "core/files/commit_all.h"
#include "core/files/scene_file.h"
#include "core/model/depth.h"
#include "core/results.h"
#include "core/transformer/around.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>

namespace heed::app {

namespace {

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

// A rounded number without a point, however large.
std::string whole(double value) {
    char text[512];
    auto* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 0).ptr;
    return {text, end};
}

// As JSON reads it back.
std::string exact(double value, bool is_whole) {
    if (is_whole) return whole(value);
    char text[64];
    // What is too large for a float is refused, as it was typed.
    const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
    char* const end = text + sizeof text;
    return {text, fits ? std::to_chars(text, end, static_cast<float>(value)).ptr : std::to_chars(text, end, value).ptr};
}

// As the pictures count: what points at a head, a token or a component is a place, counted from 1 on the screen.
std::string shown_value(std::string_view key, double value, bool is_whole) {
    for (const std::string_view place :
         {"display.head", "display.layer", "display.pin.query", "display.pin.key", "display.gradients.component"})
        if (key == place) return shown_number(static_cast<std::ptrdiff_t>(value));
    return is_whole ? whole(value) : compact(value);
}

void add_value(Figure& figure, const SweepRequest& request, const std::string& value, int frame) {
    const std::string name = request.key.substr(request.key.rfind('.') + 1);
    TextMark mark;
    mark.text = name + " = " + value + "   " + std::to_string(frame + 1) + " / " + std::to_string(request.frames);
    mark.at = {figure.width - 12, 20};
    mark.style = {request.render.options.text_size - 2, Font::mono, palette(figure.theme).dim};
    mark.align_x = AlignX::right;
    mark.plain = true;
    figure.marks.emplace_back(std::move(mark));
}

// Where the scene looks must be there to be looked at: the frame would be labelled with what it does not show.
Status check_looks_at_something(const Scene& scene, std::string_view key) {
    const Model& model = scene.model;
    const auto below = [](int value, int count, const char* what) {
        if (value < count) return ok();
        return Status(
            Error{std::to_string(value) + " is too many; the " + what + " are 0 to " + std::to_string(count - 1)});
    };
    if (key == "display.head") return below(scene.display.head, model.n_heads, "heads");
    if (key == "display.layer") return below(scene.display.layer, model.depth->layers, "layers");
    if (key == "display.pin.query") return below(scene.display.pin.query, model.n_queries, "queries");
    if (key == "display.pin.key") return below(scene.display.pin.key, effective_n_keys(model), "keys");
    return ok();
}

// Where the frames go: into one file, or a folder of files that are all there or none.
class Sink {
public:
    explicit Sink(std::string out) : out_(std::move(out)), is_gif_(out_.ends_with(".gif")) {}

    Status start() {
        if (is_gif_) return ok();
        return made_.make(out_);
    }

    Status add(const Rendering& rendering, int frame, int delay_ms) {
        if (!is_gif_) {
            const Result<std::string> bytes = print_figure(rendering.figure, rendering.print);
            if (!bytes) return Error{bytes.error()};
            char name[32];
            std::snprintf(name, sizeof name, "frame-%04d.png", frame + 1);
            paths_.push_back(std::filesystem::path(out_) / name);
            Result<StagedFile> file = StagedFile::stage(paths_.back(), *bytes);
            if (!file) return Error{file.error()};
            staged_.push_back(std::move(*file));
            return ok();
        }
        const Result<Pixels> pixels = print_pixels(rendering.figure, rendering.print);
        if (!pixels) return Error{pixels.error()};
        if (!gif_) gif_.emplace(pixels->width, pixels->height, delay_ms);
        return gif_->add_frame(*pixels);
    }

    Status finish() {
        if (Status status = commit_all(staged_, paths_); !status) return status;
        if (is_gif_) {
            const Result<std::string> bytes = gif_->finish();
            if (!bytes) return Error{bytes.error()};
            if (Status status = write_file(out_, *bytes); !status) return status;
        }
        made_.keep();
        return ok();
    }

private:
    std::string out_;
    bool is_gif_;
    StagedFolder made_;  // goes after the files in it
    std::vector<StagedFile> staged_;
    std::vector<std::filesystem::path> paths_;  // of the staged files
    std::optional<GifWriter> gif_;
};

}  // namespace

Status read_vary(const std::string& text, SweepRequest& request) {
    const Error wanted{"--vary " + text +
                       ": KEY=FROM:TO or KEY=FROM:TO:log is wanted, such as model.temperature=0.1:10:log"};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return wanted;
    std::string range = text.substr(equals + 1);
    request.log = range.ends_with(":log");
    if (request.log) range.resize(range.size() - 4);
    const std::size_t colon = range.find(':');
    if (colon == std::string::npos) return wanted;
    const auto from = number(std::string_view(range).substr(0, colon));
    const auto to = number(std::string_view(range).substr(colon + 1));
    if (!from || !to) return wanted;
    if (request.log && (*from <= 0 || *to <= 0)) return Error{"--vary " + text + ": a logarithmic range lies above 0"};
    request.key = text.substr(0, equals);
    request.from = *from;
    request.to = *to;
    return ok();
}

double sweep_value(const SweepRequest& request, int frame, bool is_whole) {
    const double share = request.frames > 1 ? static_cast<double>(frame) / (request.frames - 1) : 0;
    const double value = request.log ? request.from * std::pow(request.to / request.from, share)
                                     : request.from + (request.to - request.from) * share;
    return is_whole ? std::round(value) : value;
}

Status run_sweep(const Scene& scene, const SweepRequest& request, const std::string& out,
                 const std::function<bool(int)>& progress) {
    if (request.frames < 1 || request.frames > max_sweep_frames)
        return Error{"--frames " + std::to_string(request.frames) + ": between 1 and " +
                     std::to_string(max_sweep_frames) + " are possible"};
    const Result<FieldKind> kind = field_kind(scene, request.key);
    if (!kind) return Error{"--vary " + request.key + ": " + kind.error()};
    if (*kind != FieldKind::whole && *kind != FieldKind::real)
        return Error{"--vary " + request.key + ": only a number can be moved"};
    const bool is_whole = *kind == FieldKind::whole;
    Sink sink(out);
    if (Status status = sink.start(); !status) return status;
    AttentionTrace trace;
    WeightsCache weights;
    RenderRequest render = request.render;
    if (!render.results) render.results = std::make_shared<Results>();
    for (int frame = 0; frame < request.frames; ++frame) {
        const double value = sweep_value(request, frame, is_whole);
        Scene moved = scene;
        if (Status status = set_field(moved, request.key, exact(value, is_whole)); !status)
            return Error{"--vary " + request.key + ": " + status.error()};
        if (Status status = check_looks_at_something(moved, request.key); !status)
            return Error{"--vary " + request.key + ": " + status.error()};
        run_layers(moved.model, trace, &weights);
        Result<Rendering> rendering = make_rendering(moved, trace, render, PrintOptions::Format::png);
        if (!rendering) return Error{rendering.error()};
        if (request.print_value)
            add_value(rendering->figure, request, shown_value(request.key, value, is_whole), frame);
        if (Status status = sink.add(*rendering, frame, request.delay_ms); !status) return status;
        if (!progress(frame + 1))
            return Error{"stopped after " + std::to_string(frame + 1) + " frames; nothing was written"};
    }
    return sink.finish();
}

}  // namespace heed::app
