// Picture: the picture that is made of tokens, and what the pinned one looks at, laid over it head by head.
#include "core/counting.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/figure/mark_look.h"
#include "core/figure/page.h"
#include "core/figure/picture_overlay.h"
#include "core/figure/rich_text.h"
#include "core/figure/saturation_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace heed {
namespace {

constexpr float gap = 24;
constexpr float tile_gap = 10;
constexpr float smallest_named_tile = 40;  // below it a tile has no words
constexpr float smallest_number_cell = 34;

struct OverlayKey {
    std::uint64_t version;
    int query;
    PatchCells cells;
    OverlayLook look;
    bool is_common, is_log;
    friend bool operator==(const OverlayKey&, const OverlayKey&) = default;
};

// Of all heads: what the pinned query looks at, on which scale.
struct HeadOverlays {
    std::vector<PatchAttention> attention;
    std::vector<float> largest;
    std::vector<PictureCells> cells;
    std::vector<std::optional<double>> distance;  // of this query
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const PictureCells& one : cells) sum += one.bytes();
        for (const PatchAttention& one : attention) sum += one.weights.size() * 5;
        return sum;
    }
};

class PicturePage {
public:
    PicturePage(Figure& figure, const FigureContext& context)
        : pen_{figure, context},
          context_(context),
          model_(context.model),
          tokens_(kept(context, "patch tokens", context.trace.version, [&] { return patch_tokens(context.model); })),
          pin_(pinned_cell(context)),
          head_(shown_head(context)),
          text_(pen_.text) {}

    void draw(Rect page) {
        page = add_verdict(page);
        const bool has_heads = model_.n_heads > 1;
        const bool is_wide = page.w >= 620;
        page = room_of_at_least(pen_.figure, context_, page, text_ * (is_wide || !has_heads ? 20.0F : 30.0F));
        const float foot = text_ * 3.6F;  // the bar, or the notes
        const float top = text_ * 1.7F;   // of titles
        Rect pictures = page;
        Rect heads{};
        // All heads stand beside the pair or below it, whichever leaves the pair larger.
        const float below_h = page.h * (is_wide ? 0.36F : 0.42F);
        const float beside_w = std::clamp(page.w * 0.32F, 180.0F, 460.0F);
        const auto pair_in = [&](float w, float h) {
            return fitted({0, 0, (w - gap) / 2, std::max(1.0F, h - top - foot)});
        };
        if (has_heads && is_wide &&
            pair_in(page.w - beside_w - gap, page.h).w >= pair_in(page.w, page.h - below_h - gap / 2).w) {
            pictures.w = page.w - beside_w - gap;
            heads = {pictures.right() + gap, page.y, beside_w, page.h};
        } else if (has_heads) {
            pictures.h = page.h - below_h - gap / 2;
            heads = {page.x, page.bottom() - below_h, page.w, below_h};
        }
        const Rect area = pair_in(pictures.w, pictures.h);
        // Both of one size, and as a pair in the middle of their room.
        const float left = pictures.x + std::max(0.0F, (pictures.w - gap - 2 * area.w) / 2);
        add_picture({left, pictures.y + top, area.w, area.h});
        add_overlay({left + area.w + gap, pictures.y + top, area.w, area.h});
        if (has_heads) add_heads(heads);
    }

private:
    // The largest rectangle of the picture's shape at the room's top left.
    Rect fitted(Rect room) const {
        const float shape = static_cast<float>(picture_width(model_.picture)) /
                            static_cast<float>(std::max(1, picture_height(model_.picture)));
        // A stripe of a picture is drawn wider than it is.
        const float wide = std::clamp(shape, 1.0F / 6, 6.0F);
        const float w = std::max(1.0F, std::min(room.w, room.h * wide));
        return {room.x, room.y, w, w / wide};
    }

