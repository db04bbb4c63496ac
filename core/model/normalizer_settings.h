// How a row of scores becomes weights. In files and for --set these are fields of the model itself.
#pragma once

#include "core/fields.h"

namespace heed {

std::vector<std::string_view> normalizer_ids();

enum class MaskedRow { zero, uniform, nan };  // weights of a query that sees no key
template <>
struct ChoiceIds<MaskedRow> {
    static constexpr const char* ids[] = {"zero", "uniform", "nan"};
};

struct NormalizerSettings {
    std::string id = "softmax";  // a row of normalizers()
    MaskedRow masked_row = MaskedRow::zero;
    friend bool operator==(const NormalizerSettings&, const NormalizerSettings&) = default;
};

template <MaybeConst<NormalizerSettings> Self, typename Visit>
void visit_fields(Self& normalizer, Visit&& visit) {
    visit("normalizer", normalizer.id, OneOf{normalizer_ids});
    visit("masked_row", normalizer.masked_row, Anything{});
}

}  // namespace heed
