#include "core/results.h"

#include <algorithm>

namespace heed {

void Results::compute_beside(Background* background) {
    finish();
    const std::scoped_lock lock(mutex_);
    beside_ = background;
    queued_.clear();
}

void Results::finish() {
    Background* background = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        background = beside_;
    }
    if (background != nullptr) background->finish();
}

void Results::clear() {
    const std::scoped_lock lock(mutex_);
    entries_.clear();
    bytes_ = 0;
}

std::size_t Results::entries() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
}

std::size_t Results::bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
}

bool Results::has_background() const {
    const std::scoped_lock lock(mutex_);
    return beside_ != nullptr;
}

Results::Found Results::find_entry(std::string_view lane, const AnyKey& key) {
    const std::scoped_lock lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        if (entry->lane != lane || !(entry->key == key)) continue;
        entries_.splice(entries_.begin(), entries_, entry);
        return {entry->coarse, entry->fine, entry->is_final};
    }
    return {};
}

void Results::keep_entry(std::string_view lane, AnyKey key, std::shared_ptr<const void> value, std::size_t bytes,
                         bool is_fine) {
    const std::scoped_lock lock(mutex_);
    if (is_fine) forget_queued(lane, key);
    auto entry = std::ranges::find_if(entries_, [&](const Entry& one) { return one.lane == lane && one.key == key; });
    if (entry == entries_.end()) {
        entries_.push_front({std::string(lane), std::move(key), nullptr, nullptr, 0, false});
        entry = entries_.begin();
    }
    if (is_fine) {
        entry->fine = std::move(value);
        entry->coarse = nullptr;
    } else {
        entry->coarse = std::move(value);
    }
    bytes_ = bytes_ - entry->bytes + bytes;
    entry->bytes = bytes;
    shrink();
}

void Results::post(std::string_view lane, AnyKey key, std::function<void()> work) {
    Background* background = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        const auto same_lane = [&](const auto& one) { return one.first == lane; };
        const auto queued = std::ranges::find_if(queued_, same_lane);
        if (queued != queued_.end() && queued->second == key) return;
        if (queued != queued_.end())
            queued->second = std::move(key);
        else
            queued_.emplace_back(lane, std::move(key));
        background = beside_;
    }
    if (background != nullptr) background->later(lane, std::move(work));
}

void Results::give_up_entry(std::string_view lane, const AnyKey& key) {
    const std::scoped_lock lock(mutex_);
    forget_queued(lane, key);
    for (Entry& entry : entries_)
        if (entry.lane == lane && entry.key == key) entry.is_final = true;
}

void Results::forget_queued(std::string_view lane, const AnyKey& key) {
    std::erase_if(queued_, [&](const auto& one) { return one.first == lane && one.second == key; });
}

void Results::shrink() {
    while (entries_.size() > 1 && (entries_.size() > most_entries || bytes_ > most_bytes)) {
        bytes_ -= entries_.back().bytes;
        entries_.pop_back();
    }
}

}  // namespace heed
