// Around each control of the panel: hides it or holds it where a lesson asks for that, brings it into sight where somebody looks
// for it, and tells what it is.
//
//     if (const ControlScope scope{context, "temperature"}) temperature_row(model);
#pragma once

#include "app/panels/control_table.h"
#include "app/views/view.h"
#include "app/widgets/item.h"

#include <string_view>

namespace heed::app {

class ControlScope {
public:
    enum class Extent { row, item };  // the whole width of what is drawn inside, or its last item
    ControlScope(ViewContext& context, std::string_view name, Extent extent = Extent::row);
    ~ControlScope();
    ControlScope(const ControlScope&) = delete;
    ControlScope& operator=(const ControlScope&) = delete;
    explicit operator bool() const { return is_shown_; }

private:
    void point(const ImRect& box);

    ViewContext& context_;
    const Control& control_;
    Extent extent_;
    ImVec2 start_;
    bool is_shown_ = true;
    bool is_locked_ = false;
    WantedItem wanted_;
};

bool is_hidden(const ControlHolds& holds, std::string_view field);
bool is_locked(const ControlHolds& holds, std::string_view field);
// Whether anything of a section is shown now.
bool has_shown_controls(const ViewContext& context, std::string_view section);
// Of all controls that are there, how many a lesson has folded away.
int n_hidden_controls(const ViewContext& context);

}  // namespace heed::app
