// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/payload/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Message, KeepsNumbersAndListsInTheOrderOfTheirDescription) {
  const std::array<Index, 3> row{0, 2, 5};
  MessageWriter writer;
  writer.write(Product{.rows = 3, .columns = 2, .left_row = 4, .target_column = 7, .row = row});
  EXPECT_THAT(writer.words(), ElementsAre(3, 2, 4, 0, 0, 0, 7, 3, 0, 2, 5, 0));
  const auto product = MessageReader(writer.words()).read<Product>();
  EXPECT_EQ(product.left_row, 4);
  EXPECT_EQ(product.target_column, 7);
  EXPECT_THAT(product.row, ElementsAre(0, 2, 5));
  EXPECT_THAT(product.column, IsEmpty());
}

/// The records have lists, so that no record is as long as the one before it.
TEST(Message, EndsWithAnyNumberOfRecords) {
  const std::array<Index, 2> column{0, 3};
  for (const Index count : {0, 1, 3}) {
    MessageWriter writer;
    writer.write(AssembleMessage{});
    for (Index p = 0; p < count; ++p) {
      writer.add(PanelProduct{
          .begin = 10 * p,
          .height = 5,
          .width = 2,
          .product = {
              .rows = 1, .columns = 2, .column = std::span(column).first(p % 2 == 0 ? 2 : 0)}});
    }
    const auto message = MessageReader(writer.words()).read<AssembleMessage>();
    EXPECT_EQ(message.products.count, count);
    Index seen = 0;
    message.products.for_each([&](const PanelProduct& panel) {
      EXPECT_EQ(panel.begin, 10 * seen);
      EXPECT_EQ(panel.width, 2);
      EXPECT_EQ(panel.product.columns, 2);
      EXPECT_EQ(panel.product.column.size(), seen % 2 == 0 ? 2u : 0u);
      ++seen;
    });
    EXPECT_EQ(seen, count);
  }
}

TEST(Message, HoldsPlacesBeyondTheReachOf32Bits) {
  for (const Count begin : {Count{1} << 31, (Count{1} << 32) + 8, Count{8} << 31, Count{0}}) {
    MessageWriter writer;
    writer.write(AssembleMessage{});
    writer.add(PanelProduct{.begin = begin, .height = 5, .width = 2, .product = {}});
    const auto message = MessageReader(writer.words()).read<AssembleMessage>();
    message.products.for_each([&](const PanelProduct& panel) {
      EXPECT_EQ(panel.begin, begin);
      EXPECT_EQ(panel.height, 5);
      EXPECT_EQ(panel.width, 2);
    });
  }
}

TEST(Message, IsReadByTheKindOfItsTask) {
  MessageWriter writer;
  writer.write(SolveTileMessage{4});
  writer.add(FacingRows{1, 2, 3, 4, 5});
  std::vector<TaskKind> read;
  const auto note = [&]<class Message>(const Message& message) {
    read.push_back(Message::kind);
    if constexpr (requires { message.triangle; }) {
      EXPECT_EQ(message.triangle, 4);
    }
  };
  for (const TaskKind kind : {TaskKind::backward, TaskKind::forward, TaskKind::subtree}) {
    AcceleratorMessages::read(kind, MessageReader(writer.words()), note);
  }
  EXPECT_THAT(read, ElementsAre(TaskKind::backward, TaskKind::forward));
}

}  // namespace
}  // namespace espalier::internal
