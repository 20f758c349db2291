// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/scalar.hpp"
#include "calibrate/calibration.hpp"
#include "calibrate/machine.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/commands.hpp"
#include "espalier/error.hpp"
#include "launch/child.hpp"
#include "launch/coprocessors.hpp"
#include "launch/environment.hpp"
#include "launch/ranks.hpp"
#include "launch/scratch_folder.hpp"
#include "perfmodels/cost_model.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Returns the path of a script: next to the installed program, or in the sources that the program
/// was built from.
fs::path find_script(const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const place : {"../share/espalier", "../../tools/plot"}) {
    fs::path script = folder / place / name;
    if (fs::exists(script, error)) return script;
  }
  throw RuntimeFailure("the script " + name + " is neither in " +
                       (folder / "../share/espalier").lexically_normal().string() + " nor in " +
                       (folder / "../../tools/plot").lexically_normal().string() +
                       "; install Espalier again");
}

/// Runs a script of tools/plot and waits for it. The script needs python3 and matplotlib. Throws
/// RuntimeFailure if the script is not found or fails. The message then has the last line of its
/// output, and names the missing part.
void run_plot(const std::string& script, const std::vector<std::string>& arguments,
              const ScratchFolder& scratch) {
  std::vector<std::string> words{"python3", find_script(script).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const fs::path output = scratch.file("output");
  const int code = run_unless_interrupted({std::move(words),
                                           {{}, Environment::Starpu::handed_on},
                                           output,
                                           "install it to draw pictures"},
                                          [&] { scratch.remove(); });
  if (code == 0) return;
  std::string said = content_of(output);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  throw RuntimeFailure("the picture was not drawn: " + said.substr(said.rfind('\n') + 1));
}

struct CalibrateSettings : Options {
  CalibrationOptions calibration;
  std::string out;
  std::string picture;
  std::string machine;  ///< file for the description of this machine
  bool describes = false;
  Coprocessors coprocessors;
  bool quick = false;
  bool quiet = false;
};

constexpr CalibrationOptions quick{
    .samples = 3, .rounds = 2, .factorizations = 1, .all_problems = false, .load_rounds = 1};

constexpr const char* calibrate_examples = R"(Examples:
  espalier calibrate                      measure this machine; solve and analyze then use the result
  espalier calibrate --out here.json      write the table to a file instead
  espalier calibrate --coprocessors 1     also measure a coprocessor, for policies that use devices
  espalier calibrate --coprocessors 1 --coprocessor-threads 4 --coprocessor-workers one
                                          a coprocessor whose threads share tasks has its own table
  espalier calibrate --machine            also describe this machine for espalier simulate
  mpirun -n 4 --map-by ppr:1:node espalier calibrate   measure four machines, one table each
  espalier calibrate --show rates.png     draw the rates of the current table
  espalier calibrate --show rates.png --coprocessors 1   also draw the rates of a coprocessor
Run nothing else during a calibration. Without --quick, a kernel whose repeats differ by more than
20 % is measured again, for at most twice the time; a warning names the kernels that still differ.
Without a calibration, predictions use a table that comes with Espalier for this processor, or else
built-in estimates.)";

/// Returns the bandwidth in GB/s for a block of order n, with two reads and one write per entry.
double scatter_bandwidth(const CostGrid& scatter, int n) {
  return 1e-9 * 3 * static_cast<double>(scalar.bytes) / scatter.at(n, n);
}

/// Prints the rates along the diagonal of the grids, in Gflop/s.
void print(const CostFile& file, const std::string& path) {
  const CostTable& t = file.table;
  fmt::print("{} with {} workers, Gflop/s per worker\n", file.cpu, file.workers);
  fmt::print("{:>6}  {:>8}  {:>8}  {:>8}  {:>8}  {:>10}  {:>13}\n", "size", "POTRF", "TRSM", "SYRK",
             "GEMM", "GEMM alone", "SCATTER, GB/s");
  for (int n = 4; n <= 512; n *= 2) {
    fmt::print("{:>6}  {:>8.1f}  {:>8.1f}  {:>8.1f}  {:>8.1f}  {:>10.1f}  {:>13.1f}\n", n,
               1e-9 / t.potrf.at(n), 1e-9 / t.trsm.at(4 * n, n), 1e-9 / t.syrk.at(n, n),
               1e-9 / t.gemm.at(4 * n, n, n), 1e-9 / t.gemm_alone.at(4 * n, n, n),
               scatter_bandwidth(t.scatter, n));
  }
  fmt::print(
      "ns per entry: scatter {:.2f}, into a cached target {:.2f}; initialisation {:.2f}; reading "
      "{:.2f}; an entry of A {:.2f}, and {:.2f} more if it begins a cache line\n"
      "overhead {:.1f} us per task\n",
      2e9 * t.gemm.at(256, 64, 1), 2e9 * t.gemm_again.at(256, 64, 1), 1e9 * t.fill, 1e9 * t.read,
      1e9 * t.take, 1e9 * t.line, 1e6 * t.task);
  const SwitchPoints& points = t.switch_points;
  fmt::print("own kernels for triangles up to {} columns and for {}\nwritten to {}\n",
             points.whole_triangle,
             points.blas_update == SwitchPoints::never
                 ? "all updates"
                 : fmt::format("updates below an inner dimension of {}", points.blas_update),
             printable(path));
}

