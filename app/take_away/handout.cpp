#include "app/take_away/handout.h"

#include "app/print/print_figure.h"
#include "app/take_away/handout_question.h"
#include "app/take_away/render.h"
#include "core/files/atomic_write.h"
#include "core/files/scene_file.h"
#include "core/lessons/actions.h"
#include "core/lessons/lesson_text.h"
#include "core/lessons/player.h"
#include "core/picture/picture.h"
#include "core/results.h"
#include "core/typeset/typeset.h"

#include <algorithm>
#include <optional>

namespace heed::app {

namespace {

// A picture as the view is laid out, and how wide it is drawn, as a share of the text's width.
struct PictureSize {
    int width, height;
    float share;
    float least_share;  // of that, where it ends a page
};
constexpr PictureSize before{900, 490, 1, 1};
constexpr PictureSize after_reveal{760, 460, 0.76F, 0.6F};  // smaller: the reader knows the view by then
constexpr float text_size = 14;

class HandoutMaker {
public:
    HandoutMaker(LessonPlayer player, const HandoutOptions& options) : player_(std::move(player)), options_(options) {
        style_.size = text_size;
        style_.theme = Theme::print;
        style_.line_spacing = 1.45F;
        style_.links = false;
        player_.open_answers = true;
    }

    Result<Handout> run() {
        const Lesson& lesson = *player_.lesson;
        out_.title = lesson.title.in(options_.language);
        TypesetStyle large = style_;
        large.size = 20;
        add_text("# " + out_.title, large, 0, true);
        if (!lesson.about.empty()) add_text("*" + lesson.about.in(options_.language) + "*", style_, 2, true);
        if (lacks(lesson, options_.language))
            add_text("*" +
                         std::string(tr(options_.language, options_.language == Language::chinese
                                                               ? "What has no Chinese yet stands here in English."
                                                               : "What has no English yet stands here in Chinese.")) +
                         "*",
                     style_, 2, true);
        for (int step = 0; step < player_.n_steps(); ++step)
            if (const Status done = add_step(step); !done)
                return Error{lesson.steps[static_cast<std::size_t>(step)].id + ": " + done.error()};
        out_.pages = fill_pages(std::move(parts_), out_.room);
        for (std::size_t i = 0; i < out_.pages.size(); ++i) add_footer(i);
        return std::move(out_);
    }

private:
    float width() const { return out_.room.inner_width(); }

    void add(PagePart part) { parts_.push_back(std::move(part)); }

    void add_text(const std::string& markdown, const TypesetStyle& style, float gap, bool keep, bool may_part = false) {
        TypesetText text = typeset(markdown, style, width(), print_measure());
        add({.figure = std::move(text.figure),
             .breaks = std::move(text.breaks),
             .gap_before = gap,
             .keep_with_next = keep,
             .may_part = may_part});
    }

    std::shared_ptr<const AttentionTrace> trace(const Scene& scene) {
        std::shared_ptr<const AttentionTrace> made = trace_of(scene.model, results_.get());
        out_.kept.push_back(made);
        return made;
    }

    Status add_step(int number) {
        player_.step = number;
        const Step& step = player_.current();
        const Result<Scene> scene = step_scene(player_, number, false);
        if (!scene) return Error{scene.error()};
        const std::shared_ptr<const AttentionTrace> now = trace(*scene);
        const StepText text = step_text(player_, options_.language, *scene, *now, results_.get());
        TypesetStyle heading = style_;
        heading.size = 15;
        add_text("### " + std::to_string(number + 1) + "\\. " + text.title, heading, 22, true);
        const bool has_picture = changes_picture(*scene);
        const bool has_box = step.question || !text.goal.empty();
        add_text(text.body, style_, 4, has_picture || has_box, true);
        if (has_picture)
            if (const Status drawn = add_picture(*scene, now, before, has_box); !drawn) return drawn;
        if (step.question)
            if (const Status asked = add_question(step, text, *scene); !asked) return asked;
        if (!text.goal.empty())
            add({.figure = labelled_box(tr(options_.language, "Try it in the program"), text.goal, style_, width(),
                                        print_measure()),
                 .gap_before = 12});
        return ok();
    }

    bool changes_picture(const Scene& scene) const {
        return !shown_ || !(shown_->model == scene.model) || !(shown_->display == scene.display);
    }

