// Scene files as a bad disk, a careless editor or an enemy leaves them.
#include "core/files/json_text.h"
#include "core/files/scene_file.h"
#include "tests/files/mutate.h"
#include "tests/files/random_scene.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

// What any outcome must satisfy: a scene that can be computed and saved, or one sentence.
void expect_scene_or_sentence(const std::string& text, int& refused) {
    const Result<Scene> scene = load_scene(text, "broken.json");
    if (!scene) {
        ++refused;
        ASSERT_TRUE(test::is_one_sentence(scene.error(), "broken.json")) << scene.error();
        return;
    }
    ASSERT_TRUE(check_model(scene->model).empty()) << text;
    const Result<Scene> again = load_scene(save_scene(*scene), "again.json");
    ASSERT_TRUE(again) << again.error() << "\n" << text;
    ASSERT_EQ(*again, *scene) << text;
}

// Damage that leaves JSON, so that it reaches what lies behind the parser.
class StructuralDamage {
public:
    explicit StructuralDamage(std::uint32_t seed) : mutator_(seed) {}

    void apply(Json& json) {
        Json* at = &json;
        while (at->is_structured() && !at->empty() && mutator_.below(4) != 0) at = &child(*at);
        const bool filled = at->is_structured() && !at->empty();
        switch (mutator_.below(6)) {
            case 0:
                *at = odd_value();
                break;
            case 1:
                if (filled && at->is_object()) at->erase(some_key(*at));
                if (filled && at->is_array()) at->erase(mutator_.below(at->size()));
                break;
            case 2:
                if (at->is_array()) at->push_back(odd_value());
                if (at->is_object()) (*at)["n_keys"] = odd_value();
                break;
            case 3:
                if (filled && at->is_object()) rename(*at, some_key(*at));
                break;
            case 4:
                if (filled && at->is_array()) at->push_back(Json(child(*at)));
                break;
            default:
                if (filled) std::swap(child(*at), child(*at));
        }
    }

private:
    Json odd_value() {
        const Json odd[] = {nullptr,
                            true,
                            false,
                            0,
                            1,
                            2,
                            3,
                            -1,
                            7,
                            100000,
                            2147483648,
                            -9223372036854775807,
                            18446744073709551615U,
                            0.5F,
                            -1e30F,
                            "",
                            "nan",
                            "-inf",
                            "dot",
                            "rope",
                            Json::array(),
                            Json::object(),
                            {1, 2},
                            {{1, 2}, {3}},
                            {{"rows", 3}, {"cols", 2}},
                            {{"rows", 65536}, {"cols", 65536}}};
        return odd[mutator_.below(std::size(odd))];
    }
    std::string some_key(const Json& object) {
        return std::next(object.begin(), static_cast<std::ptrdiff_t>(mutator_.below(object.size()))).key();
    }
    static void rename(Json& object, const std::string& key) {
        Json value = object[key];
        object.erase(key);
        object[key + "_"] = std::move(value);
    }
    Json& child(Json& json) { return json.is_array() ? json[mutator_.below(json.size())] : json[some_key(json)]; }

    test::Mutator mutator_;
};

TEST(SceneFile, ManyPaintedMasksInASmallFileAreRefusedBeforeTheyAreMade) {
    std::string masks = "null";
    for (int i = 1; i < max_heads; ++i) masks += ", null";
    const Result<Scene> scene = load_scene(
        R"({"heed": 1, "model": {"n_queries": 11000, "n_heads": 1, "painted_mask": [)" + masks + "]}}", "masks.json");
    ASSERT_FALSE(scene);
    EXPECT_TRUE(test::is_one_sentence(scene.error(), "masks.json")) << scene.error();
    EXPECT_NE(scene.error().find("more than the 268435456 Heed can hold"), std::string::npos) << scene.error();
}

TEST(SceneFile, NothingIsHiddenBehindAZeroByte) {
    using namespace std::string_literals;
    const Result<Scene> scene = load_scene("{\"heed\": 1}\0 and more"s, "zero.json");
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.error(), "zero.json: line 1, column 12: this is not JSON (there is a zero byte)");
}

