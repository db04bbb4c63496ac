// Every control of the Controls panel once: its name, the field it changes, where it stands and what it means.
//
// The panel draws from these rows; the command palette, What is this? and lessons find controls by them.
#pragma once

#include "core/model.h"

#include <span>
#include <string>
#include <string_view>

namespace heed::app {

struct Control {
    std::string_view name;     // the widget's identity; its parts are "<name>/…" or "<name> number"
    std::string_view field;    // as files call it: "model.temperature"
    std::string_view section;  // heading it stands under; English, through tr()
    std::string_view label;    // English, through tr(); rich text
    std::string_view help;     // a sentence, English, through tr()
    bool (*is_there)(const Model&);
    std::string (*formula)(const Model&) = nullptr;  // rich text, in words through tr() already; null: there is none
    std::string_view brought_by = {};                // the control that makes it appear; empty: it is always there
};

// In the order of the panel.
std::span<const Control> controls();
const Control& control(std::string_view name);       // of a name that exists
const Control* find_control(std::string_view name);  // null where there is none
// The control for a field that is there now, else any; a group of fields ("model.mask") has its first one.
const Control* control_of_field(std::string_view field, const Model& model);
// Whether a name of a field, or of a group of fields, is meant by another: "model.mask" holds "model.mask.causal".
bool holds_field(std::string_view group, std::string_view field);

}  // namespace heed::app
