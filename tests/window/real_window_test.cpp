// What only a window system does: opening, resizing, closing, waiting, a real mouse and keyboard. Under Xvfb in ./check.
#include "app/document.h"
#include "app/platform/offscreen.h"
#include "app/platform/test_hooks.h"
#include "app/platform/window.h"
#include "app/shell/shell.h"
#include "core/files/atomic_write.h"
#include "core/files/read_file.h"
#include "tests/temporary_folder.h"
#include "tests/window/process.h"

#include "heed_test_paths.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

namespace heed::app {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class RealWindow : public testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "there is no display";
    }
    static std::unique_ptr<WindowHost> open(int width, int height) {
        WindowOptions options;
        options.width = width;
        options.height = height;
        auto opened = open_window(options);
        // A display that has lost its last window starts anew and is away for a moment.
        for (int i = 0; i < 40 && !opened; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            opened = open_window(options);
        }
        if (!opened) throw std::runtime_error(opened.error());
        return std::move(*opened);
    }
    static void draw_plain(Host& host) {
        if (!host.begin_frame()) return;
        ImGui::SetNextWindowPos({20, 20});
        ImGui::SetNextWindowSize({300, 200});
        ImGui::Begin("Plain");
        ImGui::TextUnformatted("Weights 权重");
        ImGui::End();
        host.end_frame();
    }
    // Frames until something is true, or five seconds have passed.
    template <typename Frame, typename Done>
    static bool frames_until(WindowHost& host, Frame&& frame, Done&& done) {
        for (const auto start = Clock::now(); seconds_since(start) < 5;) {
            glfwPollEvents();
            frame(host);
            if (done()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }
};

TEST_F(RealWindow, OpensDrawsResizesAndCloses) {
    const std::unique_ptr<WindowHost> host = open(800, 600);
    draw_plain(*host);
    EXPECT_EQ(host->pixels().width, 800);
    EXPECT_EQ(host->pixels().height, 600);
    glfwSetWindowSize(host->glfw(), 1001, 703);
    EXPECT_TRUE(
        frames_until(*host, draw_plain, [&] { return host->pixels().width == 1001 && host->pixels().height == 703; }));
    glfwSetWindowShouldClose(host->glfw(), GLFW_TRUE);
    EXPECT_TRUE(host->wants_to_close());
    host->keep_open();
    EXPECT_FALSE(host->wants_to_close());
    EXPECT_EQ(host->take_gl_error(), "");
}

TEST_F(RealWindow, ShowsTheSamePixelsAsNoWindow) {
    Pixels with;
    Pixels without;
    {
        const std::unique_ptr<WindowHost> host = open(640, 480);
        for (int i = 0; i < 3; ++i) draw_plain(*host);
        with = host->pixels();
    }
    {
        auto host = open_offscreen({640, 480});
        ASSERT_TRUE(host) << host.error();
        for (int i = 0; i < 3; ++i) draw_plain(**host);
        without = (*host)->pixels();
    }
    ASSERT_EQ(with.rgba.size(), without.rgba.size());
    std::size_t differing = 0;
    for (std::size_t i = 0; i < with.rgba.size(); ++i)
        differing += std::abs(with.rgba[i] - without.rgba[i]) > 2 ? 1 : 0;
    EXPECT_EQ(differing, 0U);
}

TEST_F(RealWindow, SleepsUntilWoken) {
    const std::unique_ptr<WindowHost> host = open(640, 480);
    for (const auto start = Clock::now(); seconds_since(start) < 0.5;) {  // let the window system have its say
        glfwPollEvents();
        draw_plain(*host);
    }
    host->draw_again_in(0.05);
    for (int i = 0; i < 8; ++i) {
        host->draw_again_in(0.05);
        host->wait();
        draw_plain(*host);
    }
    std::thread worker([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        wake();
    });
    int frames = 0;
    const auto start = Clock::now();
    while (seconds_since(start) < 0.25) {
        host->wait();
        draw_plain(*host);
        ++frames;
    }
    worker.join();
    EXPECT_LE(frames, 6) << "frames drawn though nothing happened";
    EXPECT_LT(seconds_since(start), 3) << "the worker's call did not wake the window";
}

TEST_F(RealWindow, CopiesThroughTheClipboardOfTheSystem) {
    const std::unique_ptr<WindowHost> host = open(640, 480);
    host->begin_frame();
    ImGui::SetClipboardText("0.5\t注意");
    host->end_frame();
    glfwPollEvents();
    EXPECT_STREQ(glfwGetClipboardString(host->glfw()), "0.5\t注意");
    host->begin_frame();
    EXPECT_STREQ(ImGui::GetClipboardText(), "0.5\t注意");
    host->end_frame();
}

// Learns where a widget is, by name.
class Places : public ItemListener {
public:
    struct Place {
        ImRect box;
        Index rows = 0, cols = 0;
    };
    std::map<std::string, Place> by_name;

private:
    std::map<ImGuiID, ImRect> boxes_;
    std::map<ImGuiID, std::string> names_;
    void item_added(ImGuiID id, const ImRect& box, const ImGuiWindow*, ImGuiItemFlags) override { boxes_[id] = box; }
    void item_named(ImGuiID id, const char* label, ImGuiItemStatusFlags) override {
        const std::string text(label);
        const std::size_t hashes = text.find("###");
        names_[id] = hashes == std::string::npos ? text : text.substr(hashes + 3);
        by_name[names_[id]].box = boxes_[id];
    }
    void item_is_grid(ImGuiID id, Index rows, Index cols, bool) override {
        by_name[names_[id]].rows = rows;
        by_name[names_[id]].cols = cols;
    }
};

TEST_F(RealWindow, AnswersToARealMouseAndKeyboard) {
    if (run_program({"xdotool", "version"}).status != 0) GTEST_SKIP() << "there is no xdotool";
    const std::unique_ptr<WindowHost> host = open(1440, 900);
    Session session;
    session.animate = false;
    Document document(default_scene());
    Shell shell(document, session, {.native_dialogs = false});
    Places places;
    listen_to_items(ImGui::GetCurrentContext(), &places);
    const auto frame = [&](WindowHost&) {
        if (!host->begin_frame()) return;
        shell.frame(ImGui::GetIO().DisplaySize);
        host->end_frame();
    };
    ASSERT_TRUE(frames_until(*host, frame, [&] { return places.by_name.contains("pipeline/weights"); }));
    for (int i = 0; i < 3; ++i) frame(*host);
    const Places::Place grid = places.by_name["pipeline/weights"];
    ASSERT_GT(grid.rows, 2);
    int x = 0;
    int y = 0;
    glfwGetWindowPos(host->glfw(), &x, &y);
    const auto cell_x =
        x + static_cast<int>(grid.box.Min.x + grid.box.GetWidth() * 0.5F / static_cast<float>(grid.cols));
    const auto cell_y =
        y + static_cast<int>(grid.box.Min.y + grid.box.GetHeight() * 2.5F / static_cast<float>(grid.rows));
    ASSERT_EQ(run_program({"xdotool", "mousemove", std::to_string(cell_x), std::to_string(cell_y)}).status, 0);
    frames_until(*host, frame, [&] { return session.hover.cell.has_value(); });
    ASSERT_TRUE(session.hover.cell.has_value());
    EXPECT_EQ(session.hover.cell->query, 2);
    EXPECT_EQ(session.hover.cell->key, 0);
    ASSERT_EQ(run_program({"xdotool", "mousedown", "1"}).status, 0);
    frames_until(*host, frame, [] { return ImGui::IsMouseDown(0); });
    ASSERT_EQ(run_program({"xdotool", "mouseup", "1"}).status, 0);
    EXPECT_TRUE(frames_until(*host, frame, [&] { return document.scene().display.pin == Cell{2, 0}; }));

    glfwFocusWindow(host->glfw());
    run_program({"xdotool", "search", "--name", "Heed", "windowfocus"});
    const float before = document.scene().model.temperature;
    document.next().model.temperature = before * 2;
    frames_until(*host, frame, [&] { return document.can_undo(); });
    ASSERT_TRUE(document.can_undo());
    ASSERT_EQ(run_program({"xdotool", "key", "ctrl+z"}).status, 0);
    EXPECT_TRUE(frames_until(*host, frame, [&] { return document.scene().model.temperature == before; }));
    EXPECT_EQ(host->take_gl_error(), "");
    listen_to_items(ImGui::GetCurrentContext(), nullptr);
}

// The window's own loop, which sleeps, until something is true. The alarm ends a sleep that nothing else would.
template <typename Frame, typename Done>
bool sleeping_until(WindowHost& host, Frame&& frame, Done&& done, double seconds) {
    std::atomic<bool> is_late = false;
    std::atomic<bool> is_over = false;
    std::thread alarm([&] {
        for (const auto start = Clock::now(); seconds_since(start) < seconds && !is_over;)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        is_late = true;
        wake();
    });
    bool is_done = false;
    while (!is_late && !is_done) {
        host.wait();
        if (is_late) break;
        frame();
        is_done = done();
    }
    is_over = true;
    alarm.join();
    return is_done;
}

bool shows_tooltip() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    return std::any_of(g.Windows.begin(), g.Windows.end(), [](const ImGuiWindow* window) {
        return (window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active && !window->Hidden;
    });
}

struct SleepingShell {
    explicit SleepingShell(WindowHost& on) : host(on) { listen_to_items(ImGui::GetCurrentContext(), &places); }
    ~SleepingShell() { listen_to_items(ImGui::GetCurrentContext(), nullptr); }
    SleepingShell(const SleepingShell&) = delete;
    SleepingShell& operator=(const SleepingShell&) = delete;

    void frame() {
        if (!host.begin_frame()) return;
        shell.frame(ImGui::GetIO().DisplaySize);
        host.end_frame();
        if (const std::optional<double> seconds = shell.next_frame_in()) host.draw_again_in(*seconds);
    }
    void mouse_to(const std::string& name) {
        int x = 0;
        int y = 0;
        glfwGetWindowPos(host.glfw(), &x, &y);
        const ImVec2 at = places.by_name[name].box.GetCenter();
        EXPECT_EQ(run_program({"xdotool", "mousemove", std::to_string(x + static_cast<int>(at.x)),
                               std::to_string(y + static_cast<int>(at.y))})
                      .status,
                  0);
    }

    WindowHost& host;
    Session session;
    Document document{default_scene()};
    Shell shell{document, session, {.wake = wake, .native_dialogs = false}};
    Places places;
};

TEST_F(RealWindow, ARestingMouseShowsATooltip) {
    if (run_program({"xdotool", "version"}).status != 0) GTEST_SKIP() << "there is no xdotool";
    const std::unique_ptr<WindowHost> host = open(1440, 900);
    SleepingShell window(*host);
    const auto frame = [&window] { window.frame(); };
    ASSERT_TRUE(sleeping_until(
        *host, frame, [&] { return window.places.by_name.contains("temperature"); }, 40));
    for (int i = 0; i < 6; ++i) frame();
    for (int round = 0; round < 2; ++round) {
        window.mouse_to("pipeline/weights");
        sleeping_until(
            *host, frame, [] { return !shows_tooltip(); }, 10);
        window.mouse_to("temperature");
        EXPECT_TRUE(sleeping_until(*host, frame, shows_tooltip, 20));
    }
}

TEST_F(RealWindow, FastTypingArrivesWhole) {
    if (run_program({"xdotool", "version"}).status != 0) GTEST_SKIP() << "there is no xdotool";
    const std::unique_ptr<WindowHost> host = open(1440, 900);
    SleepingShell window(*host);
    std::string text;
    const auto frame = [&] {
        if (!host->begin_frame()) return;
        window.shell.frame(ImGui::GetIO().DisplaySize);
        ImGui::SetNextWindowPos({200, 200});
        ImGui::SetNextWindowFocus();
        ImGui::Begin("Typing");
        if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
        ImGui::InputText("##typed", &text);
        ImGui::End();
        host->end_frame();
        if (const std::optional<double> seconds = window.shell.next_frame_in()) host->draw_again_in(*seconds);
    };
    for (int i = 0; i < 6; ++i) frame();
    glfwFocusWindow(host->glfw());
    run_program({"xdotool", "search", "--name", "Heed", "windowfocus"});
    sleeping_until(
        *host, frame, [] { return ImGui::IsAnyItemActive(); }, 3);
    const std::string wanted = "abcdefghijklmnopqrstuvwxyz0123456789";
    ASSERT_EQ(run_program({"xdotool", "type", "--delay", "5", wanted}).status, 0);
    EXPECT_TRUE(sleeping_until(
        *host, frame, [&] { return text == wanted; }, 6))
        << text;
}

TEST(Program, WithoutADisplaySaysSoInOneSentence) {
    const ProcessResult ran = run_program({HEED_PROGRAM}, {"DISPLAY=", "WAYLAND_DISPLAY="});
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.output, "heed: No window can be opened: there is no display.\n");
}

