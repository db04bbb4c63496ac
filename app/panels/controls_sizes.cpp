// Tokens, sizes and where Q, K and V come from.
#include "app/panels/controls_sections.h"
#include "app/widgets/number_field.h"
#include "app/widgets/token_field.h"
#include "core/edit/sizes.h"
#include "core/edit/tokens.h"
#include "core/edit/words.h"
#include "core/figure/saturation_panels.h"
#include "core/picture/picture.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace heed::app {

namespace {

std::string count_text(std::size_t n_tokens, int in_use) {
    const std::string used = std::to_string(in_use);
    if (n_tokens <= static_cast<std::size_t>(in_use)) return fill(tr(in_use == 1 ? "{0} token" : "{0} tokens"), {used});
    return fill(tr("{0} of {1} tokens"), {used, std::to_string(n_tokens)});
}

void small_heading(std::string_view words, Color color) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect line(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(20)});
    ImGui::Dummy(line.GetSize());
    text_left(line, 0, words, color, Font::words, small_size);
}

struct SizeRow {
    Size size;
    std::string_view name;  // in controls()
    bool is_width = false;  // of vectors: a power of two in practice
};

constexpr int longest_track = 512;
constexpr std::string_view too_many = "; more would be too many numbers for one scene";

// Typed values go as far as the machine can hold.
bool size_slider(Model& model, const SizeRow& row, int usual) {
    const int largest = largest_size(model, row.size);
    Slider s = slider_of(row.name);
    if (row.size == Size::n_queries && !model.self_attention) s.label = "Queries n";
    s.low = 1;
    s.high = longest_track;
    s.log = true;
    s.integer = true;
    s.powers_of_two = row.is_width;
    s.typed_high = largest;
    s.why_less = too_many;
    s.usual = usual;
    int value = size_of(model, row.size);
    if (!slider(s, value)) return false;
    set_size(model, row.size, value);
    return true;
}

// Through 3 heads on the way from 4 to 2, the wish for 2 key/value heads stays.
void heads_slider(Model& model) {
    ImGuiStorage* storage = ImGui::GetStateStorage();
    const ImGuiID wanted = ImGui::GetID("wanted key/value heads");
    const ImGuiID seen = ImGui::GetID("heads when wanted");
    const int state = model.n_heads * 1000 + model.n_kv_heads;
    if (storage->GetInt(seen) != state)
        storage->SetInt(wanted, model.n_kv_heads == model.n_heads ? 0 : model.n_kv_heads);
    int heads = model.n_heads;
    Slider s = slider_of("heads");
    s.low = 1;
    s.high = 64;
    s.log = true;
    s.integer = true;
    s.typed_high = largest_size(model, Size::n_heads);
    s.why_less = too_many;
    s.usual = Model().n_heads;
    if (slider(s, heads)) {
        const int kv_heads = storage->GetInt(wanted);
        set_heads(model, heads, kv_heads == 0 ? heads : kv_heads);
    }
    storage->SetInt(seen, model.n_heads * 1000 + model.n_kv_heads);
}

// Only divisors of the heads: a step in one direction goes on to the next of them.
void kv_heads_slider(Model& model) {
    Slider s = slider_of("kv heads");
    s.low = 1;
    s.high = std::max(2, model.n_heads);
    s.log = true;
    s.integer = true;
    s.typed_high = model.n_heads;
    s.usual = model.n_heads;
    if (model.n_heads == 1) s.why_not = tr("A single head has nobody to share its keys and values with.");
    int value = model.n_kv_heads;
    if (!slider(s, value)) return;
    const std::vector<int> allowed = divisors(model.n_heads);
    if (value > model.n_kv_heads)
        value = *std::find_if(allowed.begin(), allowed.end() - 1, [&](int d) { return d >= value; });
    else
        value = *std::find_if(allowed.rbegin(), allowed.rend() - 1, [&](int d) { return d <= value; });
    set_size(model, Size::n_kv_heads, value);
}

int words(const std::vector<std::string>& tokens, int otherwise) {
    return tokens.empty() ? otherwise : static_cast<int>(tokens.size());
}

