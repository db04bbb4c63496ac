// What the explanations of a weight and of a number of Q, K or V have in common: columns side by side, a heading with the
// steps, strips of numbers and their running sum.
#pragma once

#include "core/figure/context.h"
#include "core/figure/stage_panel.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A score or a component as a sum: left ⊙ right = terms, and how far the terms have added up.
struct SumStrips {
    const std::vector<float>& left;
    const std::vector<float>& right;
    const std::vector<float>& terms;
    const std::vector<float>& running_sum;
    std::string left_name, right_name, terms_name;  // rich text
    Color left_color, right_color, sum_color;
    float total = 0;
    // Names of the vectors whose components the strips show, where these can be followed; empty: nowhere.
    std::string_view left_vector = {}, right_vector = {};
};

class ExplainerParts {
public:
    static constexpr float padding = 16;

protected:
    static constexpr float part_gap = 18;

    // A column of the picture. Its width depends on the sizes alone, never on the numbers of the cell.
    struct Part {
        float least = 0;
        float natural = 0;
        std::function<void(Rect)> draw;
    };
    struct Piece {
        std::string text;
        Color color;
        Font font = Font::words;
        bool is_token = false;
        bool is_optional = false;  // gives way where room is short
    };

    // `strips`: tells the numbers of this explanation apart from those of any other of the trace.
    ExplainerParts(const FigureContext& context, std::vector<std::string_view> step_names, std::uint64_t strips);

    // Heading and parts on the page.
    Figure draw(const std::vector<Part>& parts, std::vector<Piece> heading, std::string_view back);

    bool is_on_paper() const { return context_.on_paper; }
    void words(std::string text, Point at, float size, Color color, AlignX align = AlignX::left,
               AlignY align_y = AlignY::baseline, Font font = Font::words, bool plain = false);
    void strip(const std::vector<float>& numbers, std::uint64_t kind, Rect area, float magnitude, bool is_vertical);
    void add_components(std::string_view vector, std::size_t count, Rect area, bool is_vertical);
    void draw_sum(Rect area, const SumStrips& sum, bool has_terms, bool has_sum);
    static float magnitude(std::initializer_list<const std::vector<float>*> lists);

    const FigureContext& context_;
    const Palette& colors_;
    float text_;
    int head_;
    int step_;
    Figure figure_;

private:
    Rect row_of_parts(const std::vector<Part>& parts, float height) const;
    void draw_parts(const std::vector<Part>& parts, Rect row, float y);
    void draw_heading(Rect row, std::vector<Piece> pieces, std::string_view back);
    std::string step_words(int step) const;
    float draw_stepper(float right, float middle);
    void button(const char* id, std::string sign, float size, Rect area, bool is_enabled);
    NumberLook strip_numbers(const std::vector<float>& numbers, float cell_w, float cell_h) const;
    void draw_running_sum(Rect area, float end_w, const SumStrips& sum);

    std::vector<std::string_view> step_names_;
    std::uint64_t strips_;
};

}  // namespace heed
