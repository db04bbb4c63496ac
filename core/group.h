// A part of a value, kept behind a pointer so that who holds the whole need not know the part.
//
// It copies and compares as the value would and is never empty. A change of the part is compiled into the files that
// include the part's header, not into everything that sees a scene. Its functions are instantiated in core/group.cpp.
#pragma once

namespace heed {

template <typename Value>
class Group {
public:
    Group();
    Group(const Group& other);
    Group& operator=(const Group& other);
    ~Group();

    Value& operator*() { return *value_; }
    const Value& operator*() const { return *value_; }
    Value* operator->() { return value_; }
    const Value* operator->() const { return value_; }

    bool operator==(const Group& other) const;

private:
    Value* value_;
};

}  // namespace heed
