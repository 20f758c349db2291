// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "commands/commands.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "matrix/load.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/matrix_part.hpp"

namespace espalier::internal {

namespace {

struct GenerateSettings {
  std::string spec;
  std::string file;
  Index parts = 0;                            ///< 0 for one file
  FileFormat format = FileFormat::automatic;  ///< of SPEC
  bool quiet = false;
};

constexpr const char* generate_examples = R"(Examples:
  espalier generate laplace3d:30 cube.mtx.gz     a 7-point Laplacian on 30 x 30 x 30 points, gzipped
  espalier generate elasticity3d:40x5x5 beam.mtx a beam of 40 x 5 x 5 bricks, clamped at one end
  espalier generate laplace3d:90 cube.mtx --parts 4  cube.0.mtx to cube.3.mtx, one for each of 4 ranks
  espalier generate stokes2d:50 stokes.mtx       the Stokes equations, an indefinite matrix
  espalier generate laplace2d:100 - | espalier solve -   without a file
  espalier generate A.rb.gz A.mtx.gz             convert another format; writes the lower triangle
Other subcommands also accept the names directly: espalier solve laplace3d:30)";

/// Throws UsageError if the name does not end in .mtx or .mtx.gz, because other programs find the
/// format by the name. Devices and standard output may have any name.
void expect_matrix_market_name(const std::string& file) {
  std::error_code error;
  const bool device =
      std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error);
  if (device || file == standard_output || file.ends_with(".mtx") || file.ends_with(".mtx.gz"))
    return;
  throw UsageError("the name of the file must end in .mtx or .mtx.gz, but is " +
                   internal::quoted(file));
}

void expect_creatable_files(const GenerateSettings& settings) {
  std::vector<std::string> files{settings.file};
  for (Index part = 0; part < settings.parts; ++part) {
    if (part == 0) files.clear();
    files.push_back(part_file(settings.file, part));
  }
  for (const std::string& file : files) {
    expect_different({{"SPEC", settings.spec}, {"FILE", file}});
    expect_creatable(file);
  }
}

/// Replaces "-" by the path of the stream. Throws UsageError if several parts should go to standard
/// output.
void name_streams(GenerateSettings& settings) {
  name_stream(settings.spec, standard_input);
  name_stream(settings.file, standard_output);
  if (settings.file == standard_output && settings.parts > 0) {
    throw UsageError("parts are separate files; give a name instead of - or /dev/stdout");
  }
}

void generate(GenerateSettings settings) {
  name_streams(settings);
  expect_matrix_market_name(settings.file);
  expect_creatable_files(settings);
  Progress progress(!settings.quiet);
  progress.begin("generating");
  const SparseMatrix matrix = load_matrix(settings.spec, Values::required, settings.format).matrix;
  progress.begin("writing");
  if (settings.parts > 0) {
    write_parts(settings.file, matrix, settings.parts);
  } else {
    write_coordinate_matrix(settings.file, matrix);
  }
  progress.end();
  if (settings.quiet) return;
  const std::string files =
      settings.parts < 2 ? "" : " to " + part_file(settings.file, settings.parts - 1);
  std::FILE* const to = settings.file == standard_output ? stderr : stdout;
  fmt::print(to, "{}: {} rows, {} entries in the lower triangle, written to {}{}\n",
             printable(settings.spec), matrix.pattern.n, matrix.pattern.entries(),
             printable(settings.parts > 0 ? part_file(settings.file, 0) : settings.file),
             printable(files));
}

}  // namespace

Command add_generate(CLI::App& program) {
  auto settings = std::make_shared<GenerateSettings>();
  CLI::App* const command = program.add_subcommand(
      "generate", "Write a test matrix, or convert a matrix file, to Matrix Market.");
  suggest_matrices(command
                       ->add_option("SPEC", settings->spec,
                                    generator_usage() + "\nor a matrix file; -: standard input")
                       ->required()
                       ->type_name(""));
  command->add_option("FILE", settings->file, "output file, .mtx or .mtx.gz; -: standard output")
      ->required()
      ->type_name("");
  add_format(*command, settings->format);
  add_number(*command, "parts", "K", settings->parts, {0, 65536},
             "number of files with consecutive columns, one per rank; 0: a single file");
  command->add_flag("--quiet", settings->quiet, "print only errors");
  command->footer(generate_examples);
  return {command, [settings] { generate(*settings); }};
}

}  // namespace espalier::internal
