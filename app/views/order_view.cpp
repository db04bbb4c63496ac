// Order: what its buttons, chips, sliders and maps do. The pictures are core/figure/order_figure*.
#include "app/views/linked_cells.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/attention/positions.h"
#include "core/counting.h"
#include "core/display/order_display.h"
#include "core/order/encodings.h"
#include "core/order/place_rules.h"
#include "core/order/shown_order.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

struct Choice {
    std::string_view name;
    std::string_view help;
};
constexpr Choice panels[] = {
    {"Permutation", "Tokens in another order: what moves with them, what stays, and what breaks that"},
    {"Encoding", "A position encoding by itself: its table, its clocks, and how close two places are"},
    {"Embedding scale", "How long an embedding is beside its position, and what √d_model does about it"},
};

// What is shown becomes the order to change, however much of the way to another it was.
void change_order(ViewContext& context, Permutation (*change)(const ViewContext&, const Permutation&)) {
    OrderDisplay& display = *context.next.display.order;
    const ShownOrder order = shown_order(context.model, display);
    show_order(display, change(context, order.permutation));
}

struct OrderButton {
    std::string_view name;
    std::string_view help;
    Permutation (*change)(const ViewContext&, const Permutation&);
    bool is_way_back = false;  // of no use where nothing has moved
};
constexpr OrderButton buttons[] = {
    {"Swap", "Exchanges the two tokens of the pinned cell; the first and the last where it is one and the same",
     [](const ViewContext& context, const Permutation& p) {
         const Cell pin = pinned_cell(context);
         const Permutation places = inverse(p);
         const bool is_pair = context.model.self_attention && pin.query != pin.key;
         return is_pair ? swapped(p, places[pin.query], places[pin.key]) : swapped(p, 0, p.size() - 1);
     }},
    {"Cycle", "Moves every token one place on, and the last to the front",
     [](const ViewContext&, const Permutation& p) { return cycled(p); }},
    {"Reverse", "Turns the order round", [](const ViewContext&, const Permutation& p) { return reversed(p); }},
    {"Shuffle", "Another order at random each time",
     [](const ViewContext& context, const Permutation& p) {
         std::uint64_t seed = context.model.seed;
         for (const int token : p.order()) seed = mix_bits(seed ^ static_cast<std::uint64_t>(token));
         return shuffled(p, seed);
     }},
    {"Put back", "Every token where it was",
     [](const ViewContext&, const Permutation& p) { return Permutation(p.size()); }, true},
};

void side_dropdown(OrderDisplay& display) {
    const std::vector<Option> options = {{std::string(tr("Queries")), {}, "Queries"},
                                         {std::string(tr("Keys")), {}, "Keys"}};
    int side = static_cast<int>(display.side);
    if (titled_dropdown("Moved tokens", options, side, tr("Moved tokens"),
                        tr("Queries and keys are two sentences: which of them changes its order")))
        display.side = static_cast<OrderSide>(side);
    ImGui::SameLine();
}

void permutation_controls(ViewContext& context) {
    OrderDisplay& display = *context.next.display.order;
    head_dropdown(context);
    if (!context.model.self_attention) side_dropdown(display);
    const ShownOrder order = shown_order(context.model, display);
    for (const OrderButton& button : buttons) {
        ImGui::BeginDisabled(button.is_way_back ? order.permutation.is_identity() : order.permutation.size() < 2);
        if (small_button(button.name, button.help)) change_order(context, button.change);
        ImGui::EndDisabled();
        ImGui::SameLine(0, px(6));
    }
    ImGui::SameLine(0, px(14));
    ImGui::BeginDisabled(order.permutation.is_identity());
    if (small_button("Make this the order", "The scene's tokens take these places, with their rows of X, Q, K and V",
                     true)) {
        context.next.model = reordered(context.next.model, shown_order(context.next.model, display));
        show_order(display, Permutation(order.permutation.size()));
    }
    ImGui::EndDisabled();
}

void encoding_dropdown(ViewContext& context) {
    OrderDisplay& display = *context.next.display.order;
    std::vector<Option> options;
    int chosen = 0;
    for (const std::string_view id : looked_at_encodings()) {
        if (id == display.encoding) chosen = static_cast<int>(options.size());
        const bool is_scenes = id == scene_encoding;
        options.push_back(
            {std::string(tr(is_scenes ? "This scene's" : position_encoding(id).name)), {}, std::string(id)});
    }
    if (titled_dropdown("Encoding", options, chosen, tr("Encoding"), tr("Which position encoding is looked at")))
        display.encoding = std::string(looked_at_encodings()[static_cast<std::size_t>(chosen)]);
    ImGui::SameLine();
}

