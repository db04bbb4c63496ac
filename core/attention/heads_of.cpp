#include "core/attention/heads_of.h"

#include "core/operands.h"

#include <algorithm>

namespace heed {

namespace {

template <typename List>
void keep_part(List& list, int first, int count) {
    if (static_cast<int>(list.size()) < first + count) return;
    list = List(list.begin() + first, list.begin() + first + count);
}

}  // namespace

Model heads_of(const Model& model, int first, int count) {
    Model part = model;
    const int first_kv = kv_head_of(model, first);
    part.n_heads = count;
    part.n_kv_heads = std::max(1, count / heads_per_kv_head(model));
    keep_part(part.heads, first, count);
    for (const OperandRow& row : operands())
        with_member(part, row, [&](auto& member) {
            if constexpr (requires { member.size(); }) {
                if (row.owner == Owner::head) keep_part(member, first, count);
                if (row.owner == Owner::kv_head) keep_part(member, first_kv, part.n_kv_heads);
                if (row.owner == Owner::model_or_head && member.size() > 1) keep_part(member, first, count);
            }
        });
    return part;
}

}  // namespace heed
