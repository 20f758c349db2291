// SPDX-License-Identifier: BSD-3-Clause
// Prints times of blocks that travel from rank 0 to rank 1: by two-sided messages, and by
// notifications that the target answers with a one-sided get, as in figure 4 of symPACK.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/scalar.hpp"
#include "espalier/types.hpp"

namespace espalier::internal::bench {
namespace {

constexpr int source_rank = 0;
constexpr int target_rank = 1;
constexpr int notification_tag = 1;
constexpr int first_data_tag = 2;

struct Settings {
  int blocks = 32;
  int rounds = 31;
  std::vector<int> sizes{64, 512, 4096, 16384, 65536, 262144};
};

/// Number, size and begin of a block in the source's window; size and begin in doubles.
struct Notification {
  int block;
  int entries;
  MPI_Aint begin;
};

/// The blocks of both ranks: `from` on the source, `to` on the target.
struct Blocks {
  int count;
  int entries;  ///< of each block
  double* from;
  double* to;

  double* begin(double* blocks, int block) const { return blocks + Count{block} * entries; }
};

/// Memory of the source that the target may get, as a window of MPI. The memory is an array of the
/// program or comes from MPI, which may then place it in memory that ranks of one node share.
class Window {
 public:
  enum class Memory { of_program, of_mpi };