TEST(Program, WithoutFontsSaysSoInOneSentence) {
    const TemporaryFolder folder;
    const std::string config = (folder.path / "fonts.conf").string();
    ASSERT_TRUE(write_file(
        config, "<?xml version=\"1.0\"?><fontconfig><cachedir>" + folder.path.string() + "</cachedir></fontconfig>"));
    const std::string picture = (folder.path / "x.png").string();
    for (const char* command : {"render", "snapshot"}) {
        const ProcessResult ran = run_program(
            {HEED_PROGRAM, command, "four-heads", "--view", "heads", "--out", picture}, {"FONTCONFIG_FILE=" + config});
        EXPECT_EQ(ran.status, 1) << command;
        EXPECT_TRUE(ran.output.starts_with("heed: No words can be drawn: fontconfig finds no fonts with letters here"))
            << ran.output;
        EXPECT_FALSE(std::filesystem::exists(picture)) << command;
    }
}

TEST(Program, AnInterruptedSweepLeavesNothing) {
    const TemporaryFolder folder;
    const std::filesystem::path frames = folder.path / "frames";
    Process program({HEED_PROGRAM, "sweep", "four-heads", "--view", "weights", "--vary", "model.temperature=0.1:10:log",
                     "--frames", "500", "--out", frames.string()},
                    {});
    const auto count = [&frames] {
        std::error_code none;
        int n = 0;
        for (std::filesystem::directory_iterator entry(frames, none), end; !none && entry != end; entry.increment(none))
            ++n;
        return n;
    };
    for (const auto start = Clock::now(); seconds_since(start) < 60 && count() < 5;)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_GE(count(), 5);
    program.end();
    EXPECT_FALSE(std::filesystem::exists(frames)) << count() << " files are left";
}