void print(const DeviceFile& file, const std::string& path) {
  const DeviceTable& t = file.table;
  fmt::print("{}, Gflop/s\n{:>6}  {:>8}  {:>8}  {:>10}  {:>13}\n", file.architecture, "size",
             "SYRK", "GEMM", "GEMM alone", "SCATTER, GB/s");
  for (int n = 4; n <= 512; n *= 2) {
    fmt::print("{:>6}  {:>8.1f}  {:>8.1f}  {:>10.1f}  {:>13.1f}\n", n, 1e-9 / t.syrk.at(n, n),
               1e-9 / t.gemm.at(4 * n, n, n), 1e-9 / t.gemm_alone.at(4 * n, n, n),
               scatter_bandwidth(t.scatter, n));
  }
  fmt::print(
      "overhead {:.1f} us per task; copies to the device {:.1f} us + {:.2f} ns per byte, to the "
      "host "
      "{:.1f} us + {:.2f} ns per byte, {} kernels\nwritten to {}\n",
      1e6 * t.task, 1e6 * t.to.latency, 1e9 * t.to.byte, 1e6 * t.back.latency, 1e9 * t.back.byte,
      t.overlaps ? "at the same time as" : "not at the same time as", printable(path));
}

/// An output file that is written after a minute of measuring. Its folder is created if it does not
/// exist. An older file with this path stays until then.
class Place {
 public:
  /// Throws InputError if no file can be created at the path.
  explicit Place(std::string path) : path_(std::move(path)) {
    expect_creatable(path_, Folders::made);
  }

