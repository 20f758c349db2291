#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs all tests: the release build first, then all but the slow ones under the address and
# undefined-behaviour sanitizers. Where there is a CUDA toolkit, the code for devices is compiled, linked and, as far as
# there are devices, tested. Usage: tools/test.sh [--release-only]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "") presets=(release debug) ;;
  --release-only) presets=(release) ;;
  *) printf 'test: usage: tools/test.sh [--release-only]\n' >&2 && exit 2 ;;
esac

# step TEXT COMMAND...: runs the command and prints how long it took.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@"
  printf 'test: %4d s  %s\n' $((SECONDS - started)) "$text"
}

step "set-up" tools/setup.sh
for preset in "${presets[@]}"; do
  step "$preset: configured" cmake --preset "$preset" -DESPALIER_TESTS=ON -DESPALIER_EXAMPLES=ON --log-level=WARNING
  step "$preset: built" cmake --build --preset "$preset"
  step "$preset: tested" ctest --preset "$preset" --parallel "$(nproc)"
done

if PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null; then
  step "cuda: built" tools/gpu/build.sh
  step "cuda: tested" ctest --preset cuda --parallel "$(nproc)" -R '^(cuda\.|cli\.cuda$)'
else
  printf 'test: no CUDA toolkit: the code for devices is left out\n'
fi
