// How long an embedding is beside its position, and what that leaves to be seen of either.
#include "core/display/order_display.h"
#include "core/figure/explainer_lines.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/figure/order_panels.h"
#include "core/figure/rich_text.h"
#include "core/order/embedding_scale.h"
#include "core/order/encodings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heed {
namespace {

constexpr double lowest_deviation = 0.001;
constexpr double highest_deviation = 2;

struct WordsKey {
    std::string encoding;
    int width = 0, apart = 0;
    std::uint64_t seed = 0;
    friend bool operator==(const WordsKey&, const WordsKey&) = default;
};

// Cosines against the deviation: nothing of it depends on the one that is chosen.
struct ScaleCurve {
    std::vector<double> words, places;
};
struct ScaleCurves {
    ScaleCurves(const PositionEncoding& encoding, const WordsKey& key, double root)
        : words(encoding, key.width, key.apart, key.seed) {
        constexpr int points = 64;
        for (int i = 0; i <= points; ++i) {
            const double share = static_cast<double>(i) / points;
            const double deviation = lowest_deviation * std::pow(highest_deviation / lowest_deviation, share);
            deviations.push_back(deviation);
            for (const bool is_scaled : {false, true}) {
                const ToldApart told = words.told_apart(deviation, is_scaled ? root : 1);
                ScaleCurve& curve = is_scaled ? scaled : plain;
                curve.words.push_back(told.words);
                curve.places.push_back(told.places);
            }
        }
    }
    std::size_t bytes() const { return words.bytes() + 5 * deviations.size() * sizeof(double); }

    DrawnWords words;
    std::vector<double> deviations;
    ScaleCurve plain, scaled;  // x + PE, and √d·x + PE
};

// Bars with their names at the left, their numbers and a remark at the right.
struct BarRow {
    std::string name;
    double value = 0;
    Color color;
    std::string remark;
    int decimals = -1;  // −1: the digits that matter
};

class ScalePage {
public:
    ScalePage(const PanelPen& pen, Rect room)
        : pen_(pen),
          context_(pen.context),
          display_(*pen.context.display.order),
          encoding_(added_encoding()),
          d_(display_.d_model),
          root_(std::sqrt(static_cast<double>(d_))),
          deviation_(display_.deviation ? static_cast<double>(*display_.deviation) : 1 / root_),
          room_(room) {
        const WordsKey key{std::string(encoding_.id), d_, display_.distance, context_.model.seed};
        curves_ = kept(context_, "scale curves", key, [&] { return ScaleCurves(encoding_, key, root_); });
        words_ = &curves_->words;
    }

    void draw() const {
        const Rect room = pen_.intro(
            room_, fill(context_.word("{0} words drawn with σ = {1} in d = {2}, {3} added; measured, not assumed"),
                        {std::to_string(DrawnWords::n_words), compact(deviation_), std::to_string(d_),
                         pen_.word(encoding_.name)}));
        const float top = room.y + pen_.text * 2.2F;
        const Rect rest{room.x, top, room.w, room.bottom() - top};
        constexpr float wide = 640;
        if (room.w >= wide)
            draw_wide(rest);
        else
            draw_narrow(rest);
    }

private:
    static constexpr float norms_height = 7.2F;     // of the text
    static constexpr float cosines_height = 12.0F;  // the same, with a gap below

    void draw_wide(Rect room) const {
        const float bars_w = (room.w - 36) / 2;
        draw_norms({room.x, room.y, bars_w, room.h});
        draw_about_norms({room.x, room.y + pen_.text * norms_height, bars_w, room.h});
        draw_cosines({room.x + bars_w + 36, room.y, bars_w, room.h});
        const float above = pen_.text * 12.5F;
        draw_curves({room.x, room.y + above, room.w, room.h - above});
    }

    // One below the other. The plot has its room before what is only said.
    void draw_narrow(Rect room) const {
        const float bars = pen_.text * (norms_height + cosines_height);
        const float about_h = pen_.text * (0.6F + 1.3F * static_cast<float>(lines_of(about_norms(), room.w).size()));
        room = room_of_at_least(pen_.figure, context_, room, bars + pen_.text * 13 + about_h);
        draw_norms(room);
        draw_cosines({room.x, room.y + pen_.text * norms_height, room.w, room.h});
        draw_curves({room.x, room.y + bars, room.w, room.h - bars - about_h});
        draw_about_norms({room.x, room.bottom() - about_h, room.w, about_h});
    }

    // The one that is looked at where it is added, else the first that is.
    const PositionEncoding& added_encoding() const {
        const PositionEncoding& chosen = looked_at_encoding(context_.model, display_);
        if (chosen.add != nullptr) return chosen;
        return *std::ranges::find_if(position_encodings(),
                                     [](const PositionEncoding& row) { return row.add != nullptr; });
    }

