#include "app/take_away/handout_question.h"

#include "core/figure/rich_text.h"
#include "core/lessons/axis_name.h"

#include <algorithm>
#include <cmath>

namespace heed::app {

namespace {

constexpr float inset = 14;
constexpr float sketch_width = 340;
constexpr float sketch_height = 170;

// One below the other inside a box.
class BoxWriter {
public:
    BoxWriter(const TypesetStyle& style, float width, const TextMeasure& measure)
        : style_(style), inner_(width - 2 * inset), measure_(measure), colors_(palette(style.theme)) {
        figure_.width = width;
        figure_.theme = style.theme;
        figure_.marks.emplace_back(BoxMark{});
    }

    void label(std::string_view words) {
        TextMark mark{std::string(words), {inset, y_ + 12}, {12, Font::bold, colors_.accent}};
        mark.plain = true;
        figure_.marks.emplace_back(std::move(mark));
        y_ += 20;
    }

    void markdown(const std::string& text, float indent = 0) {
        TypesetText set = typeset(text, style_, inner_ - indent, measure_);
        const float height = set.figure.height;
        figure_.place(std::move(set.figure), inset + indent, y_);
        y_ += height;
    }

    void option(const std::string& text, bool is_ticked) {
        const float middle = y_ + style_.line_spacing * style_.size / 2;
        BoxMark box;
        box.area = {inset + 2, middle - 6, 12, 12};
        box.stroke = colors_.dim;
        box.radius = 2;
        figure_.marks.emplace_back(box);
        if (is_ticked)
            figure_.marks.emplace_back(LineMark{
                {{inset + 4, middle}, {inset + 7, middle + 3.5F}, {inset + 13.5F, middle - 7}}, colors_.accent, 2});
        markdown(text, 24);
        y_ += 2;
    }

    // Lines to write on, each after its word.
    void blanks(const std::vector<std::string>& words) {
        y_ += 18;
        float x = inset;
        for (const std::string& word : words) {
            TextMark mark{word, {x, y_ + 6}, {12, Font::words, colors_.dim}};
            mark.plain = true;
            figure_.marks.emplace_back(std::move(mark));
            x += measure_.width(word, 12, Font::words) + 8;
            figure_.marks.emplace_back(LineMark{{{x, y_ + 8}, {x + 170, y_ + 8}}, colors_.faint, 1});
            x += 170 + 24;
        }
        y_ += 16;
    }

    void sketch(const Question& question, const std::vector<SketchPoint>& curve, Language language) {
        const Rect area{inset + 44, y_ + 8, sketch_width, sketch_height};
        BoxMark frame;
        frame.area = area;
        frame.stroke = colors_.faint;
        figure_.marks.emplace_back(frame);
        const auto tick = [&](const std::string& words, Point at, AlignX align, bool is_rich = false) {
            TextMark mark{words, at, {11, Font::words, colors_.dim}, align};
            mark.plain = !is_rich;
            figure_.marks.emplace_back(std::move(mark));
        };
        tick(axis_end(question.high), {area.x - 6, area.y + 8}, AlignX::right);
        tick(axis_end(question.low), {area.x - 6, area.bottom()}, AlignX::right);
        tick(axis_end(question.over.from), {area.x, area.bottom() + 15}, AlignX::left);
        tick(axis_title(question.over, language), {area.center().x, area.bottom() + 15}, AlignX::center, true);
        tick(axis_end(question.over.to), {area.right(), area.bottom() + 15}, AlignX::right);
        LineMark line{{}, colors_.accent, 2};
        const double range = question.high - question.low;
        for (const SketchPoint& point : curve) {
            const double share = range != 0 ? (point.y - question.low) / range : 0;
            line.points.push_back({area.x + static_cast<float>(point.x) * area.w,
                                   area.bottom() - static_cast<float>(std::clamp(share, 0.0, 1.0)) * area.h});
        }
        if (line.points.size() > 1) figure_.marks.emplace_back(std::move(line));
        y_ += sketch_height + 30;
    }