TEST_F(RealWindow, WithOldOpenGLSaysWhichWasFound) {
    const ProcessResult ran = run_program({HEED_PROGRAM}, {"MESA_GL_VERSION_OVERRIDE=2.1", "LIBGL_ALWAYS_SOFTWARE=1"});
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.output, "heed: No window can be opened: OpenGL 3.3 is needed, and only 2.1 was found.\n");
}

TEST_F(RealWindow, F12SavesAPictureOfTheWindow) {
    if (run_program({"xdotool", "version"}).status != 0) GTEST_SKIP() << "there is no xdotool";
    const TemporaryFolder home;
    Process program({HEED_PROGRAM}, {"HOME=" + home.path.string(), "XDG_CONFIG_HOME=" + home.path.string(),
                                     "XDG_STATE_HOME=" + home.path.string(), "XDG_DATA_HOME=" + home.path.string()});
    const auto picture = [&]() -> std::optional<std::filesystem::path> {
        for (const auto& entry : std::filesystem::directory_iterator(home.path))
            if (entry.path().extension() == ".png") return entry.path();
        return std::nullopt;
    };
    // A key that comes before the window listens is lost, so it is pressed until there is an answer.
    for (const auto start = Clock::now(); seconds_since(start) < 30 && program.is_running() && !picture();) {
        run_program({"xdotool", "search", "--onlyvisible", "--class", "heed", "windowfocus", "key", "Escape",
                     "F12"});  // Escape: the card of a first start
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    EXPECT_TRUE(program.is_running()) << "the key ended the program";
    ASSERT_TRUE(picture());
    const Result<std::string> bytes = read_file(*picture(), 1 << 26);
    ASSERT_TRUE(bytes) << bytes.error();
    const Result<Pixels> pixels = decode_png(*bytes);
    ASSERT_TRUE(pixels) << pixels.error();
    EXPECT_GE(pixels->width, 640);
    EXPECT_GE(pixels->height, 480);
    EXPECT_TRUE(std::any_of(pixels->rgba.begin(), pixels->rgba.end(), [&](std::uint8_t byte) {
        return byte != pixels->rgba.front() && byte != 255;
    })) << "the picture is blank";
}

TEST_F(RealWindow, AnIdleProgramUsesNoProcessor) {
    Process program({HEED_PROGRAM}, {});
    // It has started once a second passes without work; on a busy machine that takes a while.
    double before = program.cpu_seconds();
    for (int i = 0; i < 40; ++i) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const double now = program.cpu_seconds();
        if (now > 0.1 && now - before < 0.015) break;
        before = now;
    }
    ASSERT_TRUE(program.is_running());
    before = program.cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(4));
    ASSERT_TRUE(program.is_running());
    EXPECT_LE(program.cpu_seconds() - before, 0.04);
    program.end();
}

}  // namespace
}  // namespace heed::app
