#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs all tests: the program, ranks, plugin, package and examples as they are released, then the functions,
# and programs where they find something, under the address and undefined-behaviour sanitizers. Where there is a CUDA
# toolkit, these have the code for devices, which is tested on a stand-in and, as far as there are devices, on these.
# Warnings are errors.
# Usage: tools/test.sh [--release-only]   --release-only leaves the sanitizers and CUDA out and runs the tests of
#                                         functions as they are released
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "") checked=yes unit_tests=OFF ;;
  --release-only) checked=no unit_tests=ON ;;
  *) printf 'test: usage: tools/test.sh [--release-only]\n' >&2 && exit 2 ;;
esac

# step TEXT COMMAND...: runs the command and prints how long it took.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@"
  printf 'test: %4d s  %s\n' $((SECONDS - started)) "$text"
}

# build PRESET TARGET OPTION...
build() {
  local preset=$1 target=$2
  shift 2
  step "$preset: configured" cmake --preset "$preset" -DESPALIER_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    --log-level=WARNING "$@"
  step "$preset: built" cmake --build --preset "$preset" --target "$target"
}

# Ends what still runs in the background when a test has failed.
background=
trap '[ -z "$background" ] || { kill -- "-$background"; wait; } 2>/dev/null' EXIT

# in_background COMMAND...: starts the command, one at a time, with the lowest priority. Tests wait for other processes
# much of the time; compilers fill these gaps and take little from the tests.
in_background() {
  mkdir -p build
  set -m
  (renice -n 19 "$BASHPID" && "$@") </dev/null >build/background.log 2>&1 &
  background=$!
  set +m
}

# finish_background: waits for the command, prints how long its steps took, or all it said where it failed.
finish_background() {
  local code=0
  wait "$background" || code=$?
  background=
  if [ "$code" = 0 ]; then grep '^test:' build/background.log; else cat build/background.log; fi
  return "$code"
}

build_checks() {
  local cuda=OFF
  if [ "$checked" = yes ]; then
    if PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null; then
      cuda=ON
      step "set-up for CUDA" tools/setup.sh --cuda
    else
      printf 'test: no CUDA toolkit: the code for devices is left out\n'
    fi
    build debug checked_tests -DESPALIER_EXAMPLES=OFF -DESPALIER_CUDA=$cuda
  fi
  step "release: headers, each alone" cmake --build --preset release --target headers_alone
}

# Many tests wait for other processes, so that one more than there are cores keeps these busy.
readonly jobs=$(($(nproc) + 1))

step "set-up" tools/setup.sh
build release all -DESPALIER_EXAMPLES=ON -DESPALIER_UNIT_TESTS=$unit_tests
in_background build_checks
step "release: tested" ctest --preset release --parallel "$jobs"
step "checks: waited for" finish_background

[ "$checked" = no ] || step "debug: tested" ctest --preset debug --parallel "$jobs"
