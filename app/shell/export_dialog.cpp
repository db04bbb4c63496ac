#include "app/shell/export_dialog.h"

#include "app/gl/imgui_compat.h"
#include "app/shell/panel.h"
#include "app/take_away/export_matrix.h"
#include "app/take_away/export_text.h"
#include "app/told.h"
#include "app/widgets/choices.h"
#include "app/widgets/slider.h"
#include "core/figure/registry.h"
#include "core/files/atomic_write.h"

#include <algorithm>
#include <span>

namespace heed::app {

namespace {

constexpr float dialog_width = 900;
constexpr float settings_width = 330;

struct SweepField {
    std::string_view key;
    std::string_view name;  // English, through tr()
    double from, to;
    bool log;
    double low, high;  // that can be asked for
};
constexpr SweepField sweep_fields[] = {
    {"model.temperature", "Temperature", 0.1, 10, true, 0, 100},
    {"model.d_k", "Key size d_{k}", 1, 128, true, 1, 1024},
    {"model.n_queries", "Tokens n", 2, 24, false, 1, 512},
    {"display.head", "Shown head", 0, 3, false, 0, max_heads - 1},
    {"display.flow.mass", "Attention shown", 0.1, 1, false, 0, 1},
};

template <typename Rows>
std::vector<Option> options_of(const Rows& rows) {
    std::vector<Option> options;
    for (const auto& row : rows) options.push_back({std::string(tr(row.name)), {}, std::string(row.name)});
    return options;
}

const char* ending_of(PrintOptions::Format format) {
    return format == PrintOptions::Format::svg ? ".svg" : format == PrintOptions::Format::pdf ? ".pdf" : ".png";
}

bool number_row(std::string_view name, std::string_view label, std::string_view help, double low, double high, bool log,
                int& value) {
    Slider row;
    row.name = name;
    row.label = label;
    row.help = help;
    row.low = low;
    row.high = high;
    row.log = log;
    row.integer = true;
    return slider(row, value);
}

bool number_row(std::string_view name, std::string_view label, std::string_view help, double low, double high, bool log,
                float& value) {
    Slider row;
    row.name = name;
    row.label = label;
    row.help = help;
    row.low = low;
    row.high = high;
    row.log = log;
    return slider(row, value);
}

void tick(std::string_view name, std::string_view help, bool& on) {
    switch_row({.name = name, .label = name, .help = help, .usual = true, .why_not = {}}, on);
}

// A row of buttons at the right, the last one the main one. Unlike a dialog's, Enter in a field does not press it. Returns the
// index pressed, or −1.
int button_row(std::initializer_list<std::string_view> names, bool main_enabled = true) {
    float width = 0;
    for (const std::string_view name : names) width += text_width(Font::words, body_size, tr(name)) + px(28) + px(8);
    ImGui::Spacing();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width + px(8)));
    int pressed = -1;
    int index = 0;
    for (const std::string_view name : names) {
        const bool is_main = index + 1 == static_cast<int>(names.size());
        if (index > 0) ImGui::SameLine(0, px(8));
        if (button(name, tr(name), is_main ? ButtonLook::primary : ButtonLook::plain,
                   text_width(Font::words, body_size, tr(name)) + px(28), !is_main || main_enabled))
            pressed = index;
        ++index;
    }
    return pressed;
}

std::vector<Segment> segments_of(std::span<const std::string_view> words) {
    std::vector<Segment> segments;
    for (const std::string_view word : words) segments.push_back({word, std::string(tr(word)), {}, {}, {}});
    return segments;
}

// A row with a label and one of a few words. The label is its name.
template <std::size_t n>
bool words_row(std::string_view name, const std::string_view (&words)[n], int& chosen) {
    return segmented_row(name, name, segments_of(words), chosen);
}

bool options_row(std::string_view name, std::string_view help, std::span<const Option> options, int& chosen) {
    const RowColumns columns = row_columns();
    text_left(columns.label, 0, tr(name), colors().text);
    ImGui::SetCursorScreenPos({columns.track.Min.x, columns.all.Min.y});
    return dropdown(name, columns.all.Max.x - columns.track.Min.x, options, chosen, tr(name), tr(help));
}

