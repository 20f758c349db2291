#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs the tests. First it tests the release build: program, ranks, plugin, package and examples. Then it tests
# functions, and some programs, with the address and undefined-behaviour sanitizers. The simulator is built and tested last.
# Warnings are errors.
# Optional parts are tested if their tools are installed: devices with a CUDA toolkit (running only if there are devices),
# the plugin for PETSc, the Fortran interface with gfortran, and the Python interface with nanobind.
# Usage: tools/test.sh [--quick | --all] [--require NAME,...]
#   --quick    for use before a commit: functions without sanitizers, two ranks, style, and the program with bad input
#   --all      also tests that rarely fail: each header alone, a library without MPI, 1 and 3 ranks, mutated inputs, each
#              combination of some options, and coprocessors with sanitizers
#   --require  fail if tests of one of these are left out: cuda, docs, fortran, pardiso, petsc, python, shells
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'test: %s\n' "$1" >&2
  exit 2
}
readonly usage='usage: tools/test.sh [--quick | --all] [--require NAME,...]'

extent=usual required=,
while [ $# -gt 0 ]; do
  case $1 in
    --quick | --all) extent=${1#--} ;;
    --require)
      [[ ${2:-} =~ ^(cuda|docs|fortran|pardiso|petsc|python|shells)(,(cuda|docs|fortran|pardiso|petsc|python|shells))*$ ]] || fail "$usage"
      required=,$2,
      shift
      ;;
    *) fail "$usage" ;;
  esac
  shift
done

# left_out NAME TEXT: prints which tests are left out. Fails if they are required.
left_out() {
  [[ $required != *",$1,"* ]] || fail "$1 is required, but there is $2"
  printf 'test: %s\n' "$2"
}

# step TEXT COMMAND...: runs the command and prints its time.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@"
  printf 'test: %4d s  %s\n' $((SECONDS - started)) "$text"
}

# attended COMMAND...: runs the command in a process group that ends with this script. Without that, bash would leave the
# command running if a signal ends only the script. The command cannot ask for a password.
attended() {
  local code=0
  if [ "$BASHPID" != $$ ]; then # in_background has already made a group
    "$@"
    return
  fi
  set -m
  "$@" </dev/null &
  foreground=$!
  set +m
  wait "$foreground" || code=$?
  foreground=
  return "$code"
}

# build PRESET TARGET OPTION...: configures and builds a target with the tests.
build() {
  local preset=$1 target=$2
  shift 2
  step "$preset: configured" cmake --preset "$preset" -DESPALIER_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    --log-level=WARNING "$@"
  step "$preset: built" attended cmake --build --preset "$preset" --target "$target"
}

# SimGrid and its StarPU are set up here instead of at the start, because only the simulator needs them.
build_simulator() {
  step "simgrid: set up" tools/setup.sh --simgrid
  step "simgrid: configured" cmake --preset simgrid -DCMAKE_COMPILE_WARNING_AS_ERROR=ON --log-level=WARNING
  step "simgrid: built" cmake --build --preset simgrid
}

# Builds everything that the release tests do not need.
build_beside_release() {
  [ "$extent" != all ] || step "release: headers, each alone" cmake --build --preset release --target headers_alone
  build debug "$checked_tests" -DESPALIER_EXAMPLES=OFF
}

# Builds everything that only the tests of devices and of the simulator need.
build_beside_checked() {
  [ "$has_cuda" = no ] || step "cuda: built" tools/gpu/build.sh -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
  build_simulator
}

# Runs at the same time as the test of the simulator, a single test with one thread.
test_devices() {
  [ "$has_cuda" = no ] || step "cuda: tested" ctest --preset cuda --parallel "$jobs" -R '^(unit\.cuda|cuda\.|cli\.cuda$)'
}

# in_background COMMAND...: starts the command next to the tests.
in_background() {
  set -m # a separate process group, which ends with this script
  "$@" </dev/null >build/background.log 2>&1 &
  background=$!
  set +m
}