void scale_controls(ViewContext& context) {
    OrderDisplay& display = *context.next.display.order;
    // Three in a line: what their words leave goes to the tracks.
    constexpr std::string_view labels[] = {"d of this experiment", "σ", "Places apart"};
    float words = px(32);
    for (const std::string_view label : labels) words += slider_label_width(label);
    const float rest = std::clamp((ImGui::GetContentRegionAvail().x - words) / 3, px(130), px(210));
    const auto begin = [&](const char* id, std::string_view label) {
        ImGui::BeginChild(id, {slider_label_width(label) + rest, px(28)});
        Slider row;
        row.label = label;
        row.own_label_width = true;
        return row;
    };
    Slider width = begin("width", labels[0]);
    width.name = "d_model shown";
    width.help = "How many numbers a word drawn here has; the scene's own d_model stays as it is";
    const Limits widths = limits_of(display, display.d_model);
    width.low = widths.low;
    width.high = widths.high;
    width.log = true;
    width.integer = true;
    width.powers_of_two = true;
    width.usual = 512;
    slider(width, display.d_model);
    ImGui::EndChild();
    ImGui::SameLine(0, px(16));
    Slider deviation = begin("deviation", labels[1]);
    deviation.name = "deviation";
    deviation.help = "The deviation of each number of an embedding when training starts; 1/√d where none is given";
    deviation.low = 0.001;
    deviation.high = 2;
    deviation.log = true;
    deviation.typed_high = static_cast<double>(limits_of(display, display.deviation).high);
    deviation.off_word = "1/√d";
    slider_or_off(deviation, display.deviation, 0.02F);
    ImGui::EndChild();
    ImGui::SameLine(0, px(16));
    Slider apart = begin("places", labels[2]);
    apart.name = "apart";
    apart.help = "How far apart the two places of one word are";
    const Limits distances = limits_of(display, display.distance);
    apart.low = distances.low;
    apart.high = distances.high;
    apart.integer = true;
    apart.usual = 20;
    slider(apart, display.distance);
    ImGui::EndChild();
}

void controls(ViewContext& context) {
    OrderDisplay& display = *context.next.display.order;
    std::vector<Segment> segments;
    for (const Choice& panel : panels)
        segments.push_back(
            {panel.name, std::string(tr(panel.name)), std::string(tr(panel.name)), std::string(tr(panel.help)), {}});
    int panel = static_cast<int>(display.panel);
    if (segmented("Order panel", segments, panel)) display.panel = static_cast<OrderPanel>(panel);
    switch (display.panel) {
        case OrderPanel::permutation:
            permutation_controls(context);
            break;
        case OrderPanel::encoding:
            encoding_dropdown(context);
            head_dropdown(context);
            ImGui::NewLine();
            break;
        case OrderPanel::scale:
            scale_controls(context);
            break;
    }
}

// Where the dragged chip belongs: after all others whose middle lies before the mouse, line by line.
void drag_chip(ViewContext& context, const Figure& figure, int token, Point mouse) {
    OrderDisplay& display = *context.next.display.order;
    const ShownOrder order = shown_order(context.model, *context.display.order);
    const Permutation places = inverse(order.permutation);
    if (token < 0 || token >= order.permutation.size()) return;
    int before = 0;
    for (const Target& target : figure.targets) {
        const auto other = target.id.number_of("chip");
        if (!other || *other == token) continue;
        const bool is_above = target.area.bottom() <= mouse.y;
        const bool is_below = target.area.y > mouse.y;
        if (is_above || (!is_below && target.area.center().x < mouse.x)) ++before;
    }
    if (before != places[token]) show_order(display, moved(order.permutation, places[token], before));
}

// The tokens that a cell of one of the four maps, or of P, stands for.
std::optional<Cell> tokens_of(const ViewContext& context, const Hit& hit) {
    const ShownOrder order = shown_order(context.model, *context.display.order);
    const auto row = static_cast<int>(hit.row);
    const auto col = static_cast<int>(hit.col);
    if (hit.target == "still") return Cell{row, col};
    if (hit.target == "expected" || hit.target == "actual" || hit.target == "difference")
        return Cell{order.query_at(row), order.key_at(col)};
    return std::nullopt;
}

