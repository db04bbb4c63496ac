// What depth makes of tokens: the share that is not common to all of them, layer by layer.
#include "core/figure/block_pages.h"
#include "core/figure/cost_pages.h"
#include "core/figure/growing_room.h"
#include "core/figure/kept.h"
#include "core/model/depth.h"
#include "core/transformer/feed_forward.h"
#include "core/transformer/norms.h"
#include "core/transformer/rank_collapse.h"
#include "core/transformer/reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heed {

namespace {

constexpr const char* plot_id = "block depth";
constexpr double least_known =
    1e-6;  // below it a share is the rounding of 32-bit numbers; the logarithmic axis ends there

// A share as far as 32-bit numbers know it; of tokens that are the same it is 0 by its meaning.
std::string known_percent(double share, bool is_zero) {
    return is_zero ? as_percent(0) : share < least_known ? "< 0.0001 %" : as_percent(share);
}

bool all_alike(const Matrix& tokens) {
    for (Index i = 1; i < tokens.rows(); ++i)
        if ((tokens.row(i).array() != tokens.row(0).array()).any()) return false;
    return true;
}

// What the lines over seeds were measured with, which no switch changes.
std::string kept_words(const PanelPen& pen) {
    const auto find = [](bool has_residual) {
        return std::ranges::find_if(collapse_cases(), [&](const CollapseCase& one) {
            return one.residual == has_residual && one.feed_forward != "none";
        });
    };
    const CollapseCase &with = *find(true), &without = *find(false);
    const auto place = [&](const CollapseCase& one) {
        return pen.word(one.norm_place == NormPlace::before ? "before each part" : "after each part");
    };
    return fill(
        pen.context.word("Whatever the scene has, their norm is {0}, {1} with a residual and {2} without, and their "
                         "feed-forward {3}."),
        {pen.word(norm_row(TransformerConfig().norm).name), place(with), place(without),
         pen.word(feed_forward_row(with.feed_forward).name)});
}

Color case_color(const PanelPen& pen, std::size_t index) { return head_color(pen.colors, static_cast<int>(index) + 1); }

Headline headline(const PanelPen& pen, const Around* around, const std::vector<double>& own) {
    const FigureContext& context = pen.context;
    Headline out;
    out.what = pen.word("not common to all tokens at the end");
    out.color = pen.colors.accent;
    if (around == nullptr) {
        out.number = "–";
        out.bold = pen.word("This scene has no stream: what is measured over seeds is shown by itself");
        out.sentence =
            pen.word("Switch on a residual, a norm, a feed-forward or more layers, and the scene's own line appears.");
        return out;
    }
    const double first = own.front(), last = own.back();
    const bool is_one = context.model.n_queries == 1;
    const int layers = around->transformer.config.n_layers;
    // Tokens that became the same on the way may have done so by rounding.
    const bool is_first_zero = all_alike(around->trace.stream(0));
    const bool is_last_zero = is_first_zero && all_alike(around->trace.stream(layers));
    out.number = known_percent(last, is_last_zero);
    if (is_one) {
        out.bold = pen.word("With one token everything is common to all of them");
        return out;
    }
    out.bold = fill(
        context.word(layers == 1
                         ? "Of this scene’s stream {0} is not common to all tokens before its layer, {1} after it"
                         : "Of this scene’s stream {0} is not common to all tokens at first, {1} after {2} layers"),
        {known_percent(first, is_first_zero), known_percent(last, is_last_zero), std::to_string(layers)});
    constexpr double collapsed = 0.05;
    const TransformerConfig& config = around->transformer.config;
    if (!std::isfinite(last))
        out.sentence = pen.word("The stream holds what is no number.");
    else if (last < collapsed && first > 2 * collapsed) {
        out.color = amber(pen);
        out.sentence =
            pen.word(config.residual
                         ? "The tokens have become nearly the same, in spite of the residual: what is written is much "
                           "the same for all."
                         : "The tokens have become nearly the same: what attention writes mixes the values of all it "
                           "sees, and nothing carries the tokens' own numbers past it.");
    } else if (config.residual) {
        out.sentence = pen.word("The residual carries each token's own numbers past attention.");
    } else {
        out.sentence = pen.word("Without a residual only what the parts write keeps tokens apart.");
    }
    return out;
}

std::string below_words(const PanelPen& pen, const std::vector<double>& own) {
    const bool is_zero = !own.empty() && std::ranges::all_of(own, [](double share) { return share == 0; });
    return (is_zero ? pen.word("This scene’s share is 0, which has no place on a logarithmic axis.") + " " : "") +
           pen.word("A line ends where the next share is below 10^{−6}, which 32-bit numbers cannot tell from 0.");
}

}  // namespace