# idly FUNCTION: runs the function, usually a compiler, only when a core is idle. Many tests wait for other processes, and
# ranks that yield to a compiler of even the lowest priority take three times as long. Tests do not run at this priority,
# because device tests that run side by side would take more than twice as long.
idly() {
  chrt --idle --pid 0 "$BASHPID"
  "$1"
}

# finish_background: waits for the background function. Prints the times of its steps, or all its output if it failed.
finish_background() {
  local code=0
  wait "$background" || code=$?
  background=
  if [ "$code" = 0 ]; then sed -n '/^test:/p' build/background.log; else cat build/background.log; fi
  return "$code"
}

foreground="" background=""
end_groups() {
  local group
  for group in $foreground $background; do kill -- "-$group" 2>/dev/null || true; done
  wait
}
trap end_groups EXIT

has_cuda=yes has_petsc=ON has_fortran=ON has_python=ON python_folder=lib/python3/site-packages
PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null ||
  { left_out cuda 'no CUDA toolkit: the code for devices is left out' && has_cuda=no; }
pkg-config --exists PETSc 2>/dev/null || { left_out petsc 'no PETSc: the plugin for it is left out' && has_petsc=OFF; }
command -v gfortran >/dev/null ||
  { left_out fortran 'no gfortran: the interface for Fortran is left out' && has_fortran=OFF; }
{ command -v zsh && command -v fish && command -v man; } >/dev/null ||
  left_out shells 'no zsh, fish or man: tests of the completion and of the manual are left out'
{ command -v doxygen && /usr/bin/python3 -c 'import sphinx, breathe, myst_parser, furo'; } >/dev/null 2>&1 ||
  left_out docs 'no Doxygen or Sphinx: the site is left out'
# One job more than cores, because many tests wait for other processes.
readonly jobs=$(($(nproc) + 1))

# The release, CUDA and simulator builds share the objects that use neither StarPU nor CUDA. ccache may replace a
# precompiled header by another one with the same content.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
step "set-up" tools/setup.sh --ccache
step "set-up of Python" tools/setup.sh --python || {
  left_out python 'no nanobind, NumPy and SciPy: the interface for Python is left out'
  has_python=OFF python_folder=
}
[ "$extent" = quick ] || step "set-up of programs that load PARDISO" tools/setup.sh --pardiso ||
  left_out pardiso 'no programs that load PARDISO: their tests are left out'

case $extent in
  quick) unit_tests=ON target=quick_tests ;;
  *) unit_tests=OFF target=all ;;
esac
build release "$target" -DESPALIER_EXAMPLES=ON -DESPALIER_UNIT_TESTS="$unit_tests" -DESPALIER_PETSC="$has_petsc" \
  -DESPALIER_FORTRAN="$has_fortran" -DESPALIER_PYTHON="$has_python" -DESPALIER_PYTHON_FOLDER="$python_folder"
if [ "$extent" = quick ]; then
  step "release: tested" attended ctest --preset release --parallel "$jobs" -L '^quick$'
  exit
fi

# Tests that rarely fail have the label nightly.
checked_tests=checked_tests
without=(-LE '^nightly$')
if [ "$extent" = all ]; then
  checked_tests=all_checked_tests without=()
  export ESPALIER_ALL_COMBINATIONS=1
fi
in_background idly build_beside_release
# The test of the simulator comes last. Until then the simulator may be an older one, or may be linked at the same time.
step "release: tested" attended ctest --preset release --parallel "$jobs" "${without[@]}" -E '^cli\.simulate$'
step "background builds: waited for" finish_background
in_background idly build_beside_checked
step "debug: tested" attended ctest --preset debug --parallel "$jobs" "${without[@]}"
step "background builds: waited for" finish_background
in_background test_devices
step "simgrid: tested" attended ctest --preset release --parallel "$jobs" --no-tests=error -R '^cli\.simulate$'
step "background tests: waited for" finish_background
