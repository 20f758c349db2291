// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/task_facts.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "perfmodels/shape.hpp"
#include "perfmodels/starpu_models.hpp"

namespace espalier::internal {
namespace {

/// A task of a codelet whose model has that name.
class NamedTask {
 public:
  NamedTask(std::string symbol, void* argument) : symbol_(std::move(symbol)) {
    model_.symbol = symbol_.c_str();
    starpu_codelet_init(&codelet_);
    codelet_.model = &model_;
    starpu_task_init(&task_);
    task_.cl = &codelet_;
    task_.cl_arg = argument;
  }
  starpu_task* get() { return &task_; }

 private:
  std::string symbol_;
  starpu_perfmodel model_{};
  starpu_codelet codelet_{};
  starpu_task task_{};
};

TEST(TaskFacts, AreReadOfTheShapeOfThisVersion) {
  Shape shape{TaskKind::update, 1, 2, 3};
  shape.seconds = 0.5;
  shape.path = 7;
  NamedTask task(performance_model(TaskKind::update)->symbol, &shape);
  EXPECT_EQ(lengths_of(task.get()).seconds, 0.5);
  const TaskFacts facts = facts_at_submission(task.get());
  EXPECT_TRUE(facts.ours);
  EXPECT_EQ(facts.k, 3);
}

/// The argument of such a task is not read: here it points to unreadable memory.
TEST(TaskFacts, OfOtherVersionsAreThoseOfForeignTasks) {
  void* const unreadable = reinterpret_cast<void*>(std::size_t{8});
  const std::string kind(name_of(TaskKind::update));
  for (const std::string& symbol : {"espalier_" + kind, "espalier_0badcafe_" + kind,
                                    model_symbol_prefix() + "unheard_of", model_symbol_prefix()}) {
    NamedTask task(symbol, unreadable);
    EXPECT_LT(lengths_of(task.get()).seconds, 0) << symbol;
    EXPECT_FALSE(facts_at_submission(task.get()).ours) << symbol;
    note_ready(task.get());
  }
}

}  // namespace
}  // namespace espalier::internal