// The token whose place a row of the encoding's table is.
std::optional<int> token_of_row(const ViewContext& context, const Hit& hit) {
    if (hit.target != "encoding") return std::nullopt;
    const bool is_bias = looked_at_encoding(context.model, *context.display.order).bias != nullptr;
    const int token = static_cast<int>(hit.row) - (is_bias ? 0 : context.model.query_offset);
    if (token < 0 || token >= context.model.n_queries) return std::nullopt;
    return token;
}

void follow_maps(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    if (interaction.hovered) {
        const Hit& hit = *interaction.hovered;
        const HeatmapMark* map = figure.find_heatmap(hit.target.name);
        const std::optional<Cell> tokens = tokens_of(context, hit);
        if (tokens) context.session.hover.next_cell = *tokens;
        if (const auto token = token_of_row(context, hit)) context.session.hover.next_cell = Cell{*token, -1};
        if (const auto chip = hit.target.number_of("chip")) {
            const bool is_key = shown_order(context.model, *context.display.order).side == MovedSide::keys;
            context.session.hover.next_cell = is_key ? Cell{-1, *chip} : Cell{*chip, -1};
        }
        if (map != nullptr && hit.row < map->values.rows && hit.col < map->values.cols) {
            const std::string value = compact(static_cast<double>(map->values.at(hit.row, hit.col)));
            ImGui::SetTooltip("%s",
                              tokens ? fill(tr("“{0}” asks “{1}”: {2}"), {query_label(context.model, tokens->query),
                                                                          key_label(context.model, tokens->key), value})
                                           .c_str()
                                     : value.c_str());
        }
    }
    if (!interaction.clicked) return;
    if (const std::optional<Cell> tokens = tokens_of(context, *interaction.clicked)) {
        Display& display = context.next.display;
        display.pinned = !(display.pinned && display.pin == *tokens);
        display.pin = *tokens;
    } else if (const auto token = token_of_row(context, *interaction.clicked)) {
        context.next.display.pinned = true;
        context.next.display.pin = {*token, pinned_cell(context).key};
    }
}

void switch_rule(ViewContext& context, const std::string& id) {
    for (const PlaceRule& rule : place_rules())
        if (rule.id() == id) rule.set(context.next.model, !rule.is_on(context.next.model));
}

void drag_dot(ViewContext& context, const Hit& hit, const Frame& frame) {
    OrderDisplay& display = *context.next.display.order;
    const double x = frame.data_x(hit.at.x);
    std::string words;
    const auto whole = [&](int& value, const char* symbol) {
        const Limits limits = limits_of(display, value);
        value = static_cast<int>(std::lround(std::clamp<double>(x, limits.low, limits.high)));
        words = symbol + std::to_string(value);
    };
    if (hit.target == "distance") whole(display.distance, "Δ = ");
    if (hit.target == "shift") whole(display.shift, "s = ");
    if (hit.target == "share") {
        display.share = static_cast<float>(std::clamp(std::round(x * 100) / 100, 0.0, 1.0));
        words = decimal(static_cast<double>(display.share) * 100, 0) + " %";
    }
    if (hit.target == "deviation") {
        const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1);
        display.deviation = static_cast<float>(std::clamp(std::round(x / unit) * unit, frame.x.low, frame.x.high));
        words = "σ = " + compact(static_cast<double>(*display.deviation));
    }
    if (!words.empty()) ImGui::SetTooltip("%s", words.c_str());
}

void act(ViewContext& context, const Figure& figure, const Interaction& interaction) {
    follow_maps(context, figure, interaction);
    if (interaction.clicked) {
        const TargetId& target = interaction.clicked->target;
        if (target.name == "rule") switch_rule(context, target.part);
        if (target.name == "rules") context.next.display.order->rules = !context.display.order->rules;
        if (const auto head = target.number_of("slope")) context.next.display.head = *head;
    }
    if (!interaction.dragged) return;
    const Hit& hit = *interaction.dragged;
    if (hit.at.x == interaction.drag_start.x && hit.at.y == interaction.drag_start.y) return;
    if (const auto token = hit.target.number_of("chip")) drag_chip(context, figure, *token, hit.at);
    if (const Frame* frame = figure.find_frame(hit.frame)) drag_dot(context, hit, *frame);
}

bool shows_cell(const Display&) { return false; }  // a pair of tokens, and not where its number comes from

}  // namespace

View order_view() { return {"order", ImGuiKey_8, controls, act, shows_cell}; }

}  // namespace heed::app
