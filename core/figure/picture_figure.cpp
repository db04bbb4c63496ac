// Picture: the picture that is made of tokens, and what the pinned one looks at, laid over it head by head.
#include "core/counting.h"
#include "core/display/cells_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/figure/mark_look.h"
#include "core/figure/page.h"
#include "core/figure/picture_parts.h"
#include "core/figure/rich_text.h"
#include "core/model/picture.h"
#include "core/picture/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {
namespace {

constexpr float gap = 24;
constexpr float tile_gap = 10;
constexpr float smallest_named_tile = 40;  // below it a tile has no words
constexpr float smallest_number_cell = 34;

class PicturePage {
public:
    PicturePage(Figure& figure, const FigureContext& context)
        : pen_{figure, context},
          context_(context),
          model_(context.model),
          tokens_(kept(context, "patch tokens", context.trace.version, [&] { return patch_tokens(context.model); })),
          pin_(pinned_cell(context)),
          head_(shown_head(context)),
          asks_{*tokens_, pin_.query, head_},
          text_(pen_.text) {}

    void draw(Rect page) {
        page = add_picture_verdict(pen_, asks_, page);
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
        const float shape = static_cast<float>(picture_width(*model_.picture)) /
                            static_cast<float>(std::max(1, picture_height(*model_.picture)));
        // A stripe of a picture is drawn wider than it is.
        const float wide = std::clamp(shape, 1.0F / 6, 6.0F);
        const float w = std::max(1.0F, std::min(room.w, room.h * wide));
        return {room.x, room.y, w, w / wide};
    }

