// Everything of the window is found by its name in either language, and told what it is.
#include "app/panels/control_table.h"
#include "app/shell/panel.h"
#include "core/figure/rich_text.h"
#include "core/files/scene_file.h"
#include "core/model/mask_settings.h"
#include "core/model/normalizer_settings.h"
#include "tests/app/window_under_test.h"

#include <gtest/gtest.h>

#include <set>

namespace heed::app {
namespace {

// Whether a name, typed as it is shown, brings the thing among the first few.
testing::AssertionResult is_found(const std::vector<Findable>& all, FoundKind kind, std::string_view id,
                                  std::string_view typed) {
    const std::vector<const Findable*> list = found(all, typed);
    for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 8); ++i)
        if (list[i]->kind == kind && list[i]->id == id) return testing::AssertionSuccess();
    return testing::AssertionFailure() << typed << " does not bring " << id << " among " << list.size();
}

TEST(Palette, FindsEveryViewExampleAndCommandInBothLanguages) {
    WindowUnderTest window;
    const std::vector<Findable> all = findables(window.shell);
    for (const View& view : views())
        for (const Language language : {Language::english, Language::chinese})
            EXPECT_TRUE(is_found(all, FoundKind::view, view.id, tr(language, find_figure_kind(view.id)->name)));
    ASSERT_FALSE(window.shell.examples().empty());
    for (const Example& example : window.shell.examples()) {
        EXPECT_TRUE(is_found(all, FoundKind::example, example.path, example.title));
        EXPECT_TRUE(is_found(all, FoundKind::example, example.path, example.title_zh));
    }
    for (const Action& action : actions()) {
        if (action.command == Command::palette || !window.shell.can_run(action.command)) continue;
        for (const Language language : {Language::english, Language::chinese})
            EXPECT_TRUE(is_found(all, FoundKind::command, action.name, tr(language, action.name)));
    }
}

TEST(Palette, FindsEveryControlByLabelAndFieldInBothLanguages) {
    WindowUnderTest window;
    const std::vector<Findable> all = findables(window.shell);
    for (const Control& row : controls()) {
        for (const Language language : {Language::english, Language::chinese})
            EXPECT_TRUE(is_found(all, FoundKind::control, row.name, plain_text(tr(language, row.label))));
        EXPECT_TRUE(is_found(all, FoundKind::control, row.name, row.field));
    }
    EXPECT_EQ(found(all, "temp").front()->id, "temperature");
    EXPECT_EQ(found(all, "温度").front()->id, "temperature");
}

// Each row of the table names a field that can be set, and a widget of the panel where it says it is there.
TEST(Palette, EveryControlOfTheTableIsInThePanelWhenItIsSaidToBe) {
    Scene scene = default_scene();
    const std::pair<const char*, const char*> changes[] = {
        {"model.source", "projected"}, {"model.score", "additive"},   {"model.scaling", "typed"},
        {"model.mask.padding", "1"},   {"model.mask.window", "true"}, {"model.mask.global_tokens", "1"},
        {"model.mask.stride", "2"},    {"model.mask.block", "2"},     {"model.position", "sinusoidal"}};
    for (const auto& [field, value] : changes) ASSERT_TRUE(set_field(scene, field, value)) << field;
    for (const bool is_self : {true, false}) {
        scene.model.self_attention = is_self;
        WindowUnderTest window(scene, {1440, 2400});
        std::set<std::string> seen;
        for (const Driver::Item& item : window.ui.items()) seen.insert(item.name);
        for (const Control& row : controls()) {
            const std::string name(row.name);
            const bool is_drawn = std::ranges::any_of(seen, [&](const std::string& one) {
                return one == name || one.starts_with(name + "/") || one == name + " number";
            });
            EXPECT_EQ(is_drawn, row.is_there(window.document.next().model)) << name << (is_self ? " self" : " cross");
        }
    }
}

TEST(Palette, AControlThatIsPickedIsScrolledToAndHasTheKeyboard) {
    WindowUnderTest window(default_scene(), {1440, 700});
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_K);
    window.ui.frames(3);
    window.ui.type("masked row");
    window.ui.frames(2);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    EXPECT_FALSE(window.ui.exists("Find"));
    EXPECT_EQ(window.session.pointing.control, "masked row");
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    bool has_keyboard = false;
    for (const Driver::Item& item : window.ui.items())
        if (item.id == g.NavId) has_keyboard = item.name.starts_with("masked row/") && item.box.GetHeight() > 10;
    EXPECT_TRUE(has_keyboard);
    window.ui.key(ImGuiKey_RightArrow);  // goes to the next choice, and
    window.ui.key(ImGuiKey_Space);
    window.ui.frames(2);
    EXPECT_EQ(window.model().normalizer->masked_row, MaskedRow::uniform);
    window.ui.wait(5);
    window.ui.frames(2);
    EXPECT_TRUE(window.session.pointing.control.empty());
}

TEST(Palette, ArrowsChooseEnterGoesAndEscLeavesEverythingAsItWas) {
    WindowUnderTest window;
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_K);
    window.ui.frames(3);
    ASSERT_TRUE(window.ui.exists("View pipeline"));
    window.ui.key(ImGuiKey_DownArrow);
    window.ui.frames(2);
    EXPECT_TRUE(window.ui.find("View heads")->is_checked());
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(3);
    EXPECT_FALSE(window.ui.exists("View heads"));
    EXPECT_EQ(window.document.scene().display.view, "pipeline");
    window.ui.key(ImGuiMod_Ctrl | ImGuiKey_K);
    window.ui.frames(3);
    window.ui.type("饱和");
    window.ui.frames(2);
    window.ui.key(ImGuiKey_Enter);
    window.ui.frames(4);
    EXPECT_EQ(window.document.scene().display.view, "saturation");
    EXPECT_EQ(window.ui.complaints(), "");
}