    void title(const std::string& words, Rect room) const {
        pen_.words(shorten(context_.measure, words, pen_.text - 1, Font::bold, room.w),
                   {room.x, room.y + pen_.text * 0.6F}, pen_.colors.text, AlignX::left, Font::bold, 1);
    }

    void draw_bars(const std::vector<BarRow>& rows, Rect room, double longest) const {
        float name_w = 0;
        for (const BarRow& row : rows)
            name_w = std::max(name_w, rich_width(context_.measure, row.name, pen_.text - 2, Font::words));
        name_w += 12;
        const float number_w = context_.measure.width("0.00e-00", pen_.text - 2, Font::mono) + 8;
        float remark_w = 0;
        for (const BarRow& row : rows)
            remark_w = std::max(remark_w, rich_width(context_.measure, row.remark, pen_.text - 2, Font::words));
        const bool has_remarks = room.w - name_w - number_w - remark_w - 8 >= 40;
        const float room_for_bars = std::max(10.0F, room.w - name_w - number_w - (has_remarks ? remark_w + 8 : 0));
        const float step = room.h / static_cast<float>(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const BarRow& row = rows[i];
            const float y = room.y + step * (static_cast<float>(i) + 0.5F);
            pen_.words(row.name, {room.x + name_w - 12, y}, row.color, AlignX::right);
            const float w =
                std::max(1.0F, room_for_bars * static_cast<float>(std::clamp(row.value / longest, 0.0, 1.0)));
            const Rect bar{room.x + name_w, y - 6, w, 12};
            pen_.figure.marks.emplace_back(BoxMark{.area = bar, .fill = with_alpha(row.color, 0.85F), .radius = 3});
            const std::string number = row.decimals < 0 ? compact(row.value) : decimal(row.value, row.decimals);
            pen_.words(number, {bar.right() + 6, y}, pen_.colors.text, AlignX::left, Font::mono);
            if (has_remarks)
                pen_.words(row.remark,
                           {bar.right() + 14 + context_.measure.width(number, pen_.text - 2, Font::mono), y},
                           pen_.colors.dim);
        }
    }

    double half() const { return std::sqrt(d_ / 2.0); }  // what a position made of sines is long
    bool is_near_half(double share) const {
        return words_->shortest_position() >= half() * (1 - share) &&
               words_->longest_position() <= half() * (1 + share);
    }
    bool is_wave() const { return encoding_.frequency != nullptr; }
    bool is_exact() const { return is_wave() && d_ % 2 == 0 && is_near_half(1e-4); }

    void draw_norms(Rect room) const {
        title(pen_.word("Lengths"), room);
        const double norm = words_->word_norm(deviation_);
        const double position = words_->position_norm();
        constexpr double about_as_long = 0.05;
        // Of few numbers the mean length is below it.
        const double expected = deviation_ * root_;
        const bool is_about = std::abs(norm - expected) <= about_as_long * expected;
        const std::vector<BarRow> rows = {
            {"‖x‖", norm, pen_.colors.text, is_about ? "≈ σ√d" : "σ√d = " + compact(expected)},
            {"√d·‖x‖", norm * root_, pen_.colors.query, is_about ? "≈ σd" : "σd = " + compact(expected * root_)},
            {"‖PE‖", position, pen_.colors.key,
             is_exact()                    ? "= √(d/2)"
             : is_near_half(about_as_long) ? "≈ √(d/2)"
                                           : ""},
        };
        const double longest = std::max({norm, norm * root_, position, root_});
        const float line = pen_.text * 1.7F;
        draw_bars(rows, {room.x, room.y + pen_.text * 1.5F, room.w, line * 3}, longest);
    }

    std::string about_norms() const {
        const bool has_lone_sine = is_wave() && d_ % 2 == 1;
        return fill(
            context_.word(is_exact()
                              ? "‖PE‖ is √(d/2) = {0} exactly: sin² + cos² is 1 in each of d/2 pairs. √d would be {1}."
                          : has_lone_sine
                              ? "‖PE‖² is (d − 1)/2 and the square of the sine left over: ‖PE‖ from {2} to {3} over "
                                "the {4} places "
                                "used, and √(d/2) = {0}. √d would be {1}."
                              : "‖PE‖ is from {2} to {3} over the {4} places used, and √(d/2) = {0}. √d would be {1}."),
            {compact(half()), compact(root_), compact(words_->shortest_position()), compact(words_->longest_position()),
             std::to_string(words_->places_used())});
    }

    void draw_about_norms(Rect room) const {
        float y = room.y + pen_.text * 0.3F;
        for (const std::string& words : lines_of(about_norms(), room.w)) {
            pen_.words(words, {room.x, y}, pen_.colors.dim);
            y += pen_.text * 1.3F;
        }
    }

