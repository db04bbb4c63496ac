// One context vector for all queries against one for each: what lies between, and how far apart the vectors are.
#pragma once

#include "core/attention/trace.h"
#include "core/display/reach_display.h"

#include <vector>

namespace heed {

struct Contexts {
    std::vector<int> queries;            // that are compared: they see a key, and their numbers are finite
    int without_key = 0;                 // queries that see none
    int not_finite = 0;                  // and those whose numbers are not
    int compared_of = 0;                 // how many could have been: more than `queries` where there are many
    int last_key = -1;                   // that any of them sees
    bool shares_hidden = false;          // what is shared uses keys that the mask hides from some query
    std::vector<double> shared_weights;  // m
    Matrix weights;                      // n × m: (1 − own)·shared + own·α; 0 where a query is not compared
    Eigen::RowVectorXd shared;           // d_v: the one vector
    Matrix offsets;  // one row for each of `queries`: how far its own context is from the shared one
    double mean_distance = 0, largest_distance = 0;  // between two contexts, as `own` has them
    int first = -1, second = -1;                     // the queries that are furthest apart
    std::size_t bytes() const {
        return sizeof(Contexts) + static_cast<std::size_t>(weights.size() + offsets.size()) * sizeof(float);
    }
};

inline constexpr int most_contexts = 128;  // of many queries as many are compared, evenly spread

Contexts contexts_of(const Model& model, const AttentionTrace& trace, int head, SharedContext shared, double own);

}  // namespace heed
