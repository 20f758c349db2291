// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/host_task.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "runtime/starpu/application.hpp"

namespace espalier::internal {
namespace {

using support::Application;
using support::submit_own_task;
using support::Vector;

TEST(HostTaskOfStarpu, GetsVectorsAndMatricesInTheOrderOfItsAccesses) {
  const Application application("lws", 2);
  const Vector vector({1, 2, 3, 4});
  std::vector<double> entries{5, 6, 0, 7, 8, 0};
  starpu_data_handle_t matrix = nullptr;
  starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM,
                              reinterpret_cast<std::uintptr_t>(entries.data()), 3, 2, 2,
                              sizeof(double));
  Completion completion;
  const auto work = [](std::span<const ApplicationView> data) {
    *data[0].column(1, 2) = *data[1].column(1, 2);
  };
  submit(HostTask{"work", work},
         std::array{starpu_data_descr{vector.handle(), STARPU_RW},
                    starpu_data_descr{matrix, STARPU_R}},
         completion);
  completion.wait();
  starpu_data_unregister(matrix);
  EXPECT_EQ(vector.wait(), (std::vector<double>{1, 2, 7, 4}));
}

/// More data than StarPU's task has space for, and null handles between them.
TEST(Fence, SeparatesEarlierFromLaterTasks) {
  const Application application("lws", 2);
  std::array<Vector, 10> data{Vector({0}), Vector({0}), Vector({0}), Vector({0}), Vector({0}),
                              Vector({0}), Vector({0}), Vector({0}), Vector({0}), Vector({0})};
  const Vector last({0});
  std::vector<starpu_data_handle_t> handles;
  std::atomic<bool> may_end = false;
  std::atomic<int> before = 0;
  for (const Vector& vector : data) {
    support::submit_gate(vector, may_end);
    submit_own_task({{vector.handle(), STARPU_R}}, [&before](auto) { ++before; });
    handles.push_back(vector.handle());
    handles.push_back(nullptr);
  }
  Completion completion;
  submit_fence(handles, last.handle(), completion);
  int seen = -1;
  submit_own_task({{last.handle(), STARPU_RW}}, [&](auto values) {
    seen = before;
    values[0][0] = 1;
  });
  submit_fence(handles, last.handle(), completion);
  std::array<double, 10> after{};
  for (std::size_t i = 0; i < data.size(); ++i) {
    submit_own_task({{data[i].handle(), STARPU_RW}},
                    [&seen, &after, i](auto values) { after[i] = seen + values[0][0]; });
  }
  may_end = true;
  completion.wait();
  starpu_task_wait_for_all();
  EXPECT_EQ(seen, 10);
  for (const double value : after) EXPECT_EQ(value, 10) << "the data keep their content";
}

}  // namespace
}  // namespace espalier::internal