// Brackets take the most memory for their bytes.
TEST(SceneFile, MoreListsOrNumbersThanAnySceneHasAreRefusedBeforeTheyAreBuilt) {
    std::string lists = "[";
    for (std::size_t i = 0; i < max_json_brackets; ++i) lists += "[],";
    const Result<Json> many_lists = parse_json(lists + "[]]", "lists.json");
    ASSERT_FALSE(many_lists);
    EXPECT_EQ(many_lists.error(), "lists.json: there are more lists than in any scene");
    std::string numbers = "[";
    for (std::size_t i = 0; i < max_json_values; ++i) numbers += "0,";
    const Result<Json> many_numbers = parse_json(numbers + "0]", "numbers.json");
    ASSERT_FALSE(many_numbers);
    EXPECT_EQ(many_numbers.error(), "numbers.json: there are more values than in any scene");
}

TEST(SceneFile, ThousandsOfBrokenFilesGiveASceneOrASentence) {
    test::SceneMaker maker(2);
    std::vector<std::string> whole;
    for (int i = 0; i < 20; ++i) whole.push_back(save_scene(maker.scene()));
    test::Mutator mutator(20260103);
    int refused = 0;
    constexpr int n_files = 3000;
    for (int i = 0; i < n_files; ++i)
        ASSERT_NO_FATAL_FAILURE(expect_scene_or_sentence(
            mutator.damage(whole[mutator.below(whole.size())], whole[mutator.below(whole.size())]), refused));
    EXPECT_GT(refused, n_files / 2);
    EXPECT_LT(refused, n_files);
}

TEST(SceneFile, ThousandsOfWrongFieldsGiveASceneOrASentence) {
    test::SceneMaker maker(3);
    std::vector<Json> whole;
    for (int i = 0; i < 20; ++i) whole.push_back(*parse_json(save_scene(maker.scene()), "whole"));
    StructuralDamage damage(20260104);
    test::Mutator mutator(4);
    int refused = 0;
    constexpr int n_files = 2500;
    for (int i = 0; i < n_files; ++i) {
        Json json = whole[mutator.below(whole.size())];
        for (std::size_t rounds = 1 + mutator.below(3); rounds > 0; --rounds) damage.apply(json);
        ASSERT_NO_FATAL_FAILURE(expect_scene_or_sentence(format_json(json), refused));
    }
    EXPECT_GT(refused, n_files / 4);
    EXPECT_LT(refused, n_files);
}

TEST(SceneFile, ThousandsOfWrongSettingsChangeTheSceneOrNothing) {
    Scene scene = test::SceneMaker(6).scene();
    const std::vector<std::string> names = field_names();
    static constexpr std::string_view values[] = {
        "0",     "1",  "2",   "-1",    "3.5",         "true", "null",  "nan",           "[]",
        "[1,2]", "{}", "dot", "a b c", "99999999999", "1e99", "\"x\"", "[[1,2],[3,4]]", "{\"rows\":2,\"cols\":3}",
        "",      "["};
    static constexpr std::string_view tails[] = {"",    "",       "",  "",  "[0]", "[0][0][0]", "[9]",
                                                 ".on", "[0].on", "[", "]", ".",   "[0][0]"};
    test::Mutator mutator(7);
    int set = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::string key =
            names[mutator.below(names.size())] + std::string(tails[mutator.below(std::size(tails))]);
        const std::string_view value = values[mutator.below(std::size(values))];
        const Scene before = scene;
        const Status status = set_field(scene, key, value);
        if (status) {
            ASSERT_TRUE(check_model(scene.model).empty()) << key << "=" << value;
            ++set;
        } else {
            ASSERT_EQ(scene, before) << key << "=" << value;
            ASSERT_TRUE(test::is_one_sentence(status.error(), "")) << status.error();
        }
        if (scene.model.n_queries > 50 || scene.model.n_keys > 50) scene = test::SceneMaker(6).scene();
    }
    EXPECT_GT(set, 150);  // enough of them are right for the others to mean something
}

}  // namespace
}  // namespace heed
