// Export…: a figure with a live preview, a sweep, a matrix, or the computation as a script.
#pragma once

#include "app/document.h"
#include "app/jobs/job.h"
#include "app/session.h"
#include "app/shell/export_preview.h"
#include "app/shell/file_dialog.h"
#include "app/take_away/render.h"
#include "app/take_away/sweep.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heed::app {

class ExportDialog {
public:
    enum class Page { figure, sweep, matrix, code };

    ExportDialog(Wake wake, bool native_dialogs) : wake_(wake), native_dialogs_(native_dialogs), sweeping_(wake) {}
    ~ExportDialog();  // files are written to their end, a sweep is stopped
    ExportDialog(const ExportDialog&) = delete;
    ExportDialog& operator=(const ExportDialog&) = delete;

    // A figure kind's id; the view that is open, where it is empty.
    void open(std::string figure, Page page = Page::figure);
    void close() { is_open_ = false; }
    bool is_open() const { return is_open_; }
    bool is_choosing_file() const { return files_.is_open(); }
    // Once per frame.
    void frame(const Document& document, Session& session);
    // The picture as the dialog would save it, on the clipboard.
    void copy(const Document& document, const Session& session, const std::string& figure);
    // Blocks until nothing is under way: for tests. A frame then says what came of it.
    void finish();

private:
    // What came of taking something away.
    struct Taken {
        std::string message;
        std::optional<std::string> clipboard = {};  // text that is to go there
    };

    void figure_page(const Document& document, Session& session);
    void sweep_page(const Document& document, Session& session);
    void matrix_page(const Document& document, Session& session);
    void code_page(const Document& document, Session& session);
    void figure_settings(Session& session);
    void draw_preview(const Document& document, const Session& session);
    void ask_for_file(const Document& document, const std::string& ending, const char* purpose);
    // What the file dialog was opened for; the pages can change while a desktop's own dialog stands beside the window.
    struct Asked {
        Page page = Page::figure;
        std::string figure, matrix, code;
    };
    void save_to(const std::filesystem::path& file, const Asked& asked, const Document& document, Session& session);
    void start_sweep(const std::filesystem::path& file, const Asked& asked, const Document& document,
                     const Session& session);
    const std::string& code_text(const Document& document);
    void follow_jobs(Session& session);
    // Beside the window; more than one can be under way.
    void start(std::function<Result<Taken>(JobControl<>&)> work);
    RenderRequest request(const Session& session, const std::string& figure) const;

    Wake wake_;
    bool native_dialogs_;
    bool is_open_ = false;
    Page page_ = Page::figure;
    std::string figure_ = "pipeline";
    std::string matrix_ = "weights";
    bool matrix_as_csv_ = true;
    std::string code_ = "numpy";
    SweepRequest sweep_;
    int sweep_field_ = 0;
    bool sweep_as_gif_ = true;
    FileDialog files_;
    Asked asked_;
    std::string code_text_;
    struct CodeOf {
        std::uint64_t trace_version = 0;
        Display display;
        std::string title, code;
        friend bool operator==(const CodeOf&, const CodeOf&) = default;
    };
    std::optional<CodeOf> code_text_of_;  // what it was written for

    std::unique_ptr<ExportPreview> preview_;  // while the dialog is open

    std::vector<std::unique_ptr<Job<Taken>>> taking_;
    Job<Taken> sweeping_;
};

}  // namespace heed::app
