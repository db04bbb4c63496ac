#include "core/analysis/recurrence.h"

#include "core/analysis/draws.h"
#include "core/random.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

using Square = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

enum Stream : std::uint32_t { weights_stream = 0x41, input_stream, gradient_stream, query_stream, keys_stream };

double normal(std::uint64_t seed, Stream stream, Eigen::Index row, Eigen::Index col) {
    return static_cast<double>(
        normal_at(seed, stream, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)));
}

// Gram and Schmidt on normal columns, twice over so that rounding does not tilt them.
Square rotation(std::uint64_t seed, int width) {
    Square q(width, width);
    for (Eigen::Index j = 0; j < width; ++j) {
        Column column(width);
        for (Eigen::Index i = 0; i < width; ++i) column(i) = normal(seed, weights_stream, i, j);
        for (int pass = 0; pass < 2; ++pass)
            for (Eigen::Index k = 0; k < j; ++k) column -= q.col(k).dot(column) * q.col(k);
        q.col(j) = column.normalized();
    }
    return q;
}

}  // namespace

std::vector<double> recurrent_gradient(const RecurrentNet& net, int distance) {
    const Square w = net.radius * rotation(net.seed, net.width);
    // φ′ at every step of a run on random inputs of half a unit.
    std::vector<Column> slopes;
    Column h = Column::Zero(net.width);
    for (int t = 0; t < distance && net.is_tanh; ++t) {
        Column sum = w * h;
        for (Eigen::Index i = 0; i < net.width; ++i) sum(i) += 0.5 * normal(net.seed, input_stream, t, i);
        h = sum.array().tanh();
        slopes.push_back(1 - h.array().square());
    }
    Column gradient(net.width);
    for (Eigen::Index i = 0; i < net.width; ++i) gradient(i) = normal(net.seed, gradient_stream, 0, i);
    gradient.normalize();
    std::vector<double> norms = {1.0};
    for (int t = 0; t < distance; ++t) {
        if (net.is_tanh) gradient = gradient.cwiseProduct(slopes[static_cast<std::size_t>(distance - 1 - t)]).eval();
        gradient = (w.transpose() * gradient).eval();
        norms.push_back(gradient.norm());
    }
    return norms;
}

std::vector<double> attention_gradient(std::uint64_t seed, int d_k, double factor, int distance) {
    std::vector<double> weights;
    std::vector<float> q(static_cast<std::size_t>(d_k));
    std::vector<float> k(q.size());
    draw_normals(seed, query_stream, q);
    for (int key = 0; key <= distance; ++key) {
        draw_normals(seed, keys_stream + static_cast<std::uint32_t>(key), k);
        double score = 0;
        for (std::size_t t = 0; t < q.size(); ++t) score += static_cast<double>(q[t]) * static_cast<double>(k[t]);
        weights.push_back(score * factor);
    }
    const double top = *std::ranges::max_element(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - top);
    for (double& weight : weights) weight /= sum;
    return weights;
}

}  // namespace heed
