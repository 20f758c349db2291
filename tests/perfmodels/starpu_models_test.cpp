// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/starpu_models.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codelets/task_list.hpp"
#include "perfmodels/shape.hpp"

namespace espalier::internal {
namespace {

TEST(PerformanceModel, OfEachKindHasASymbolOfItsOwnWithThePrefix) {
  std::set<std::string> symbols;
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const std::string symbol = performance_model(kind)->symbol;
    EXPECT_EQ(symbol, "espalier_" + std::string(name_of(kind)));
    EXPECT_TRUE(symbols.insert(symbol).second) << symbol;
    EXPECT_EQ(performance_model(kind), performance_model(kind));
  }
}

TEST(PerformanceModel, PredictsTheMicrosecondsOfTheShape) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const starpu_perfmodel& model = *performance_model(static_cast<TaskKind>(k));
    ASSERT_EQ(model.type, STARPU_COMMON);
    for (const double seconds : {1e-6, 0.25, 0.0}) {
      Shape shape{static_cast<TaskKind>(k)};
      shape.seconds = seconds;
      starpu_task task;
      starpu_task_init(&task);
      task.cl_arg = &shape;
      EXPECT_DOUBLE_EQ(model.cost_function(&task, 0), seconds * 1e6);
    }
  }
}

/// Models read the argument of a codelet as a Shape: a bound task must begin with one.
TEST(PerformanceModel, FindsTheShapeAtTheBeginningOfABoundTask) {
  BoundTask bound{};
  bound.shape.seconds = 3e-6;
  EXPECT_EQ(static_cast<void*>(&bound), static_cast<void*>(&bound.shape));
  starpu_task task;
  starpu_task_init(&task);
  task.cl_arg = &bound;
  EXPECT_DOUBLE_EQ(performance_model(TaskKind::update)->cost_function(&task, 0), 3);
}

}  // namespace
}  // namespace espalier::internal
