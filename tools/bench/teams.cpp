// SPDX-License-Identifier: BSD-3-Clause
// Prints times of a coprocessor's tasks: on one thread, on several threads that share each task,
// and on several threads with one task each.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/dense.hpp"
#include "base/memory.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/cpu/blas.hpp"

namespace espalier::internal::bench {
namespace {

struct Settings {
  Index threads = 2;
  int samples = 15;
};

/// A task with its message, and the sizes of its data.
struct Case {
  std::string name;
  Shape shape;
  std::vector<Index> words;
  std::vector<Index> row{};  ///< rows of the target of an update
};

constexpr Index run_of_rows = 20;  ///< length of runs of rows of a target, with gaps between them
constexpr Index gap = 5;

template <class Message, class... Records>
std::vector<Index> words_of(const Message& message, const Records&... records) {
  MessageWriter writer;
  writer.write(message);
  (writer.add(records), ...);
  return {writer.words().begin(), writer.words().end()};
}

Case update(Index m, Index n, Index k) {
  Case made{fmt::format("update {} x {} x {}", m, n, k),
            {TaskKind::update, m, n, k, flops::gemm(m, n, k)},
            {}};
  for (Index i = 0; i < m; ++i) made.row.push_back(i + i / run_of_rows * gap);
  Product product{m, n};
  product.whole = n;
  product.row = made.row;
  made.words = words_of(UpdateMessage{}, product);
  return made;
}

Case factor(Index m, Index n) {
  return {fmt::format("trsm {} x {}", m, n),
          {TaskKind::factor, m, n, n, flops::trsm(m, n)},
          words_of(FactorMessage{})};
}

Case diagonal(Index n) {
  return {fmt::format("potrf {}", n),
          {TaskKind::diagonal, n, n, n, flops::potrf(n)},
          words_of(DiagonalMessage{})};
}

Case reduce(Index m, Index n) {
  std::vector<Index> row = update(m, 1, 1).row;
  return {fmt::format("scatter {} x {}", m, n),
          {TaskKind::reduce, m, n, n, static_cast<double>(m) * n},
          words_of(ReduceMessage{row}),
          row};
}

double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A task in its payload. It can run repeatedly, because it hardly changes its data: the factor of
/// the identity is the identity.
class Task {
 public:
  explicit Task(const Case& given) {
    const Shape& shape = given.shape;
    const TaskPayload payload{shape, nullptr, {0, 1}, 3, 0, static_cast<Index>(given.words.size())};
    memory_.resize(sizeof payload / sizeof memory_[0] + given.words.size());
    std::memcpy(memory_.data(), &payload, sizeof payload);
    std::memcpy(memory_.data() + sizeof payload / sizeof memory_[0], given.words.data(),
                given.words.size() * sizeof(Index));
    const Index square = shape.kind == TaskKind::update ? shape.n : shape.k;
    add_data(given.row.empty() ? shape.m : given.row.back() + 1, shape.n);
    add_data(shape.m, shape.k);
    add_data(square, shape.k);
    std::fill_n(entries_[1].data(), entries_[1].size(), 1e-9);
    set_identity(data_[0]);
    set_identity(data_[2]);
  }

  double seconds(const coprocessor::DeviceContext& context) {
    const Stopwatch watch;
    run(context);
    return watch.seconds();
  }
  /// Returns the maximum CPU time of a thread of the team, or the CPU time of the only thread.
  double busiest_seconds(const coprocessor::DeviceContext& context) {
    if (context.team == nullptr) {
      const double begin = thread_seconds();
      run(context);
      return thread_seconds() - begin;
    }
    std::vector<double> computed(static_cast<std::size_t>(context.team->size()));
    context.team->run([&](Index member) { computed[member] = -thread_seconds(); });
    run(context);
    context.team->run([&](Index member) { computed[member] += thread_seconds(); });
    return *std::ranges::max_element(computed);
  }

 private:
  void run(const coprocessor::DeviceContext& context) {
    context.results.clear();
    coprocessor::run(*reinterpret_cast<const TaskPayload*>(memory_.data()), data_, context);
  }
  static void set_identity(MatrixView a) {
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = 0; i < a.rows; ++i) a(i, j) = i == j ? 1 : 0;
    }
  }

  void add_data(Index rows, Index columns) {
    constexpr Index between = 8;  ///< so that columns do not begin in the same cache lines
    entries_.emplace_back(Count{rows + between} * columns);
    data_.push_back({entries_.back().data(), rows, columns, rows + between});
  }