    // Columns that no cell fills are left out; without the true ones there are lines to write on.
    void row(const std::vector<PaperCell>& cells, Language language) {
        constexpr float line = 20;
        struct Column {
            std::string_view english;
            std::string PaperCell::*text;
        };
        static constexpr Column columns[] = {{"Key", &PaperCell::label},
                                             {"Score", &PaperCell::score},
                                             {"Claimed", &PaperCell::claimed},
                                             {"True", &PaperCell::truth},
                                             {"Off by", &PaperCell::difference}};
        const auto has = [&](const Column& column) {
            return std::ranges::any_of(cells, [&](const PaperCell& cell) { return !(cell.*column.text).empty(); });
        };
        const auto words = [&](std::string text, float x, float y, Color color) {
            TextMark mark{std::move(text), {x, y + 14}, {12, Font::words, color}};
            mark.plain = true;
            figure_.marks.emplace_back(std::move(mark));
        };
        float x = inset;
        y_ += 8;
        for (const Column& column : columns) {
            const bool is_blank = column.text == &PaperCell::truth && !has(column);
            if (!is_blank && !has(column)) continue;
            const float width = is_blank ? 130 : column.text == &PaperCell::label ? 110 : 92;
            words(std::string(tr(language, is_blank ? "Your row" : column.english)), x, y_, colors_.dim);
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const float y = y_ + line * static_cast<float>(i + 1);
                if (is_blank)
                    figure_.marks.emplace_back(LineMark{{{x, y + 17}, {x + width - 24, y + 17}}, colors_.faint, 1});
                else
                    words(cells[i].*column.text, x, y, colors_.text);
            }
            x += width;
        }
        y_ += line * static_cast<float>(cells.size() + 1) + 4;
    }

    void gap(float height) { y_ += height; }

    Figure take() {
        figure_.height = std::ceil(y_ + inset - 2);
        BoxMark ground;
        ground.area = {0, 0, figure_.width, figure_.height};
        ground.fill = colors_.field;
        ground.stroke = colors_.hairline;
        ground.radius = 6;
        figure_.marks.front() = ground;
        return std::move(figure_);
    }

private:
    TypesetStyle style_;
    float inner_;
    const TextMeasure& measure_;
    const Palette& colors_;
    Figure figure_;
    float y_ = inset - 2;
};

}  // namespace

std::string printed_answer(const Question& question, double number) {
    constexpr int most_decimals = 6;
    const bool is_whole = std::floor(number) == number;
    const std::string shortest = is_whole && std::abs(number) < 1e7 ? decimal(number, 0) : compact(number);
    const double allowed = number_allowance(question, number);
    if (is_whole || !(allowed > 0) || !(std::abs(number) < 1e6)) return shortest;
    const auto rounded = [&](int decimals) {
        const double unit = std::pow(10.0, decimals);
        return std::round(number * unit) / unit;
    };
    int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(allowed / 10))));
    while (decimals <= most_decimals && rounded(decimals) == std::round(number)) ++decimals;
    return decimals <= most_decimals ? decimal(number, decimals) : shortest;
}

Figure question_box(const Question& question, const StepText& text, const PaperAnswer& answer, Language language,
                    const TypesetStyle& style, float width, const TextMeasure& measure) {
    BoxWriter box(style, width, measure);
    box.label(tr(language, "Predict before you read on"));
    box.markdown(text.question);
    for (std::size_t i = 0; i < text.options.size(); ++i)
        box.option(text.options[i], static_cast<int>(i) == answer.option);
    if (question.kind == AskKind::sketch) box.sketch(question, answer.curve, language);
    if (!answer.row.empty()) box.row(answer.row, language);
    const bool is_answered = !answer.words.empty() || answer.option >= 0 || !answer.curve.empty();
    if (!is_answered && question.kind == AskKind::number) box.blanks({std::string(tr(language, "Your answer"))});
    if (!is_answered && question.kind == AskKind::cell)
        box.blanks({std::string(tr(language, "Query")), std::string(tr(language, "Key"))});
    if (!answer.words.empty() || !answer.revealed.empty()) {
        box.gap(8);
        box.label(tr(language, "The answer"));
        if (!answer.words.empty()) box.markdown(answer.words);
        if (!answer.revealed.empty()) box.markdown(answer.revealed);
    }
    return box.take();
}

Figure labelled_box(std::string_view label, const std::string& markdown, const TypesetStyle& style, float width,
                    const TextMeasure& measure) {
    BoxWriter box(style, width, measure);
    box.label(label);
    box.markdown(markdown);
    return box.take();
}

}  // namespace heed::app