    Status add_picture(const Scene& scene, const std::shared_ptr<const AttentionTrace>& now, const PictureSize& size,
                       bool keep) {
        RenderRequest request;
        request.view = scene.display.view;
        request.width = size.width;
        request.height = size.height;
        request.scale = 1;
        request.language = options_.language;
        request.theme = Theme::print;
        request.results = results_;
        Result<Rendering> rendering = make_rendering(scene, *now, request, PrintOptions::Format::pdf);
        if (!rendering) return Error{rendering.error()};
        shown_ = scene;
        ++out_.n_figures;
        BoxMark frame;
        frame.area = {0, 0, rendering->figure.width, rendering->figure.height};
        frame.stroke = palette(Theme::print).hairline;
        frame.radius = 6;
        rendering->figure.marks.emplace_back(frame);
        const float scale = size.share * width() / rendering->figure.width;
        add({.figure = std::move(rendering->figure),
             .scale = scale,
             .gap_before = 10,
             .indent = (1 - size.share) * width() / 2,
             .keep_with_next = keep,
             .may_part = true,
             .least_share = size.least_share});
        return ok();
    }

    Status add_question(const Step& step, const StepText& text, const Scene& scene) {
        PaperAnswer answer;
        std::optional<Scene> after;
        if (options_.answers)
            if (const Status found = find_answer(step, scene, answer, after); !found) return found;
        if (step.question->kind == AskKind::row)
            if (const Status made = add_row(*step.question, after ? *after : scene, answer); !made) return made;
        const bool shows_more = after && changes_picture(*after);
        add({.figure = question_box(*step.question, text, answer, options_.language, style_, width(), print_measure()),
             .gap_before = 12,
             .keep_with_next = false});
        return shows_more ? add_picture(*after, trace(*after), after_reveal, false) : ok();
    }

    // Says what is true as a reader who knew it would, and reveals.
    Status find_answer(const Step& step, const Scene& scene, PaperAnswer& answer, std::optional<Scene>& after) {
        const Question& question = *step.question;
        StepProgress& state = player_.state();
        const Result<Scene> revealed = step_scene(player_, player_.step, true);
        if (!revealed) return Error{revealed.error()};
        Answer given;
        Verdict verdict{.right = true};
        if (question.kind == AskKind::sketch) {
            Result<std::vector<SketchPoint>> curve = true_curve(question, *revealed);
            if (!curve) return Error{curve.error()};
            answer.curve = *curve;
            given.sketch = *std::move(curve);
        } else {
            const Result<Truth> truth = true_answer(player_, scene, results_.get());
            if (!truth) return Error{truth.error()};
            given.number = verdict.truth = truth->number.value_or(0);
            given.option = answer.option = verdict.option = truth->option;
            if (!truth->cells.empty()) given.cell = truth->cells.front();
            if (truth->row) given.row = known_row(question, *truth->row, revealed->model);
            if (truth->number) answer.words = "**" + escaped_markdown(printed_answer(question, *truth->number)) + "**";
            if (question.kind == AskKind::cell) answer.words = cells_in_words(truth->cells, revealed->model);
        }
        state.answer = given;
        state.verdict = verdict;
        state.revealed = true;
        state.before_reveal = scene;
        const std::shared_ptr<const AttentionTrace> then = trace(*revealed);
        answer.revealed = step_text(player_, options_.language, *revealed, *then, results_.get()).revealed;
        after = *revealed;
        return ok();
    }

    // What the lesson claims; where it claims nothing, what is true.
    static std::vector<std::string> known_row(const Question& question, const TrueRow& truth, const Model& model) {
        std::vector<std::string> texts = question.claimed;
        if (texts.empty())
            for (const double weight : truth.weights) texts.push_back(row_number(weight, 4));
        return texts_by_key(texts, truth, effective_n_keys(model));
    }

