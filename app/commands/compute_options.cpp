// heed compute and heed cost: attention on arrays, and what its methods take.
#include "app/commands/choice_option.h"
#include "app/commands/compute.h"
#include "app/commands/cost.h"
#include "app/commands/option_checks.h"
#include "app/commands/shared_options.h"
#include "app/commands/subcommands.h"
#include "core/attention/normalizers.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace heed::app {

namespace {

// CLI11 shows the text an option's check returns; empty means that it is fine.
std::string read_window(const std::string& text, MaskSettings& mask) {
    const std::size_t comma = text.find(',');
    const auto left = whole_number(text.substr(0, comma));
    const auto right = comma == std::string::npos ? std::nullopt : whole_number(text.substr(comma + 1));
    if (!left || !right || *left < -1 || *right < -1 || *left > max_tokens || *right > max_tokens)
        return "--window " + text + ": L,R is wanted, two whole numbers between -1 and " + std::to_string(max_tokens) +
               " (-1 leaves that side open)";
    mask.window = true;
    mask.window_left = *left;
    mask.window_right = *right;
    return {};
}

// Names of the scores that have the weights of a hidden layer.
std::string hidden_layer_scores() {
    std::string ids;
    for (const ScoreFunction& row : score_functions())
        if (row.uses_hidden_layer) ids += (ids.empty() ? "" : " or ") + std::string(row.id);
    return ids;
}

// "…: dense, chunked[:chunk], window[:window] …"
std::string method_help() {
    std::vector<std::string> names;
    for (const CostMethod& method : cost_methods()) {
        names.emplace_back(method.id);
        for (const int index : method.parameters)
            if (index >= 0)
                names.back() += "[:" + std::string(cost_parameters()[static_cast<std::size_t>(index)].id) + "]";
    }
    return "how it is computed: " + listed(names, "or");
}

}  // namespace

