// What the print tests share: one figure in every format, and readers for what came out.
#pragma once

#include "app/print/print_figure.h"
#include "core/figure/figure.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace heed {
inline void PrintTo(const Color& color, std::ostream* out) {
    *out << "rgba(" << int{color.r} << ", " << int{color.g} << ", " << int{color.b} << ", " << int{color.a} << ")";
}
}  // namespace heed

namespace heed::app {

inline constexpr PrintOptions::Format all_formats[] = {PrintOptions::Format::png, PrintOptions::Format::svg,
                                                       PrintOptions::Format::pdf};

// The bytes; a failure of the test where there are none.
std::string printed(const Figure& figure, PrintOptions::Format format);
std::string printed(const Figure& figure, const PrintOptions& options);
Pixels pixels_of(const Figure& figure, double pixels_per_unit,
                 PrintOptions::Background background = PrintOptions::Background::theme);

Color pixel_at(const Pixels& pixels, double x, double y);  // of the pixel that holds this place
int largest_difference(Color a, Color b);                  // of the three colours

Figure empty_figure(float width, float height, Theme theme = Theme::light);
template <typename M>
Figure figure_of(M mark, float width = 200, float height = 150) {
    Figure figure = empty_figure(width, height);
    figure.marks.emplace_back(std::move(mark));
    return figure;
}

// An XML document: its elements, each with attributes and the text directly or further inside; nothing where it is not
// well-formed.
struct XmlElement {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string text;
    std::string attribute(std::string_view wanted) const;  // empty where there is none
};
std::optional<std::vector<XmlElement>> parse_xml(const std::string& document);

// What one of poppler's programs prints for a PDF; `{}` in the arguments stands for the file. Nothing where the program
// is not installed or refuses the file.
std::optional<std::string> poppler(const std::string& program, const std::string& arguments, const std::string& pdf);
bool has_poppler();

}  // namespace heed::app