  template <class File>
  void write(const File& file) const {
    write_text(
        path_, [&] { return to_json(file); }, Folders::made);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Returns the user's table of the chosen devices, or an empty string if no devices were chosen.
/// Throws UsageError if these devices were not measured.
std::string device_file_to_show(const CalibrateSettings& settings) {
  const bool cuda = settings.runtime.cuda_devices > 0;
  if (!cuda && settings.coprocessors.count == 0) return "";
  const Index threads = settings.coprocessors.threads_of_worker();
  std::string file = user_device_file(cuda ? "cuda" : coprocessor_architecture(threads));
  if (std::error_code error; file.empty() || !std::filesystem::exists(file, error)) {
    throw UsageError(
        fmt::format("there is no table of {} to show; run 'espalier calibrate {} N' first",
                    cuda ? "CUDA devices" : "coprocessors", options_that_calibrate(cuda, threads)));
  }
  read_device_file(file);  // the script would not say how to replace a damaged table
  return file;
}

/// Draws the table in use. If devices were chosen, the picture also compares them with the CPU.
void show(const CalibrateSettings& settings) {
  const std::string& picture = settings.picture;
  expect_creatable(picture);
  const std::string devices = device_file_to_show(settings);
  const CostChoice choice = read_host_costs();
  if (choice.table == nullptr) {
    if (!choice.warning.empty()) throw InputError(choice.warning);
    throw UsageError(
        "there is no table to show for this processor; run 'espalier calibrate' first");
  }
  if (!settings.quiet) print_warnings({choice.warning});
  const ScratchFolder scratch;
  std::string table = choice.file;
  if (choice.source == "shipped" || choice.source == "scaled") {
    table = scratch.file("table.json");
    const ShippedTable& shipped = shipped_table(choice.file);
    write_text(table, [&] { return to_json(cost_file_from_json(shipped.json, shipped.name)); });
  }
  // matplotlib takes the picture format from the ending of the file name.
  const fs::path drawn = scratch.path() / ("picture" + fs::path(picture).extension().string());
  std::vector<std::string> arguments{table, drawn};
  if (!devices.empty()) arguments.push_back(devices);
  run_plot("calibration.py", arguments, scratch);
  write_text(picture, [&] { return content_of(drawn); });
}

/// Returns the file that the option names, or else the file in the user's data folder.
std::string place_of(const std::string& chosen, const std::string& users, const char* option) {
  const std::string& place = chosen.empty() ? users : chosen;
  if (place.empty()) {
    throw UsageError(fmt::format(
        "neither XDG_DATA_HOME nor HOME says where to keep the measurements; give {} FILE",
        option));
  }
  return place;
}

void measure_devices(CalibrateSettings settings) {
  expect_cuda_for(settings.runtime.cuda_devices);
  settings.runtime.scheduler = calibrating_scheduler;
  set_variable(workers_of_a_device, "1");  // so that timed tasks do not share the device
  prepare_starpu_environment(settings.runtime.scheduler, settings.runtime.workers);
  if (!settings.quiet) print_warnings({read_host_costs().warning});
  Progress progress(!settings.quiet);
  std::optional<Place> place;
  const auto found = [&](const std::string& architecture) {
    place.emplace(place_of(settings.out, user_device_file(architecture), "--out"));
    progress.begin("measuring devices");
  };
  const DeviceFile file = calibrate_devices(settings.runtime, settings.calibration, found);
  progress.end();
  place->write(file);
  if (!settings.quiet) print(file, place->path());
}

/// Prints the source of predicted times before this calibration, and warns about unreliable values
/// in the new table.
void tell_what_served_before(const CostChoice& before, const CostFile& file,
                             const std::vector<UnsteadyKernel>& unsteady) {
  const std::string named = source_of_costs(before.source, before.file, before.date);
  fmt::print("measured on {}; before, times were predicted by {}\n", file.date, printable(named));
  const auto slower = before.table == nullptr ? std::vector<SlowerKernel>{}
                                              : slower_kernels(file.table, *before.table);
  print_warnings(doubts(unsteady, slower, named));
}

void measure(CalibrateSettings settings) {
  expect_different({{"--out", settings.out}, {"--machine", settings.machine}});
  if (settings.coprocessors.count + settings.runtime.cuda_devices > 0) {
    return measure_devices(std::move(settings));
  }
  const Place place(place_of(settings.out, user_cost_file(), "--out"));
  std::optional<Place> machine_place;
  if (settings.describes) {
    machine_place.emplace(place_of(settings.machine, user_machine_file(), "--machine"));
  }
  settings.runtime.scheduler = default_scheduler;
  prepare_starpu_environment(settings.runtime.scheduler, settings.runtime.workers);
  Progress progress(!settings.quiet);
  const auto measuring = [&](const std::string& next, double share = 0) {
    share > 0 ? progress.rename("measuring " + next) : progress.begin("measuring " + next);
    progress.done(share);
  };
  const auto keep = [&](const CostFile& table) { place.write(table); };
  const CostChoice before = read_host_costs();
  const auto [file, unsteady] = calibrate(settings.runtime, settings.calibration, measuring, keep);
  progress.end();
  if (!settings.quiet) {
    print(file, place.path());
    tell_what_served_before(before, file, unsteady);
  }
  if (!machine_place) return;
  const MachineFile machine = describe_machine(file, file.workers, settings.calibration, measuring);
  progress.end();
  machine_place->write(machine);
  if (settings.quiet) return;
  print_warnings({read_device_costs("coprocessor").warning});
  fmt::print("the machine is described in {}\n", printable(machine_place->path()));
}

void run(CalibrateSettings settings) {
  if (!settings.picture.empty()) return show(settings);
  if (settings.quick) settings.calibration = quick;
  if (settings.coprocessors.count > 0 && !has_coprocessors()) {
    const int code = run_with_coprocessors(settings.coprocessors);
    if (code != 0) std::_Exit(code);  // the reason is already printed
    return;
  }
  if (launched_ranks() == 1) return measure(std::move(settings));
  // Each rank runs on a separate machine. The name of its table contains the name of the machine.
  const MpiSession mpi;
  const Communicator world(MPI_COMM_WORLD);
  expect_launcher_of(world);
  RankGuard guard(world, 0);
  guard.run([&] {
    expect_own_machines(world, "calibrate");
    measure(std::move(settings));
  });
}

}  // namespace

Command add_calibrate(CLI::App& program) {
  auto settings = std::make_shared<CalibrateSettings>();
  CLI::App* const command = program.add_subcommand(
      "calibrate", "Measure the kernels on this machine, for better predictions of time.");
  add_options(*command, *settings, {"workers"});
  add_devices(*command, *settings, settings->coprocessors);
  command
      ->add_option("--out", settings->out,
                   "write the table to this file, not to the user's data folder")
      ->type_name("FILE");
  const CLI::Option* const machine =
      command
          ->add_option("--machine", settings->machine,
                       "also describe this machine for espalier simulate, in this file or in the "
                       "user's data folder")
          ->type_name("[FILE]")
          ->expected(0, 1);
  suggest(
      command
          ->add_option("--show", settings->picture,
                       "do not measure; draw the rates of the current table (.png, .svg, .pdf), "
                       "with devices also their rates relative to the host")
          ->type_name("PICTURE"),
      {Suggestions::Kind::files});
  command->add_flag("--quick", settings->quick, "measure coarsely, within seconds");
  command->add_flag("--quiet", settings->quiet, "print only errors");
  command->footer(calibrate_examples);
  return {command, [settings, machine] {
            settings->describes = machine->count() > 0;
            run(*settings);
          }};
}

}  // namespace espalier::internal
