// The table of operands against the model it describes: every claim loops over its rows.
#include "core/edit/matrices.h"
#include "core/model_fields.h"
#include "core/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heed {
namespace {

TEST(Operands, EveryMatrixFieldOfAModelIsARowAndEveryRowAField) {
    std::set<std::string> fields, rows;
    const Model model;
    visit_fields(model, [&]<typename Field>(const char* name, const Field&, const auto&) {
        if constexpr (std::is_same_v<Field, SharedMatrix> || std::is_same_v<Field, std::vector<SharedMatrix>> ||
                      std::is_same_v<Field, std::vector<SharedMask>>)
            fields.insert(name);
    });
    for (const OperandRow& row : operands()) rows.insert(std::string(row.id));
    EXPECT_EQ(fields, rows);
}

TEST(Operands, MembersAreTheFieldsOfTheirId) {
    for (const OperandRow& row : operands()) {
        const Model model = default_scene().model;
        const void* member = with_member(model, row, [](const auto& field) -> const void* { return &field; });
        visit_fields(model, [&](const char* name, const auto& field, const auto&) {
            EXPECT_EQ(name == row.id, static_cast<const void*>(&field) == member) << row.id << " and " << name;
        });
    }
}

TEST(Operands, RowsStandInTheOrderOfTheirNumbers) {
    for (std::size_t i = 0; i < operands().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(operands()[i].operand), i);
        EXPECT_EQ(find_operand(operands()[i].id), &operands()[i]);
        EXPECT_EQ(&operand_row(operands()[i].operand), &operands()[i]);
    }
}

// All sizes differ, so that a side taken for another shows.
Model uneven_model() {
    Model model = default_scene().model;
    model.self_attention = false;
    model.n_queries = 3;
    model.n_keys = 5;
    model.d_model = 7;
    model.d_k = 11;
    model.d_v = 13;
    model.d_additive = 17;
    model.n_heads = 4;
    model.n_kv_heads = 2;
    for (const OperandRow& row : operands()) with_member(model, row, [](auto& member) { member = {}; });
    fit_matrices(model);
    return model;
}

TEST(Operands, FittedMatricesHaveTheSidesAndTheNumberOfTheirRow) {
    const Model model = uneven_model();
    EXPECT_TRUE(check_model(model).empty());
    for (const OperandRow& row : operands()) {
        int count = 0;
        for_each_matrix(model, row, [&](const auto& matrix, int) {
            EXPECT_EQ((Shape{matrix.rows(), matrix.cols()}), operand_shape(model, row.operand)) << row.id;
            ++count;
        });
        EXPECT_EQ(count, operand_count(model, row.operand)) << row.id;
        for (int head = 0; head < model.n_heads; ++head)
            EXPECT_LT(operand_index(model, row.operand, head), count) << row.id;
    }
    EXPECT_EQ(operand_shape(model, Operand::w_o), (Shape{13, 7}));
    EXPECT_EQ(operand_shape(model, Operand::additive_v), (Shape{1, 17}));
}

TEST(Operands, CellsAreWhatTheSeedDraws) {
    const Model model = uneven_model();
    for (const OperandRow& row : operands())
        for_each_matrix(model, row, [&](const auto& matrix, int index) {
            for (Index i = 0; i < matrix.rows(); ++i)
                for (Index j = 0; j < matrix.cols(); ++j)
                    ASSERT_EQ(static_cast<float>((*matrix)(i, j)), drawn_value(model, row.operand, index, i, j))
                        << row.id;
        });
}

TEST(Operands, AMatrixThatIsTooSmallOrMissingIsNamed) {
    for (const OperandRow& row : operands()) {
        Model model = uneven_model();
        for_each_matrix(model, row, [](auto& matrix, int) { matrix = {}; });
        const std::vector<std::string> sentences = check_model(model);
        ASSERT_FALSE(sentences.empty()) << row.id;
        EXPECT_EQ(sentences.front().find("model." + std::string(row.id) + ": 0 × 0 is smaller than the "), 0U)
            << sentences.front();
    }
}

TEST(Operands, NumbersOfAFittedModelAreThoseOfItsMatrices) {
    const Model model = uneven_model();
    std::int64_t numbers = 0;
    for (const OperandRow& row : operands())
        for_each_matrix(model, row, [&](const auto& matrix, int) {
            numbers += row.is_mask() ? std::int64_t{matrix.rows()} * matrix.cols() / 4
                                     : std::int64_t{matrix.rows()} * matrix.cols();
        });
    EXPECT_EQ(numbers_when_fitted(model, model), numbers);
}

TEST(Operands, WhatIsAbsentTakesPartOnceItIsSwitchedOn) {
    for (const OperandRow& row : operands()) {
        for (const Source source : {Source::direct, Source::projected}) {
            Model model = default_scene().model;
            model.source = source;
            switch_on(model, row.operand);
            EXPECT_EQ(row.absence(model), Absence::none) << row.id;
        }
    }
}

}  // namespace
}  // namespace heed