constexpr SliderRow slider_rows[] = {
    {"n",
     [](ViewContext& context) {
         Model& model = context.next.model;
         size_slider(model, {Size::n_queries, "n"}, words(model.query_tokens, model.n_queries));
     }},
    {"m",
     [](ViewContext& context) {
         Model& model = context.next.model;
         size_slider(model, {Size::n_keys, "m"}, words(model.key_tokens, model.n_keys));
     }},
    {"d_model",
     [](ViewContext& context) {
         size_slider(context.next.model, {Size::d_model, "d_model", true}, Model().d_model);
     }},
    {"d_k",
     [](ViewContext& context) {
         size_slider(context.next.model, {Size::d_k, "d_k", true}, Model().d_k);
     }},
    {"d_v",
     [](ViewContext& context) {
         size_slider(context.next.model, {Size::d_v, "d_v", true}, Model().d_v);
     }},
    {"heads", [](ViewContext& context) { heads_slider(context.next.model); }},
    {"kv heads", [](ViewContext& context) { kv_heads_slider(context.next.model); }},
};

void seed_row(Model& model) {
    const Control& row = control("seed");
    const RowColumns columns = row_columns();
    text_left(columns.label, 0, tr(row.label), colors().text);
    ImGui::SetCursorScreenPos({columns.back.Max.x, columns.all.Min.y + px(1)});
    if (small_button("New seed", "Another seed, and every matrix drawn again from it.")) {
        std::uint64_t next = mix_bits(model.seed) % 9999 + 1;
        if (next == model.seed) ++next;
        model.seed = next;
        restart_seed(model);
    }
    const std::string shown = std::to_string(model.seed);
    const auto parsed = [](std::string_view text) {
        std::uint64_t seed = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(seed) : std::nullopt;
    };
    NumberField field{"seed number", shown, false, {}, false};
    field.problem = [&](std::string_view text) {
        return parsed(text) ? std::string() : fill(tr("“{0}” is not a whole number, 0 or more"), {text});
    };
    ImRect box = columns.field;
    const float wide = text_width(Font::mono, small_size, shown) + px(18);
    box.Min.x =
        std::max(std::min(box.Min.x, box.Max.x - wide), columns.back.Max.x + small_button_width("New seed") + px(8));
    if (const std::optional<std::string> typed = number_field(field, box)) {
        model.seed = parsed(*typed).value_or(model.seed);
        restart_seed(model);
    }
    explain(tr(row.label), tr(row.help));
    ImGui::SetCursorScreenPos({columns.back.Max.x, columns.all.Max.y + px(4)});
    if (small_button("Back to the start",
                     "Every matrix as this seed drew it; edits are forgotten. Bias and painted mask stay."))
        restart_seed(model);
    ImGui::SetCursorScreenPos({columns.all.Min.x, ImGui::GetCursorScreenPos().y + px(4)});
}

TokenField token_field_of(std::string_view name, Color color, int in_use) {
    return {control(name).name, "Tokens", control(name).help, color, in_use};
}

// Somebody looks for them: what is typed next goes there.
void focus_tokens(const ViewContext& context, std::string_view name) {
    const Pointing& pointing = context.session.pointing;
    if (pointing.wants_focus && !pointing.stays && pointing.control == name) ImGui::SetKeyboardFocusHere();
}

void edit_tokens(ViewContext& context, const TokenField& field, const std::vector<std::string>& tokens,
                 void (*retype)(Model&, std::string_view), void (*move)(Model&, int, int)) {
    Model& model = context.next.model;
    TokenTyping& typing = context.session.typing;
    const TokenEdit edit = token_field(field, tokens);
    if (edit.is_taken_up || (edit.text && model != typing.last)) typing.start = typing.last = model;
    if (edit.text) {
        model = typing.start;
        retype(model, *edit.text);
        typing.last = model;
    }
    if (edit.moved) move(model, edit.moved->from, edit.moved->to);
}

}  // namespace

std::span<const SliderRow> size_sliders() { return slider_rows; }

namespace {

// The mean colour of the patch that a token is.
std::optional<Color> swatch(const Picture& picture, const std::string& token) {
    const std::optional<Patch> patch = patch_of(picture, token);
    if (!patch) return std::nullopt;
    const PatchLook look = patch_look(picture, *patch);
    const auto byte = [](double share) { return static_cast<std::uint8_t>(std::lround(share * 255)); };
    return Color{byte(look.color[0]), byte(look.color[1]), byte(look.color[2]), 255};
}

}  // namespace

