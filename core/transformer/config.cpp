#include "core/transformer/config.h"

#include "core/bounds.h"
#include "core/model/mask_settings.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/layer_edit.h"
#include "core/transformer/norms.h"
#include "core/transformer/part.h"
#include "core/transformer/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace heed {

namespace {

constexpr int most_layers = 128;
constexpr int max_vocabulary = 1 << 20;
constexpr int max_hidden = 1 << 17;

class ConfigChecker {
public:
    void between(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
        if (value >= low && value <= high) return;
        say(field, std::to_string(value) + " is not between " + std::to_string(low) + " and " + std::to_string(high));
    }

    template <typename Rows>
    void one_of(std::string_view field, const std::string& id, const Rows& rows) {
        if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.id == id; })) return;
        std::string ids;
        for (const auto& row : rows) ids += (ids.empty() ? "" : ", ") + std::string(row.id);
        say(field, "\"" + id + "\" is none of " + ids);
    }

    void say(std::string_view field, const std::string& what) {
        sentences.push_back("transformer." + std::string(field) + ": " + what);
    }

    std::vector<std::string> sentences;
};

}  // namespace

std::vector<std::string> check_config(const TransformerConfig& config) {
    ConfigChecker check;
    check.between("n_layers", config.n_layers, 1, most_layers);
    check.between("d_model", config.d_model, 1, max_width);
    check.between("vocabulary", config.vocabulary, 0, max_vocabulary);
    check.between("n_positions", config.n_positions, 0, max_vocabulary);
    check.between("n_segments", config.n_segments, 0, max_vocabulary);
    check.between("d_ff", config.d_ff, 1, max_hidden);
    check.between("kernel", config.kernel, 1, max_tokens);
    check.between("dilation", config.dilation, 1, max_tokens);
    check.between("dilation_growth", config.dilation_growth, 1, max_tokens);
    check.one_of("mixer", config.mixer, mixers());
    check.one_of("feed_forward", config.feed_forward, feed_forwards());
    check.one_of("norm", config.norm, norms());
    if (!std::isfinite(config.norm_epsilon) || config.norm_epsilon < 0)
        check.say("norm_epsilon", std::to_string(config.norm_epsilon) + " is not a number from 0 on");
    if (config.kernel % 2 == 0 && !config.attention.mask->causal)
        check.say("kernel", std::to_string(config.kernel) + " is even, and only a causal convolution may be");
    if (config.head == OutputHead::tied && config.vocabulary == 0)
        check.say("head", "tied to word embeddings, of which there are none");
    if (config.head == OutputHead::own && config.vocabulary == 0)
        check.say("head", "a head needs a vocabulary, and it is 0");

    Model attention = config.attention;
    attention.d_model = config.d_model;
    for (std::string& sentence : check_settings(attention)) check.sentences.push_back(std::move(sentence));
    for (std::string& sentence : check_masks(attention)) check.sentences.push_back(std::move(sentence));
    if (!check.sentences.empty()) return check.sentences;
    if (const std::int64_t numbers = count_parameters(config); numbers > max_numbers)
        check.say("d_model", "these sizes have " + std::to_string(numbers) + " numbers, more than the " +
                                 std::to_string(max_numbers) + " Heed can hold");
    return check.sentences;
}

int dilation_of(const TransformerConfig& config, int layer) {
    std::int64_t dilation = config.dilation;
    for (int below = 0; below < layer && dilation < max_tokens; ++below) dilation *= config.dilation_growth;
    return static_cast<int>(std::min<std::int64_t>(dilation, max_tokens));
}

}  // namespace heed