    // The table of a row: with answers, what is true beside what is claimed, and in words what is wrong.
    Status add_row(const Question& question, const Scene& scene, PaperAnswer& answer) {
        const std::shared_ptr<const AttentionTrace> now = trace(scene);
        const Result<TrueRow> truth = asked_row(question, {.scene = scene, .trace = *now, .results = results_.get()});
        if (!truth) return Error{truth.error()};
        const RowVerdict verdict = judge_row(known_row(question, *truth, scene.model), *truth);
        const bool is_claimed = !question.claimed.empty();
        for (std::size_t i = 0; i < verdict.cells.size(); ++i) {
            const RowCell& cell = verdict.cells[i];
            PaperCell paper{
                .label = key_label(scene.model, cell.key), .score = {}, .claimed = {}, .truth = {}, .difference = {}};
            if (!question.logits.empty())
                if (const Result<FieldValue> score = field_value(scene, logit_field(question.logits, cell.key)))
                    if (const double* number = std::get_if<double>(&*score)) paper.score = row_number(*number, 2);
            if (is_claimed) paper.claimed = question.claimed[std::min(i, question.claimed.size() - 1)];
            if (options_.answers) paper.truth = row_number(cell.truth, cell.decimals);
            if (options_.answers && is_claimed)
                paper.difference =
                    cell.right ? "✓"
                               : (cell.difference() > 0 ? "+" : "") + row_number(cell.difference(), cell.decimals);
            answer.row.push_back(std::move(paper));
        }
        if (!options_.answers) return ok();
        PaperCell sums{.label = std::string(tr(options_.language, "Sum")),
                       .score = {},
                       .claimed = {},
                       .truth = {},
                       .difference = {}};
        if (is_claimed) sums.claimed = row_number(verdict.claimed_sum, verdict.decimals);
        sums.truth = row_number(verdict.true_sum, verdict.decimals);
        answer.row.push_back(std::move(sums));
        if (is_claimed)
            answer.words = "**" + escaped_markdown(row_sentence(verdict, scene.model, options_.language)) + "**";
        return ok();
    }

    static std::string cells_in_words(const std::vector<Cell>& cells, const Model& model) {
        constexpr std::size_t most = 8;
        std::string words;
        for (std::size_t i = 0; i < std::min(most, cells.size()); ++i)
            words += (i == 0 ? "" : ", ") + escaped_markdown(query_label(model, cells[i].query)) + " → " +
                     escaped_markdown(key_label(model, cells[i].key));
        return words.empty() ? "" : "**" + words + (cells.size() > most ? ", …" : "") + "**";
    }

    void add_footer(std::size_t page) {
        const Palette& colors = palette(Theme::print);
        Figure footer;
        footer.width = width();
        footer.height = 20;
        footer.theme = Theme::print;
        footer.marks.emplace_back(LineMark{{{0, 0}, {footer.width, 0}}, colors.hairline, 1});
        const std::string numbers = fill(tr(options_.language, "Page {0} of {1}"),
                                         {std::to_string(page + 1), std::to_string(out_.pages.size())});
        TextMark right{numbers, {footer.width, 17}, {11, Font::words, colors.dim}, AlignX::right};
        TypesetStyle small = style_;
        small.size = 11;
        small.colored_roles = false;
        footer.place(typeset("Heed · " + out_.title, small, width() - 140, print_measure()).figure, 0, 4);
        footer.marks.emplace_back(std::move(right));
        const float y = out_.room.height - out_.room.bottom + 24;
        out_.pages[page].figures.push_back({std::move(footer), {out_.room.left, y}, 1});
    }

    LessonPlayer player_;
    HandoutOptions options_;
    TypesetStyle style_;
    std::shared_ptr<Results> results_ = std::make_shared<Results>();
    std::optional<Scene> shown_;  // the last picture's
    std::vector<PagePart> parts_;
    Handout out_;
};

}  // namespace

Result<Handout> make_handout(const Lesson& lesson, const std::filesystem::path& folder, const HandoutOptions& options) {
    Result<LessonPlayer> player = open_lesson(lesson, folder);
    if (!player) return Error{lesson.id + ": " + player.error()};
    Result<Handout> made = HandoutMaker(*std::move(player), options).run();
    if (!made) return Error{lesson.id + ": " + made.error()};
    return made;
}

Status write_handout(const Lesson& lesson, const std::filesystem::path& folder, const HandoutOptions& options,
                     const std::filesystem::path& out) {
    const Result<Handout> handout = make_handout(lesson, folder, options);
    if (!handout) return Error{handout.error()};
    const Result<std::string> bytes =
        print_pages(handout->pages, handout->room.width, handout->room.height, handout->title);
    if (!bytes) return Error{bytes.error()};
    return write_file(out, *bytes);
}

}  // namespace heed::app
