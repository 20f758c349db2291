// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_files.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "espalier/error.hpp"
#include "graph/tiny_graph.hpp"
#include "report/graph_reader.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::read_file;
using support::tiny_graph;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using GraphJson = nlohmann::ordered_json;

/// Returns the text of the file that add_graph() writes. `also` is another file that appears.
std::string written(const DescribedGraph& graph, const char* name, const char* also = nullptr) {
  const support::TemporaryFolder folder;
  Outputs outputs;
  add_graph(graph, folder.path(name), outputs);
  outputs.commit();
  return read_file(folder.path(also != nullptr ? also : name));
}

GraphJson tiny_json() { return GraphJson::parse(written(tiny_graph(), "g.json")); }

TEST(GraphFiles, TheEndingOfTheNameIsTheFormat) {
  EXPECT_EQ(graph_format_of("a/b.json"), GraphFormat::json);
  EXPECT_EQ(graph_format_of("b.dot"), GraphFormat::dot);
  EXPECT_EQ(graph_format_of("b.rec"), GraphFormat::rec);
  support::expect_error<UsageError>([] { graph_format_of("b.png"); }, {"b.png", ".json, .dot or"});
}

TEST(GraphFiles, JsonHasTheOriginAndASummary) {
  const GraphJson json = tiny_json();
  EXPECT_EQ(json["espalier_graph"], 1);
  EXPECT_EQ(json["program"], "espalier test");
  EXPECT_EQ(json["matrix"]["name"], "a \"tiny\" one");
  EXPECT_EQ(json["times"]["cuda"]["file"], "c.json");
  EXPECT_EQ(json["summary"]["tasks"], 5);
  EXPECT_EQ(json["summary"]["edges"], 6);
  EXPECT_EQ(json["summary"]["widest_level"], 3);
  EXPECT_EQ(json["summary"]["work_seconds"], 11);
  EXPECT_EQ(json["summary"]["critical_path_seconds"], 6);
}

TEST(GraphFiles, JsonHasTasksDataAndEdges) {
  const GraphJson json = tiny_json();
  EXPECT_EQ(json["data"][1], GraphJson::parse(R"({"bytes": 1600, "row": 1, "column": 1})"));
  EXPECT_EQ(json["edges"], GraphJson::parse("[[0,1],[0,2],[0,3],[1,4],[2,4],[3,4]]"));
  const char* const task =
      R"({"id": 2, "kind": "update", "row": 1, "column": 0, "m": 4, "n": 2, "k": 3, "square": 0,
          "flops": 300, "seconds": {"cpu": 3, "cuda": 0.5}, "kernel_seconds": 1.5, "priority": 4,
          "level": -1, "l_partition": -1, "w_partition": -1, "owner": 1,
          "accesses": [[1, "add"], [0, "read"]]})";
  EXPECT_EQ(json["tasks"][2], GraphJson::parse(task));
}

TEST(GraphFiles, DotHasNodesAndEdges) {
  const std::string text = written(tiny_graph(), "g.dot");
  EXPECT_THAT(text, StartsWith("digraph tasks {\n"));
  EXPECT_THAT(text, EndsWith("}\n"));
  EXPECT_THAT(text, HasSubstr(" t1 [label=\"U(1,0)\", fillcolor=\"#4477aa\", tooltip=\"2 s\"];\n"));
  EXPECT_THAT(text, HasSubstr(" t0 -> { t1 t2 t3 };\n"));
  EXPECT_THAT(text, Not(HasSubstr("t4 ->")));
}

TEST(GraphFiles, RecHasTheFieldsOfStarpu) {
  EXPECT_THAT(written(tiny_graph(), "g.rec"),
              HasSubstr("Name: update\nModel: espalier.graph\nJobId: 4\nSubmitOrder: 4\nTag: 4\n"
                        "WorkerId: 0\nFootprint: 4\nGFlop: 4e-07\nPriority: 5000000\n"
                        "Parameters: 2\nHandles: 3 1\nModes: W R\nSizes: 2400 800\n\n"));
}

TEST(GraphFiles, ModelsHaveAnEntryPerTime) {
  const std::string models =
      written(tiny_graph(), "g.rec", "g.rec.models/codelets/45/espalier.graph");
  EXPECT_THAT(models, StartsWith("45\n2\n1\n0\n0\n1\n1\n4\n"));  // CPU: 4 distinct times
  EXPECT_THAT(models, HasSubstr("\n00000001\t0\t0\t1.00000000000000000e+06\t"));
  EXPECT_THAT(models, HasSubstr("\n1\n1\n0\n1\n1\n3\n"));  // CUDA: 3 tasks run there
}

TEST(GraphFiles, JsonIsReadAsItWasWritten) {
  const std::string text = written(tiny_graph(), "g.json");
  EXPECT_EQ(written(graph_from_json(text, "g.json"), "g.json"), text);
  const std::string empty = written({}, "g.json");
  EXPECT_EQ(graph_from_json(empty, "g.json").size(), 0);
}

void expect_refused(const GraphJson& json, std::initializer_list<std::string> parts) {
  support::expect_error<InputError>([&] { graph_from_json(json.dump(), "g.json"); }, parts);
}

TEST(GraphFiles, DamagedTextIsRefused) {
  const std::string text = written(tiny_graph(), "g.json");
  support::expect_error<InputError>([&] { graph_from_json(text.substr(0, 900), "g.json"); },
                                    {"g.json", "damaged"});
  GraphJson json = tiny_json();
  json["espalier_graph"] = 2;
  expect_refused(json, {"g.json", "another version"});
  json = tiny_json();
  json.erase("tasks");
  expect_refused(json, {"g.json", "tasks"});
}

TEST(GraphFiles, WrongTasksAreRefused) {
  GraphJson json = tiny_json();
  json["tasks"][3]["seconds"]["cpu"] = -1;
  expect_refused(json, {"time of -1 for task 3"});
  json = tiny_json();
  json["tasks"][1]["seconds"]["cuda"] = -0.5;
  expect_refused(json, {"time of -0.5 for task 1"});
  json = tiny_json();
  json["tasks"][3]["kind"] = "qr";
  expect_refused(json, {"task 3", "unknown kind 'qr'"});
  json = tiny_json();
  json["tasks"][3]["id"] = 2;
  expect_refused(json, {"task 2 at position 3"});
  json = tiny_json();
  json["tasks"][0]["accesses"][0][0] = 3;
  expect_refused(json, {"task 0", "data 3"});
  json = tiny_json();
  json["tasks"][0]["accesses"][0][1] = "erase";
  expect_refused(json, {"unknown access mode 'erase' in task 0"});
  json = tiny_json();
  json["data"][2]["bytes"] = -8;
  expect_refused(json, {"data 2 of -8 bytes"});
  json["data"][2]["bytes"] = Count{1} << 41;
  expect_refused(json, {"data 2 of 2199023255552 bytes"});
}

TEST(GraphFiles, WrongEdgesAreRefused) {
  GraphJson json = tiny_json();
  json["edges"].push_back({4, 0});
  expect_refused(json, {"task 4 back to task 0", "cycle"});
  json = tiny_json();
  json["edges"].push_back({1, 2});
  expect_refused(json, {"task 1 to task 2", "does not follow from their accesses"});
  json = tiny_json();
  json["edges"].push_back({1, 5});
  expect_refused(json, {"task 1 to task 5", "only 5 tasks"});
  json = tiny_json();
  json["edges"].erase(0);
  expect_refused(json, {"has 5 edges, but 6 follow"});
}

}  // namespace
}  // namespace espalier::internal
