// What must wait for what: recurrence, convolution and attention over n tokens, as steps and as time on this machine.
#pragma once

#include "core/cost/measure.h"
#include "core/kernels/attention_kernel.h"

#include <vector>

namespace heed {

// Layers (of a recurrence: steps) until the last token has heard of the first.
double recurrent_reach(Index n);
double convolution_reach(Index n);  // each layer reaches one token further to either side
double dilated_reach(Index n);      // each layer reaches twice as far as the one before
double attention_reach(Index n);

// Multiply-adds of one layer of width d, as it is measured.
double recurrent_adds(Index n, Index d);
double convolution_adds(Index n, Index d);  // dilated or not
double attention_adds(Index n, Index d);

// The two beside attention, as they are measured: x and out n × d, w d × d.
// h_t = tanh(W·h_{t−1} + x_t): each token's state needs the one before.
void recurrence(const Matrix& x, const Matrix& w, Matrix& out);
// The sum of three neighbours times a matrix each, every token at once. One matrix serves all three: it takes as long.
void convolution(const Matrix& x, const Matrix& w, Workspace& workspace, Matrix& out);

struct SequentialPoint {
    Index n = 0;
    double recurrence = 0, convolution = 0, attention = 0;  // milliseconds of one layer of width d
};

// One layer of width d each, n growing. False where it was cancelled.
bool measure_sequential(Index from, Index to, Index d, const MeasureWatch& watch,
                        const std::function<void(const SequentialPoint&)>& point);

}  // namespace heed
