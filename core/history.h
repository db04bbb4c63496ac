// Undo by keeping values: a state is cheap to copy because its matrices are shared blocks.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

namespace heed {

template <typename State>
class History {
public:
    static constexpr std::size_t max_steps = 500;

    explicit History(State start) { states_.push_back(std::move(start)); }

    const State& current() const { return states_[at_]; }
    bool can_undo() const { return at_ > 0; }
    bool can_redo() const { return at_ + 1 < states_.size(); }

    // A new step, unless nothing changed; whatever could be redone is forgotten.
    void record(const State& state) {
        if (state == states_[at_]) return;
        states_.resize(at_ + 1, state);
        states_.push_back(state);
        if (states_.size() > max_steps) states_.pop_front();
        at_ = states_.size() - 1;
    }

    const State& undo() {
        if (can_undo()) --at_;
        return current();
    }
    const State& redo() {
        if (can_redo()) ++at_;
        return current();
    }

private:
    std::deque<State> states_;
    std::size_t at_ = 0;
};

}  // namespace heed
