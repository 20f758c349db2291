// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/starpu_models.hpp"

#include <gmock/gmock.h>
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
    EXPECT_THAT(symbol, testing::MatchesRegex("espalier_[0-9a-f]+_" + std::string(name_of(kind))));
    EXPECT_TRUE(symbol.starts_with(model_symbol_prefix())) << symbol;
    EXPECT_TRUE(symbols.insert(symbol).second) << symbol;
    EXPECT_EQ(performance_model(kind), performance_model(kind));
  }
}

/// Returns the predicted microseconds of a task with this argument on a number of workers of a
/// kind.
double predicted(const starpu_perfmodel& model, void* argument, starpu_worker_archtype type,
                 int workers = 1) {
  starpu_task task;
  starpu_task_init(&task);
  task.cl_arg = argument;
  starpu_perfmodel_device device{type, 0, workers};
  starpu_perfmodel_arch arch{1, &device};
  return model.arch_cost_function(&task, &arch, 0);
}

TEST(PerformanceModel, PredictsTheMicrosecondsOfTheShape) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const starpu_perfmodel& model = *performance_model(static_cast<TaskKind>(k));
    ASSERT_EQ(model.type, STARPU_PER_ARCH);
    for (const double seconds : {1e-6, 0.25, 0.0}) {
      Shape shape{static_cast<TaskKind>(k)};
      shape.seconds = seconds;
      EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_CPU_WORKER), seconds * 1e6);
      EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_CPU_WORKER, 4), seconds * 1e6 / 4);
      EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_CUDA_WORKER), seconds * 1e6);
    }
  }
}

TEST(PerformanceModel, PredictsForDevicesWhatTheyTake) {
  Shape shape{TaskKind::update};
  shape.seconds = 3e-3;
  shape.device_seconds = 1e-3;
  const starpu_perfmodel& model = *performance_model(TaskKind::update);
  EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_CPU_WORKER), 3000);
  EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_CUDA_WORKER), 1000);
  EXPECT_DOUBLE_EQ(predicted(model, &shape, STARPU_TCPIP_MS_WORKER), 1000);
}

/// Models read the argument of a codelet as a Shape, so a bound task must begin with one.
TEST(PerformanceModel, FindsTheShapeAtTheBeginningOfABoundTask) {
  BoundTask bound{};
  bound.shape.seconds = 3e-6;
  EXPECT_EQ(static_cast<void*>(&bound), static_cast<void*>(&bound.shape));
  EXPECT_DOUBLE_EQ(predicted(*performance_model(TaskKind::update), &bound, STARPU_CPU_WORKER), 3);
}

}  // namespace
}  // namespace espalier::internal
