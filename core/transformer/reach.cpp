#include "core/transformer/reach.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

namespace {

// What every cell of the mixer in a layer is computed from.
std::vector<Sources> layer_sources(const TransformerConfig& config, int layer, Index n_tokens) {
    const Part& part = mixer(config.mixer);
    std::vector<Sources> out;
    for (Index token = 0; token < n_tokens; ++token) {
        Sources sources = part.sources(config, layer, n_tokens, token);
        if (config.residual) sources.below.push_back(token);
        out.push_back(std::move(sources));
    }
    return out;
}

// The same for one layer after the other. What layers have in common, which for all but a growing dilation is everything, is
// found once.
class SourcesOfLayers {
public:
    SourcesOfLayers(const TransformerConfig& config, Index n_tokens) : config_(config), n_(n_tokens) {}

    const std::vector<Sources>& at(int layer) {
        const int dilation = dilation_of(config_, layer);
        if (dilation != dilation_) sources_ = layer_sources(config_, layer, n_);
        dilation_ = dilation;
        return sources_;
    }

private:
    const TransformerConfig& config_;
    Index n_;
    int dilation_ = 0;  // whose sources are held; every layer has one of at least 1
    std::vector<Sources> sources_;
};

// Fewest moves from one token to every place of the stack, and the place before it on such a way.
class Ways {
public:
    Ways(const TransformerConfig& config, Index n_tokens, Index from) : n_(n_tokens) {
        const auto n = static_cast<std::size_t>(n_tokens);
        moves_.assign((static_cast<std::size_t>(config.n_layers) + 1) * n, unreachable);
        before_.assign(moves_.size(), -1);
        moves_[static_cast<std::size_t>(from)] = 0;
        SourcesOfLayers layers(config, n_tokens);
        for (int layer = 0; layer < config.n_layers; ++layer) {
            const std::vector<Sources>& sources = layers.at(layer);
            // Tokens beside come from earlier tokens only: one pass in their order finds every way.
            for (Index token = 0; token < n_tokens; ++token) {
                const Sources& from_here = sources[static_cast<std::size_t>(token)];
                for (const Index below : from_here.below) offer(at(layer, below), at(layer + 1, token), below != token);
                for (const Index beside : from_here.beside) offer(at(layer + 1, beside), at(layer + 1, token), true);
            }
        }
    }

    std::vector<Place> to(const TransformerConfig& config, Index token) const {
        std::vector<Place> path;
        Index place = at(config.n_layers, token);
        if (moves_[static_cast<std::size_t>(place)] == unreachable) return path;
        for (; place >= 0; place = before_[static_cast<std::size_t>(place)])
            path.push_back({static_cast<int>(place / n_), place % n_});
        std::reverse(path.begin(), path.end());
        return path;
    }

private:
    static constexpr int unreachable = std::numeric_limits<int>::max();

    Index at(int layer, Index token) const { return layer * n_ + token; }

    void offer(Index from, Index to, bool is_move) {
        const int moves = moves_[static_cast<std::size_t>(from)];
        if (moves == unreachable || moves + (is_move ? 1 : 0) >= moves_[static_cast<std::size_t>(to)]) return;
        moves_[static_cast<std::size_t>(to)] = moves + (is_move ? 1 : 0);
        before_[static_cast<std::size_t>(to)] = from;
    }

    Index n_;
    std::vector<int> moves_;
    std::vector<Index> before_;
};

}  // namespace

Matrix influence(const Transformer& transformer, const TransformerInput& input, std::span<const LayerEdit> edits,
                 const TransformerTrace& trace, Index output_token, int probes, std::uint64_t seed) {
    const Index d = transformer.config.d_model;
    const Index n = trace.output.rows();
    const Index passes = probes > 0 ? probes : d;
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(transformer.config.n_layers + 1, n);
    OutputGradient loss;
    for (Index pass = 0; pass < passes; ++pass) {
        loss.output = Matrix::Zero(n, d);
        if (probes > 0)
            for (Index t = 0; t < d; ++t)
                loss.output(output_token, t) =
                    normal_at(seed, 0, static_cast<std::uint64_t>(pass), static_cast<std::uint64_t>(t));
        else
            loss.output(output_token, pass) = 1;
        const TransformerGradients gradients =
            transformer_gradients(transformer, input, edits, trace, loss, Wanted::not_the_weights);
        for (std::size_t layer = 0; layer < gradients.stream.size(); ++layer)
            squares.row(static_cast<Index>(layer)) +=
                gradients.stream[layer].cast<double>().rowwise().squaredNorm().transpose();
    }
    if (probes > 0) squares /= static_cast<double>(probes);
    return squares.cwiseSqrt().cast<float>();
}