// Every page is as high, so that the buttons below it stay where they are, and as the window has room for.
float page_height() { return std::min(px(540), ImGui::GetMainViewport()->Size.y - px(190)); }

}  // namespace

ExportDialog::~ExportDialog() {
    for (const auto& job : taking_) job->wait();
}

void ExportDialog::finish() {
    for (const auto& job : taking_) job->wait();
    sweeping_.wait();
    if (preview_) preview_->wait();
}

void ExportDialog::start(std::function<Result<Taken>(JobControl<>&)> work) {
    taking_.push_back(std::make_unique<Job<Taken>>(wake_));
    taking_.back()->start(std::move(work));
}

void ExportDialog::open(std::string figure, Page page) {
    is_open_ = true;
    page_ = page;
    if (!figure.empty()) figure_ = std::move(figure);
}

RenderRequest ExportDialog::request(const Session& session, const std::string& figure) const {
    const ExportSettings& settings = session.settings.exporting;
    RenderRequest request;
    request.view = figure;
    request.width = settings.width;
    request.height = settings.height;
    request.scale = static_cast<double>(settings.scale);
    request.dpi = static_cast<double>(settings.dpi);
    request.language = session.settings.language;
    request.theme = settings.theme;
    request.background = settings.background;
    request.options = settings.options;
    if (session.comparison.baseline && session.comparison.show_difference) request.kept = session.comparison.baseline;
    if (session.comparison.baseline && figure == "compare") request.kept = session.comparison.baseline;
    request.measured = session.measuring->measured();
    return request;
}

void ExportDialog::figure_settings(Session& session) {
    ExportSettings& settings = session.settings.exporting;
    std::vector<Option> presets = options_of(page_presets());
    presets.push_back({std::string(tr("Own size")), {}, "Own size"});
    int chosen = static_cast<int>(presets.size()) - 1;
    for (std::size_t i = 0; i < page_presets().size(); ++i)
        if (page_presets()[i].width == settings.width && page_presets()[i].height == settings.height &&
            page_presets()[i].scale == settings.scale)
            chosen = static_cast<int>(i);
    if (options_row("Page", "Sizes for slides and papers", presets, chosen) &&
        chosen < static_cast<int>(page_presets().size())) {
        const PagePreset& page = page_presets()[static_cast<std::size_t>(chosen)];
        settings.width = page.width;
        settings.height = page.height;
        settings.scale = page.scale;
        settings.dpi = static_cast<float>(page.dpi);
    }
    number_row("export width", "Width px", "Pixels across", 200, 6000, true, settings.width);
    number_row("export height", "Height px", "Pixels down", 200, 6000, true, settings.height);
    number_row("export scale", "Scale", "Pixels for each logical one: larger makes everything in the picture larger",
               0.5, 6, true, settings.scale);
    number_row("export dpi", "Dots per inch", "Written into the file; sets the size on paper", 72, 1200, true,
               settings.dpi);
    number_row("export text", "Text size", "Of the body, in points on the screen", 8, 28, false,
               settings.options.text_size);
    int background = static_cast<int>(settings.background);
    if (words_row("Background", {"Theme", "White", "Transparent"}, background))
        settings.background = static_cast<PrintOptions::Background>(background);
    int theme = settings.theme == Theme::dark ? 1 : settings.theme == Theme::print ? 2 : 0;
    if (words_row("Palette", {"Light", "Dark", "Print"}, theme))
        settings.theme = theme == 1 ? Theme::dark : theme == 2 ? Theme::print : Theme::light;
    tick("Title", "The scene's title above the picture", settings.options.title);
    tick("Axis words", "Which side asks and which is asked", settings.options.axis_words);
    tick("Labels", "Tokens beside the maps", settings.options.tick_labels);
    tick("Colour bars", "The range of every map", settings.options.color_bars);
    tick("Numbers in cells", "Where they fit", settings.options.numbers);
    tick("Legend", "Which colour is which head", settings.options.legend);
    tick("Pin", "The pinned cell and its crosshair", settings.options.pins);
    switch_row({.name = "Settings below",
                .label = "Settings below",
                .help = "A line with d_k, T, mask, score and seed",
                .usual = false,
                .why_not = {}},
               settings.options.caption);
}