void draw_tokens_section(ViewContext& context) {
    Model& model = context.next.model;
    section("Tokens", model.self_attention ? count_text(model.query_tokens.size(), model.n_queries) : std::string(),
            true);
    const AttentionKind now = attention_kind(model);
    const std::array<Segment, 3> kinds{
        Segment{"self",
                std::string(tr("Self")),
                {},
                std::string(tr("Self-attention: keys and values come from the queries' own tokens.")),
                {}},
        Segment{"cached",
                std::string(tr("With a cache")),
                {},
                std::string(tr(
                    "Self-attention of the last tokens of a sentence: keys and values of the earlier ones were kept, "
                    "as when a decoder writes on.")),
                {}},
        Segment{"cross",
                std::string(tr("Cross")),
                {},
                std::string(
                    tr("Cross-attention: keys and values have tokens of their own, as in a decoder that looks at an "
                       "encoder. Switches Causal off, which compares places in one sentence.")),
                {}}};
    int kind = static_cast<int>(now);
    const auto swatches = [&](TokenField field) {
        if (has_picture(*model.picture))
            field.swatch = [&picture = *context.model.picture](const std::string& token) {
                return swatch(picture, token);
            };
        return field;
    };
    if (const ControlScope scope{context, "attention"}) {
        if (segmented("attention", kinds, kind)) set_attention_kind(model, static_cast<AttentionKind>(kind));
        gap(8);
    }
    if (const ControlScope scope{context, "query tokens"}) {
        if (!model.self_attention)
            small_heading(fill(tr("Queries: {0}"), {count_text(model.query_tokens.size(), model.n_queries)}),
                          colors().query);
        focus_tokens(context, "query tokens");
        edit_tokens(context, swatches(token_field_of("query tokens", colors().query, model.n_queries)),
                    model.query_tokens, set_query_tokens, move_query);
    }
    if (model.self_attention) {
        end_section();
        return;
    }
    gap(4);
    if (const ControlScope scope{context, "key tokens"}) {
        const bool is_cached = now == AttentionKind::cached;
        const std::vector<std::string> earlier = is_cached ? earlier_tokens(model) : model.key_tokens;
        const int in_use = is_cached ? static_cast<int>(earlier.size()) : model.n_keys;
        small_heading(
            fill(tr(is_cached ? "Cached before them: {0}" : "Keys: {0}"), {count_text(earlier.size(), in_use)}),
            colors().key);
        focus_tokens(context, "key tokens");
        edit_tokens(context, swatches(token_field_of("key tokens", colors().key, in_use)), earlier,
                    is_cached ? set_earlier_tokens : set_key_tokens, move_key);
    }
    end_section();
}

void draw_sizes_section(ViewContext& context) {
    Model& model = context.next.model;
    const std::int64_t weights = std::int64_t{model.n_heads} * model.n_queries * effective_n_keys(model);
    section("Sizes", fill(tr(weights == 1 ? "{0} attention weight" : "{0} attention weights"), {thousands(weights)}));
    draw_sliders(context, size_sliders());
    end_section();
}

void draw_source_section(ViewContext& context) {
    Model& model = context.next.model;
    const bool is_projected = model.source == Source::projected;
    section("Source", !is_projected          ? "Q, K, V"
                      : model.self_attention ? "X·W_{Q}, X·W_{K}, X·W_{V}"
                                             : "X·W_{Q}, Y·W_{K}, Y·W_{V}");
    const std::array<Segment, 2> sources{Segment{"direct",
                                                 std::string(tr("Direct")),
                                                 {},
                                                 std::string(tr("Every number of Q, K and V is set as it is.")),
                                                 {}},
                                         Segment{"projected",
                                                 std::string(tr("Projected")),
                                                 {},
                                                 std::string(tr("Q, K and V are embeddings times weights: X·W.")),
                                                 {}}};
    int source = is_projected ? 1 : 0;
    if (const ControlScope scope{context, "source"}) {
        if (segmented("source", sources, source)) model.source = source == 0 ? Source::direct : Source::projected;
        gap(6);
    }
    if (is_projected) {
        const ControlScope scope{context, "word vectors"};
        Switch by_word = switch_of("word vectors", true);
        if (has_picture(*model.picture)) {
            by_word.label = "Vectors of the patches";
            by_word.help =
                "Embeddings tell of a patch’s colours and place, and W_{Q} and W_{K} compare them; words among "
                "the tokens are drawn from the seed. Off, the seed draws all of these, for places.";
        }
        bool is_by_word = model.embeddings == Embeddings::by_word;
        if (scope && switch_row(by_word, is_by_word))
            set_embeddings(model, is_by_word ? Embeddings::by_word : Embeddings::by_place);
    }
    if (const ControlScope scope{context, "seed"}) seed_row(model);
    if (const ControlScope scope{context, "output projection"};
        scope && switch_row(switch_of("output projection", false), model.output_projection))
        fit_matrices(model);
    end_section();
}

}  // namespace heed::app
