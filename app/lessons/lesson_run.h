// The lesson that is being played in the window: where it is, what was answered, and the user's own document, which waits beside
// it and comes back exactly as it was.
//
// Steps start from their own scene; what the user and the lesson's links do to it can be undone. The document is the lesson's while it
// runs: nothing here writes a file.
#pragma once

#include "app/document.h"
#include "app/jobs/job.h"
#include "app/session.h"
#include "core/lessons/actions.h"
#include "core/lessons/player.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::app {

struct Session;
struct LessonTexts;  // app/panels/lesson_parts.h: what the panel has typeset

// An answer that is being made: kept while another step or language is looked at.
struct AnswerDraft {
    std::string number;
    int option = -1;
    std::optional<Cell> cell;
    std::vector<SketchPoint> sketch;
    std::vector<std::string> row;  // one for each key of the scene
    std::string problem;           // why what was typed is no answer, in English
    bool wants_focus = false;      // the field, in the next frame
};

// What the panel says of the step, made anew when the scene, the language or the answers change.
struct LessonWords {
    StepText text;
    bool has_wandered = false;   // the live scene is not the step's
    bool claims_hold = true;     // what the words rest on, of the live scene
    std::optional<Truth> truth;  // once it is revealed
    std::optional<TrueRow> row;  // of a question for one: as the reveal leaves it, and not to be shown before
};

// The score of a key that the question of a row lets the user type, as the scene has it.
std::string logit_text(const Scene& scene, const Question& question, int key);

class LessonRun {
public:
    bool is_running() const { return player_.has_value(); }
    const LessonPlayer& player() const { return *player_; }
    const std::string& id() const { return player_->lesson->id; }

    // Sets the document aside and opens the lesson at a step, with all before it done. A lesson that runs already is left first.
    // On failure nothing changes. `folder` holds the lesson's file, for a scene beside it; empty: one of the program's own.
    Status start(Document& document, Session& session, Lesson lesson, const std::filesystem::path& folder = {},
                 int step = 0);
    // The same of a lesson that was opened already: one that is being written.
    Status start(Document& document, Session& session, LessonPlayer player);
    // The user's own document is back.
    void leave(Document& document, Session& session);
    // The user's own work, set aside; the document's own where none is.
    UnsavedWork work(const Document& document) const { return aside_ ? aside_->work() : document.work(); }
    const Document::Aside* aside() const { return aside_.get(); }

    // Once per frame, before the panel: follows the scene, plays a sweep, takes what was computed beside the window.
    void frame(Document& document, Session& session, double now);
    const LessonWords& words() const { return words_; }

    bool may_go_on() const { return is_running() && heed::may_go_on(*player_); }
    void go_on(Document& document, Session& session);
    // Why the next step is closed, in English; empty where it is open. Whether that was asked for: a key was pressed in vain.
    std::string_view why_held() const;
    bool is_held() const { return is_held_; }
    void go_back(Document& document, Session& session);
    void go_to(Document& document, Session& session, int step);
    bool is_reached(int step) const { return step <= furthest_; }
    int furthest() const { return furthest_; }
    bool is_done() const { return is_running() && furthest_ + 1 == player_->n_steps() && heed::may_go_on(*player_); }
    void back_to_the_step(Document& document, Session& session);

    // A link's actions, as written. The id of a lesson that it leads to, where it does.
    std::string follow(Document& document, Session& session, std::string_view destination, double now);
    void show_me(Document& document, Session& session);

    AnswerDraft& draft() { return drafts_[static_cast<std::size_t>(player_->step)]; }
    void answer(Document& document, Session& session);
    void reveal(Document& document, Session& session);
    void forget_answer();  // of a question that is not revealed yet
    // Answers with the row as it was typed, and lays the true one beside it.
    void check_row(Document& document, Session& session);
    // The score of a key that the row's question lets the user type, as the scene has it; typing changes the scene.
    std::string typed_logit(const Document& document, int key) const;
    void type_logit(Document& document, int key, const std::string& text);
    void open_answers(bool open);
    const std::vector<SketchPoint>& true_curve() const { return curve_; }
    bool is_drawing_curve() const { return curve_job_.is_active(); }
    void set_wake(Wake wake) { curve_job_.set_wake(wake); }
    void finish_jobs() { curve_job_.wait(); }

    bool is_sweeping() const { return sweep_.has_value(); }
    void stop_sweep() { sweep_.reset(); }
    // Set when a step or an action wants a view in front.
    std::optional<std::string> take_wanted_view() { return std::exchange(wanted_view_, std::nullopt); }

    bool is_collapsed = false;
    std::shared_ptr<LessonTexts> texts;  // of the panel, so that each is laid out once

private:
    void enter(Document& document, Session& session);
    void perform(Document& document, Session& session, const std::vector<heed::Action>& actions, double now);
    void look(Session& session, const Document& document, std::string_view place);
    void follow_pin(const Document& document);
    bool has_only_pinned(Scene scene) const;
    void look_at_row(const Document& document, Results* results);
    void play_sweep(Document& document, double now);
    void take_curve();
    void start_curve(const Scene& live);

    struct Playing {
        Sweep sweep;
        double since;
    };

    std::optional<LessonPlayer> player_;
    std::unique_ptr<Document::Aside> aside_;
    std::vector<AnswerDraft> drafts_;
    int furthest_ = 0;
    bool is_held_ = false;
    Comparison kept_comparison_;  // the user's own, during the lesson
    Scene step_scene_;            // of the step, as far as it is revealed
    LessonWords words_;
    int version_ = 0;  // of the player's state
    struct SaidOf {
        Scene scene;
        Language language;
        int version;
        friend bool operator==(const SaidOf&, const SaidOf&) = default;
    };
    std::optional<SaidOf> said_of_;
    std::pair<bool, Cell> pin_;  // as it was last seen
    std::optional<Playing> sweep_;
    std::optional<std::string> wanted_view_;
    std::vector<SketchPoint> curve_;  // of the step's sketch, once it is revealed
    int curve_step_ = -1;
    Job<std::vector<SketchPoint>> curve_job_;
};

}  // namespace heed::app
