// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_files.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "report/graph_reader.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> mode_names{"read", "write", "read_write", "add"};

constexpr const char* licence =
    "BSD-3-Clause, as Espalier; the terms of the matrix, if it has any, also apply";
constexpr const char* citation =
    "Cite Espalier as its file CITATION.cff says, and the source of the matrix.";

Json json_of(const GraphOrigin::Times& times) {
  return {{"source", times.source}, {"file", times.file}, {"date", times.date}};
}

Json header_of(const DescribedGraph& graph) {
  const GraphOrigin& origin = graph.origin;
  const std::vector<double> seconds = cpu_seconds(graph);
  Json json = graph_json.header();
  json["program"] = origin.program;
  json["licence"] = licence;
  json["citation"] = citation;
  json["matrix"] = {{"name", origin.matrix}, {"n", origin.n}, {"nnz_lower", origin.nnz_lower}};
  json["ordering"] = origin.ordering;
  json["factor"] = {{"nnz_l", origin.nnz_l}, {"flops", origin.flops}};
  json["plan"] = {{"granularity", origin.granularity},
                  {"workers", origin.workers},
                  {"options", origin.options}};
  json["times"] = Json::object();
  for (const GraphOrigin::Times& times : origin.times) {
    json["times"][times.architecture] = json_of(times);
  }
  json["summary"] = {{"tasks", graph.task.size()},
                     {"edges", graph.successor.size()},
                     {"data", graph.data.size()},
                     {"widest_level", widest_level(graph)},
                     {"work_seconds", std::accumulate(seconds.begin(), seconds.end(), 0.0)},
                     {"critical_path_seconds", longest_path(graph, seconds)}};
  return json;
}

/// Writes a list of JSON values, one per line, without the brackets around it. `text(k)` returns
/// the text of value k.
template <class Text>
void write_lines(OutputFile& file, std::size_t count, Text text) {
  for (std::size_t k = 0; k < count; ++k) {
    file.text(text(k));
    file.text(k + 1 < count ? ",\n" : "\n");
  }
}

std::string accesses_of(const DescribedGraph& graph, const DescribedTask& task) {
  std::string text;
  for (const Access& access : graph.accesses(task)) {
    text +=
        fmt::format("{}[{},\"{}\"]", text.empty() ? "" : ",", access.data, name_of(access.mode));
  }
  return text;
}

std::string seconds_of(const DescribedTask& task) {
  std::string text = fmt::format("\"cpu\":{}", task.shape.seconds);
  for (std::size_t a = 0; a < device_architectures.size(); ++a) {
    if (task.device_seconds[a] <= 0) continue;
    text += fmt::format(",\"{}\":{}", device_architectures[a], task.device_seconds[a]);
  }
  return text;
}

std::string line_of(const DescribedGraph& graph, std::size_t id) {
  const DescribedTask& task = graph.task[id];
  const Shape& s = task.shape;
  return fmt::format(
      "{{\"id\":{},\"kind\":\"{}\",\"row\":{},\"column\":{},\"m\":{},\"n\":{},\"k\":{},"
      "\"square\":{},\"flops\":{},\"seconds\":{{{}}},\"kernel_seconds\":{},\"priority\":{},"
      "\"level\":{},\"l_partition\":{},\"w_partition\":{},\"owner\":{},\"accesses\":[{}]}}",
      id, name_of(s.kind), s.row, s.column, s.m, s.n, s.k, s.square, s.flops, seconds_of(task),
      s.kernels, s.path, s.level, s.l_partition, s.w_partition, task.owner,
      accesses_of(graph, task));
}

/// Returns the edges from a task, which may be none.
std::string edges_from(const DescribedGraph& graph, Index t) {
  std::string text;
  for (const Index next : graph.successors(t)) text += fmt::format(",[{},{}]", t, next);
  return text;
}

void write_edges(const DescribedGraph& graph, OutputFile& file) {
  bool first = true;
  for (Index t = 0; t < graph.size(); ++t) {
    const std::string text = edges_from(graph, t);
    if (text.empty()) continue;
    file.text(first ? std::string_view(text).substr(1) : std::string_view(text));
    file.text("\n");
    first = false;
  }
}

}  // namespace

std::string_view name_of(AccessMode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

GraphFormat graph_format_of(const std::string& path) {
  if (path.ends_with(".json")) return GraphFormat::json;
  if (path.ends_with(".dot")) return GraphFormat::dot;
  if (path.ends_with(".rec")) return GraphFormat::rec;
  throw UsageError(fmt::format("the name of the file of --graph must end in {}, but is {}",
                               graph_file_endings, internal::quoted(path)));
}

void write_json(const DescribedGraph& graph, OutputFile& file) {
  std::string header = header_of(graph).dump(1, ' ', false, Json::error_handler_t::replace);
  header.resize(header.rfind("\n}"));
  file.text(header + ",\n \"data\": [\n");
  write_lines(file, graph.data.size(), [&](std::size_t d) {
    const DescribedData& data = graph.data[d];
    return fmt::format("{{\"bytes\":{},\"row\":{},\"column\":{}}}", data.bytes, data.row,
                       data.column);
  });
  file.text(" ],\n \"tasks\": [\n");
  write_lines(file, graph.task.size(), [&](std::size_t t) { return line_of(graph, t); });
  file.text(" ],\n \"edges\": [\n");
  write_edges(graph, file);
  file.text(" ]\n}\n");
}

void write_dot(const DescribedGraph& graph, OutputFile& file) {
  file.text("digraph tasks {\n node [style=filled, shape=box];\n");
  for (Index t = 0; t < graph.size(); ++t) {
    const Shape& s = graph.task[t].shape;
    const TaskKindTraits& traits = traits_of(s.kind);
    file.text(fmt::format(" t{} [label=\"{}({},{})\", fillcolor=\"#{:06x}\", tooltip=\"{} s\"];\n",
                          t, traits.symbol, s.row, s.column, traits.color, s.seconds));
  }
  for (Index t = 0; t < graph.size(); ++t) {
    if (graph.successors(t).empty()) continue;
    file.text(fmt::format(" t{} -> {{", t));
    for (const Index next : graph.successors(t)) file.text(fmt::format(" t{}", next));
    file.text(" };\n");
  }
  file.text("}\n");
}

void add_graph(const DescribedGraph& graph, const std::string& path, Outputs& outputs) {
  const GraphFormat format = graph_format_of(path);
  OutputFile& file = outputs.add(path);
  switch (format) {
    case GraphFormat::json: return write_json(graph, file);
    case GraphFormat::dot: return write_dot(graph, file);
    case GraphFormat::rec:
      write_rec(graph, file);
      return add_models(graph, path + ".models", outputs);
  }
}

}  // namespace espalier::internal