    std::string patch_words(Patch patch) const {
        return fill(context_.word("row {0}, column {1}"), {shown_number(patch.row), shown_number(patch.column)});
    }
    const std::optional<Patch>& query_patch() const { return tokens_->query_patch[static_cast<std::size_t>(pin_.query)]; }
    std::string query_words() const {
        if (query_patch()) return patch_words(*query_patch());
        return "“" + shorten(context_.measure, query_label(model_, pin_.query), text_, Font::bold, 140) + "”";
    }

    Rect patch_rect(Rect area, Patch patch) const {
        const float w = area.w / static_cast<float>(model_.picture.columns);
        const float h = area.h / static_cast<float>(model_.picture.rows);
        return {area.x + w * static_cast<float>(patch.column), area.y + h * static_cast<float>(patch.row), w, h};
    }
    Patch patch_at(std::size_t place) const {
        const auto columns = static_cast<std::size_t>(model_.picture.columns);
        return {static_cast<int>(place / columns), static_cast<int>(place % columns)};
    }

    void add_frame(Rect box, Color color, float width = 2.5F) const {
        pen_.figure.marks.emplace_back(BoxMark{box, {0, 0, 0, 0}, pen_.colors.panel, width + 2});
        pen_.figure.marks.emplace_back(BoxMark{box, {0, 0, 0, 0}, color, width});
    }

    void add_cells(const PictureCells& cells, TargetId id, Rect area) const {
        HeatmapMark map;
        map.id = id.text();
        map.area = area;
        map.values = cells.values;
        map.visible = cells.visible;
        map.cell_colors = cells.colors;
        pen_.figure.marks.emplace_back(std::move(map));
        pen_.figure.targets.push_back({.id = std::move(id),
                                       .kind = TargetKind::cells,
                                       .area = area,
                                       .rows = model_.picture.rows,
                                       .cols = model_.picture.columns,
                                       .tooltip = {}});
    }

    void add_grid(Rect area) const {
        const Rect cell = patch_rect(area, {0, 0});
        if (!context_.display.picture->grid || std::min(cell.w, cell.h) < 6) return;
        const Color color = with_alpha(pen_.colors.panel, std::min(cell.w, cell.h) < 20 ? 0.28F : 0.55F);
        const auto line = [&](Point a, Point b) { pen_.figure.marks.emplace_back(LineMark{{a, b}, color, 1}); };
        for (int i = 1; i < model_.picture.columns; ++i) {
            const float x = area.x + cell.w * static_cast<float>(i);
            line({x, area.y}, {x, area.bottom()});
        }
        for (int i = 1; i < model_.picture.rows; ++i) {
            const float y = area.y + cell.h * static_cast<float>(i);
            line({area.x, y}, {area.right(), y});
        }
    }

    void title(std::string words, float x, float y, float room, Color color) const {
        pen_.words(shorten(context_.measure, words, text_ - 1, Font::bold, room), {x, y - text_ * 0.6F}, color,
                   AlignX::left, Font::bold, 1, true, AlignY::baseline);
    }

    std::shared_ptr<const HeadOverlays> overlays(PatchCells cells) const {
        const OverlayKey key{context_.trace.version,
                             pin_.query,
                             cells,
                             overlay_look(context_),
                             context_.display.picture->common_scale,
                             context_.display.log_scale};
        return kept(context_, "picture overlays", key, [&] {
            HeadOverlays made;
            float common = 0;
            for (int head = 0; head < model_.n_heads; ++head) {
                made.attention.push_back(patch_attention(model_, context_.trace, *tokens_, head, pin_.query));
                made.largest.push_back(largest_weight(made.attention.back()));
                common = std::max(common, made.largest.back());
                made.distance.push_back(patch_distance(context_.trace, *tokens_, head, pin_.query));
            }
            for (int head = 0; head < model_.n_heads; ++head) {
                const auto at = static_cast<std::size_t>(head);
                if (key.is_common) made.largest[at] = common;
                made.cells.push_back(overlaid_cells(context_, made.attention[at], *tokens_,
                                                    overlay_scale(context_, made.largest[at]), cells));
            }
            return made;
        });
    }