  std::deque<Buffer> entries_;
  std::vector<MatrixView> data_;
  std::vector<double> memory_;
};

std::vector<Case> cases() {
  std::vector<Case> all{update(2048, 2048, 256), update(2048, 256, 256), update(512, 256, 256)};
  for (const Index n : {256, 128, 64, 48, 32, 16}) all.push_back(update(4 * n, n, n));
  for (const Index n : {256, 64, 32}) all.push_back(factor(8 * n, n));
  for (const Index n : {512, 256, 128, 64}) all.push_back(diagonal(n));
  for (const Index n : {256, 64, 16}) all.push_back(reduce(4 * n, n));
  return all;
}

/// The shortest of several measured times: wall-clock time, and CPU time of the busiest thread.
struct Times {
  double clock = std::numeric_limits<double>::max();
  double busiest = std::numeric_limits<double>::max();

  void take(Task& task, const coprocessor::DeviceContext& context) {
    clock = std::min(clock, task.seconds(context));
    busiest = std::min(busiest, task.busiest_seconds(context));
  }
};

/// Tasks of one kind, one per thread.
class OneEach {
 public:
  OneEach(const Case& given, ThreadTeam& team)
      : team_(team), buffer_(team.size() * update_buffer_entries) {
    for (Index member = 0; member < team.size(); ++member) {
      tasks_.emplace_back(given);
      diagonals_.emplace_back();
    }
  }

  /// Returns the wall-clock time until all tasks are done, divided by their number.
  double seconds_for_one() {
    const Stopwatch watch;
    team_.run([&](Index member) {
      const auto part = static_cast<std::size_t>(member);
      const std::span<double> buffer =
          buffer_.span().subspan(part * update_buffer_entries, update_buffer_entries);
      tasks_[part].seconds({cpu::kernels, buffer, diagonals_[part]});
    });
    return watch.seconds() / static_cast<double>(tasks_.size());
  }

 private:
  ThreadTeam& team_;
  Buffer buffer_;
  std::deque<Task> tasks_;
  std::deque<std::vector<double>> diagonals_;
};

/// Prints the times of each task on one thread, on all threads together and with one task each, in
/// turn.
void compare(const Settings& settings) {
  const SingleThreadedBlas single_threaded;
  Buffer buffer(settings.threads * update_buffer_entries);
  std::vector<double> diagonal;
  ThreadTeam team(settings.threads);
  const coprocessor::DeviceContext alone{cpu::kernels, buffer.span(), diagonal};
  const coprocessor::DeviceContext together{cpu::kernels, buffer.span(), diagonal, &team};
  fmt::print(
      "microseconds per task: wall-clock time and CPU time of the busiest thread; one each: wall-"
      "clock time, divided by {}\n",
      settings.threads);
  fmt::print("{:<26}{:>20}{:>20}{:>18}{:>12}  {}\n", "", "one thread",
             fmt::format("{} together", settings.threads), "speed-up", "one each",
             "a coprocessor's choice");
  for (const Case& given : cases()) {
    Task task(given);
    OneEach one_each(given, team);
    Times one;
    Times all;
    double each = std::numeric_limits<double>::max();
    for (int sample = 0; sample <= settings.samples; ++sample) {
      one.take(task, alone);
      all.take(task, together);
      each = std::min(each, one_each.seconds_for_one());
    }
    fmt::print("{:<26}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>9.2f}{:>9.2f}{:>12.1f}  {}\n",
               given.name, 1e6 * one.clock, 1e6 * one.busiest, 1e6 * all.clock, 1e6 * all.busiest,
               one.clock / all.clock, one.busiest / all.busiest, 1e6 * each,
               coprocessor::is_worth_a_team(given.shape) ? "together" : "one thread");
  }
}

}  // namespace
}  // namespace espalier::internal::bench

// NOLINTNEXTLINE(bugprone-exception-escape): an exception ends the program with its message
int main(int count, char** arguments) {
  using espalier::internal::bench::Settings;
  Settings settings;
  CLI::App app(
      "Times of a coprocessor's tasks on one thread, on several threads that share each task, "
      "and on several threads with one task each");
  app.add_option("--threads", settings.threads, "number of threads that share a task")
      ->check(CLI::Range(2, 256));
  app.add_option("--samples", settings.samples, "number of times; the shortest one counts")
      ->check(CLI::PositiveNumber);
  app.callback([&] { espalier::internal::bench::compare(settings); });
  CLI11_PARSE(app, count, arguments);
}
