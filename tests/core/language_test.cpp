// The two languages beside each other: every sentence once, with the same values, and counting from 1 in both.
#include "core/attention/pipeline.h"
#include "core/counting.h"
#include "core/display/flow_display.h"
#include "core/display/gradients_display.h"
#include "core/display/heads_display.h"
#include "core/embedded.h"
#include "core/figure/registry.h"
#include "core/model/normalizer_settings.h"
#include "core/model/position_settings.h"
#include "core/model/scale_settings.h"
#include "core/percent.h"
#include "core/told_error.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

namespace heed {
namespace {

struct Line {
    std::string english, chinese;
};

std::vector<Line> lines_of(std::string_view path) {
    std::vector<Line> lines;
    std::string_view text = embedded_file(path);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t tab = line.find('\t');
        EXPECT_NE(tab, std::string_view::npos) << path << ": " << line;
        if (tab != std::string_view::npos)
            lines.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
    }
    return lines;
}

std::set<std::string> values_of(const std::string& sentence) {
    static const std::regex value(R"(\{[0-9]\})");
    return {std::sregex_token_iterator(sentence.begin(), sentence.end(), value), std::sregex_token_iterator()};
}

TEST(Language, EverySentenceIsTranslatedOnceAndWithAllItsValues) {
    std::map<std::string, std::string_view> seen;
    for (const std::string_view path : embedded_files("assets/languages/zh/"))
        for (const Line& line : lines_of(path)) {
            const auto [other, is_new] = seen.emplace(line.english, path);
            EXPECT_TRUE(is_new) << path << " and " << other->second << ": " << line.english;
            EXPECT_FALSE(line.chinese.empty()) << line.english;
            if (line.english.starts_with("this is not JSON")) continue;  // the parser's own words are English
            // Superscripts and indices are written {2}, too; they are in both.
            EXPECT_EQ(values_of(line.chinese), values_of(line.english)) << line.english << " | " << line.chinese;
        }
    EXPECT_GT(seen.size(), 800U);
}

TEST(Language, APercentageIsAllOrNothingOnlyWhereItIs) {
    EXPECT_EQ(percent_digits(1), "100");
    EXPECT_EQ(percent_digits(0.99999999), "100") << "what float32 rounds";
    EXPECT_EQ(percent_digits(0.9999), "> 99.9");
    EXPECT_EQ(percent_digits(0.99662), "99.7");
    EXPECT_EQ(percent_digits(0.994), "99");
    EXPECT_EQ(percent_digits(1.002), "100.2");
    EXPECT_EQ(percent_digits(1.0002), "> 100");
    EXPECT_EQ(percent_digits(-0.9999), "< −99.9");
    EXPECT_EQ(percent_digits(0.42), "42");
    EXPECT_EQ(percent_digits(0.031), "3.1");
    EXPECT_EQ(percent_digits(0.0001), "< 0.1");
    EXPECT_EQ(percent_digits(-0.0001), "> −0.1");
    EXPECT_EQ(percent_digits(0), "0");
}

TEST(Language, OneChineseWordForOneThing) {
    for (const std::string_view path : embedded_files("assets/languages/zh/"))
        for (const Line& line : lines_of(path))
            for (const char* word : {"固定查询", "固定行", "固定的", "连接", "反传", "学习式", "孪生", "遮盖", "除分数",
                                     "每隔 s", "随机时为", "数字格式"})
                EXPECT_EQ(line.chinese.find(word), std::string::npos) << line.english << " | " << line.chinese;
    EXPECT_NE(tr(Language::chinese, "Numbers"), tr(Language::chinese, "Numerics"));
}

// Four heads, two of keys and values, numbers for all that is counted.
Scene counted_scene() {
    Scene scene = default_scene();
    scene.model.n_kv_heads = 2;
    fit_matrices(scene.model);
    scene.display.flow->all_heads = true;
    return scene;
}

std::string all_text(const Figure& figure) {
    std::string all;
    for (const Mark& mark : figure.marks)
        if (const auto* text = std::get_if<TextMark>(&mark)) all += text->text + "\n";
    return all;
}

TEST(Counting, NoFigureCountsHeadsOrComponentsFromZero) {
    static const std::regex zeroth(R"(([Hh]ead|K, V|component|头|第|分量) ?0(?![.0-9]))");
    std::string all;
    Scene scene = counted_scene();
    const AttentionTrace trace = run_attention(scene.model);
    for (const Language language : {Language::english, Language::chinese})
        for (const FigureKind& kind : figure_kinds())
            for (const auto panel : {GradientsPanel::jacobian, GradientsPanel::backward})
                for (const float width : {1400.0F, 620.0F}) {
                    scene.display.gradients->panel = panel;
                    const FigureContext context{.model = scene.model,
                                                .trace = trace,
                                                .display = scene.display,
                                                .title = scene_title(scene, language),
                                                .language = language,
                                                .measure = rough_measure(),
                                                .width = width,
                                                .height = 800};
                    const std::string text = all_text(kind.make(context));
                    std::smatch found;
                    EXPECT_FALSE(std::regex_search(text, found, zeroth)) << kind.id << ": " << found.str();
                    all += text;
                }
    for (const char* last : {"Head 4", "头 4", "K, V 2", "in head 1", "Weights of head 1"})
        EXPECT_NE(all.find(last), std::string::npos) << last;
    EXPECT_EQ(shown_number(0), "1");
}

TEST(ToldError, NamesAndNumbersStayAndSentencesInSentencesAreTold) {
    EXPECT_EQ(told_error(Language::english, "q.npy: the file is empty"), "q.npy: the file is empty");
    EXPECT_EQ(told_error(Language::chinese, "q.npy: the file is empty"), "q.npy：文件是空的");
    EXPECT_EQ(told_error(Language::chinese, "t.csv: line 3, column 2: \"x\" is not a number"),
              "t.csv：第 3 行第 2 列：\"x\" 不是数");
    EXPECT_EQ(told_error(Language::chinese,
                         "a b.npy: 3 × 4 as V would need more weights or larger matrices than Heed can "
                         "hold (model.n_heads: 99 is not between 1 and 64)"),
              "a b.npy：把 3 × 4 用作 V 所需的权重或矩阵超出 Heed 的容量（model.n_heads：99 不在 1 到 64 之间）");
    EXPECT_EQ(told_error(Language::chinese, "/x: the file cannot be written (No space left on device)"),
              "/x：文件无法写入（磁盘空间不足）");
    EXPECT_EQ(told_error(Language::chinese, "model.d_k: 0 is not between 1 and 9; model.d_v: 3 is not a finite number"),
              "model.d_k：0 不在 1 到 9 之间；model.d_v：3 不是有限数");
    EXPECT_EQ(told_error(Language::chinese, "x: there is no such field (did you mean a, b or c?)"),
              "x：没有这个字段（是否指 a, b 或 c？）");
    EXPECT_EQ(told_error(Language::chinese, "已保存 a.png"), "已保存 a.png") << "what is Chinese already stays";
    EXPECT_FALSE(error_in_chinese("no such sentence"));
    EXPECT_FALSE(error_in_chinese("t.csv: line 3, column 2: no such sentence")) << "nor half of one";
}

TEST(ToldError, AModelThatCannotBeIsRefusedInChinese) {
    int refused = 0;
    const auto expect_told = [&](const Model& model) {
        for (const std::string& sentence : check_model(model)) {
            ++refused;
            EXPECT_TRUE(error_in_chinese(sentence)) << sentence;
        }
    };
    const Model usual = default_scene().model;
    for (const int number : {-1, 0, 3, 1'000'000})
        for (int Model::*field : {&Model::n_queries, &Model::n_keys, &Model::d_model, &Model::d_k, &Model::d_v,
                                  &Model::d_additive, &Model::n_heads, &Model::n_kv_heads}) {
            Model model = usual;
            model.*field = number;
            expect_told(model);
        }
    using Row = std::string& (*)(Model&);
    for (const Row row : {Row([](Model& model) -> std::string& { return model.score; }),
                          Row([](Model& model) -> std::string& { return model.normalizer->id; }),
                          Row([](Model& model) -> std::string& { return model.position->encoding; })}) {
        Model model = usual;
        row(model) = "nothing";
        expect_told(model);
    }
    for (const float number : {-1.0F, std::nanf(""), 1e30F}) {
        Model model = usual;
        model.temperature = number;
        model.scale->soft_cap = number;
        model.scale->scaling = Scaling::typed;
        model.scale->typed_scale = number;
        expect_told(model);
    }
    EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace heed