    std::shared_ptr<const std::vector<std::optional<double>>> mean_distances() const {
        return kept(context_, "patch distances", context_.trace.version, [&] {
            std::vector<std::optional<double>> mean;
            for (int head = 0; head < model_.n_heads; ++head)
                mean.push_back(mean_patch_distance(context_.trace, *tokens_, head));
            return mean;
        });
    }

    static std::string number_of(const std::optional<double>& distance) {
        if (!distance) return "–";
        return std::isnan(*distance) ? "NaN" : decimal(*distance, 2);
    }

    // Why there is no distance, or what it is of.
    std::string verdict_words(const std::optional<double>& distance) const {
        const std::string head = shown_number(head_);
        if (tokens_->n_keys == 0)
            return std::string(context_.word("None of the keys is a patch of the picture: nothing can be laid over it."));
        if (!query_patch())
            return fill(context_.word("{0} is no patch, so that nothing it looks at is near or far. Its attention with head "
                                      "{1} lies over the picture."),
                        {query_words(), head});
        if (!distance)
            return fill(context_.word("The patch in {0} looks at no patch with head {1}."), {query_words(), head});
        const std::string space = context_.language == Language::chinese ? "" : " ";
        std::string words =
            fill(context_.word("patches away, on average: what the patch in {0} looks at with head {1}."),
                 {query_words(), head});
        if (const auto even = even_patch_distance(context_.trace, *tokens_, head_, pin_.query))
            words += space + fill(context_.word("Looking evenly at every patch it sees would give {0}."),
                                {decimal(*even, 2)});
        const auto mean = (*mean_distances())[static_cast<std::size_t>(head_)];
        if (mean && !std::isnan(*mean))
            words += space + fill(context_.word("Over all patches that ask, the head’s mean is {0}."), {decimal(*mean, 2)});
        return words;
    }

    Rect add_verdict(Rect page) const {
        const auto distance = patch_distance(context_.trace, *tokens_, head_, pin_.query);
        const float large = text_ * 1.9F;
        const std::string number = number_of(distance);
        const float wide = std::max(context_.measure.width(number, large, Font::mono),
                                    context_.measure.width("00.00", large, Font::mono)) +
                           text_;
        const auto lines =
            wrapped(context_.measure, verdict_words(distance), text_ - 1, Font::words, std::max(80.0F, page.w - wide - 2 * text_));
        const float line = (text_ - 1) * 1.4F;
        const float high = std::max(large * 1.2F, line * static_cast<float>(lines.size())) + text_;
        pen_.figure.marks.emplace_back(BoxMark{.area = {page.x, page.y, page.w, high},
                                               .fill = mix(pen_.colors.panel, pen_.colors.accent, 0.07F),
                                               .stroke = mix(pen_.colors.panel, pen_.colors.accent, 0.35F),
                                               .radius = 8});
        pen_.figure.marks.emplace_back(TextMark{number,
                                                {page.x + text_, page.y + high / 2},
                                                {large, Font::mono, pen_.colors.accent},
                                                AlignX::left,
                                                AlignY::middle});
        float y = page.y + high / 2 - line * static_cast<float>(lines.size() - 1) / 2;
        for (const std::string& words : lines) {
            pen_.words(words, {page.x + text_ + wide, y}, pen_.colors.dim, AlignX::left, Font::words, 1, true);
            y += line;
        }
        const float used = high + text_ * 1.2F;
        return {page.x, page.y + used, page.w, std::max(1.0F, page.h - used)};
    }

