// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/printable.hpp"
#include "report/graph_files.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

/// Maximum bytes of a piece of data, so that sums over all pieces fit in a Count.
constexpr Count most_bytes = Count{1} << 40;

/// Returns a sentence part for an exception of OwnJson::parse().
template <class... Values>
std::domain_error wrong(fmt::format_string<Values...> text, Values&&... values) {
  return std::domain_error(fmt::format(text, std::forward<Values>(values)...));
}

Index whole(const Json& json, const char* key) {
  Index value = 0;
  take_whole(json.at(key), value);
  return value;
}

/// Returns a number that is at least 0, or throws.
double at_least_zero(const Json& json, const char* what, Index task) {
  const auto value = json.get<double>();
  if (std::isfinite(value) && value >= 0) return value;
  throw wrong("has a {} of {} for task {}, which is negative or not finite", what, value, task);
}

AccessMode mode_named(const std::string& name, Index task) {
  for (const AccessMode mode :
       {AccessMode::read, AccessMode::write, AccessMode::read_write, AccessMode::add}) {
    if (name_of(mode) == name) return mode;
  }
  throw wrong("has the unknown access mode {} in task {}", internal::quoted(name), task);
}

TaskKind kind_in(const Json& json, Index task) {
  const auto name = json.at("kind").get<std::string>();
  const TaskKind kind = kind_named(name);
  if (static_cast<std::size_t>(kind) < task_kinds) return kind;
  throw wrong("has a task {} of the unknown kind {}", task, internal::quoted(name));
}

void take_origin(const Json& json, GraphOrigin& origin) {
  const Json& matrix = json.at("matrix");
  const Json& factor = json.at("factor");
  const Json& plan = json.at("plan");
  json.at("program").get_to(origin.program);
  matrix.at("name").get_to(origin.matrix);
  take(matrix.at("n"), origin.n);
  take(matrix.at("nnz_lower"), origin.nnz_lower);
  json.at("ordering").get_to(origin.ordering);
  take(factor.at("nnz_l"), origin.nnz_l);
  factor.at("flops").get_to(origin.flops);
  plan.at("granularity").get_to(origin.granularity);
  take(plan.at("workers"), origin.workers);
  plan.at("options").get_to(origin.options);
  for (const auto& [architecture, times] : json.at("times").items()) {
    origin.times.push_back({architecture, times.at("source").get<std::string>(),
                            times.at("file").get<std::string>(),
                            times.at("date").get<std::string>()});
  }
}

void take_data(const Json& json, DescribedGraph& graph) {
  for (const Json& piece : json.at("data")) {
    DescribedData& data = graph.data.emplace_back();
    take(piece.at("bytes"), data.bytes);
    data.row = whole(piece, "row");
    data.column = whole(piece, "column");
    if (data.bytes >= 0 && data.bytes <= most_bytes) continue;
    throw wrong("has a piece of data {} of {} bytes, which is negative or above 1 TiB",
                graph.data.size() - 1, data.bytes);
  }
}

void take_accesses(const Json& json, Index id, DescribedGraph& graph) {
  for (const Json& access : json.at("accesses")) {
    Index data = 0;
    take_whole(access.at(0), data);
    if (data < 0 || static_cast<std::size_t>(data) >= graph.data.size()) {
      throw wrong("has an access of task {} to data {}, which are missing", id, data);
    }
    graph.access.push_back({data, mode_named(access.at(1).get<std::string>(), id)});
  }
}

Shape shape_in(const Json& json, Index id) {
  Shape shape{kind_in(json, id), whole(json, "m"), whole(json, "n"), whole(json, "k")};
  shape.square = whole(json, "square");
  shape.row = whole(json, "row");
  shape.column = whole(json, "column");
  shape.level = whole(json, "level");
  shape.l_partition = whole(json, "l_partition");
  shape.w_partition = whole(json, "w_partition");
  shape.flops = at_least_zero(json.at("flops"), "number of operations", id);
  shape.seconds = at_least_zero(json.at("seconds").at("cpu"), "time", id);
  shape.kernels = at_least_zero(json.at("kernel_seconds"), "time", id);
  shape.path = static_cast<float>(at_least_zero(json.at("priority"), "priority", id));
  return shape;
}

void take_task(const Json& json, DescribedGraph& graph) {
  const Index id = graph.size();
  if (whole(json, "id") != id) {
    throw wrong("has a task {} at position {}; number the tasks from 0", whole(json, "id"), id);
  }
  DescribedTask task;
  task.shape = shape_in(json, id);
  const Json& seconds = json.at("seconds");
  for (std::size_t a = 0; a < device_architectures.size(); ++a) {
    const auto given = seconds.find(device_architectures[a]);
    if (given != seconds.end()) task.device_seconds[a] = at_least_zero(*given, "time", id);
  }
  task.owner = whole(json, "owner");
  task.access_begin = std::ssize(graph.access);
  take_accesses(json, id, graph);
  task.access_end = std::ssize(graph.access);
  graph.task.push_back(task);
}

/// Checks an edge of the file against the edges that follow from the accesses.
void expect_edge(const Json& edge, const DescribedGraph& graph) {
  Index from = 0;
  Index to = 0;
  take_whole(edge.at(0), from);
  take_whole(edge.at(1), to);
  if (from < 0 || to < 0 || from >= graph.size() || to >= graph.size()) {
    throw wrong("has an edge from task {} to task {}, but only {} tasks", from, to, graph.size());
  }
  if (from >= to) {
    throw wrong(
        "has an edge from task {} back to task {}, so the graph may have a cycle; list "
        "tasks before the tasks that wait for them",
        from, to);
  }
  const auto next = graph.successors(from);
  if (std::binary_search(next.begin(), next.end(), to)) return;
  throw wrong(
      "has an edge from task {} to task {} that does not follow from their accesses to data", from,
      to);
}

void expect_edges(const Json& edges, const DescribedGraph& graph) {
  for (const Json& edge : edges) expect_edge(edge, graph);
  if (edges.size() == graph.successor.size()) return;
  throw wrong("has {} edges, but {} follow from the accesses to data", edges.size(),
              graph.successor.size());
}

}  // namespace

DescribedGraph graph_from_json(const std::string& text, const std::string& name) {
  DescribedGraph graph;
  graph_json.parse(text, name, [&](const Json& json) {
    take_origin(json, graph.origin);
    take_data(json, graph);
    for (const Json& task : json.at("tasks")) take_task(task, graph);
    connect(graph);
    expect_edges(json.at("edges"), graph);
  });
  return graph;
}

DescribedGraph read_graph(const std::string& path) {
  return graph_from_json(graph_json.read(path), path);
}

}  // namespace espalier::internal
