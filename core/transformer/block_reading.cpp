#include "core/transformer/block_reading.h"

#include "core/attention/operands.h"
#include "core/attention/pipeline.h"
#include "core/model/depth.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heed {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// In doubles, which no float's square overflows, and in several sums that need not wait for each other: a view reads dozens of
// matrices in a frame.
double dot(const float* a, const float* b, Index size) {
    constexpr Index lanes = 8;
    double sums[lanes] = {};
    Index i = 0;
    for (; i + lanes <= size; i += lanes)
        for (Index lane = 0; lane < lanes; ++lane)
            sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    double sum = 0;
    for (; i < size; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    for (const double lane : sums) sum += lane;
    return sum;
}

double dot_of(const Matrix& a, const Matrix& b, Index token) {
    if (token < 0) return dot(a.data(), b.data(), a.size());
    return dot(a.row(token).data(), b.row(token).data(), a.cols());
}

double norm_of(const Matrix& matrix, Index token) { return std::sqrt(dot_of(matrix, matrix, token)); }

// Part `at` of a layer run on something else than what it read.
struct PartAgain {
    const Around& around;
    int layer;
    std::size_t at;

    const TransformerConfig& config() const { return around.transformer.config; }
    const PartWeights& weights() const {
        return around.transformer.weights->layers[static_cast<std::size_t>(layer)].parts[at];
    }
    const PartTrace& trace() const { return around.trace.layers[static_cast<std::size_t>(layer)].parts[at]; }

    Matrix read_of(const Matrix& stream) const {
        if (config().norm_place != NormPlace::before) return stream;
        NormTrace norm;
        Matrix read;
        run_norm(norm_row(config().norm), weights().norm, config().norm_epsilon, stream, norm, read);
        return read;
    }

    Matrix write_of(const Matrix& read) const {
        thread_local Workspace workspace;
        const Part& part = *parts_of(config())[at];
        PartTrace out;
        const PartCall call{config(),
                            weights(),
                            layer,
                            read,
                            around.trace.memory,
                            find_edit(around.edits, layer, part),
                            around.transformer.seed,
                            around.transformer.packed.get(),
                            workspace};
        part.run(call, out);
        return std::move(out.write);
    }
};

Homogeneity compared(const Matrix& once, const Matrix& doubled, const Matrix& turned) {
    const Eigen::MatrixXd f = once.cast<double>();
    const double size = f.norm();
    if (!(size > 0)) return {nan, nan};
    return {(doubled.cast<double>() - 2 * f).norm() / (2 * size), (turned.cast<double>() + f).norm() / size};
}

Homogeneity homogeneity_of(const PartAgain& part) {
    const Matrix& read = part.trace().read;
    return compared(part.write_of(read), part.write_of(2.0F * read), part.write_of(-read));
}

// What attention writes with other values under the same weights.
Matrix write_with_values(const PartAgain& part, float factor) {
    AttentionTrace trace;
    Model model = part.trace().model;  // direct, as it ran
    for (SharedMatrix& values : model.v) values = values.with([&](Matrix& v) { v *= factor; });
    run_attention(model, trace);
    return trace.joined;  // W_O is linear
}

}  // namespace

std::vector<PartWrite> part_writes(const Around& around, Index token) {
    std::vector<PartWrite> writes;
    const TransformerConfig& config = around.transformer.config;
    const std::vector<const Part*> parts = parts_of(config);
    for (int layer = 0; layer < config.n_layers; ++layer)
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const PartTrace& trace = around.trace.layers[static_cast<std::size_t>(layer)].parts[at];
            PartWrite one{.layer = layer, .part = static_cast<int>(at), .kind = parts[at]};
            one.before = writes.empty() ? norm_of(around.trace.input, token) : writes.back().after;
            one.write = norm_of(trace.write, token);
            one.after = norm_of(trace.after, token);
            const double both = one.before + one.write;
            one.share = !config.residual ? 1 : both > 0 ? one.write / both : 0;
            writes.push_back(one);
        }
    return writes;
}

std::vector<double> shares_along_output(const Around& around, Index token) {
    const TransformerConfig& config = around.transformer.config;
    if (!config.residual || config.norm_place == NormPlace::after) return {};
    const Matrix& out = around.trace.stream(config.n_layers);
    const double square = dot_of(out, out, token);
    if (!(square > 0) || !std::isfinite(square)) return {};
    std::vector<double> shares{dot_of(around.trace.input, out, token) / square};
    for (const LayerTrace& layer : around.trace.layers)
        for (const PartTrace& part : layer.parts) shares.push_back(dot_of(part.write, out, token) / square);
    return shares;
}