    void add_picture(Rect area) {
        const Picture& picture = model_.picture;
        std::string heading = picture.columns * picture.rows == 1
                                  ? std::string(context_.word("The picture, one patch"))
                                  : fill(context_.word("The picture, {0} × {1} patches"),
                                         {std::to_string(picture.columns), std::to_string(picture.rows)});
        if (context_.measure.width(heading, text_ - 1, Font::bold) > area.w) heading = context_.word("Picture");
        title(heading, area.x, area.y, area.w, pen_.colors.text);
        const PatchCells cells = cells_for(context_, area);
        const std::array<std::uint64_t, 4> key{context_.trace.version, static_cast<std::uint64_t>(cells.across),
                                               static_cast<std::uint64_t>(cells.down),
                                               static_cast<std::uint64_t>(context_.theme)};
        const auto plain =
            kept(context_, "picture cells", key, [&] { return plain_cells(context_, *tokens_, cells); });
        add_cells(*plain, "patches", area);
        add_grid(area);
        if (query_patch() && context_.display.pinned && context_.options.pins)
            add_frame(patch_rect(area, *query_patch()), pen_.colors.query);
        add_hover(area);
        add_notes(area);
    }

    // The patches of the cell under the mouse, wherever that is.
    void add_hover(Rect area) const {
        if (!context_.hovered) return;
        const auto frame = [&](const std::vector<std::optional<Patch>>& patches, int token, Color color) {
            if (token < 0 || static_cast<std::size_t>(token) >= patches.size()) return;
            if (const auto& patch = patches[static_cast<std::size_t>(token)]) add_frame(patch_rect(area, *patch), color, 1.5F);
        };
        frame(tokens_->key_patch, context_.hovered->key, pen_.colors.key);
        frame(tokens_->query_patch, context_.hovered->query, pen_.colors.query);
    }

    void add_notes(Rect area) const {
        const int all = model_.picture.columns * model_.picture.rows;
        std::vector<std::string> notes;
        if (tokens_->n_queries < all || tokens_->n_keys < all) {
            if (tokens_->n_queries == tokens_->n_keys)
                notes.push_back(fill(context_.word("{0} of {1} patches are tokens; the others are pale."),
                                     {std::to_string(tokens_->n_queries), std::to_string(all)}));
            else
                notes.push_back(
                    fill(context_.word("Of {0} patches {1} are queries and {2} are keys."),
                         {std::to_string(all), std::to_string(tokens_->n_queries), std::to_string(tokens_->n_keys)}));
        }
        if (!context_.on_paper && notes.empty())
            notes.emplace_back(context_.word("Click a patch to see what it looks at."));
        float y = area.bottom() + text_ * 0.9F;
        for (const std::string& note : notes)
            for (const std::string& line : wrapped(context_.measure, note, text_ - 2, Font::words, std::max(60.0F, area.w))) {
                pen_.words(line, {area.x, y}, pen_.colors.dim, AlignX::left, Font::words, 2, true);
                y += text_ * 1.2F;
            }
    }

    void add_overlay(Rect area) {
        const auto made = overlays(cells_for(context_, area));
        const auto at = static_cast<std::size_t>(head_);
        std::string heading = fill(context_.word("Head {0}: what {1} looks at"), {shown_number(head_), query_words()});
        if (context_.measure.width(heading, text_ - 1, Font::bold) > area.w)
            heading = fill(context_.word("Head {0}"), {shown_number(head_)});
        title(heading, area.x, area.y, area.w, pen_.colors.text);
        add_cells(made->cells[at], "overlay", area);
        add_grid(area);
        add_numbers(area, made->attention[at], made->largest[at]);
        if (context_.display.pinned && context_.options.pins) {
            if (const auto& key = tokens_->key_patch[static_cast<std::size_t>(pin_.key)])
                add_frame(patch_rect(area, *key), pen_.colors.key);
            if (query_patch()) add_frame(patch_rect(area, *query_patch()), pen_.colors.query);
        }
        add_hover(area);
        const float y = add_bar({area.x, area.bottom() + 8, area.w, 10}, made->largest[at], made->attention[at]);
        const double elsewhere = made->attention[at].elsewhere;
        if (elsewhere > 0)
            pen_.words(fill(context_.word("{0} % of its attention is on tokens that are no patches."),
                            {compact(elsewhere * 100)}),
                       {area.x, y}, pen_.colors.dim, AlignX::left, Font::words, 2, true);
    }

