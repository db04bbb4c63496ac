// The window without a mouse: panels, cells, Esc, and a list of keys that leaves none out.
#include "core/files/read_file.h"
#include "core/language.h"
#include "tests/app/window_under_test.h"

#include "heed_test_paths.h"

#include <gtest/gtest.h>

#include <map>

#include <regex>
#include <set>

namespace heed::app {
namespace {

TEST(Keyboard, F6GoesFromPanelToPanelAndBack) {
    WindowUnderTest window;
    std::vector<std::string> order;
    for (int i = 0; i < 3; ++i) {
        window.ui.key(ImGuiKey_F6);
        window.ui.frames(3);
        for (const std::string& panel :
             {std::string(controls_panel), view_panel("pipeline"), std::string(explainer_panel)})
            if (has_keyboard(panel)) order.push_back(panel);
    }
    EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), 3U) << ::testing::PrintToString(order);
    const std::string last = order.back();
    window.ui.key(ImGuiMod_Shift | ImGuiKey_F6);
    window.ui.frames(3);
    EXPECT_FALSE(has_keyboard(last));
    EXPECT_TRUE(has_keyboard(order[1]));
}

TEST(Keyboard, ArrowsMoveThePinFromCellToCellOfAMap) {
    WindowUnderTest window;
    window.ui.click_cell("pipeline/weights", 3, 1);
    window.ui.frames(2);
    window.ui.key(ImGuiKey_DownArrow);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 1}));
    window.ui.key(ImGuiKey_RightArrow);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 2}));
    for (int i = 0; i < 10; ++i) window.ui.key(ImGuiKey_LeftArrow);
    window.ui.frames(2);
    EXPECT_EQ(window.document.scene().display.pin, (Cell{4, 0})) << "the edge stops it";
    EXPECT_TRUE(window.document.scene().display.pinned);
}

TEST(Keyboard, EscapeClosesOneThingAtATime) {
    WindowUnderTest window;
    window.shell.run(Command::presentation);
    window.ui.frames(3);
    window.shell.run(Command::shortcuts);
    window.ui.frames(3);
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    EXPECT_FALSE(window.shell.is_on(Command::shortcuts));
    EXPECT_TRUE(window.session.presentation) << "one press closed two things";
    window.ui.key(ImGuiKey_Escape);
    window.ui.frames(2);
    EXPECT_FALSE(window.session.presentation);
}

// Keys that the program's own code names, as "LeftArrow".
std::set<std::string> handled_keys() {
    std::set<std::string> names;
    const std::regex key("ImGuiKey_(\\w+)");
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(HEED_SOURCE_DIR) / "app")) {
        if (entry.path().extension() != ".cpp" || entry.path().filename() == "shortcuts.cpp") continue;
        const std::string text = *read_file(entry.path(), 1 << 20);
        for (std::sregex_iterator match(text.begin(), text.end(), key), end; match != end; ++match)
            names.insert((*match)[1]);
    }
    names.erase("None");
    return names;
}

TEST(Shortcuts, ListHasEveryKeyThatIsHandledAnywhere) {
    std::set<std::string> listed;
    const auto list = [&](ImGuiKeyChord chord) {
        listed.insert(ImGui::GetKeyName(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_)));
    };
    WindowUnderTest window;  // ImGui names keys only in a context
    for (const Action& action : actions())
        for (const ImGuiKeyChord chord : action.keys)
            if (chord != 0) list(chord);
    for (const View& view : views()) list(view_keys(view));
    for (const KeyUse& use : key_uses())
        for (const ImGuiKeyChord chord : use.keys) list(chord);
    const std::set<std::string> handled = handled_keys();
    EXPECT_GT(handled.size(), 20U);
    for (const std::string& name : handled) EXPECT_TRUE(listed.contains(name)) << name << " is in no list";
}

TEST(Shortcuts, NoKeysAreTakenTwice) {
    std::map<ImGuiKeyChord, std::string> taken;
    const auto take = [&](ImGuiKeyChord keys, std::string_view who) {
        if (keys == 0) return;
        const auto [place, is_new] = taken.emplace(keys, who);
        EXPECT_TRUE(is_new) << key_name(keys) << ": " << place->second << " and " << who;
    };
    for (const View& view : views()) take(view_keys(view), view.id);
    // Keys that a lesson or a widget has before the menu are told so in the table.
    for (const Action& row : actions())
        if (!row.yields)
            for (const ImGuiKeyChord keys : row.keys) take(keys, row.name);
    EXPECT_GT(taken.size(), 30U);
}

TEST(Shortcuts, EveryLineIsThereInBothLanguages) {
    WindowUnderTest window;
    for (const Language language : {Language::english, Language::chinese}) {
        window.session.settings.language = language;
        window.shell.run(Command::shortcuts);
        window.ui.frames(3);
        EXPECT_EQ(window.ui.complaints(), "");
        window.shell.run(Command::shortcuts);
        window.ui.frames(2);
    }
    EXPECT_TRUE(missing_translations().empty()) << missing_translations().front();
}

// Text of 200 % in a window of 800 × 600: no two widgets of a window lie on each other, and none leaves it.
TEST(Reflow, NothingOverlapsInASmallWindowWithLargeType) {
    for (const float zoom : {1.0F, 1.5F, 2.0F}) {
        WindowUnderTest window(default_scene(), {.width = 800, .height = 600});
        window.session.settings.zoom = zoom;
        for (const Language language : {Language::english, Language::chinese}) {
            window.session.settings.language = language;
            window.ui.frames(8);
            const std::vector<Driver::Item> items = window.ui.items();
            for (std::size_t i = 0; i < items.size(); ++i) {
                const Driver::Item& one = items[i];
                if (one.window != "top" || one.name == "top" || one.box.GetArea() <= 0) continue;
                EXPECT_LE(one.whole.Max.x, 801) << one.name << " at " << zoom;
                for (std::size_t j = i + 1; j < items.size(); ++j)
                    if (items[j].window == one.window && items[j].name != "top" && items[j].box.GetArea() > 0) {
                        ImRect both = one.whole;
                        both.ClipWithFull(items[j].whole);
                        const bool overlaps = both.GetWidth() > 1 && both.GetHeight() > 1;
                        EXPECT_FALSE(overlaps) << one.name << " and " << items[j].name << " at " << zoom;
                    }
            }
        }
        EXPECT_EQ(window.ui.complaints(), "");
    }
}

}  // namespace
}  // namespace heed::app
