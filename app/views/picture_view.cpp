// Picture: its grid, the balance of colour and place, and what a click on a patch means. The picture is core/figure/picture_figure.
#include "app/views/linked_cells.h"
#include "app/views/picture_mask.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/counting.h"
#include "core/display/picture_display.h"
#include "core/edit/picture.h"
#include "core/model/picture.h"
#include "core/model_fields.h"
#include "core/order/permutation.h"
#include "core/picture/patch_tokens.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <cmath>

namespace heed::app {
namespace {

// Next to what is there if it fits, else in a line of its own.
void same_line_for(float width) {
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

template <typename Number>
bool toolbar_slider(Slider look, Number& value) {
    look.own_label_width = true;
    const float width = slider_label_width(look.label) + px(142);
    same_line_for(width);
    ImGui::BeginChild(std::string(look.name).c_str(), {width, px(28)});
    const bool moved = slider(look, value);
    ImGui::EndChild();
    return moved;
}

void show_example(ViewContext& context) {
    Picture example;
    example.kind = PictureKind::example;
    if (open_picture(context.next.model, std::move(example))) context.session.message = mask_is_off();
}

void grid_slider(Model& model, std::string_view name, std::string_view label, std::string_view help, bool is_across) {
    const Picture usual;
    Slider look;
    look.name = name;
    look.label = label;
    look.help = help;
    const Limits ends = limits_of(*model.picture, is_across ? model.picture->columns : model.picture->rows);
    look.low = ends.low;
    look.high = ends.high;
    look.integer = true;
    look.usual = is_across ? usual.columns : usual.rows;
    int value = is_across ? model.picture->columns : model.picture->rows;
    if (toolbar_slider(look, value))
        set_patch_grid(model, is_across ? value : model.picture->columns, is_across ? model.picture->rows : value);
}

// What colour and place have a part in; where the embeddings are not of patches, why it does nothing.
void balance_slider(Model& model) {
    Slider look;
    look.name = "place share";
    look.label = "Place";
    look.help =
        "How much of a patch’s embedding tells of its place; the rest tells of its colours. 0: colour alone, 1: place "
        "alone.";
    const Limits ends = limits_of(*model.picture, model.picture->place_share);
    look.low = static_cast<double>(ends.low);
    look.high = static_cast<double>(ends.high);
    look.usual = static_cast<double>(Picture().place_share);
    if (model.source != Source::projected)
        look.why_not = tr("Q, K and V are set as they are: embeddings take no part.");
    else if (model.embeddings != Embeddings::by_word)
        look.why_not = tr("Embeddings are drawn for places in the row of tokens, not for patches.");
    float share = model.picture->place_share;
    if (toolbar_slider(look, share)) set_place_share(model, share);
}

void picture_buttons(ViewContext& context) {
    Model& model = context.next.model;
    if (small_button("Open picture…", "Takes a PNG file’s picture; its patches become the tokens."))
        context.session.picture_wanted = true;
    ImGui::SameLine();
    if (small_button("Example", "The picture that is built in: a boat on the sea.")) show_example(context);
    if (!has_picture(*model.picture)) return;
    ImGui::SameLine();
    if (small_button(
            "Shuffle patches",
            "Patches change places in the picture. Without place in the embeddings attention follows them exactly.")) {
        const int n = model.picture->columns * model.picture->rows;
        const Permutation order = shuffled(Permutation(n), static_cast<std::uint32_t>(ImGui::GetFrameCount()));
        std::vector<int> places;
        for (int i = 0; i < n; ++i) places.push_back(order[i]);
        show_picture(model, shuffled_patches(*model.picture, places));
    }
    ImGui::SameLine();
    if (small_button("Remove picture", "The tokens keep their names, as words.")) remove_picture(model);
}

void controls(ViewContext& context) {
    Model& model = context.next.model;
    PictureDisplay& display = *context.next.display.picture;
    picture_buttons(context);
    if (!has_picture(*model.picture)) return;
    same_line_for(px(220));
    head_dropdown(context);
    std::vector<Option> options{{std::string(tr("Shine through")), {}, "Shine through"},
                                {std::string(tr("Colour map")), {}, "Colour map"}};
    int overlay = static_cast<int>(display.overlay);
    if (titled_dropdown("Overlay", options, overlay, tr("Overlay"),
                        tr("Patches shine through by their weight, or the weights’ colours lie over a grey picture")))
        display.overlay = static_cast<PictureOverlay>(overlay);
    ImGui::SameLine();
    ChipFlow flow = toolbar_chip_flow();
    chip(flow, "One scale", "One scale", display.common_scale, tr("One scale"),
         tr("All heads against the largest weight among them; off, each against its own."));
    chip(flow, "Grid", "Grid", display.grid, tr("Grid"), tr("Lines between the patches."));
    grid_slider(model, "patches across", "Across", "How many patches stand side by side.", true);
    grid_slider(model, "patches down", "Down", "How many patches stand one above the other.", false);
    balance_slider(model);
}

int place_of(const Model& model, const Hit& hit) {
    return static_cast<int>(hit.row) * model.picture->columns + static_cast<int>(hit.col);
}

// The query and key that a patch stands for; −1 where it is none.
Cell tokens_of(const Model& model, const PatchTokens& tokens, const Hit& hit) {
    const auto place = static_cast<std::size_t>(place_of(model, hit));
    if (place >= tokens.query_of.size()) return {-1, -1};
    return {tokens.query_of[place], tokens.key_of[place]};
}

void patch_tooltip(const ViewContext& context, const Hit& hit, Cell token, int head) {
    std::string text = fill(tr("row {0}, column {1}"), {shown_number(hit.row), shown_number(hit.col)});
    const int query = pinned_cell(context).query;
    if (token.query < 0 && token.key < 0) {
        text += "\n" + std::string(tr("Not among the tokens"));
    } else if (head >= 0 && token.key >= 0) {
        const auto& visible = context.trace.visible_of(head);
        if (visible(query, token.key) == 0)
            text += "\n" + std::string(tr("hidden from this query"));
        else
            text += "\n" + fill(tr("Head {0}: {1}"),
                                {shown_number(head),
                                 compact(static_cast<double>(context.trace.weights[head](query, token.key)))});
    }
    ImGui::SetTooltip("%s", text.c_str());
}

// The head whose map a target is: −1 for the picture itself, nothing where it is neither.
std::optional<int> head_of(const ViewContext& context, const TargetId& target) {
    if (target == "patches") return -1;
    if (target == "overlay") return shown_head(context);
    return target.number_of("head");
}

void act(ViewContext& context, const Figure&, const Interaction& interaction) {
    if (interaction.clicked && interaction.clicked->target == "example") {
        show_example(context);
        return;
    }
    if (!has_picture(*context.model.picture) || (!interaction.hovered && !interaction.clicked)) return;
    const PatchTokens tokens = patch_tokens(context.model);
    const Cell pin = pinned_cell(context);
    if (interaction.hovered)
        if (const auto head = head_of(context, interaction.hovered->target)) {
            const Cell token = tokens_of(context.model, tokens, *interaction.hovered);
            if (*head < 0 && token.query >= 0) context.session.hover.next_cell = Cell{token.query, pin.key};
            if (*head >= 0 && token.key >= 0) context.session.hover.next_cell = Cell{pin.query, token.key};
            if (interaction.hovered->target.name == "head") context.session.hover.next_head = *head;
            patch_tooltip(context, *interaction.hovered, token, *head);
        }
    if (!interaction.clicked) return;
    const auto head = head_of(context, interaction.clicked->target);
    if (!head) return;
    const Cell token = tokens_of(context.model, tokens, *interaction.clicked);
    if (*head >= 0) context.next.display.head = *head;
    // A patch that asks is asked what it looks at; one that is only looked at becomes the key.
    if (token.query >= 0)
        context.next.display.pin = {token.query, context.model.self_attention ? token.query : pin.key};
    else if (token.key >= 0)
        context.next.display.pin = {pin.query, token.key};
    else
        return;
    context.next.display.pinned = true;
}

}  // namespace

std::string mask_is_off() {
    return "— " +
           std::string(tr("The mask would have hidden patches from each other: it is off now. Undo brings it back."));
}

View picture_view() { return {"picture", ImGuiKey_P, controls, act}; }

}  // namespace heed::app
