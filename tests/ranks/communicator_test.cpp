// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/clock.hpp"
#include "espalier/error.hpp"
#include "ranks/whole.hpp"

namespace espalier::internal {
namespace {

using testing::HasSubstr;

TEST(Communicator, HasTheRanksOfTheOneGiven) {
  const Communicator comm(MPI_COMM_WORLD);
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(comm.rank(), rank);
  EXPECT_EQ(comm.size(), size);
  EXPECT_EQ(comm.is_root(), rank == 0);
}

TEST(Communicator, KeepsApartFromOthersOfTheSameRanks) {
  const Communicator one(MPI_COMM_WORLD);
  const Communicator other(MPI_COMM_WORLD);
  const std::vector<Index> values{1, 2};
  std::vector<Index> first;
  std::vector<Index> second;
  if (one.size() == 1) return;
  if (one.rank() == 0) {
    one.send(std::span(values), 1);
    other.send(std::span(values).first(1), 1);
  } else if (one.rank() == 1) {
    other.receive(second, 0);
    one.receive(first, 0);
    EXPECT_EQ(first, values);
    EXPECT_EQ(second, std::vector<Index>{1});
  }
}

TEST(Communicator, ReceivesPiecesWhereTheyBelong) {
  const Communicator comm(MPI_COMM_WORLD, 16);
  if (comm.size() == 1) return;
  const std::vector<double> values{1, 2, 3, 4, 5};
  if (comm.rank() == 0) {
    comm.send(std::span(values).first(3), 1);
    comm.send(std::span(values).subspan(3), 1);
  } else if (comm.rank() == 1) {
    std::vector<double> received(6, -1);
    EXPECT_EQ(comm.receive_piece(std::span(received), 0), 3u);
    EXPECT_EQ(comm.receive_piece(std::span(received).subspan(3), 0), 2u);
    EXPECT_EQ(received, (std::vector<double>{1, 2, 3, 4, 5, -1}));
  }
}

TEST(Communicator, BroadcastsArraysOfAnyLength) {
  for (const Count piece : {Count{1}, Count{16}, Count{1} << 30}) {
    const Communicator comm(MPI_COMM_WORLD, piece);
    for (const std::size_t length : {0, 1, 2, 3, 100}) {
      std::vector<double> expected(length);
      std::iota(expected.begin(), expected.end(), 0.5);
      std::vector<double> values(comm.is_root() ? expected : std::vector<double>(7, -1.0));
      comm.broadcast(values);
      EXPECT_EQ(values, expected);
    }
    Index value = comm.is_root() ? 42 : 0;
    comm.broadcast(value);
    EXPECT_EQ(value, 42);
  }
}

TEST(Communicator, SendsArraysOfAnyLengthToTheNextRank) {
  for (const Count piece : {Count{1}, Count{16}, Count{1} << 30}) {
    const Communicator comm(MPI_COMM_WORLD, piece);
    if (comm.size() == 1) return;
    for (const std::size_t length : {0, 1, 2, 3, 100}) {
      const std::vector<Count> sent(length, comm.rank());
      std::vector<Count> received{7, 7};
      const Index next = (comm.rank() + 1) % comm.size();
      const Index previous = (comm.rank() + comm.size() - 1) % comm.size();
      if (comm.rank() % 2 == 0) comm.send(std::span(sent), next);
      comm.receive(received, previous);
      if (comm.rank() % 2 == 1) comm.send(std::span(sent), next);
      EXPECT_EQ(received, std::vector<Count>(length, previous));
    }
  }
}

TEST(Communicator, ExchangesArraysOfEachRankWithEach) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto array = [&](Index from, Index to) {
    return std::vector<Index>(static_cast<std::size_t>(from), 10 * from + to);
  };
  std::vector<Index> given;
  std::vector<int> taken(comm.size(), 0);
  exchange<Index>(
      comm,
      [&](Index to) {
        given = array(comm.rank(), to);
        return std::span<const Index>(given);
      },
      [&](Index from, std::span<const Index> values) {
        ++taken[from];
        EXPECT_EQ(std::vector<Index>(values.begin(), values.end()), array(from, comm.rank()));
      });
  EXPECT_EQ(taken, std::vector<int>(comm.size(), 1));
}

TEST(Communicator, FindsTheLeastOfAll) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(comm.least_of_all(comm.rank() + 3), 3);
  EXPECT_EQ(comm.least_of_all(comm.size() - comm.rank()), 1);
}

