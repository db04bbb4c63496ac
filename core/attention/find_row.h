// Looks a table row up by its id.
#pragma once

#include <cassert>
#include <span>
#include <string_view>

namespace heed {

template <typename Row>
const Row& find_row(std::span<const Row> table, std::string_view id) {
    for (const Row& row : table)
        if (row.id == id) return row;
    assert(false && "ids are checked by check_model");
    return table.front();
}

}  // namespace heed
