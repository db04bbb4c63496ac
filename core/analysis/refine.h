// Results that take longer than a frame: coarse at once, fine when the work beside the window is done.
//
// Pictures are pure functions of a scene and are made again every frame, so what they compute is remembered here by its
// parameters. Without a window everything is computed in full where it is asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace heed {

// Runs what it is handed beside the window; core starts no thread for this itself.
class Background {
public:
    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    virtual ~Background() = default;
    // Work of the same owner that still waits is replaced: only the newest matters. The work catches what it throws.
    virtual void later(const void* owner, std::function<void()> work) = 0;
    virtual void finish() = 0;  // blocks until nothing waits or runs
};

// From then on fine results are computed there. Null: back to computing in place, once what is under way has ended. Whoever
// sets it takes it back before it goes: results are kept longer than a window lives.
void refine_in(Background* background);
bool refines_in_background();
// Blocks until no work is waiting or running.
void finish_refining();
void refine_later(const void* owner, std::function<void()> work);

// Remembers the last few results by key. Key: comparable by ==, copyable.
template <typename Key, typename Value, std::size_t capacity = 24>
class Refined {
public:
    // compute(key, fine) → Value. What is returned is fine, or coarse while the fine one is under way; never coarse `in_full`,
    // which is for pictures that are drawn once.
    template <typename Compute>
    std::shared_ptr<const Value> get(const Key& key, bool in_full, Compute compute) {
        std::shared_ptr<const Value> coarse;
        {
            const std::scoped_lock lock(mutex_);
            for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
                if (!(entry->key == key)) continue;
                entries_.splice(entries_.begin(), entries_, entry);
                if (entry->fine) return entry->fine;
                coarse = entry->coarse;
                if (entry->failed && !in_full && coarse) return coarse;
                break;
            }
        }
        if (in_full || !refines_in_background()) {
            auto fine = std::make_shared<const Value>(compute(key, true));
            keep(key, fine, true);
            return fine;
        }
        if (!coarse) {
            coarse = std::make_shared<const Value>(compute(key, false));
            keep(key, coarse, false);
        }
        if (take_turn(key)) refine_later(this, [this, key, compute] { refine(key, compute); });
        return coarse;
    }

    // For what is quick enough to be computed where it is asked for: compute(key) → Value.
    template <typename Compute>
    std::shared_ptr<const Value> now(const Key& key, Compute compute) {
        {
            const std::scoped_lock lock(mutex_);
            for (const Entry& entry : entries_)
                if (entry.key == key) return entry.fine;
        }
        auto value = std::make_shared<const Value>(compute(key));
        keep(key, value, true);
        return value;
    }

private:
    struct Entry {
        Key key;
        std::shared_ptr<const Value> coarse, fine;
        bool failed = false;  // there was no memory for the fine one: the coarse one stays
    };

    template <typename Compute>
    void refine(const Key& key, Compute compute) {
        try {
            keep(key, std::make_shared<const Value>(compute(key, true)), true);
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            if (queued_ && *queued_ == key) queued_.reset();
            for (Entry& entry : entries_) entry.failed = entry.failed || entry.key == key;
        }
    }

    // False if the newest job is for this key already. Another key's job replaces one that waits, so whoever is asked for again
    // queues again.
    bool take_turn(const Key& key) {
        const std::scoped_lock lock(mutex_);
        if (queued_ && *queued_ == key) return false;
        queued_ = key;
        return true;
    }

    void keep(const Key& key, std::shared_ptr<const Value> value, bool is_fine) {
        const std::scoped_lock lock(mutex_);
        if (is_fine && queued_ && *queued_ == key) queued_.reset();
        for (Entry& entry : entries_) {
            if (!(entry.key == key)) continue;
            (is_fine ? entry.fine : entry.coarse) = std::move(value);
            return;
        }
        entries_.push_front({key, is_fine ? nullptr : value, is_fine ? value : nullptr, false});
        if (entries_.size() > capacity) entries_.pop_back();
    }

    std::mutex mutex_;
    std::list<Entry> entries_;   // newest first
    std::optional<Key> queued_;  // whose job was handed in last
};

}  // namespace heed