  Window(MPI_Comm comm, Memory memory, Count entries) {
    const auto bytes = static_cast<MPI_Aint>(scalar.bytes_of(entries));
    constexpr auto unit = static_cast<int>(scalar.bytes);
    if (memory == Memory::of_mpi) {
      MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, static_cast<void*>(&values_), &window_);
    } else {
      own_.resize(static_cast<std::size_t>(entries));
      values_ = own_.data();
      MPI_Win_create(values_, bytes, unit, MPI_INFO_NULL, comm, &window_);
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  double* values() const { return values_; }
  MPI_Win handle() const { return window_; }

 private:
  std::vector<double> own_;
  double* values_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// A way to move all blocks. The source calls send(), the target receive().
class Protocol {
 public:
  explicit Protocol(MPI_Comm comm) : comm_(comm) {}
  virtual ~Protocol() = default;
  virtual void send(const Blocks& blocks) = 0;
  virtual void receive(const Blocks& blocks) = 0;

 protected:
  void wait(std::vector<MPI_Request>& requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }
  void send_block(const Blocks& blocks, int block) {
    MPI_Isend(blocks.begin(blocks.from, block), blocks.entries, MPI_DOUBLE, target_rank,
              first_data_tag + block, comm_, &requests_.emplace_back());
  }
  void receive_block(const Blocks& blocks, int block) {
    MPI_Irecv(blocks.begin(blocks.to, block), blocks.entries, MPI_DOUBLE, source_rank,
              first_data_tag + block, comm_, &requests_.emplace_back());
  }
  void notify(const Blocks& blocks, int block) {
    sent_[block] = {block, blocks.entries, MPI_Aint{block} * blocks.entries};
    MPI_Isend(&sent_[block], sizeof sent_[block], MPI_BYTE, target_rank, notification_tag, comm_,
              &requests_.emplace_back());
  }
  Notification next_notification() {
    Notification taken{};
    MPI_Recv(&taken, sizeof taken, MPI_BYTE, source_rank, notification_tag, comm_,
             MPI_STATUS_IGNORE);
    return taken;
  }

  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  std::vector<Notification> sent_;
};

/// The target has posted all receives before the source sends.
class Posted : public Protocol {
 public:
  using Protocol::Protocol;
  void send(const Blocks& blocks) override {
    MPI_Recv(nullptr, 0, MPI_BYTE, target_rank, notification_tag, comm_, MPI_STATUS_IGNORE);
    for (int b = 0; b < blocks.count; ++b) send_block(blocks, b);
    wait(requests_);
  }
  void receive(const Blocks& blocks) override {
    for (int b = 0; b < blocks.count; ++b) receive_block(blocks, b);
    MPI_Send(nullptr, 0, MPI_BYTE, source_rank, notification_tag, comm_);
    wait(requests_);
  }
};

/// The source announces each block, and the target then posts the receive, as StarPU-MPI does.
class Announced : public Protocol {
 public:
  using Protocol::Protocol;
  void send(const Blocks& blocks) override {
    sent_.resize(static_cast<std::size_t>(blocks.count));
    for (int b = 0; b < blocks.count; ++b) {
      notify(blocks, b);
      send_block(blocks, b);
    }
    wait(requests_);
  }
  void receive(const Blocks& blocks) override {
    for (int b = 0; b < blocks.count; ++b) receive_block(blocks, next_notification().block);
    wait(requests_);
  }
};

/// The source announces each block, and the target gets it from the source's window.
class OneSided : public Protocol {
 public:
  OneSided(MPI_Comm comm, const Window& window) : Protocol(comm), window_(window) {}
  void send(const Blocks& blocks) override {
    sent_.resize(static_cast<std::size_t>(blocks.count));
    MPI_Win_sync(window_.handle());
    for (int b = 0; b < blocks.count; ++b) notify(blocks, b);
    wait(requests_);
  }
  void receive(const Blocks& blocks) override {
    for (int b = 0; b < blocks.count; ++b) {
      const Notification next = next_notification();
      MPI_Rget(blocks.begin(blocks.to, next.block), next.entries, MPI_DOUBLE, source_rank,
               next.begin, next.entries, MPI_DOUBLE, window_.handle(), &requests_.emplace_back());
    }
    wait(requests_);
  }

 private:
  const Window& window_;
};

struct Case {
  std::string name;
  Protocol* protocol;
  const Window* window;
};

/// Moves all blocks once and returns the seconds until the source knows that all have arrived.
/// Returns -1 on the target if a value is wrong.
double move_once(const Case& one, Blocks blocks, int rank, int round, MPI_Comm comm) {
  const auto entries = Count{blocks.count} * blocks.entries;
  blocks.from = one.window->values();
  for (Count k = 0; k < entries; ++k) {
    (rank == source_rank ? blocks.from : blocks.to)[k] = rank == source_rank ? round + k : -1.0;
  }
  MPI_Barrier(comm);
  const Stopwatch watch;
  if (rank == source_rank) {
    one.protocol->send(blocks);
    MPI_Recv(nullptr, 0, MPI_BYTE, target_rank, notification_tag, comm, MPI_STATUS_IGNORE);
    return watch.seconds();
  }
  one.protocol->receive(blocks);
  MPI_Send(nullptr, 0, MPI_BYTE, source_rank, notification_tag, comm);
  for (Count k = 0; k < entries; ++k) {
    if (blocks.to[k] != static_cast<double>(round + k)) return -1;
  }
  return 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times all cases in turn for blocks of this size, and prints a line. Returns whether all values
/// arrived.
bool compare(std::span<const Case> cases, int bytes, const Settings& settings, int rank,
             MPI_Comm comm) {
  const auto entries = static_cast<int>(bytes / scalar.bytes);
  std::vector<double> to(static_cast<std::size_t>(Count{settings.blocks} * entries));
  const Blocks blocks{settings.blocks, entries, nullptr, to.data()};
  std::vector<std::vector<double>> seconds(cases.size());
  bool arrived = true;
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const double taken = move_once(cases[c], blocks, rank, round, comm);
      arrived = arrived && taken >= 0;
      seconds[c].push_back(taken);
    }
  }
  if (rank == source_rank) {
    std::string line = fmt::format("{:>10}", scalar.bytes_of(entries));
    for (const auto& of_case : seconds) {
      line += fmt::format("  {:>14.2f}", 1e6 * median(of_case) / settings.blocks);
    }
    fmt::print("{}\n", line);
  }
  return arrived;
}

int run(const Settings& settings) {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (ranks != 2) {
    if (rank == 0) fmt::print(stderr, "transfers: start two ranks, with mpirun -n 2\n");
    return 2;
  }
  const int largest = *std::ranges::max_element(settings.sizes);
  const Count entries = Count{settings.blocks} * (largest / scalar.bytes);
  const Window program(comm, Window::Memory::of_program, entries);
  const Window shared(comm, Window::Memory::of_mpi, entries);
  Posted posted(comm);
  Announced announced(comm);
  OneSided from_program(comm, program);
  OneSided from_shared(comm, shared);
  const std::array cases{Case{"posted", &posted, &program}, Case{"announced", &announced, &program},
                         Case{"get, created", &from_program, &program},
                         Case{"get, allocated", &from_shared, &shared}};
  if (rank == source_rank) {
    fmt::print("us per block, {} blocks at once, median of {} rounds\n{:>10}", settings.blocks,
               settings.rounds, "bytes");
    for (const Case& one : cases) fmt::print("  {:>14}", one.name);
    fmt::print("\n");
  }
  bool arrived = true;
  for (const int bytes : settings.sizes) {
    arrived = compare(cases, bytes, settings, rank, comm) && arrived;
  }
  if (!arrived) fmt::print(stderr, "transfers: rank {} received wrong values\n", rank);
  return arrived ? 0 : 1;
}

}  // namespace
}  // namespace espalier::internal::bench

int main(int count, char** arguments) {
  using espalier::internal::bench::Settings;
  Settings settings;
  CLI::App app(
      "Times of blocks that travel from one rank to another: by messages whose receives are posted "
      "before, by messages that are announced, and by one-sided gets that are announced, from an "
      "array (MPI_Win_create) and from memory of MPI (MPI_Win_allocate)");
  app.add_option("--blocks", settings.blocks, "number of blocks that travel at once")
      ->check(CLI::Range(1, 10000));
  app.add_option("--rounds", settings.rounds,
                 "number of repetitions; the program prints their medians")
      ->check(CLI::PositiveNumber);
  app.add_option("--sizes", settings.sizes, "sizes of blocks, in bytes")
      ->delimiter(',')
      ->check(CLI::Range(8, 1 << 26));
  CLI11_PARSE(app, count, arguments);
  MPI_Init(&count, &arguments);
  const int code = espalier::internal::bench::run(settings);
  MPI_Finalize();
  return code;
}
