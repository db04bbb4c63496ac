// The words of a token field as chips that can be dragged into another order, while nobody types.
#pragma once

#include "app/widgets/token_field.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::app {

// Where a word stands in the text, in pixels from the text's start.
struct ChipPlace {
    float x = 0;
    float width = 0;
};
// Of the words that begin left of `most_x`.
std::vector<ChipPlace> chip_places(std::string_view text, const std::vector<std::string>& tokens, float most_x);

struct ChipEvents {
    std::optional<int> hovered;
    bool clicked = false;  // without a drag: the text wants the click
    std::optional<TokenMove> moved;
};

// Before the text field: chips take the mouse first. `text_x` is where the text begins on the screen. While a word is dragged
// the field is drawn over with the words as they would be dropped.
class TokenChips {
public:
    TokenChips(const TokenField& field, const std::vector<std::string>& tokens, const ImRect& box, float text_x,
               const std::vector<ChipPlace>& places)
        : field_(field), tokens_(tokens), box_(box), text_x_(text_x), places_(places) {}

    // `whole` is shown in the chips' tooltips where the field cannot show it all.
    ChipEvents submit(std::string_view whole);
    bool is_dragging() const { return drag_.has_value(); }
    void draw() const;

private:
    struct Drag {
        int from = 0;
        int slot = 0;       // the gap it would fall into: before the word of that number
        float mouse_x = 0;  // on the screen
        float grip = 0;     // from the word's start to the mouse
        float scroll = 0;   // of the words, where there are more than fit
    };
    int count() const;
    ImRect chip_box(int token, float scroll) const;
    void follow_mouse(int token);
    void draw_word(int token, const ImRect& box, float alpha) const;
    void draw_drop() const;
    void draw_held() const;

    const TokenField& field_;
    const std::vector<std::string>& tokens_;
    ImRect box_;
    float text_x_;
    const std::vector<ChipPlace>& places_;
    std::optional<int> hovered_;
    std::optional<Drag> drag_;
};

}  // namespace heed::app