    std::vector<std::string> lines_of(const std::string& sentence, float width) const {
        return wrapped(context_.measure, sentence, pen_.text - 2, Font::words, width);
    }

    void draw_cosines(Rect room) const {
        title(pen_.word("Cosine of two tokens (1: not to be told apart)"), room);
        const ToldApart plain = words_->told_apart(deviation_, 1);
        const ToldApart scaled = words_->told_apart(deviation_, root_);
        const std::string words = pen_.word("different words, one place");
        const std::string places =
            fill(context_.word("one word, {0} places apart"), {std::to_string(display_.distance)});
        const float line = pen_.text * 1.7F;
        float y = room.y + pen_.text * 1.5F;
        const auto pair = [&](const std::string& name, double without, double with) {
            pen_.words(name, {room.x, y + pen_.text * 0.8F}, pen_.colors.text);
            y += pen_.text * 1.6F;
            draw_bars({{"x + PE", without, pen_.unscaled(), {}, 3}, {"√d·x + PE", with, pen_.scaled(), {}, 3}},
                      {room.x, y, room.w, line * 2}, 1);
            y += line * 2;
        };
        pair(words, plain.words, scaled.words);
        pair(places, plain.places, scaled.places);
    }

    void draw_curves(Rect room) const {
        if (room.h < pen_.text * 8) return;
        // The legend beside the title, or in a line of its own.
        const std::string name = pen_.word("The same against σ"), other = pen_.word("one word, two places");
        const auto width = [&](const std::string& words, Font font) {
            return context_.measure.width(words, pen_.text - 1, font) + 42;
        };
        const bool is_beside = width(name, Font::bold) + width("x + PE", Font::words) +
                                   width("√d·x + PE", Font::words) + width(other, Font::words) <=
                               room.w;
        const float legend_y = pen_.text * (is_beside ? 0.6F : 2.1F), head = pen_.text * (is_beside ? 2.6F : 3.6F);
        PlotMark plot;
        plot.id = "told apart";
        plot.area = {room.x + 46, room.y + head, std::max(60.0F, room.w - 60), std::max(20.0F, room.h - head - 44)};
        title(name, room);
        plot.text_size = pen_.text - 2;
        plot.x.shown = {lowest_deviation, highest_deviation, true};
        plot.x.words = pen_.word("deviation σ of each number of x");
        plot.y.shown = {std::min(0.0, std::ranges::min(curves_->plain.places)), 1.05};
        plot.y.words = "cos";
        plot.series.push_back({.id = "now",
                               .kind = SeriesKind::rules,
                               .x = {deviation_},
                               .color = with_alpha(pen_.colors.dim, 0.5F),
                               .width = 1});
        for (const bool is_scaled : {false, true})
            for (const bool of_words : {true, false})
                add_curve(plot, is_scaled ? curves_->scaled : curves_->plain, is_scaled, of_words);
        plot.points.push_back({.id = "deviation",
                               .x = deviation_,
                               .y = words_->told_apart(deviation_, root_).words,
                               .color = pen_.scaled(),
                               .tooltip = pen_.word("Drag to another σ")});
        pen_.legend(room.right(), room.y + legend_y,
                    {{"x + PE", pen_.unscaled(), "plain"},
                     {"√d·x + PE", pen_.scaled(), "scaled"},
                     {other, pen_.colors.dim, "places", true}},
                    {"told apart"});
        pen_.plot(std::move(plot));
    }

    void add_curve(PlotMark& plot, const ScaleCurve& curve, bool is_scaled, bool of_words) const {
        const Color color = is_scaled ? pen_.scaled() : pen_.unscaled();
        const std::string what = pen_.word(of_words ? "words, one place" : "one word, two places");
        plot.series.push_back({.id = std::string(is_scaled ? "scaled " : "plain ") + (of_words ? "words" : "places"),
                               .legend = of_words ? (is_scaled ? "scaled" : "plain") : "places",
                               .name = what + (is_scaled ? ", √d·x + PE" : ", x + PE"),
                               .x = curves_->deviations,
                               .y = of_words ? curve.words : curve.places,
                               .color = color,
                               .dashed = !of_words});
    }

    const PanelPen& pen_;
    const FigureContext& context_;
    const OrderDisplay& display_;
    const PositionEncoding& encoding_;
    int d_;
    double root_;
    double deviation_;
    Rect room_;
    std::shared_ptr<const ScaleCurves> curves_;
    const DrawnWords* words_ = nullptr;  // of the curves
};

}  // namespace

void add_embedding_scale_page(const PanelPen& pen, Rect room) { ScalePage(pen, room).draw(); }

}  // namespace heed