// A slider that only a mask brings is found before it is there, and leads to what brings it.
TEST(Palette, AControlThatIsNotThereLeadsToTheOneThatBringsIt) {
    WindowUnderTest window;
    ASSERT_FALSE(window.ui.exists("window left"));
    window.shell.point_at_control("window left");
    window.ui.frames(3);
    EXPECT_EQ(window.session.pointing.control, "mask/window");
    for (const Control& row : controls())
        EXPECT_TRUE(row.brought_by.empty() || find_control(row.brought_by) != nullptr) << row.name;
}

class Asking : public testing::Test {
protected:
    void ask() {
        window.shell.run(Command::what_is_this);
        window.ui.frames(2);
    }
    // The card after a click in the middle of it.
    std::optional<About> answer(const std::string& name) {
        window.session.inspection.shown.reset();
        if (!window.ui.click(name)) return std::nullopt;
        window.ui.frames(1);
        return window.session.inspection.shown;
    }
    WindowUnderTest window{default_scene(), {1440, 2400}};
};

TEST(AskingNote, CoversNoTabAndNoMenu) {
    for (const Language language : {Language::english, Language::chinese})
        for (const ImVec2 size : {ImVec2{1440, 900}, ImVec2{1024, 700}}) {
            WindowUnderTest window{default_scene(), {static_cast<int>(size.x), static_cast<int>(size.y)}};
            window.session.settings.language = language;
            window.shell.run(Command::what_is_this);
            window.ui.frames(4);
            const ImGuiWindow* note = ImGui::FindWindowByName("###inspection note");
            ASSERT_NE(note, nullptr);
            const ImRect box = note->Rect();
            const ImGuiWindow* view = ImGui::FindWindowByName(("###" + view_panel("pipeline")).c_str());
            ASSERT_TRUE(view != nullptr && view->DockNode != nullptr);
            EXPECT_LE(box.Max.y, view->DockNode->Pos.y + 1) << size.x;
            for (const char* name : {"Help", "Export…"})
                if (const auto item = window.ui.find(name)) {
                    EXPECT_FALSE(box.Overlaps(item->whole)) << name << " at " << size.x;
                }
        }
}

TEST_F(Asking, EveryControlHasACardAndNoneIsMoved) {
    const Scene before = window.document.next();
    ask();
    for (const Control& row : controls()) {
        if (!row.is_there(window.document.next().model)) continue;
        std::string name(row.name);
        for (const Driver::Item& item : window.ui.items())
            if (item.name.starts_with(name + "/") || item.name == name + " number") {
                name = item.name;
                break;
            }
        const std::optional<About> about = answer(window.ui.exists(row.name) ? std::string(row.name) : name);
        ASSERT_TRUE(about) << name;
        EXPECT_EQ(about->topic, row.field) << name;
        EXPECT_FALSE(about->title.empty()) << name;
        EXPECT_FALSE(about->meaning.empty()) << name;
    }
    EXPECT_EQ(window.document.next(), before);
    const std::optional<About> temperature = answer("temperature");
    ASSERT_TRUE(temperature);
    EXPECT_EQ(temperature->title, "Temperature");
    EXPECT_EQ(temperature->formula, "s / T");
    EXPECT_NE(temperature->range.find("0.01"), std::string::npos);
}

TEST_F(Asking, EveryPlaceOfEveryFigureHasACardAndDoesNothing) {
    ask();
    for (const View& view : views()) {
        window.show(view.id);
        window.settle();
        const Scene before = window.document.next();
        std::set<std::string> names;  // one of each kind of place
        std::vector<std::string> targets;
        const std::string start = std::string(view.id) + "/";
        for (const Driver::Item& item : window.ui.items())
            if (item.name.starts_with(start) && names.insert(item.name.substr(0, item.name.find(' '))).second)
                targets.push_back(item.name);
        if (targets.empty()) targets.push_back("view:" + std::string(view.id));  // only to be looked at
        for (const std::string& target : targets) {
            const std::optional<About> about = answer(target);
            ASSERT_TRUE(about) << target;
            EXPECT_FALSE(about->title.empty() || about->meaning.empty()) << target;
            EXPECT_TRUE(about->topic.starts_with(view.id)) << target << " " << about->topic;
        }
        EXPECT_EQ(window.document.next(), before) << view.id;
    }
}

TEST_F(Asking, AMapTellsItsFormulaAndItsSize) {
    ask();
    const std::optional<About> weights = answer("pipeline/weights");
    ASSERT_TRUE(weights);
    EXPECT_EQ(weights->title, "Weights");
    EXPECT_NE(weights->formula.find("Softmax"), std::string::npos) << weights->formula;
    EXPECT_NE(weights->range.find("6 × 6"), std::string::npos) << weights->range;
}

TEST_F(Asking, EscEndsItAndTheMouseActsAgain) {
    ask();
    ASSERT_TRUE(answer("mask/causal"));
    const bool was = window.model().mask->causal;
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    EXPECT_FALSE(window.session.inspection.is_on);
    ASSERT_TRUE(window.ui.click("mask/causal"));
    window.ui.frames(2);
    EXPECT_NE(window.model().mask->causal, was);
}

TEST_F(Asking, TheCardIsInTheLanguageInUse) {
    window.session.settings.language = Language::chinese;
    ask();
    const std::optional<About> about = answer("temperature");
    ASSERT_TRUE(about);
    EXPECT_EQ(about->title, "温度");
    EXPECT_EQ(window.ui.complaints(), "");
}

}  // namespace
}  // namespace heed::app
