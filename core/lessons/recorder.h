// What was done to a scene, as the actions of a lesson that do it again.
#pragma once

#include "core/lessons/lesson.h"
#include "core/scene.h"

#include <vector>

namespace heed {

struct Recorded {
    std::vector<Action> actions;  // at most most_actions
    bool is_whole = true;         // doing them to the first scene gives the second one
};

// From one scene to another: fields that differ, the view, the head, the pinned cell, and a few single numbers of matrices.
Recorded recorded_actions(const Scene& from, const Scene& to);

}  // namespace heed
