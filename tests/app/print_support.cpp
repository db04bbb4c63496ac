#include "tests/app/print_support.h"
#include "tests/temporary_folder.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heed::app {

std::string printed(const Figure& figure, const PrintOptions& options) {
    Result<std::string> bytes = print_figure(figure, options);
    if (bytes) return *bytes;
    ADD_FAILURE() << bytes.error();
    return {};
}

std::string printed(const Figure& figure, PrintOptions::Format format) {
    PrintOptions options;
    options.format = format;
    return printed(figure, options);
}

Pixels pixels_of(const Figure& figure, double pixels_per_unit, PrintOptions::Background background) {
    PrintOptions options;
    options.pixels_per_unit = pixels_per_unit;
    options.background = background;
    Result<Pixels> pixels = decode_png(printed(figure, options));
    if (pixels) return *pixels;
    ADD_FAILURE() << pixels.error();
    return {1, 1, {0, 0, 0, 0}};
}

Color pixel_at(const Pixels& pixels, double x, double y) {
    const int column = std::clamp(static_cast<int>(x), 0, pixels.width - 1);
    const int row = std::clamp(static_cast<int>(y), 0, pixels.height - 1);
    const std::uint8_t* p = pixels.at(column, row);
    return {p[0], p[1], p[2], p[3]};
}

int largest_difference(Color a, Color b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

Figure empty_figure(float width, float height, Theme theme) {
    Figure figure;
    figure.width = width;
    figure.height = height;
    figure.theme = theme;
    return figure;
}

std::string XmlElement::attribute(std::string_view wanted) const {
    for (const auto& [key, value] : attributes)
        if (key == wanted) return value;
    return {};
}

std::optional<std::vector<XmlElement>> parse_xml(const std::string& document) {
    struct Reader {
        std::vector<XmlElement> elements;
        std::vector<std::size_t> open;
    } reader;
    GMarkupParser parser{};
    parser.start_element = [](GMarkupParseContext*, const gchar* name, const gchar** names, const gchar** values,
                              gpointer data, GError**) {
        auto& self = *static_cast<Reader*>(data);
        XmlElement element{name, {}, {}};
        for (int i = 0; names[i] != nullptr; ++i) element.attributes.emplace_back(names[i], values[i]);
        self.open.push_back(self.elements.size());
        self.elements.push_back(std::move(element));
    };
    parser.end_element = [](GMarkupParseContext*, const gchar*, gpointer data, GError**) {
        static_cast<Reader*>(data)->open.pop_back();
    };
    parser.text = [](GMarkupParseContext*, const gchar* text, gsize size, gpointer data, GError**) {
        auto& self = *static_cast<Reader*>(data);
        for (const std::size_t element : self.open) self.elements[element].text.append(text, size);
    };
    GMarkupParseContext* context =
        g_markup_parse_context_new(&parser, G_MARKUP_PREFIX_ERROR_POSITION, &reader, nullptr);
    GError* error = nullptr;
    const bool is_well_formed =
        g_markup_parse_context_parse(context, document.data(), static_cast<gssize>(document.size()), &error) != FALSE &&
        g_markup_parse_context_end_parse(context, &error) != FALSE;
    if (error != nullptr) {
        ADD_FAILURE() << error->message;
        g_error_free(error);
    }
    g_markup_parse_context_free(context);
    if (!is_well_formed) return std::nullopt;
    return std::move(reader.elements);
}

std::optional<std::string> poppler(const std::string& program, const std::string& arguments, const std::string& pdf) {
    const TemporaryFolder folder;
    const std::string file = (folder.path / "figure.pdf").string();
    std::ofstream(file, std::ios::binary) << pdf;
    std::string command = program + " " + arguments;
    command.replace(command.find("{}"), 2, file);
    std::optional<std::string> output;
    if (FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r")) {
        output.emplace();
        char buffer[4096];
        while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) output->append(buffer, size);
        if (pclose(pipe) != 0) output.reset();
    }
    return output;
}

bool has_poppler() { return std::system("pdftotext -v >/dev/null 2>&1 && pdftoppm -v >/dev/null 2>&1") == 0; }

}  // namespace heed::app