double effective_width(std::span<const double> strengths, Index centre) {
    double sum = 0;
    double squares = 0;
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        const double away = static_cast<double>(static_cast<Index>(j) - centre);
        sum += strengths[j];
        squares += strengths[j] * away * away;
    }
    return sum > 0 ? std::sqrt(squares / sum) : 0;
}

Index span_of(std::span<const double> strengths) {
    const auto counts = [](double strength) { return strength != 0; };
    const auto first = std::find_if(strengths.begin(), strengths.end(), counts);
    if (first == strengths.end()) return 0;
    const auto last = std::find_if(strengths.rbegin(), strengths.rend(), counts).base();
    return static_cast<Index>(last - first);
}

std::vector<Place> shortest_path(const TransformerConfig& config, Index n_tokens, Index from, Index to) {
    return Ways(config, n_tokens, from).to(config, to);
}

int count_moves(std::span<const Place> path) {
    int moves = 0;
    for (std::size_t i = 1; i < path.size(); ++i) moves += path[i].token != path[i - 1].token ? 1 : 0;
    return moves;
}

std::optional<int> layers_to_reach(const TransformerConfig& config, Index n_tokens, Index from, Index to, int most) {
    std::vector<std::uint8_t> reached(static_cast<std::size_t>(n_tokens));
    reached[static_cast<std::size_t>(from)] = 1;
    SourcesOfLayers layers(config, n_tokens);
    for (int layer = 0; layer < most; ++layer) {
        const std::vector<Sources>& sources = layers.at(layer);
        std::vector<std::uint8_t> next(reached.size());
        for (std::size_t token = 0; token < next.size(); ++token) {
            for (const Index below : sources[token].below) next[token] |= reached[static_cast<std::size_t>(below)];
            for (const Index beside : sources[token].beside) next[token] |= next[static_cast<std::size_t>(beside)];
        }
        reached = std::move(next);
        if (reached[static_cast<std::size_t>(to)]) return layer + 1;
    }
    return std::nullopt;
}

MaskMatrix cells_that_reach(const TransformerConfig& config, Index n_tokens, Index output_token) {
    MaskMatrix cells = MaskMatrix::Zero(config.n_layers + 1, n_tokens);
    cells(config.n_layers, output_token) = 1;
    SourcesOfLayers layers(config, n_tokens);
    for (int layer = config.n_layers - 1; layer >= 0; --layer) {
        const std::vector<Sources>& sources = layers.at(layer);
        // States beside are inside the mixer, not of the stream above it.
        Eigen::Matrix<std::uint8_t, 1, Eigen::Dynamic> wanted = cells.row(layer + 1);
        for (Index token = n_tokens - 1; token >= 0; --token) {
            if (!wanted(token)) continue;
            for (const Index beside : sources[static_cast<std::size_t>(token)].beside) wanted(beside) = 1;
            for (const Index below : sources[static_cast<std::size_t>(token)].below) cells(layer, below) = 1;
        }
    }
    return cells;
}

int sequential_steps(const TransformerConfig& config, Index n_tokens) {
    std::vector<int> steps(static_cast<std::size_t>(n_tokens), 0);
    SourcesOfLayers layers(config, n_tokens);
    for (int layer = 0; layer < config.n_layers; ++layer) {
        const std::vector<Sources>& sources = layers.at(layer);
        std::vector<int> next(steps.size(), 0);
        for (std::size_t token = 0; token < next.size(); ++token) {
            for (const Index below : sources[token].below)
                next[token] = std::max(next[token], steps[static_cast<std::size_t>(below)]);
            for (const Index beside : sources[token].beside)
                next[token] = std::max(next[token], next[static_cast<std::size_t>(beside)]);
            ++next[token];
        }
        steps = std::move(next);
    }
    return *std::max_element(steps.begin(), steps.end());
}

double share_not_common(const Matrix& x) {
    const Eigen::MatrixXd exact = x.cast<double>();
    const double all = exact.norm();
    if (all == 0) return 0;
    return (exact.rowwise() - exact.colwise().mean()).norm() / all;  // of what is no number none either
}

std::vector<double> shares_not_common(const TransformerTrace& trace) {
    std::vector<double> shares;
    for (std::size_t layer = 0; layer <= trace.layers.size(); ++layer)
        shares.push_back(share_not_common(trace.stream(static_cast<int>(layer))));
    return shares;
}

}  // namespace heed
