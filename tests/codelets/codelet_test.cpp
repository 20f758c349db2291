// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/codelet.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "perfmodels/starpu_models.hpp"

namespace espalier::internal {
namespace {

TEST(Codelet, OfEachKindHasNameColorAndModelOfItsOwn) {
  std::set<std::string> names;
  std::set<unsigned> colors;
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const starpu_codelet& object = *codelet(kind);
    EXPECT_TRUE(names.insert(object.name).second) << object.name;
    EXPECT_TRUE(colors.insert(object.color).second) << object.name;
    EXPECT_EQ(object.model, performance_model(kind));
    EXPECT_EQ(codelet(kind), &object);
  }
}

TEST(Codelet, RunsOnCpuWorkersWithAnyNumberOfHandles) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const starpu_codelet& object = *codelet(static_cast<TaskKind>(k));
    EXPECT_EQ(object.where, static_cast<std::uint32_t>(STARPU_CPU));
    EXPECT_NE(object.cpu_funcs[0], nullptr);
    EXPECT_EQ(object.cpu_funcs[1], nullptr);
    EXPECT_EQ(object.nbuffers, STARPU_VARIABLE_NBUFFERS);
  }
}

/// Policies that do not support parallel tasks run such tasks like all other tasks.
TEST(Codelet, OfTasksWithManyRowsRunsOnSeveralWorkersTogether) {
  for (const TaskKind kind : {TaskKind::factor, TaskKind::update, TaskKind::assemble}) {
    EXPECT_EQ(codelet(kind)->type, STARPU_SPMD);
    EXPECT_GT(codelet(kind)->max_parallelism, STARPU_MAXCPUS);
  }
  for (const TaskKind kind : {TaskKind::diagonal, TaskKind::subtree, TaskKind::forward}) {
    EXPECT_EQ(codelet(kind)->type, STARPU_SEQ);
    EXPECT_LE(codelet(kind)->max_parallelism, 1);
  }
}

}  // namespace
}  // namespace espalier::internal
