// From q and k to what enters the normaliser: score, scale, temperature, soft cap, bias; and the normaliser itself.
#include "app/panels/controls_sections.h"
#include "app/panels/matrix_editor.h"
#include "core/attention/normalizers.h"
#include "core/attention/pipeline.h"
#include "core/attention/positions.h"
#include "core/attention/score_functions.h"
#include "core/attention/statistics.h"
#include "core/edit/sizes.h"
#include "core/edit/words.h"
#include "core/figure/stage_panel.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"

#include <array>

namespace heed::app {

namespace {

void scale_row(Model& model) {
    const bool has_root = score_function(model.score).scales_by_root_d_k;
    std::vector<Segment> choices;
    std::vector<Scaling> values;
    if (has_root) {
        choices.push_back(
            {"root",
             "1/√d_{k}",
             {},
             std::string(tr("If the components of q and k are independent draws from N(0, 1), a score then has "
                            "variance 1 however long the vectors are. Trained ones need not be.")),
             {}});
        values.push_back(Scaling::automatic);
    }
    choices.push_back(
        {"off", std::string(tr("Off")), {}, std::string(tr("Scores as the score function gives them.")), {}});
    values.push_back(Scaling::off);
    choices.push_back({"typed", std::string(tr("Typed")), {}, std::string(tr("A factor of your own.")), {}});
    values.push_back(Scaling::typed);
    // Automatic is off for a score that asks for no scale.
    const Scaling shown = !has_root && model.scale->scaling == Scaling::automatic ? Scaling::off : model.scale->scaling;
    int chosen = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] == shown) chosen = static_cast<int>(i);
    if (segmented_row("scale", control("scale").label, choices, chosen)) {
        const Scaling next = values[static_cast<std::size_t>(chosen)];
        if (next == Scaling::typed) model.scale->typed_scale = score_scale(model);  // nothing moves until it is dragged
        model.scale->scaling = next;
    }
}

void factor_row(Model& model) {
    Slider s = slider_of("factor");
    s.low = 0.01;
    s.high = 10;
    s.log = true;
    s.typed_low = -1e6;
    s.typed_high = 1e6;
    s.usual = 1.0;
    slider(s, model.scale->typed_scale);
}

void temperature_row(Model& model) {
    Slider s = slider_of("temperature");
    s.low = 0.01;
    s.high = 100;
    s.log = true;
    s.typed_low = 0;
    s.typed_high = 1e6;
    s.usual = 1.0;
    // L1 and L2 keep the ratios of the scores as T → 0, and a soft cap keeps their signs.
    if (normalizer(model.normalizer->id).has_argmax_limit && !model.scale->soft_cap)
        s.zero_word = argmax_row().id;  // typed, as in files
    slider(s, model.temperature);
}

void hidden_size_row(Model& model) {
    Slider s = slider_of("d_additive");
    s.low = 1;
    s.high = 512;
    s.log = true;
    s.integer = true;
    s.powers_of_two = true;
    s.typed_high = largest_size(model, Size::d_additive);
    s.usual = Model().d_additive;
    int hidden = model.d_additive;
    if (slider(s, hidden)) set_size(model, Size::d_additive, hidden);
}

void soft_cap_row(Model& model) {
    Slider cap = slider_of("soft cap");
    cap.low = 0.1;
    cap.high = 100;
    cap.log = true;
    cap.typed_low = 1e-3;
    cap.typed_high = 1e6;
    slider_or_off(cap, model.scale->soft_cap, 10.0F);
}

constexpr SliderRow slider_rows[] = {
    {"d_additive", [](ViewContext& context) { hidden_size_row(context.next.model); }},
    {"factor", [](ViewContext& context) { factor_row(context.next.model); }},
    {"temperature", [](ViewContext& context) { temperature_row(context.next.model); }},
    {"soft cap", [](ViewContext& context) { soft_cap_row(context.next.model); }},
};

void bias_row(ViewContext& context) {
    Model& model = context.next.model;
    switch_row(switch_of("bias", false), model.bias_on);
    if (!model.bias_on) return;
    ImGui::SetCursorScreenPos({row_columns().back.Max.x, ImGui::GetCursorScreenPos().y + px(2)});
    if (small_button("Edit bias…", "Shows the bias in the matrix editor.")) edit_matrix(context.session, "bias");
    gap(2);
}

}  // namespace

std::span<const SliderRow> score_sliders() { return slider_rows; }

void draw_score_section(ViewContext& context) {
    Model& model = context.next.model;
    std::string formula(tr(told_score(model).formula));
    if (model.scale->scaling == Scaling::typed) formula += " · " + compact(model.scale->typed_scale);
    section("Score", formula);
    if (const ControlScope scope{context, "score"}) {
        table_segmented("score", score_functions(), model.score);
        gap(6);
    }
    draw_sliders(context, std::span(slider_rows).first(1));
    if (const ControlScope scope{context, "scale"}) scale_row(model);
    draw_sliders(context, std::span(slider_rows).subspan(1));
    if (const ControlScope scope{context, "bias"}) bias_row(context);
    end_section();
}

void draw_position_section(ViewContext& context) {
    Model& model = context.next.model;
    section("Position", tr(position_encoding(model.position->encoding).formula));
    std::string position = model.position->encoding;
    if (const ControlScope scope{context, "position"}) table_segmented("position", position_encodings(), position);
    if (position != model.position->encoding) set_position(model, position);
    if (control("embedding scale").is_there(model)) {
        gap(6);
        if (const ControlScope scope{context, "embedding scale"})
            switch_row(switch_of("embedding scale", true), model.position->embedding_scale);
    }
    end_section();
}

void draw_normalizer_section(ViewContext& context) {
    Model& model = context.next.model;
    section("Normaliser", tr(normalizer(model.normalizer->id).formula));
    if (const ControlScope scope{context, "normalizer"})
        table_segmented("normalizer", normalizers(), model.normalizer->id);
    end_section();
}

void draw_masked_row_section(ViewContext& context) {
    Model& model = context.next.model;
    const int rows = fully_masked_rows_of_maps(context.trace);
    section("Fully masked row", rows == 0 ? std::string(tr("none now")) : fill(tr("{0} now"), {std::to_string(rows)}));
    const std::array<Segment, 3> choices{
        Segment{"zero",
                std::string(tr("Zeros")),
                {},
                std::string(tr("A query that sees no key gets no weights and the output 0.")),
                {}},
        Segment{"uniform",
                std::string(tr("Uniform")),
                {},
                std::string(tr("A query that sees no key spreads its weight over all of them, as −∞ replaced by a "
                               "large negative number does.")),
                {}},
        Segment{"nan",
                "NaN",
                {},
                std::string(tr("A query that sees no key gives NaN, as a softmax over −∞ does in most frameworks.")),
                {}}};
    int chosen = static_cast<int>(model.normalizer->masked_row);
    if (const ControlScope scope{context, "masked row"}; scope && segmented("masked row", choices, chosen))
        model.normalizer->masked_row = static_cast<MaskedRow>(chosen);
    end_section();
}

}  // namespace heed::app