void ExportDialog::draw_preview(const Document& document, const Session& session) {
    if (!preview_) preview_ = std::make_unique<ExportPreview>(wake_);
    preview_->draw(document, request(session, figure_), ImGui::GetContentRegionAvail());
}

void ExportDialog::figure_page(const Document& document, Session& session) {
    ExportSettings& settings = session.settings.exporting;
    std::vector<Option> kinds;
    int chosen = 0;
    for (const FigureKind& kind : figure_kinds()) {
        if (kind.id == figure_) chosen = static_cast<int>(kinds.size());
        kinds.push_back({std::string(tr(kind.name)), {}, std::string(kind.id)});
    }
    ImGui::BeginChild("settings", {px(settings_width), page_height()});
    if (options_row("Figure", "What to draw", kinds, chosen))
        figure_ = figure_kinds()[static_cast<std::size_t>(chosen)].id;
    int format = static_cast<int>(settings.format);
    if (words_row("Format", {"PNG", "SVG", "PDF"}, format)) settings.format = static_cast<PrintOptions::Format>(format);
    figure_settings(session);
    ImGui::EndChild();
    ImGui::SameLine(0, px(16));
    ImGui::BeginChild("preview", {0, page_height()});
    draw_preview(document, session);
    ImGui::EndChild();
    const int pressed = button_row({"Copy picture", "Save picture…"});
    if (pressed == 0) copy(document, session, figure_);
    if (pressed == 1) ask_for_file(document, ending_of(settings.format), "Save picture");
}

void ExportDialog::sweep_page(const Document& document, Session& session) {
    ImGui::BeginChild("settings", {px(settings_width), page_height()});
    const bool is_busy = sweeping_.is_active();
    ImGui::BeginDisabled(is_busy);
    const std::vector<Option> fields = options_of(sweep_fields);
    if (options_row("What moves", "The number that goes from the first value to the last", fields, sweep_field_) ||
        sweep_.key.empty()) {
        const SweepField& field = sweep_fields[static_cast<std::size_t>(sweep_field_)];
        sweep_.key = field.key;
        sweep_.from = field.from;
        sweep_.to = field.key == "display.head" ? document.scene().model.n_heads - 1 : field.to;
        sweep_.log = field.log;
    }
    const SweepField& moving = sweep_fields[static_cast<std::size_t>(sweep_field_)];
    const bool moves_head = moving.key == "display.head";
    const double first = moves_head ? 1 : 0;  // heads are counted from 1 on the screen, from 0 in the request
    const double high = moves_head ? std::max(1, document.scene().model.n_heads - 1) : moving.high;
    auto from = static_cast<float>(sweep_.from + first);
    auto to = static_cast<float>(sweep_.to + first);
    if (number_row("sweep from", "From", "The first value", moving.low + first, high + first, false, from))
        sweep_.from = static_cast<double>(from) - first;
    if (number_row("sweep to", "To", "The last value", moving.low + first, high + first, false, to))
        sweep_.to = static_cast<double>(to) - first;
    switch_row({.name = "Logarithmic",
                .label = "Logarithmic",
                .help = "Steps by a factor instead of by a difference",
                .usual = false,
                .why_not = {}},
               sweep_.log);
    number_row("sweep frames", "Frames", "How many pictures", 2, 200, true, sweep_.frames);
    number_row("sweep delay", "Frame in ms", "How long a frame of an animation stands", 20, 1000, true,
               sweep_.delay_ms);
    switch_row({.name = "Value in the picture",
                .label = "Value in the picture",
                .help = "Print the value and the number of the frame",
                .usual = true,
                .why_not = {}},
               sweep_.print_value);
    int kind = sweep_as_gif_ ? 0 : 1;
    if (words_row("Format", {"GIF", "PNG frames"}, kind)) sweep_as_gif_ = kind == 0;
    ImGui::EndDisabled();
    if (is_busy) {
        ImGui::Spacing();
        ImGui::ProgressBar(static_cast<float>(sweeping_.progress()));
    }
    ImGui::EndChild();
    ImGui::SameLine(0, px(16));
    ImGui::BeginChild("preview", {0, page_height()});
    draw_preview(document, session);
    ImGui::EndChild();
    if (is_busy) {
        if (button_row({"Stop"}) == 0) sweeping_.stop();
        return;
    }
    const bool can_start = sweep_.from != sweep_.to && (!sweep_.log || (sweep_.from > 0 && sweep_.to > 0));
    if (button_row({"Save sweep…"}, can_start) == 0)
        ask_for_file(document, sweep_as_gif_ ? ".gif" : "",
                     sweep_as_gif_ ? "Save sweep" : "Save frames into a new folder");
}

