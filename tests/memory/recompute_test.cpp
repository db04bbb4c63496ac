// A recompute after one slider move allocates nothing once sizes are settled.
//
// A program of its own, because Eigen's switch must be compiled into the computation itself: tests/CMakeLists.txt builds
// core/attention once more for it, with EIGEN_RUNTIME_NO_MALLOC and with assertions on.
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "tests/memory/count_allocations.h"

#include <gtest/gtest.h>

#include <functional>

#ifndef EIGEN_RUNTIME_NO_MALLOC
#error "this test says nothing without EIGEN_RUNTIME_NO_MALLOC"
#endif

namespace heed::tests {
namespace {

Model model_of(int n) {
    Model model;
    model.n_queries = n;
    model.d_k = model.d_v = 24;
    model.d_model = 16;
    fit_matrices(model);
    return model;
}

// Makes every change once, so that all memory is there, then forbids Eigen to allocate and makes them again.
void expect_no_allocation(Model model, const std::function<void(Model&, int)>& change, Path path) {
    AttentionTrace trace;
    for (int step = 0; step < 4; ++step) {
        change(model, step);
        run_attention(model, trace, path);
    }
    for (int step = 0; step < 4; ++step) {
        change(model, step);
        Eigen::internal::set_is_malloc_allowed(false);
        const int before = allocations_of_this_thread();
        run_attention(model, trace, path);
        const int after = allocations_of_this_thread();
        Eigen::internal::set_is_malloc_allowed(true);
        EXPECT_EQ(after, before) << "step " << step;
    }
}

class Recompute : public testing::TestWithParam<Path> {};
INSTANTIATE_TEST_SUITE_P(Paths, Recompute, testing::Values(Path::plain, Path::always_tuned));

TEST_P(Recompute, AfterATemperatureMoveAllocatesNothing) {
    for (const Normalizer& rule : normalizers())
        for (const ScoreFunction& score : score_functions()) {
            SCOPED_TRACE(std::string(rule.id) + ", " + std::string(score.id));
            Model model = model_of(70);
            model.normalizer->id = rule.id;
            model.score = score.id;
            expect_no_allocation(
                model, [](Model& m, int step) { m.temperature = 1.0F + static_cast<float>(step); }, GetParam());
        }
}

TEST_P(Recompute, AfterAMaskMoveAllocatesNothing) {
    Model model = model_of(70);
    model.mask->window = true;
    model.normalizer->masked_row = MaskedRow::uniform;
    expect_no_allocation(
        model,
        [](Model& m, int step) {
            m.mask->window_left = 2 + step;
            m.mask->stride = step % 2 * 3;
            m.mask->padding = step;
            m.query_offset = -step;
        },
        GetParam());
}

TEST_P(Recompute, AfterAnEditedCellAllocatesNothing) {
    for (const PositionEncoding& position : position_encodings()) {
        SCOPED_TRACE(position.id);
        Model model = model_of(70);
        model.position->encoding = position.id;
        model.source = Source::projected;
        model.output_projection = true;
        model.scale->soft_cap = 3.0F;
        expect_no_allocation(
            model,
            [](Model& m, int step) {
                m.x = m.x.with([&](Matrix& x) { x(1, 2) = static_cast<float>(step); });
                m.heads[0].gain = static_cast<float>(step);
            },
            GetParam());
    }
}

}  // namespace
}  // namespace heed::tests
