#pragma once

#include "core/fields.h"

namespace heed {

enum class HeadOrder { number, entropy, distance, peak, first_token, diagonal, previous_token };
template <>
struct ChoiceIds<HeadOrder> {
    static constexpr const char* ids[] = {"number",      "entropy",  "distance",      "peak",
                                          "first_token", "diagonal", "previous_token"};
};

enum class HeadsDetail { head, mean, max, winner };  // what the large map shows
template <>
struct ChoiceIds<HeadsDetail> {
    static constexpr const char* ids[] = {"head", "mean", "max", "winner"};
};

struct HeadsDisplay {
    HeadOrder sort = HeadOrder::number;
    HeadsDetail detail = HeadsDetail::head;
    friend bool operator==(const HeadsDisplay&, const HeadsDisplay&) = default;
};

template <MaybeConst<HeadsDisplay> Self, typename Visit>
void visit_fields(Self& heads, Visit&& visit) {
    visit("sort", heads.sort, Anything{});
    visit("detail", heads.detail, Anything{});
}

}  // namespace heed
