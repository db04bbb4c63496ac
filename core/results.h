// What pictures ask for in every frame, kept by the values it came from: one bounded place for a window or a command.
//
// Pictures are pure functions of a scene and are made anew for each frame, so what they compute is remembered here. What takes
// longer than a frame comes coarse at once and fine when the work beside the window is done; without a window everything is
// computed in full where it is asked for.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heed {

// Runs what it is handed beside the window; core starts no thread for this itself.
class Background {
public:
    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    virtual ~Background() = default;
    // Work of the same lane that still waits is replaced: only the newest matters. The work catches what it throws.
    virtual void later(std::string_view lane, std::function<void()> work) = 0;
    virtual void finish() = 0;  // blocks until nothing waits or runs
};

// What a result weighs: says it itself by bytes(), or is as large as its type.
template <typename Value>
std::size_t result_bytes(const Value& value) {
    if constexpr (requires {
                      { value.bytes() } -> std::convertible_to<std::size_t>;
                  })
        return value.bytes();
    else if constexpr (requires {
                           value.data();
                           value.size();
                           sizeof(*value.data());
                       })
        return static_cast<std::size_t>(value.size()) * sizeof(*value.data());
    else
        return sizeof(Value);
}

// What keys are looked up by: of numbers, texts and tuples of them. Other types have one for all their values, and are told
// apart by ==.
template <typename Key>
std::size_t result_hash(const Key& key) {
    if constexpr (requires { std::hash<Key>{}(key); }) {
        return std::hash<Key>{}(key);
    } else if constexpr (requires { std::tuple_size<Key>::value; }) {
        std::size_t hash = 0;
        const auto add = [&](std::size_t part) { hash ^= part + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U); };
        std::apply([&](const auto&... parts) { (add(result_hash(parts)), ...); }, key);
        return hash;
    } else {
        return 0;
    }
}

class Results {
public:
    static constexpr std::size_t most_entries = 4096;  // a few for each of 256 heads, all of which one picture may show
    static constexpr std::size_t most_bytes = std::size_t{1} << 29U;  // the newest stays, however large

    Results() = default;
    ~Results() { compute_beside(nullptr); }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    // From then on fine results are computed there. Null: back to computing in place, once what is under way has ended.
    void compute_beside(Background* background);
    void finish();  // blocks until no work is waiting or running
    void clear();
    std::size_t entries() const;
    std::size_t bytes() const;

    // compute(key, fine) → Value. `lane` names what is computed: one lane has one type of key and of value, and one piece of
    // work waiting. What comes back is fine, or coarse while the fine one is under way; never coarse `in_full`, which is for
    // pictures that are drawn once. Key: comparable by ==, copyable.
    template <typename Key, typename Compute>
    auto refined(std::string_view lane, const Key& key, bool in_full, Compute compute)
        -> std::shared_ptr<const std::invoke_result_t<Compute, const Key&, bool>> {
        using Value = std::invoke_result_t<Compute, const Key&, bool>;
        const Found found = find(lane, key);
        if (found.fine) return std::static_pointer_cast<const Value>(found.fine);
        if (in_full || !has_background()) return keep<Value>(lane, key, compute(key, true), true);
        auto coarse = std::static_pointer_cast<const Value>(found.coarse);
        if (coarse && found.is_final) return coarse;
        if (!coarse) coarse = keep<Value>(lane, key, compute(key, false), false);
        later(lane, key, [this, lane = std::string(lane), key, compute] {
            try {
                keep<Value>(lane, key, compute(key, true), true);
            } catch (...) {
                give_up(lane, key);
            }
        });
        return coarse;
    }

    // For what is quick enough to be computed where it is asked for: compute() → Value.
    template <typename Key, typename Compute>
    auto now(std::string_view lane, const Key& key, Compute compute)
        -> std::shared_ptr<const std::invoke_result_t<Compute>> {
        using Value = std::invoke_result_t<Compute>;
        if (const Found found = find(lane, key); found.fine) return std::static_pointer_cast<const Value>(found.fine);
        return keep<Value>(lane, key, compute(), true);  // without the lock: it may take long
    }

private:
    // A key of any type, to be found and compared with another.
    struct KeyView {
        const void* value;
        const std::type_info* type;
        bool (*equal)(const void*, const void*);
        std::size_t hash;
        bool operator==(const KeyView& other) const {
            return hash == other.hash && *type == *other.type && equal(value, other.value);
        }
    };
    template <typename Key>
    static KeyView view_of(std::string_view lane, const Key& key) {
        return {&key, &typeid(Key),
                [](const void* a, const void* b) { return *static_cast<const Key*>(a) == *static_cast<const Key*>(b); },
                result_hash(std::tuple<std::string_view, const Key&>(lane, key))};
    }
    struct AnyKey {
        std::shared_ptr<const void> owner;
        KeyView view;
    };
    template <typename Key>
    static AnyKey any_key(std::string_view lane, const Key& key) {
        auto owner = std::make_shared<const Key>(key);
        const KeyView view = view_of(lane, *owner);
        return {std::move(owner), view};
    }
    struct Entry {
        std::string lane;
        AnyKey key;
        std::shared_ptr<const void> coarse, fine;
        std::size_t bytes = 0;
        bool is_final = false;  // there was no memory for the fine one: the coarse one stays
    };
    struct Found {
        std::shared_ptr<const void> coarse, fine;
        bool is_final = false;
    };

    template <typename Key>
    Found find(std::string_view lane, const Key& key) {
        return find_entry(lane, view_of(lane, key));
    }
    template <typename Value, typename Key>
    std::shared_ptr<const Value> keep(std::string_view lane, const Key& key, Value value, bool is_fine) {
        const std::size_t bytes = result_bytes(value);
        auto shared = std::make_shared<const Value>(std::move(value));
        keep_entry(lane, any_key(lane, key), shared, bytes, is_fine);
        return shared;
    }
    template <typename Key>
    void later(std::string_view lane, const Key& key, const std::function<void()>& work) {
        post(lane, any_key(lane, key), work);
    }
    template <typename Key>
    void give_up(std::string_view lane, const Key& key) {
        give_up_entry(lane, view_of(lane, key));
    }

    bool has_background() const;
    using Entries = std::list<Entry>;
    Entries::iterator entry_of(std::string_view lane, const KeyView& key);  // end() where there is none
    Found find_entry(std::string_view lane, const KeyView& key);
    void keep_entry(std::string_view lane, AnyKey key, std::shared_ptr<const void> value, std::size_t bytes,
                    bool is_fine);
    // Nothing if the lane's newest work is for this key already. Another key's work replaces one that waits, so whoever is
    // asked for again is handed in again.
    void post(std::string_view lane, AnyKey key, std::function<void()> work);
    void give_up_entry(std::string_view lane, const KeyView& key);
    void forget_queued(std::string_view lane, const KeyView& key);
    void shrink();

    mutable std::mutex mutex_;
    Entries entries_;                                                  // newest first
    std::unordered_multimap<std::size_t, Entries::iterator> by_hash_;  // of their keys
    std::size_t bytes_ = 0;
    std::vector<std::pair<std::string, AnyKey>> queued_;  // by lane: whose work was handed in last
    Background* beside_ = nullptr;
};

}  // namespace heed