void ExportDialog::matrix_page(const Document& document, Session&) {
    std::vector<Option> names;
    int chosen = 0;
    for (const std::string_view name : exportable_matrices()) {
        if (name == matrix_) chosen = static_cast<int>(names.size());
        names.push_back({std::string(name), {}, std::string(name)});
    }
    ImGui::BeginChild("page", {0, page_height()});
    ImGui::BeginChild("settings", {px(settings_width), 0});
    if (options_row("Matrix", "A stage of the computation, or a matrix of the model", names, chosen))
        matrix_ = exportable_matrices()[static_cast<std::size_t>(chosen)];
    int kind = matrix_as_csv_ ? 0 : 1;
    if (words_row("Format", {"CSV", "NPY"}, kind)) matrix_as_csv_ = kind == 0;
    wrapped_text(
        tr(matrix_as_csv_ ? "The shown head's matrix, for a spreadsheet." : "All heads in one array, for NumPy."));
    ImGui::EndChild();
    ImGui::EndChild();
    if (button_row({"Save matrix…"}) == 0) ask_for_file(document, matrix_as_csv_ ? ".csv" : ".npy", "Save matrix");
}

// Written once for each state: it can hold every number of every matrix.
const std::string& ExportDialog::code_text(const Document& document) {
    CodeOf of{document.trace().version, document.scene().display, document.scene().title, code_};
    if (of != code_text_of_) {
        code_text_ = find_text_export(code_)->text(document.scene(), document.trace());
        code_text_of_ = std::move(of);
    }
    return code_text_;
}

void ExportDialog::code_page(const Document& document, Session& session) {
    std::vector<Option> names = options_of(text_exports());
    int chosen = 0;
    for (std::size_t i = 0; i < text_exports().size(); ++i)
        if (text_exports()[i].id == code_) chosen = static_cast<int>(i);
    if (dropdown("Language of the code", px(settings_width), names, chosen, tr("Language of the code"),
                 tr("The current computation as text that runs")))
        code_ = text_exports()[static_cast<std::size_t>(chosen)].id;
    const bool is_large = std::int64_t{document.scene().model.n_heads} * document.scene().model.n_queries *
                              (document.scene().model.d_k + effective_n_keys(document.scene().model)) >
                          200000;
    const std::string text = is_large ? std::string() : code_text(document);
    ImGui::BeginChild("code", {0, page_height() - px(36)}, bordered_child, ImGuiWindowFlags_HorizontalScrollbar);
    {
        const ScopedFont mono(Font::mono, small_size);
        if (is_large)
            wrapped_text(tr("Too long to show here; it can be saved."));
        else
            ImGui::TextUnformatted(text.c_str(), text.c_str() + text.size());
    }
    ImGui::EndChild();
    const int pressed = button_row({"Copy text", "Save text…"});
    const std::string copied(tr("The text is on the clipboard."));
    if (pressed == 0 && is_large) {
        start([row = find_text_export(code_), scene = document.scene(), trace = document.shared_trace(),
               copied](JobControl<>&) -> Result<Taken> {
            return Taken{copied, row->text(scene, *trace)};
        });
    } else if (pressed == 0) {
        ImGui::SetClipboardText(text.c_str());
        session.message = "✓ " + copied;
    }
    if (pressed == 1) ask_for_file(document, std::string(find_text_export(code_)->ending), "Save text");
}

void ExportDialog::ask_for_file(const Document& document, const std::string& ending, const char* purpose) {
    FileRequest wanted;
    wanted.purpose = purpose;
    wanted.is_save = true;
    if (document.path()) wanted.folder = document.path()->parent_path();
    const std::string stem = page_ == Page::matrix  ? matrix_
                             : page_ == Page::code  ? "attention"
                             : page_ == Page::sweep ? "sweep"
                                                    : figure_;
    asked_ = {page_, figure_, matrix_, code_};
    wanted.name = stem + ending;
    if (!ending.empty()) wanted.filter = {ending, {ending}};
    files_.open(std::move(wanted), wake_, native_dialogs_);
}

