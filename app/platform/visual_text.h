// A line of text in the order in which its characters stand on the screen: right-to-left scripts turned round, Arabic letters in
// the forms they take beside their neighbours. Print does this itself; here characters are drawn one by one.
#pragma once

#include <string>
#include <string_view>

namespace heed::app {

class VisualText {
public:
    explicit VisualText(std::string_view logical);  // UTF-8, which must live as long
    std::string_view text() const { return turned_.empty() ? logical_ : turned_; }

private:
    std::string_view logical_;
    std::string turned_;  // empty: nothing to turn, as in almost all text
};

}  // namespace heed::app
