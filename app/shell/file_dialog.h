// Asks for a file: with the desktop's own dialog where there is one, with one inside the window otherwise.
#pragma once

#include "app/shell/folder_list.h"
#include "app/shell/native_dialog.h"

#include <memory>
#include <optional>

namespace heed::app {

class FileDialog {
public:
    void open(FileRequest request, Wake wake, bool may_be_native);
    bool is_open() const { return native_ != nullptr || in_window_; }

    // Once per frame. The file, in the frame in which it was chosen; saving over one has been asked about.
    std::optional<std::filesystem::path> frame();

private:
    void enter(const std::filesystem::path& folder);
    std::optional<std::filesystem::path> accept();
    std::optional<std::filesystem::path> native_frame();
    void draw_places();
    void draw_list();
    void draw_overwrite_question(std::optional<std::filesystem::path>& chosen);

    FileRequest request_;
    Wake wake_ = nullptr;
    std::unique_ptr<NativeDialog> native_;
    bool in_window_ = false;
    std::filesystem::path folder_;
    FolderList list_;
    std::string name_;
    std::string error_;
    std::optional<std::filesystem::path> overwriting_;  // waiting for a yes
    bool take_focus_ = false;
    std::optional<std::filesystem::path> entered_;  // a folder double-clicked this frame
    bool accepted_ = false;                         // Enter in the name field, or a file double-clicked
};

}  // namespace heed::app