void ExportDialog::save_to(const std::filesystem::path& file, const Asked& asked, const Document& document,
                           Session& session) {
    if (asked.page == Page::sweep) {
        start_sweep(file, asked, document, session);
        return;
    }
    const std::string saved = fill(tr("Saved {0}"), {file.filename().string()});
    start([file, asked, saved, request = request(session, asked.figure), scene = document.scene(),
           trace = document.shared_trace()](JobControl<>&) -> Result<Taken> {
        const Status status = asked.page == Page::figure ? run_render(scene, *trace, request, file.string())
                              : asked.page == Page::matrix
                                  ? export_matrix(scene, *trace, asked.matrix, std::nullopt, file.string())
                                  : write_text_export(*find_text_export(asked.code), scene, *trace, file);
        if (!status) return Error{status.error()};
        return Taken{saved};
    });
}

void ExportDialog::start_sweep(const std::filesystem::path& file, const Asked& asked, const Document& document,
                               const Session& session) {
    SweepRequest wanted = sweep_;
    wanted.render = request(session, asked.figure);
    sweeping_.start([wanted, scene = document.scene(), file,
                     saved = std::string(tr("The sweep is saved."))](JobControl<>& control) -> Result<Taken> {
        const Status done = run_sweep(scene, wanted, file.string(), [&](int frames) {
            control.report(static_cast<double>(frames) / wanted.frames);
            return !control.is_cancelled();
        });
        if (!done) return Error{done.error()};
        return Taken{saved};
    });
}

void ExportDialog::follow_jobs(Session& session) {
    const auto follow = [&session](Job<Taken>& job) {
        const std::optional<Result<Taken>> taken = job.take();
        if (!taken) return;
        // What was stopped before its thread had come to it says nothing itself.
        const std::string why = *taken                   ? std::string()
                                : taken->error().empty() ? "stopped after 0 frames; nothing was written"
                                                         : taken->error();
        const bool is_stopped = why.starts_with("stopped after");  // as the user wanted
        session.message = *taken ? "✓ " + (*taken)->message : is_stopped ? "— " + told(why) : why;
        if (*taken && (*taken)->clipboard) ImGui::SetClipboardText((*taken)->clipboard->c_str());
    };
    for (const auto& job : taking_) follow(*job);
    std::erase_if(taking_, [](const auto& job) { return !job->is_active(); });
    follow(sweeping_);
}

void ExportDialog::copy(const Document& document, const Session& session, const std::string& figure) {
    start([request = request(session, figure), scene = document.scene(), trace = document.shared_trace(),
           copied = std::string(tr("The picture is on the clipboard."))](JobControl<>&) -> Result<Taken> {
        const Result<Rendering> rendering = make_rendering(scene, *trace, request, PrintOptions::Format::png);
        if (!rendering) return Error{rendering.error()};
        const Result<std::string> png = print_figure(rendering->figure, rendering->print);
        if (!png) return Error{png.error()};
        if (const Status status = copy_picture(*png); !status) return Error{status.error()};
        return Taken{copied};
    });
}

void ExportDialog::frame(const Document& document, Session& session) {
    follow_jobs(session);
    if (is_open_) {
        if (begin_tool_window("Export", is_open_, dialog_width)) {
            int page = static_cast<int>(page_);
            constexpr std::string_view pages[] = {"Figure", "Sweep", "Matrix", "Code"};
            if (segmented("Export page", segments_of(pages), page)) page_ = static_cast<Page>(page);
            ImGui::Spacing();
            switch (page_) {
                case Page::figure:
                    figure_page(document, session);
                    break;
                case Page::sweep:
                    sweep_page(document, session);
                    break;
                case Page::matrix:
                    matrix_page(document, session);
                    break;
                case Page::code:
                    code_page(document, session);
                    break;
            }
        }
        end_tool_window();
    } else {
        preview_.reset();
    }
    if (const std::optional<std::filesystem::path> file = files_.frame()) save_to(*file, asked_, document, session);
}

}  // namespace heed::app
