// How attention is told where a token stands. In files and for --set these are fields of the model itself.
#pragma once

#include "core/fields.h"

namespace heed {

std::vector<std::string_view> position_ids();

struct PositionSettings {
    std::string encoding = "none";  // a row of position_encodings()
    bool embedding_scale = true;    // multiply the embeddings by √d_model before a position is added to them
    friend bool operator==(const PositionSettings&, const PositionSettings&) = default;
};

template <MaybeConst<PositionSettings> Self, typename Visit>
void visit_fields(Self& position, Visit&& visit) {
    visit("position", position.encoding, OneOf{position_ids});
    visit("embedding_scale", position.embedding_scale, Anything{});
}

}  // namespace heed
