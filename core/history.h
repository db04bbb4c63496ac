// Undo by keeping values: a state is cheap to copy because its matrices are shared blocks.
#pragma once

#include <cstddef>
#include <deque>
#include <numeric>
#include <utility>

namespace heed {

template <typename State>
class History {
public:
    static constexpr std::size_t max_steps = 500;
    static constexpr std::size_t max_bytes = std::size_t{1} << 29;  // the oldest steps make room for large matrices

    explicit History(State start) { states_.push_back(std::move(start)); }

    const State& current() const { return states_[at_]; }
    State& current() { return states_[at_]; }
    bool can_undo() const { return at_ > 0; }
    bool can_redo() const { return at_ + 1 < states_.size(); }

    // A new step, unless nothing changed; whatever could be redone is forgotten. `bytes` is what the state holds beyond
    // what it shares with the one before. The last step can always be undone.
    void record(const State& state, std::size_t bytes = 0) {
        if (state == states_[at_]) return;
        while (states_.size() > at_ + 1) {
            states_.pop_back();
            bytes_.pop_back();
        }
        states_.push_back(state);
        bytes_.push_back(bytes);
        while (states_.size() > max_steps || (states_.size() > 2 && total_bytes() > max_bytes)) {
            states_.pop_front();
            bytes_.pop_front();
        }
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
    std::size_t total_bytes() const { return std::accumulate(bytes_.begin(), bytes_.end(), std::size_t{0}); }

    std::deque<State> states_;
    std::deque<std::size_t> bytes_{0};  // of each state
    std::size_t at_ = 0;
};

}  // namespace heed