    const std::optional<Patch>& query_patch() const { return asks_.patch(); }
    Rect patch_rect(Rect area, Patch patch) const {
        const float w = area.w / static_cast<float>(model_.picture->columns);
        const float h = area.h / static_cast<float>(model_.picture->rows);
        return {area.x + w * static_cast<float>(patch.column), area.y + h * static_cast<float>(patch.row), w, h};
    }
    Patch patch_at(std::size_t place) const {
        const auto columns = static_cast<std::size_t>(model_.picture->columns);
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
                                       .rows = model_.picture->rows,
                                       .cols = model_.picture->columns,
                                       .tooltip = {}});
    }

    void add_grid(Rect area) const {
        const Rect cell = patch_rect(area, {0, 0});
        if (!context_.display.picture->grid || std::min(cell.w, cell.h) < 6) return;
        const Color color = with_alpha(pen_.colors.panel, std::min(cell.w, cell.h) < 20 ? 0.28F : 0.55F);
        const auto line = [&](Point a, Point b) { pen_.figure.marks.emplace_back(LineMark{{a, b}, color, 1}); };
        for (int i = 1; i < model_.picture->columns; ++i) {
            const float x = area.x + cell.w * static_cast<float>(i);
            line({x, area.y}, {x, area.bottom()});
        }
        for (int i = 1; i < model_.picture->rows; ++i) {
            const float y = area.y + cell.h * static_cast<float>(i);
            line({area.x, y}, {area.right(), y});
        }
    }

    void title(const std::string& words, float x, float y, float room, Color color) const {
        pen_.words(shorten(context_.measure, words, text_ - 1, Font::bold, room), {x, y - text_ * 0.6F}, color,
                   AlignX::left, Font::bold, 1, true, AlignY::baseline);
    }

    void add_picture(Rect area) {
        const Picture& picture = *model_.picture;
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
        const auto plain = kept(context_, "picture cells", key, [&] { return plain_cells(context_, *tokens_, cells); });
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
            if (const auto& patch = patches[static_cast<std::size_t>(token)])
                add_frame(patch_rect(area, *patch), color, 1.5F);
        };
        frame(tokens_->key_patch, context_.hovered->key, pen_.colors.key);
        frame(tokens_->query_patch, context_.hovered->query, pen_.colors.query);
    }

    void add_notes(Rect area) const {
        const int all = model_.picture->columns * model_.picture->rows;
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
            for (const std::string& line :
                 wrapped(context_.measure, note, text_ - 2, Font::words, std::max(60.0F, area.w))) {
                pen_.words(line, {area.x, y}, pen_.colors.dim, AlignX::left, Font::words, 2, true);
                y += text_ * 1.2F;
            }
    }

    void add_overlay(Rect area) {
        const auto made = head_overlays(context_, asks_, cells_for(context_, area));
        const auto at = static_cast<std::size_t>(head_);
        std::string heading =
            fill(context_.word("Head {0}: what {1} looks at"), {shown_number(head_), query_words(pen_, asks_)});
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
        const float y =
            add_overlay_bar(pen_, {area.x, area.bottom() + 8, area.w, 10}, made->largest[at], made->attention[at]);
        const double elsewhere = made->attention[at].elsewhere;
        if (elsewhere > 0)
            pen_.words(fill(context_.word("{0} % of its attention is on tokens that are no patches."),
                            {compact(elsewhere * 100)}),
                       {area.x, y}, pen_.colors.dim, AlignX::left, Font::words, 2, true);
    }

    void add_numbers(Rect area, const PatchAttention& attention, float largest) const {
        const Rect cell = patch_rect(area, {0, 0});
        if (!context_.display.cells->numbers || !context_.options.numbers || cell.w < smallest_number_cell ||
            cell.h < text_ * 1.3F)
            return;
        const ColorScale scale = overlay_scale(context_, largest);
        const OverlayLook look = overlay_look(context_);
        const int decimals = std::clamp(decimals_for(scale), 2, 3);
        if (context_.measure.width(decimal(-0.123, decimals), text_ - 4, Font::mono) > cell.w - 4) return;
        for (std::size_t place = 0; place < attention.weights.size(); ++place) {
            const float weight = attention.weights[place];
            if (tokens_->key_of[place] < 0 || attention.visible[place] == 0 || std::isnan(weight)) continue;
            const Patch patch = patch_at(place);
            const PatchLook seen = patch_look(*model_.picture, patch);
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
        const auto made = head_overlays(context_, asks_, cells_for(context_, best));
        for (int head = 0; head < model_.n_heads; ++head) {
            const auto at = static_cast<std::size_t>(head);
            const int column = head % columns, row = head / columns;
            const Rect area{room.x + static_cast<float>(column) * (best.w + tile_gap),
                            room.y + static_cast<float>(row) * (best.h + caption + tile_gap), best.w, best.h};
            add_cells(made->cells[at], {"head", head}, area);
            if (head == head_) add_frame(area, pen_.colors.accent, 2);
            if (query_patch() && best.w > 60 && context_.display.pinned && context_.options.pins)
                pen_.figure.marks.emplace_back(
                    BoxMark{patch_rect(area, *query_patch()), {0, 0, 0, 0}, pen_.colors.query, 1.5F});
            if (!is_named) continue;
            const float y = area.bottom() + text_ * 0.85F;
            pen_.words(shown_number(head), {area.x, y}, head_color(pen_.colors, head), AlignX::left, Font::bold, 2);
            const std::string far = best.w >= 110
                                        ? fill(context_.word("{0} patches away"), {distance_number(made->distance[at])})
                                        : distance_number(made->distance[at]);
            pen_.words(far, {area.right(), y}, pen_.colors.dim, AlignX::right, Font::words, 3);
        }
    }

    PanelPen pen_;
    const FigureContext& context_;
    const Model& model_;
    std::shared_ptr<const PatchTokens> tokens_;
    Cell pin_;
    int head_;
    PictureQuery asks_;
    float text_;
};

// Without a picture: a sentence, and where it can be pressed a button for the one that is built in.
void add_invitation(Figure& figure, const FigureContext& context, Rect page) {
    add_sentence(
        figure, context, page,
        std::string(context.word("This scene has no picture. Open one, or look at the example that is built in.")),
        context.colors().dim);
    if (context.on_paper) return;
    const float text = context.options.text_size;
    const std::string words(context.word("Show the example picture"));
    const float wide = context.measure.width(words, text, Font::bold) + text * 2;
    const Rect box{page.center().x - wide / 2, page.center().y + text * 2.2F, wide, text * 2.1F};
    figure.marks.emplace_back(BoxMark{box, context.colors().accent, {0, 0, 0, 0}, 0, 6});
    figure.marks.emplace_back(TextMark{
        words, box.center(), {text, Font::bold, ink_on(context.colors().accent)}, AlignX::center, AlignY::middle});
    figure.targets.push_back({.id = "example", .kind = TargetKind::button, .area = box, .tooltip = {}});
}

}  // namespace

Figure picture_figure(const FigureContext& context) {
    Figure figure = empty_figure(context);
    const Rect page = add_page(figure, context, 20);
    if (has_picture(*context.model.picture))
        PicturePage(figure, context).draw(page);
    else
        add_invitation(figure, context, page);
    return figure;
}

}  // namespace heed