    void add_numbers(Rect area, const PatchAttention& attention, float largest) const {
        const Rect cell = patch_rect(area, {0, 0});
        if (!context_.display.numbers || !context_.options.numbers || cell.w < smallest_number_cell || cell.h < text_ * 1.3F)
            return;
        const ColorScale scale = overlay_scale(context_, largest);
        const OverlayLook look = overlay_look(context_);
        const int decimals = std::clamp(decimals_for(scale), 2, 3);
        if (context_.measure.width(decimal(-0.123, decimals), text_ - 4, Font::mono) > cell.w - 4) return;
        for (std::size_t place = 0; place < attention.weights.size(); ++place) {
            const float weight = attention.weights[place];
            if (tokens_->key_of[place] < 0 || attention.visible[place] == 0 || std::isnan(weight)) continue;
            const Patch patch = patch_at(place);
            const PatchLook seen = patch_look(model_.picture, patch);
            const auto byte = [](double share) { return static_cast<std::uint8_t>(std::lround(share * 255)); };
            const Color under =
                overlay_color(look, {byte(seen.color[0]), byte(seen.color[1]), byte(seen.color[2]), 255},
                              place_on_scale(scale, std::abs(weight)));
            const Rect box = patch_rect(area, patch);
            pen_.figure.marks.emplace_back(TextMark{decimal(static_cast<double>(weight), decimals),
                                                    box.center(),
                                                    {text_ - 4, Font::mono, ink_on(under)},
                                                    AlignX::center,
                                                    AlignY::middle});
        }
    }

    // The colour that stands for all patches of the picture: their mean.
    Color mean_ink() const {
        const Rgbf mean = mean_color(model_.picture, 0, 0, 1, 1);
        const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
        return {byte(mean.r), byte(mean.g), byte(mean.b), 255};
    }

    // From nothing to the largest weight, as the overlay shows it on a patch of the picture's mean colour; returns where the
    // next line stands.
    float add_bar(Rect bar, float largest, const PatchAttention& attention) const {
        if (!context_.options.color_bars) return bar.y + text_ * 0.6F;
        bar.w = std::min(bar.w, 220.0F);
        const OverlayLook look = overlay_look(context_);
        const Color ink = mean_ink();
        const auto key = std::tuple(look, ink.r, ink.g, ink.b);
        const auto strip = kept(context_, "overlay bar", key, [&] {
            constexpr Index steps = 64;
            auto colors = std::make_shared<std::vector<Color>>();
            for (Index i = 0; i < steps; ++i)
                colors->push_back(overlay_color(look, ink, static_cast<float>(i) / (steps - 1)));
            return PictureCells{view_of(Matrix::Zero(1, steps)), {}, std::move(colors)};
        });
        HeatmapMark mark;
        mark.id = "overlay bar";
        mark.area = bar;
        mark.values = strip->values;
        mark.cell_colors = strip->colors;
        if (bar.w >= 64) pen_.figure.marks.emplace_back(std::move(mark));
        const ColorScale scale = overlay_scale(context_, largest);
        const bool has_negative =
            std::any_of(attention.weights.begin(), attention.weights.end(), [](float weight) { return weight < 0; });
        const float y = bar.bottom() + text_ * 0.75F;
        const std::string low = scale.log ? "≤ " + compact(static_cast<double>(scale.low)) : "0";
        const std::string high = compact(static_cast<double>(largest));
        const std::string alpha = has_negative ? "|α|" : "α";
        if (context_.measure.width(low + high, text_ - 3, Font::mono) + text_ * 3 > bar.w) {
            pen_.words(alpha + " " + low + " – " + high, {bar.x, y}, pen_.colors.dim, AlignX::left, Font::words, 3);
            return y + text_ * 1.3F;
        }
        pen_.words(low, {bar.x, y}, pen_.colors.dim, AlignX::left, Font::mono, 3);
        pen_.words(high, {bar.right(), y}, pen_.colors.dim, AlignX::right, Font::mono, 3);
        pen_.words(alpha, {bar.center().x, y}, pen_.colors.dim, AlignX::center, Font::words, 3);
        return y + text_ * 1.3F;
    }

