#include "core/display/block_display.h"
#include "core/files/shown.h"
#include "core/lessons/quantity_rows.h"
#include "core/transformer/block_reading.h"
#include "core/transformer/reach.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

Result<LessonValue> no_stream(std::string_view name) {
    return Error{std::string(name) + ": attention stands alone in this scene"};
}

Result<LessonValue> rows_moved(const Call& call) {
    const std::shared_ptr<const Around>& around = call.trace().around;
    if (around == nullptr) return no_stream("rows_moved");
    const BlockDisplay& display = *call.scene().display.block;
    const int token = std::min(display.nudged, call.model().n_queries - 1);
    const auto key = std::tuple(call.trace().version, token, display.nudge);
    const auto nudge = kept_quantity(call, "lesson nudge", key, [&] {
        return nudge_token(*around, around->layer, token, static_cast<double>(display.nudge));
    });
    if (call.word(0) == "attention") return number_value(nudge->others_moved_by_mixer);
    if (call.word(0) != "feed-forward")
        return Error{"rows_moved: \"" + shown(call.word(0)) + "\" is no part of a block"};
    if (nudge->by_feed.empty()) return Error{"rows_moved: this block has no feed-forward"};
    return number_value(nudge->others_moved_by_feed);
}

Result<LessonValue> linearity_gap(const Call& call) {
    const std::shared_ptr<const Around>& around = call.trace().around;
    if (around == nullptr) return no_stream("linearity_gap");
    const auto measured = kept_quantity(call, "lesson linearity", call.trace().version,
                                        [&] { return linearity_of(*around, around->layer); });
    const std::string& part = call.word(0);
    double gap = 0;
    if (part == "attention")
        gap = measured->attention.doubled;
    else if (part == "values")
        gap = measured->attention_values.doubled;
    else if (part == "feed-forward")
        gap = measured->feed.doubled;
    else
        return Error{"linearity_gap: \"" + shown(part) + "\" is no part of a block"};
    if (std::isnan(gap)) return Error{"linearity_gap: there is nothing to compare"};
    return number_value(gap);
}

Result<LessonValue> not_common(const Call& call) {
    const std::shared_ptr<const Around>& around = call.trace().around;
    if (around == nullptr) return no_stream("share_not_common");
    const std::vector<double> shares = shares_not_common(around->trace);
    const auto layer = static_cast<std::size_t>(call.index(0));
    if (layer >= shares.size())
        return Error{"share_not_common: this scene has " + std::to_string(shares.size() - 1) + " layers"};
    return number_value(shares[layer]);
}

constexpr Argument part{"part", ArgumentKind::word};

constexpr Quantity rows[] = {
    {.name = "rows_moved",
     .help =
         "For how many other tokens \"attention\" or the \"feed-forward\" writes something else when Block’s token is "
         "nudged.",
     .arguments = {part},
     .compute = rows_moved},
    {.name = "linearity_gap",
     .help = "How far f(2x) is from 2·f(x), as a share of its length, for \"attention\", attention in its \"values\" "
             "alone, or "
             "the \"feed-forward\".",
     .arguments = {part},
     .compute = linearity_gap},
    {.name = "share_not_common",
     .help = "The share of the stream that is not common to all tokens, before a layer, or after the last.",
     .arguments = {{"layer", ArgumentKind::layer}},
     .compute = not_common},
};

}  // namespace

std::span<const Quantity> block_quantities() { return rows; }

}  // namespace heed
