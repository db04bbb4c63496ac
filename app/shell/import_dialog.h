// "Put q.npy into …": which matrix an array from a file becomes, with what that does to the sizes.
#pragma once

#include "app/document.h"
#include "app/import_matrix.h"
#include "app/jobs/job.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heed::app {

class ImportDialog {
public:
    explicit ImportDialog(Wake wake) : reading_(wake), placing_(wake) {}

    // Reads the file beside the window and looks where it would fit.
    void open(const std::filesystem::path& file, const Scene& scene);
    bool is_open() const { return open_; }
    // Once per frame. Changes document.next() when the user has chosen; a sentence where the file cannot be read or taken.
    std::optional<std::string> frame(Document& document);
    void finish();  // blocks until nothing is under way: for tests

private:
    struct Choice {
        std::string sizes = {};      // "6 × 16 → 8 × 32"
        std::string refusal = {};    // why it cannot go there; empty where it can
        std::string_view note = {};  // what else it does, English
    };
    struct Read {
        std::shared_ptr<const NpyArray> array;
        std::vector<Choice> choices;  // as import_targets()
    };
    std::optional<std::string> follow(Document& document);
    void draw_progress();
    void draw_choices(const Document& document);
    void close();

    bool open_ = false;
    std::filesystem::path file_;
    std::string name_;  // of the file
    std::optional<Read> read_;
    std::size_t chosen_ = 0;
    Job<Read> reading_;
    Job<Model> placing_;
};

}  // namespace heed::app
