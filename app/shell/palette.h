// The command palette: everything the window has, found by a part of its name in either language.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

class Shell;

enum class FoundKind { view, control, example, lesson, command };

struct Findable {
    FoundKind kind;
    std::string id;       // unique among its kind
    std::string english;  // rich text
    std::string chinese;
    std::string also;  // found by this too, though worse: a field's name, a heading; English
    std::string also_chinese;
    std::string note;  // dim, at the right, in the language in use: keys, heading
    std::function<void(Shell&)> go;
};

// Everything there is now. Nothing in it outlives the shell.
std::vector<Findable> findables(Shell& shell);
// Those that fit, the nearest first; all of them where nothing is typed.
std::vector<const Findable*> found(const std::vector<Findable>& all, std::string_view typed);

class CommandPalette {
public:
    void open(std::optional<FoundKind> only = {});
    bool is_open() const { return is_open_; }
    // Once per frame. What is chosen is done once the palette has gone.
    void frame(Shell& shell);

private:
    void draw(Shell& shell);
    void draw_row(const Shell& shell, const Findable& row, int index, bool& is_chosen);
    void close();

    bool is_open_ = false;
    std::optional<FoundKind> only_;
    bool is_new_ = false;
    std::string typed_;
    std::string matched_;  // what the list was made for
    int selected_ = 0;
    bool is_moved_ = false;  // by a key: the list follows
    std::vector<Findable> all_;
    std::vector<const Findable*> list_;
    std::function<void(Shell&)> chosen_;
};

}  // namespace heed::app