    void add_heads(Rect room) {
        const float top = text_ * 1.7F;
        title(fill(context_.word("All {0} heads"), {std::to_string(model_.n_heads)}), room.x, room.y + top, room.w,
              pen_.colors.text);
        room = {room.x, room.y + top, room.w, std::max(1.0F, room.h - top)};
        const float caption = text_ * 1.5F;
        int columns = 1;
        Rect best{};
        for (int wide = 1; wide <= model_.n_heads; ++wide) {
            const int high = (model_.n_heads + wide - 1) / wide;
            const float w = (room.w + tile_gap) / static_cast<float>(wide) - tile_gap;
            const float h = (room.h + tile_gap) / static_cast<float>(high) - tile_gap - caption;
            const Rect tile = fitted({0, 0, std::max(1.0F, w), std::max(1.0F, h)});
            if (tile.w <= best.w) continue;
            best = tile;
            columns = wide;
        }
        const bool is_named = best.w >= smallest_named_tile;
        const auto made = overlays(cells_for(context_, best));
        for (int head = 0; head < model_.n_heads; ++head) {
            const auto at = static_cast<std::size_t>(head);
            const Rect area{room.x + static_cast<float>(head % columns) * (best.w + tile_gap),
                            room.y + static_cast<float>(head / columns) * (best.h + caption + tile_gap), best.w, best.h};
            add_cells(made->cells[at], {"head", head}, area);
            if (head == head_) add_frame(area, pen_.colors.accent, 2);
            if (query_patch() && best.w > 60 && context_.display.pinned && context_.options.pins)
                pen_.figure.marks.emplace_back(
                    BoxMark{patch_rect(area, *query_patch()), {0, 0, 0, 0}, pen_.colors.query, 1.5F});
            if (!is_named) continue;
            const float y = area.bottom() + text_ * 0.85F;
            pen_.words(shown_number(head), {area.x, y}, head_color(pen_.colors, head), AlignX::left, Font::bold, 2);
            const std::string far =
                best.w >= 110 ? fill(context_.word("{0} patches away"), {number_of(made->distance[at])})
                              : number_of(made->distance[at]);
            pen_.words(far, {area.right(), y}, pen_.colors.dim, AlignX::right, Font::words, 3);
        }
    }

    PanelPen pen_;
    const FigureContext& context_;
    const Model& model_;
    std::shared_ptr<const PatchTokens> tokens_;
    Cell pin_;
    int head_;
    float text_;
};

// Without a picture: a sentence, and where it can be pressed a button for the one that is built in.
void add_invitation(Figure& figure, const FigureContext& context, Rect page) {
    add_sentence(figure, context, page,
                 std::string(context.word("This scene has no picture. Open one, or look at the example that is built in.")),
                 context.colors().dim);
    if (context.on_paper) return;
    const float text = context.options.text_size;
    const std::string words(context.word("Show the example picture"));
    const float wide = context.measure.width(words, text, Font::bold) + text * 2;
    const Rect box{page.center().x - wide / 2, page.center().y + text * 2.2F, wide, text * 2.1F};
    figure.marks.emplace_back(BoxMark{box, context.colors().accent, {0, 0, 0, 0}, 0, 6});
    figure.marks.emplace_back(TextMark{words,
                                       box.center(),
                                       {text, Font::bold, ink_on(context.colors().accent)},
                                       AlignX::center,
                                       AlignY::middle});
    figure.targets.push_back({.id = "example", .kind = TargetKind::button, .area = box, .tooltip = {}});
}

}  // namespace

Figure picture_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 20);
    if (has_picture(context.model.picture))
        PicturePage(figure, context).draw(page);
    else
        add_invitation(figure, context, page);
    return figure;
}

}  // namespace heed
