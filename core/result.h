// A value, or one sentence for the user saying why there is none.
//
// For what the outside world can get wrong: files, arguments, typed numbers. Our own bugs are asserts.
//
//     Result<NpyArray> array = read_npy("q.npy");
//     if (!array) return Error{array.error()};
//     use(array->values);
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace heed {

struct Error {
    std::string sentence;  // names the file or field and the offending value; one line, shown as it is
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

    explicit operator bool() const { return state_.index() == 0; }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(value()); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // Only where there is no value.
    const std::string& error() const {
        assert(state_.index() == 1);
        return std::get_if<1>(&state_)->sentence;
    }

private:
    T& value() {
        assert(state_.index() == 0);
        return *std::get_if<0>(&state_);
    }
    const T& value() const {
        assert(state_.index() == 0);
        return *std::get_if<0>(&state_);
    }

    std::variant<T, Error> state_;
};

// For work that either succeeds or says why not: `return ok();` or `return Error{…};`.
using Status = Result<std::monostate>;

inline Status ok() { return std::monostate{}; }

}  // namespace heed
