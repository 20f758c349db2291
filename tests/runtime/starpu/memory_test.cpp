// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "codelets/codelet.hpp"
#include "espalier/error.hpp"
#include "runtime/starpu/application.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

TEST(Handles, DescribeTheirMemory) {
  const support::Application application("eager", 1);
  std::vector<double> memory(60);
  const std::vector<DataView> data{{memory.data(), 3, 4, 5}, {memory.data() + 40, 20, 1, 20}};
  const Handles handles(data);
  ASSERT_EQ(handles.all().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const starpu_data_handle_t handle = handles.all()[i];
    EXPECT_EQ(memory_of(handle), data[i].memory());
    EXPECT_EQ(starpu_matrix_get_nx(handle), static_cast<unsigned>(data[i].rows()));
    EXPECT_EQ(starpu_matrix_get_ny(handle), static_cast<unsigned>(data[i].columns()));
    EXPECT_EQ(starpu_matrix_get_local_ld(handle), static_cast<unsigned>(data[i].ld()));
    EXPECT_EQ(starpu_matrix_get_elemsize(handle), sizeof(double));
  }
}

TEST(Handles, TellTheSizeOfEntriesOfAnyType) {
  const support::Application application("eager", 1);
  std::vector<float> memory(12);
  const Handles handles(std::array{DataView(memory.data(), 3, 4, 3)});
  EXPECT_EQ(starpu_matrix_get_elemsize(handles.all()[0]), sizeof(float));
  EXPECT_EQ(bytes_of(handles.all()[0]), 48);
}

/// Only sizes are registered, without memory, because few machines have 64 GiB.
TEST(Handles, TellTheSizeOfDataWithMoreEntriesThan32BitsCount) {
  const support::Application application("eager", 1);
  constexpr Index many = std::numeric_limits<Index>::max();
  const std::vector<MatrixView> sizes{
      {nullptr, 8, (1 << 28) + 1, 8},  // more than 2^31
      {nullptr, 8, 1 << 29, 8},        // 2^32
      {nullptr, 1 << 20, 8192, 1 << 20}, {nullptr, 8, many, 8},
      {nullptr, many, 64, many},         {nullptr, 65535, 65537, 100000}};  // 2^32 - 1
  const std::vector<DataView> data(sizes.begin(), sizes.end());
  const Handles handles(data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const starpu_data_handle_t handle = handles.all()[i];
    EXPECT_EQ(bytes_of(handle), Count{8} * data[i].rows() * data[i].columns()) << i;
    const MatrixView view = view_of(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
    EXPECT_EQ(view.rows, data[i].rows()) << i;
    EXPECT_EQ(view.columns, data[i].columns()) << i;
    EXPECT_EQ(view.ld, data[i].ld()) << i;
  }
}

TEST(Handles, RefuseTilesThatStarpuCannotCount) {
  const DataView tile(MatrixView{nullptr, 1 << 20, 4096, 1 << 21});
  support::expect_error<UsageError>([&] { const StarpuMatrix as(tile); },
                                    {"1048576 rows", "4096 columns", "narrower panels"});
}

TEST(Handles, MoveWithTheirRegistration) {
  const support::Application application("eager", 1);
  std::vector<double> memory(8);
  const std::vector<DataView> data{{memory.data(), 8, 1, 8}};
  Handles first(data);
  const starpu_data_handle_t handle = first.all()[0];
  Handles second(std::move(first));
  ASSERT_EQ(second.all().size(), 1u);
  EXPECT_EQ(second.all()[0], handle);
  EXPECT_TRUE(first.all().empty());  // NOLINT: the moved-from state is tested
  Handles third;
  third = std::move(second);
  EXPECT_EQ(third.all()[0], handle);
}

TEST(Handles, LeaveTheMemoryAsItIs) {
  const support::Application application("eager", 1);
  std::vector<double> memory{1, 2, 3};
  { const Handles handles(std::vector<DataView>{{memory.data(), 3, 1, 3}}); }
  EXPECT_EQ(memory, (std::vector<double>{1, 2, 3}));
}

TEST(PinnedMemory, IsOfPartsWithMuchBetweenThem) {
  std::vector<double> memory(100000);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::span(memory).subspan(begin, end - begin);
  };
  const std::vector parts{part(0, 10),        part(50, 50),       part(50, 70),
                          part(16000, 20000), part(40000, 50000), part(50000, 60000)};
  const auto joined = joined_parts(parts);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].data(), memory.data());
  EXPECT_EQ(joined[0].size(), 20000u);
  EXPECT_EQ(joined[1].data(), memory.data() + 40000);
  EXPECT_EQ(joined[1].size(), 20000u);
}

}  // namespace
}  // namespace espalier::internal
