#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs Eigen's tests of sparse solvers on Espalier, for each storage order, index and triangle. It needs a build, and the
# tests, which "tools/setup.sh --eigen" downloads.
# Usage: tests/bindings/eigen/run.sh [BUILD_DIR]   (default build/release)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)

fail() {
  printf 'eigen: %s\n' "$*" >&2
  exit 1
}
tests=$(compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/espalier/eigen-*/test" | sort -V | tail -n 1) ||
  fail "Eigen's tests are missing; run tools/setup.sh --eigen."
[ -e "$build/libespalier.so" ] || fail "$build/libespalier.so is missing; build it."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for part in 1 2 3 4; do
  g++ -std=c++20 -O1 -w -DEIGEN_TEST_MAX_SIZE=320 -DEIGEN_TEST_FUNC=espalier -DEIGEN_TEST_PART_$part=1 -I "$root/src" \
    -I "$root/src/bindings/eigen" -I "$tests" -I "$tests/.." "$here/own/solver.cpp" "$build/libespalier.so" \
    -Wl,-rpath,"$build" -o "$work/part$part"
  # A fixed seed gives the same matrices in each run. Eigen's tests print failures and continue after a failed factorization.
  said=$("$work/part$part" r10 s1 2>&1) || fail "part $part: $said"
  ! grep -qi 'failed\|warning' <<<"$said" || fail "part $part: $said"
  printf 'eigen: part %d of 4 passed\n' $part
done
