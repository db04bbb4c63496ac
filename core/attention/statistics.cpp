#include "core/attention/statistics.h"

#include "core/attention/normalizers.h"
#include "core/language.h"
#include "core/model/normalizer_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace heed {

namespace {

void add(WeightStatistics& total, const WeightStatistics& row) {
    total.sum += row.sum;
    total.peak += row.peak;
    total.entropy += row.entropy;
    total.effective_keys += row.effective_keys;
    total.mean_distance += row.mean_distance;
    total.first_token += row.first_token;
    total.diagonal += row.diagonal;
    total.previous_token += row.previous_token;
}

// `sharing`: of the rows that see a key, those that have weight to share out; with L1 and L2 a row of zero scores has none.
void divide(WeightStatistics& total, float seeing, float sharing) {
    for (float* field : {&total.sum, &total.peak}) *field /= seeing;
    for (float* field : {&total.entropy, &total.effective_keys, &total.mean_distance, &total.first_token,
                         &total.diagonal, &total.previous_token})
        *field /= sharing;
}

bool has_shares(const WeightStatistics& row) { return row.effective_keys != 0; }

// How far a row is from what its normaliser promises.
float sum_error(Keeps keeps, const WeightStatistics& row, Stack::ConstView weights, Index query) {
    if (keeps == Keeps::sum) return std::abs(row.sum - 1.0F);
    const auto exact = weights.row(query).cast<double>();
    const double kept = keeps == Keeps::magnitudes ? exact.cwiseAbs().sum() : exact.squaredNorm();
    return kept == 0 ? 0.0F : static_cast<float>(std::abs(kept - 1));
}

}  // namespace

WeightStatistics row_statistics(std::span<const float> weights, int query_position) {
    double sum = 0;
    double size = 0;
    double logarithms = 0;
    double distance = 0;
    float peak = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const auto weight = static_cast<double>(weights[j]);
        const double share = std::abs(weight);
        sum += weight;
        size += share;
        if (share > 0 || std::isnan(share)) logarithms += share * std::log2(share);
        distance += share * std::abs(query_position - static_cast<int>(j));
        if (weights[j] > peak || std::isnan(weights[j])) peak = weights[j];
    }
    return row_statistics({static_cast<float>(sum), static_cast<float>(size), static_cast<float>(logarithms),
                           static_cast<float>(distance), peak},
                          weights, query_position);
}

WeightStatistics row_statistics(const RowSums& sums, std::span<const float> weights, int query_position) {
    WeightStatistics row;
    row.sum = sums.sum;
    row.peak = sums.peak;
    if (sums.size == 0) return row;
    const auto share_of = [&](int key) {
        if (key < 0 || key >= static_cast<int>(weights.size())) return 0.0F;
        return std::abs(weights[static_cast<std::size_t>(key)]) / sums.size;
    };
    const float entropy = std::log2(sums.size) - sums.logarithms / sums.size;
    row.entropy = std::isnan(entropy) ? entropy : std::max(0.0F, entropy);
    row.effective_keys = std::exp2(row.entropy);
    row.mean_distance = sums.distance / sums.size;
    row.first_token = share_of(0);
    row.diagonal = share_of(query_position);
    row.previous_token = share_of(query_position - 1);
    return row;
}

void summarize(const Model& model, AttentionTrace& trace) {
    trace.heads.assign(static_cast<std::size_t>(model.n_heads), {});
    trace.fully_masked_rows = 0;
    trace.worst_row_sum_error = 0;
    const Keeps keeps = normalizer(model.normalizer->id).keeps;
    for (Index head = 0; head < model.n_heads; ++head) {
        WeightStatistics& total = trace.heads[static_cast<std::size_t>(head)];
        int seeing = 0;
        int sharing = 0;
        for (Index i = 0; i < model.n_queries; ++i) {
            if (!trace.sees_a_key(head, i)) continue;
            ++seeing;
            const WeightStatistics& row = std::as_const(trace).row(head, i);
            add(total, row);
            if (has_shares(row)) ++sharing;
            const float error = sum_error(keeps, row, std::as_const(trace.weights)[head], i);
            // A NaN stays: it compares with nothing.
            if (std::isnan(error) || error > trace.worst_row_sum_error) trace.worst_row_sum_error = error;
        }
        // 0/0 where there is no such row: there is no mean.
        divide(total, static_cast<float>(seeing), static_cast<float>(sharing));
        trace.fully_masked_rows += model.n_queries - seeing;
    }
}

bool any_row_sees(const AttentionTrace& trace, Index head) {
    for (Index i = 0; i < trace.weights.rows(); ++i)
        if (trace.sees_a_key(head, i)) return true;
    return false;
}

std::string mean_in_digits(float mean, int decimals) {
    return std::isnan(mean) ? "—" : decimal(static_cast<double>(mean), decimals);
}

int fully_masked_rows_of_maps(const AttentionTrace& trace) {
    const auto heads = static_cast<int>(std::max<Index>(1, trace.weights.count()));
    return trace.visible.size() == 1 ? trace.fully_masked_rows / heads : trace.fully_masked_rows;
}

}  // namespace heed
