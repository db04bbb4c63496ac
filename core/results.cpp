#include "core/results.h"

#include <algorithm>
#include <iterator>

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
    by_hash_.clear();
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

Results::Entries::iterator Results::entry_of(std::string_view lane, const KeyView& key) {
    const auto [first, end] = by_hash_.equal_range(key.hash);
    const auto found = std::find_if(
        first, end, [&](const auto& one) { return one.second->lane == lane && one.second->key.view == key; });
    return found == end ? entries_.end() : found->second;
}

Results::Found Results::find_entry(std::string_view lane, const KeyView& key) {
    const std::scoped_lock lock(mutex_);
    const auto entry = entry_of(lane, key);
    if (entry == entries_.end()) return {};
    entries_.splice(entries_.begin(), entries_, entry);
    return {entry->coarse, entry->fine, entry->is_final};
}

void Results::keep_entry(std::string_view lane, AnyKey key, std::shared_ptr<const void> value, std::size_t bytes,
                         bool is_fine) {
    const std::scoped_lock lock(mutex_);
    if (is_fine) forget_queued(lane, key.view);
    auto entry = entry_of(lane, key.view);
    if (entry == entries_.end()) {
        entries_.push_front({std::string(lane), std::move(key), nullptr, nullptr, 0, false});
        entry = entries_.begin();
        by_hash_.emplace(entry->key.view.hash, entry);
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
        if (queued != queued_.end() && queued->second.view == key.view) return;
        if (queued != queued_.end())
            queued->second = std::move(key);
        else
            queued_.emplace_back(lane, std::move(key));
        background = beside_;
    }
    if (background != nullptr) background->later(lane, std::move(work));
}

void Results::give_up_entry(std::string_view lane, const KeyView& key) {
    const std::scoped_lock lock(mutex_);
    forget_queued(lane, key);
    if (const auto entry = entry_of(lane, key); entry != entries_.end()) entry->is_final = true;
}

void Results::forget_queued(std::string_view lane, const KeyView& key) {
    std::erase_if(queued_, [&](const auto& one) { return one.first == lane && one.second.view == key; });
}

void Results::shrink() {
    while (entries_.size() > 1 && (entries_.size() > most_entries || bytes_ > most_bytes)) {
        const auto oldest = std::prev(entries_.end());
        const auto [first, end] = by_hash_.equal_range(oldest->key.view.hash);
        by_hash_.erase(std::find_if(first, end, [&](const auto& one) { return one.second == oldest; }));
        bytes_ -= oldest->bytes;
        entries_.pop_back();
    }
}

}  // namespace heed