TEST(Communicator, AddsUpValuesAndFindsTheLargest) {
  const Communicator comm(MPI_COMM_WORLD);
  const double last = comm.size() - 1;
  std::vector<double> values{1.0 * comm.rank(), -2.0 * comm.rank(), 5};
  std::vector<double> largest = values;
  comm.add_up(values);
  EXPECT_EQ(values, (std::vector<double>{last * (last + 1) / 2, -last * (last + 1), 5 * last + 5}));
  comm.find_largest(largest);
  EXPECT_EQ(largest, (std::vector<double>{last, 0, 5}));
}

TEST(Communicator, GathersAValueOfEachRank) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<double> expected(comm.size());
  std::iota(expected.begin(), expected.end(), 1.5);
  EXPECT_EQ(comm.gather_from_all(comm.rank() + 1.5), expected);
}

TEST(Communicator, GathersArraysOfAnyLengthOnTheRoot) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::vector<Index> own(comm.rank(), comm.rank() + 7);
  const auto all = comm.gather(std::span(own));
  ASSERT_EQ(std::ssize(all), comm.is_root() ? comm.size() : 0);
  for (std::size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(all[r], std::vector<Index>(r, static_cast<Index>(r) + 7));
  }
}

/// Returns the error that agree() throws if f(rank) is called on each rank.
template <typename F>
std::string thrown_by(F f) {
  const Communicator comm(MPI_COMM_WORLD);
  try {
    agree(comm, [&] { f(comm.rank()); });
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.code())) + ": " + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Agree, ReturnsWhatEachRankReturns) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(agree(comm, [&] { return comm.rank() + 10; }), comm.rank() + 10);
  EXPECT_EQ(thrown_by([](Index) {}), "nothing");
}

TEST(Agree, ThrowsOnAllRanksWhatOneThrows) {
  const Communicator comm(MPI_COMM_WORLD);
  for (Index bad = 0; bad < comm.size(); ++bad) {
    const auto read = [&](Index rank) {
      if (rank == bad) throw InputError("line 3 is wrong");
    };
    EXPECT_EQ(thrown_by(read), "3: line 3 is wrong");
    EXPECT_THROW(agree(comm, [&] { read(comm.rank()); }), InputError);
  }
}

TEST(Agree, ThrowsTheErrorOfTheFirstRankThatHasOne) {
  const Communicator comm(MPI_COMM_WORLD);
  const Index first = comm.size() > 1 ? 1 : 0;
  const std::string thrown = thrown_by([&](Index rank) {
    if (rank >= first) throw MemoryError("rank " + std::to_string(rank) + " is full");
  });
  EXPECT_EQ(thrown, "5: rank " + std::to_string(first) + " is full");
}

TEST(Agree, KeepsTheKindOfEveryError) {
  EXPECT_THAT(thrown_by([](Index) { throw UsageError("u"); }), HasSubstr("2: u"));
  const Communicator comm(MPI_COMM_WORLD);
  const Index last = comm.size() - 1;
  const auto on_last = [&](auto error) {
    agree(comm, [&] {
      if (comm.rank() == last) throw error;
    });
  };
  EXPECT_THROW(on_last(InaccurateSolution("a")), InaccurateSolution);
  EXPECT_THROW(on_last(UsageError("a")), UsageError);
  EXPECT_THROW(on_last(InputError("a")), InputError);
  EXPECT_THROW(on_last(MemoryError("a")), MemoryError);
  EXPECT_THROW(on_last(UnknownScheduler("a")), UnknownScheduler);
  EXPECT_THROW(on_last(RuntimeFailure("a")), RuntimeFailure);
  EXPECT_THROW(on_last(Error(ErrorCode::not_positive_definite, "a")), Error);
}

TEST(Agree, OnMemoryThatRanOutIsAMemoryErrorElsewhere) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) return;
  const auto allocate = [&] {
    if (comm.rank() == 1) throw std::bad_alloc();
  };
  if (comm.rank() == 1) {
    EXPECT_THROW(agree(comm, allocate), std::bad_alloc);
  } else {
    EXPECT_THROW(agree(comm, allocate), MemoryError);
  }
}

}  // namespace
namespace {

/// All ranks of these tests have the same clock. Returns the time of a clock that is a minute ahead
/// of the previous rank's clock.
double clock_of_rank() { return steady_seconds() + 60.0 * support::rank_here(); }

TEST(RankClocks, AreBehindByWhatTheyWereSet) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_NEAR(behind_root(comm, clock_of_rank), -60.0 * comm.rank(), 0.05);
  EXPECT_NEAR(behind_root(comm), 0, 0.05);
}

TEST(RankClocks, ShowWhenAWatchBegan) {
  const double before = steady_seconds();
  const Stopwatch watch;
  EXPECT_GE(watch.begin(), before);
  EXPECT_LE(watch.begin(), steady_seconds());
}

}  // namespace
}  // namespace espalier::internal