void add_compute(CLI::App& app, CommandAction& action) {
    auto request = std::make_shared<ComputeRequest>();
    Model& settings = request->settings;
    CLI::App* command =
        app.add_subcommand("compute", "Attention on NPY arrays; writes every stage as NPY into a folder");
    command->add_option("--query", request->files[Operand::q], "Q: (n, d_k) or (heads, n, d_k)")->required();
    command->add_option("--key", request->files[Operand::k], "K: (m, d_k) or (kv_heads, m, d_k)")->required();
    command->add_option("--value", request->files[Operand::v], "V: (m, d_v) or (kv_heads, m, d_v)")->required();
    command->add_option("--out", request->out, "folder for the results; made if it is not there")->required();
    command->add_option("--score", settings.score, "how a query and a key become a number")
        ->check(CLI::IsMember(ids_of(score_functions())))
        ->capture_default_str();
    command->add_option("--additive-wq", request->files[Operand::additive_w_q],
                        "W_q of the additive score: (hidden, d_k)");
    command->add_option("--additive-wk", request->files[Operand::additive_w_k],
                        "W_k of the additive score: (hidden, d_k)");
    command->add_option("--additive-v", request->files[Operand::additive_v], "v of the additive score: (hidden)");
    command
        ->add_option_function<float>(
            "--scale",
            [&settings](float scale) {
                settings.scale->scaling = Scaling::typed;
                settings.scale->typed_scale = scale;
            },
            "multiply q·k by this instead of 1/√d_k")
        ->check(finite_number());
    command->add_option("--temperature", settings.temperature, "divide the scores by this; 0 is the argmax limit")
        ->check(number_from_0())
        ->capture_default_str();
    command
        ->add_option_function<float>(
            "--softcap", [&settings](float cap) { settings.scale->soft_cap = cap; },
            "C·tanh(s/C) after scale and temperature")
        ->check(number_above_0());
    command->add_flag("--causal", settings.mask->causal, "key j is visible to query i where j ≤ i + offset");
    command->add_option_function<std::string>(
        "--window",
        [&settings](const std::string& text) {
            if (const std::string sentence = read_window(text, *settings.mask); !sentence.empty())
                throw CLI::ValidationError(sentence);
        },
        "L,R: visible where i + offset − L ≤ j ≤ i + offset + R; -1 leaves that side open");
    command->add_option("--query-offset", settings.query_offset, "absolute position of the first query")
        ->check(whole_between(-max_tokens, max_tokens))
        ->capture_default_str();
    command->add_option("--padding", settings.mask->padding, "the last keys are padding")
        ->check(whole_between(0, max_tokens))
        ->capture_default_str();
    command->add_option("--mask", request->files[Operand::painted_mask],
                        "bool or uint8, true = visible: (n, m) or (heads, n, m)");
    command->add_option("--bias", request->files[Operand::bias],
                        "added to the scores, −inf hides: (n, m) or (heads, n, m)");
    command->add_option("--normalizer", settings.normalizer->id, "how a row of scores becomes weights")
        ->check(CLI::IsMember(ids_of(normalizers())))
        ->capture_default_str();
    add_choice(command, "--masked-row", settings.normalizer->masked_row, "way with such rows",
               "weights of a query that sees no key: zero, uniform or nan",
               {{"zero", MaskedRow::zero}, {"uniform", MaskedRow::uniform}, {"nan", MaskedRow::nan}});
    std::vector<std::string> positions;  // Q and K are given: there are no embeddings to add to
    for (const PositionEncoding& row : position_encodings())
        if (row.add == nullptr) positions.emplace_back(row.id);
    command->add_option("--position", settings.position->encoding, listed(positions, "or"))
        ->check(CLI::IsMember(positions))
        ->capture_default_str();
    command->add_option("--grad-output", request->grad_output,
                        "G, shaped as the output: also write the gradients of sum(output ⊙ G)");
    command
        ->add_option_function<std::string>(
            "--method",
            [request](const std::string& text) {
                Result<ChosenMethod> method = read_method(text);
                if (!method) throw CLI::ValidationError("--method " + method.error());
                request->method = *method;
            },
            method_help())
        ->default_str("dense");
    add_choice(command, "--precision", request->precision, "precision",
               "auto: float32 where logits are small enough that weights stay within 2e-6 of double precision and "
               "outputs within 2e-6 of the largest |V|; single or double: always, of inputs rounded to float32",
               {{"auto", Precision::automatic}, {"single", Precision::single}, {"double", Precision::exact}});
    command->callback([request, &action] {
        const ScoreFunction& score = score_function(request->settings.score);
        const std::pair<const char*, const std::string&> weights[] = {
            {"--additive-wq", request->files[Operand::additive_w_q]},
            {"--additive-wk", request->files[Operand::additive_w_k]},
            {"--additive-v", request->files[Operand::additive_v]}};
        for (const auto& [name, file] : weights) {
            if (score.uses_hidden_layer && file.empty())
                throw CLI::ValidationError("--score " + std::string(score.id) + " needs " + name);
            if (!score.uses_hidden_layer && !file.empty())
                throw CLI::ValidationError(std::string(name) + " goes with --score " + hidden_layer_scores());
        }
        std::erase_if(request->files, [](const auto& file) { return file.second.empty(); });
        action = [request] { return run_compute(*request); };
    });
}

void add_cost(CLI::App& app, CommandAction& action) {
    auto request = std::make_shared<CostRequest>();
    CLI::App* command =
        app.add_subcommand("cost", "Time, memory and error of the ways to compute attention, measured here, as CSV");
    command
        ->add_option_function<std::string>(
            "--method",
            [request](const std::string& text) {
                std::size_t at = 0;
                while (at <= text.size()) {
                    const std::size_t comma = std::min(text.find(',', at), text.size());
                    Result<ChosenMethod> method = read_method(text.substr(at, comma - at));
                    if (!method) throw CLI::ValidationError("--method " + method.error());
                    request->methods.push_back(*method);
                    at = comma + 1;
                }
            },
            "with commas between them; all if not given; " + method_help())
        ->default_str("all");
    command
        ->add_option_function<std::string>(
            "--n",
            [request](const std::string& text) {
                if (const std::string sentence = read_sizes(text, *request); !sentence.empty())
                    throw CLI::ValidationError(sentence);
            },
            "FROM:TO: tokens, and every power of two between")
        ->default_str("256:4096");
    command->add_option("--d", request->d, "width of each head")->check(whole_between(1, 1024))->capture_default_str();
    command->add_option("--heads", request->heads, "how many")
        ->check(whole_between(1, max_heads))
        ->capture_default_str();
    command->add_option("--out", request->out, "a file ending in .csv")->required()->check(ends_in({".csv"}));
    command->callback([request, &action] { action = [request] { return run_cost(*request); }; });
}

}  // namespace heed::app