double cosine_of_ends(const Around& around, Index token) {
    const Matrix& in = around.trace.input;
    const Matrix& out = around.trace.stream(around.transformer.config.n_layers);
    const double lengths = norm_of(in, token) * norm_of(out, token);
    return lengths > 0 ? dot_of(in, out, token) / lengths : nan;
}

Around around_alone(const Model& model, const AttentionTrace& trace) {
    Around around;
    Model layer = model;
    layer.depth = {};  // one layer, whatever it may have been taken from
    layer.layers = {};
    around.transformer = transformer_of(layer);
    around.input.embeddings = trace.x_in;
    around.trace.input = around.trace.embedded = around.trace.output = trace.x_in;
    PartTrace part;
    part.read = trace.x_in;
    part.write = part.after = trace.output;
    part.model = around.transformer.config.attention;
    for (Index head = 0; head < trace.q.count(); ++head) part.model.q.emplace_back(Matrix(trace.q[head]));
    for (Index head = 0; head < trace.k.count(); ++head) part.model.k.emplace_back(Matrix(trace.k[head]));
    for (Index head = 0; head < trace.v.count(); ++head) part.model.v.emplace_back(Matrix(trace.v[head]));
    around.trace.layers.resize(1);
    around.trace.layers.front().parts.push_back(std::move(part));
    around.trace.output = trace.output;
    around.alone = model;
    around.reads_embeddings = true;
    return around;
}

Nudge nudge_token(const Around& around, int layer, int token, double size) {
    Nudge nudge;
    nudge.token = token;
    const std::vector<const Part*> parts = parts_of(around.transformer.config);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        const PartAgain part{around, layer, at};
        const Matrix& stream = around.trace.stream(layer, static_cast<int>(at));
        const auto row = stream.row(token).cast<double>();
        const auto d = static_cast<double>(stream.cols());
        const double deviation = std::sqrt((row.array() - row.mean()).square().mean());
        Eigen::RowVectorXd step(stream.cols());
        for (Index c = 0; c < stream.cols(); ++c)
            step(c) = static_cast<double>(
                normal_at(around.transformer.seed, 0x6e756467ULL, 0, static_cast<std::uint64_t>(c)));
        // Of one number per token the deviation is 0: its size stands for it.
        const double unit = deviation > 0 ? deviation : std::abs(row.mean());
        step *= size * unit * std::sqrt(d) / std::max(step.norm(), 1e-30);
        Matrix moved = stream;
        moved.row(token) += step.cast<float>();
        const Matrix read = part.read_of(stream), moved_read = part.read_of(moved);
        const Matrix before = part.write_of(read);
        const Matrix after = part.write_of(moved_read);
        const bool is_mixer = parts[at]->attends;
        if (is_mixer) {
            nudge.size = step.norm();
            nudge.is_number = stream.row(token).allFinite();
            nudge.moves_stream = !same(stream.row(token), moved.row(token));
            nudge.moves_read = !same(read.row(token), moved_read.row(token));
        }
        std::vector<double>& by = is_mixer ? nudge.by_mixer : nudge.by_feed;
        int& others = is_mixer ? nudge.others_moved_by_mixer : nudge.others_moved_by_feed;
        for (Index i = 0; i < before.rows(); ++i) {
            const bool is_same = same(before.row(i), after.row(i));  // what is no number before and after did not move
            by.push_back(is_same ? 0 : (after.row(i) - before.row(i)).cast<double>().norm());
            if (i != token && !is_same) ++others;
        }
    }
    return nudge;
}

Linearity linearity_of(const Around& around, int layer) {
    Linearity out;
    const std::vector<const Part*> parts = parts_of(around.transformer.config);
    out.feed = {nan, nan};
    for (std::size_t at = 0; at < parts.size(); ++at) {
        const PartAgain part{around, layer, at};
        if (!parts[at]->attends) {
            out.feed = homogeneity_of(part);
            continue;
        }
        out.attention = homogeneity_of(part);
        out.attention_values =
            compared(write_with_values(part, 1), write_with_values(part, 2), write_with_values(part, -1));
    }
    return out;
}

NormSpan normalized_norms(const Around& around, int layer) {
    NormSpan span;
    if (around.transformer.config.norm_place == NormPlace::none) return span;
    span.least = std::numeric_limits<double>::infinity();
    for (const PartTrace& part : around.trace.layers[static_cast<std::size_t>(layer)].parts)
        for (Index i = 0; i < part.norm.normalized.rows(); ++i) {
            const double norm = part.norm.normalized.row(i).cast<double>().norm();
            span.least = std::min(span.least, norm);
            span.most = std::max(span.most, norm);
        }
    return span;
}

}  // namespace heed
