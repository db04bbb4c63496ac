// "Put q.npy into …": which matrix an array from a file becomes, with what that does to the sizes.
#pragma once

#include "app/document.h"
#include "app/import_matrix.h"

#include <string>
#include <vector>

namespace heed::app {

class ImportDialog {
public:
    // Reads the file and tries it in every place; a sentence where it cannot be read.
    Status open(const std::filesystem::path& file, const Scene& scene);
    bool is_open() const { return open_; }
    // Once per frame. Changes document.next() when the user has chosen.
    void frame(Document& document);

private:
    bool open_ = false;
    std::string name_;   // of the file
    std::string shape_;  // of its array
    struct Choice {
        std::string sizes;    // "6 × 16 → 8 × 32"
        std::string refusal;  // why it cannot go there; empty where it can
        Model model;          // with the array in it
    };
    std::vector<Choice> choices_;  // as import_targets()
    std::size_t chosen_ = 0;
};

}  // namespace heed::app
