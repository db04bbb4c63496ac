// A view: its figure, its controls, and what a click or drag on the figure means. The shell owns Begin and End.
#pragma once

#include "app/document.h"
#include "app/screen/draw_figure.h"
#include "app/session.h"
#include "core/figure/registry.h"

#include <span>
#include <string_view>

namespace heed::app {

struct ViewContext {
    // The layer that is shown; the three match.
    const Model& model;
    const AttentionTrace& trace;
    const Display& display;
    std::shared_ptr<const void> trace_owner;  // keeps the trace alive while a figure shows it
    std::string title;                        // of the scene, in the session's language
    Scene& next;                              // what the user wants; see Document::next()
    Session& session;                         // hover, language, theme: not saved with the scene
};

// The open scene's layer, as it is shown this frame.
ViewContext view_context(Document& document, Session& session);

// Tabs of one group stand together.
enum class ViewGroup { what_happens, why, around_it, compared };

struct View {
    std::string_view id;             // of its figure kind: name, help and figure come from there
    ImGuiKey key;                    // with Ctrl it shows the view: the view's own, whatever the order of the tabs
    void (*controls)(ViewContext&);  // plain widgets above the picture; may be null
    void (*act)(ViewContext&, const Figure&, const Interaction&);  // may be null
    bool (*has_cell)(const Display&) = nullptr;  // whether a cell is part of what it shows; null: always
    ViewGroup group = ViewGroup::what_happens;   // the registry's to say
};

// Makes the shown view's picture of a scene that is computed beside the window, there, for what stays in the session's results.
Document::Prepare picture_in_advance(const Session& session);

// In the order of their tabs.
std::span<const View> views();

// Controls, figure and reactions of one view in the window that is open now.
void draw_view(const View& view, ViewContext& context);

// One figure in all the room that is left, and what the mouse on it does.
void draw_kind(const FigureKind& kind, ViewContext& context,
               void (*act)(ViewContext&, const Figure&, const Interaction&));

}  // namespace heed::app