void add_block_depth(const PanelPen& pen, const Around* around, Rect room) {
    const FigureContext& context = pen.context;
    const BlockDisplay& display = *context.display.block;
    const std::vector<double> own = around != nullptr ? shares_not_common(around->trace) : std::vector<double>{};
    room = add_headline(pen, headline(pen, around, own), room);
    const auto curves = refined(context, "block collapse", display.seeds, [](const int& seeds, bool fine) {
        return measure_collapse(max_layers, fine ? seeds : std::min(seeds, 2));
    });
    const std::string about =
        fill(context.word(
                 "Lines: mean over {0} seeds of layers with {1} tokens, d = {2} and {3} heads; bands: the least and "
                 "the most of them. ‖x − mean token‖ / ‖x‖."),
             {std::to_string(curves->seeds), std::to_string(collapse_tokens), std::to_string(collapse_width),
              std::to_string(collapse_heads)}) +
        " " + kept_words(pen) + (display.log ? " " + below_words(pen, own) : "");
    room = room_of_at_least(pen.figure, context, room, pen.text * (room.w < pen.text * 45 ? 34 : 24));
    room = pen.footnotes(room, {about});

    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < collapse_cases().size(); ++i)
        entries.push_back(
            {pen.word(collapse_cases()[i].name), case_color(pen, i), std::string(collapse_cases()[i].id)});
    if (!own.empty()) entries.push_back({pen.word("this scene"), pen.colors.text, "own"});
    float y = room.y + pen.text * 0.8F;
    std::vector<LegendEntry> line;
    float width = 0;
    const auto flush = [&] {
        if (line.empty()) return;
        pen.legend(room.right(), y, line, {plot_id});
        y += pen.text * 1.5F;
        line.clear();
        width = 0;
    };
    for (LegendEntry& entry : entries) {
        const float w = context.measure.width(entry.words, pen.text - 2, Font::words) + 44;
        if (width + w > room.w) flush();
        width += w;
        line.push_back(std::move(entry));
    }
    flush();

    PlotMark plot;
    plot.id = plot_id;
    plot.area = {room.x + 62, y + 4, std::max(60.0F, room.w - 78),
                 std::max(40.0F, room.bottom() - y - pen.text * 3.6F)};
    plot.text_size = pen.text - 2;
    plot.x.shown = {-0.2, max_layers + 0.2};  // room for the first and the last dot
    plot.x.words = pen.word("layers passed");
    plot.y.shown = display.log ? Axis{least_known, 2, true} : Axis{0, 1.05};
    plot.y.words = fitting_words(pen, plot.area.h, "share not common to all tokens", "not common");
    // On the logarithmic axis a line ends with the last share that is known.
    const auto shown = [&](double share) {
        return display.log && !(share >= least_known) ? std::numeric_limits<double>::quiet_NaN() : share;
    };
    std::vector<double> at;
    for (int layer = 0; layer <= max_layers; ++layer) at.push_back(layer);
    for (std::size_t i = 0; i < curves->cases.size(); ++i) {
        const CollapseCurve& curve = curves->cases[i];
        const CollapseCase& one = collapse_cases()[i];
        Series band{
            .id = std::string(one.id) + " band", .legend = std::string(one.id), .kind = SeriesKind::band, .x = at};
        for (std::size_t l = 0; l < curve.mean.size(); ++l) {
            band.y.push_back(display.log ? std::max(curve.most[l], least_known * 1e-3) : curve.most[l]);
            band.low.push_back(display.log ? std::max(curve.least[l], least_known * 1e-3) : curve.least[l]);
        }
        band.color = with_alpha(case_color(pen, i), 0.16F);
        plot.series.push_back(std::move(band));
        Series mean{.id = std::string(one.id), .legend = std::string(one.id), .name = pen.word(one.name), .x = at};
        for (const double share : curve.mean) mean.y.push_back(shown(share));
        mean.color = case_color(pen, i);
        plot.series.push_back(std::move(mean));
    }
    if (!own.empty()) {
        Series mine{.id = "own", .legend = "own", .name = pen.word("this scene"), .color = pen.colors.text};
        for (std::size_t l = 0; l < own.size(); ++l) {
            mine.x.push_back(static_cast<double>(l));
            mine.y.push_back(shown(own[l]));
        }
        mine.width = 3;
        Series dots = mine;
        dots.id = "own points";
        dots.name.clear();
        dots.kind = SeriesKind::points;
        dots.width = 4;
        plot.series.push_back(std::move(mine));
        plot.series.push_back(std::move(dots));
    }
    pen.plot(std::move(plot));
}

}  // namespace heed
