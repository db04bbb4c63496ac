// What makes an input or an edit impossible for a transformer, in sentences for the user.
#include "core/bounds.h"
#include "core/transformer/attention_part.h"
#include "core/transformer/run.h"

#include <algorithm>

namespace heed {

namespace {

using Sentences = std::vector<std::string>;

void check_rows(const std::string& list, const std::vector<int>& rows, int count, Sentences& out) {
    const auto wrong = std::find_if(rows.begin(), rows.end(), [&](int row) { return row < 0 || row >= count; });
    if (wrong == rows.end()) return;
    out.push_back("input." + list + "[" + std::to_string(wrong - rows.begin()) + "]: " + std::to_string(*wrong) +
                  " is not between 0 and " + std::to_string(count - 1));
}

Sentences check_tokens(const TransformerConfig& config, const TransformerInput& input) {
    Sentences out;
    const auto say = [&](const std::string& sentence) { out.push_back("input." + sentence); };
    const Index n = input.n_tokens();
    if (n == 0) say("tokens: there is none");
    if (n > max_tokens) say("tokens: " + std::to_string(n) + " are more than " + std::to_string(max_tokens));
    check_rows("tokens", input.tokens, config.vocabulary, out);
    if (input.tokens.empty() && n > 0 && input.embeddings.cols() != config.d_model)
        say("embeddings: " + std::to_string(input.embeddings.cols()) + " numbers for each token, but d_model is " +
            std::to_string(config.d_model));
    if (config.n_positions > 0 && n > config.n_positions)
        say("tokens: " + std::to_string(n) + " are more than the " + std::to_string(config.n_positions) +
            " positions of the table");
    if (!input.segments.empty() && static_cast<Index>(input.segments.size()) != n)
        say("segments: " + std::to_string(input.segments.size()) + " for " + std::to_string(n) + " tokens");
    if (config.n_segments > 0) check_rows("segments", input.segments, config.n_segments, out);
    const Index m = input.memory.rows();
    if (config.cross_attention && (m == 0 || m > max_tokens || input.memory.cols() != config.d_model))
        say("memory: " + std::to_string(m) + " × " + std::to_string(input.memory.cols()) +
            ", but cross-attention reads rows of " + std::to_string(config.d_model));
    return out;
}

Sentences check_one_edit(const Transformer& transformer, const TransformerInput& input, const LayerEdit& edit) {
    const TransformerConfig& config = transformer.config;
    const std::vector<const Part*> parts = parts_of(config);
    const bool exists = edit.layer >= 0 && edit.layer < config.n_layers &&
                        std::any_of(parts.begin(), parts.end(),
                                    [&](const Part* part) { return part->attends && part->to_memory == edit.cross; });
    if (!exists) return {"edit: layer " + std::to_string(edit.layer) + " has no such attention"};
    const Index n = input.n_tokens();
    Model fresh = attention_settings(config, edit.cross, n, edit.cross ? input.memory.rows() : n, transformer.seed);
    fresh.output_projection = true;
    return check_edit(edit, fresh);
}

}  // namespace

Sentences check_input(const Transformer& transformer, const TransformerInput& input, std::span<const LayerEdit> edits) {
    Sentences out = check_tokens(transformer.config, input);
    if (!out.empty()) return out;
    const Index n = input.n_tokens();
    if (mixer(transformer.config.mixer).attends)
        out = check_settings(attention_settings(transformer.config, false, n, n, transformer.seed));
    for (const LayerEdit& edit : edits)
        for (std::string& sentence : check_one_edit(transformer, input, edit)) out.push_back(std::move(sentence));
    return out;
}

}  // namespace heed
