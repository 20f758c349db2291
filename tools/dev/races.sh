#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library and its tests with the thread sanitizer and with the StarPU of tools/setup.sh --races, and runs them. A
# test fails if it has a data race or a possible deadlock outside of StarPU and MPI. tools/dev/races.suppressions lists the
# exceptions with their reasons.
# Usage: tools/dev/races.sh [CTEST_OPTION...]   default: the unit tests, and the tests of two ranks
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly build=build/races
patched=$(sed -n 's/^readonly patched=//p' tools/setup.sh)
prefix=$(compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/espalier/starpu-*-$patched-races" | sort -rV | head -n 1) ||
  { printf 'races: there is no StarPU for the thread sanitizer; tools/setup.sh --races builds it\n' >&2 && exit 2; }

cmake --preset release -B "$build" -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON -DESPALIER_EXAMPLES=OFF \
  -DESPALIER_STARPU_PREFIX="$prefix" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -DNDEBUG -fsanitize=thread" \
  --log-level=WARNING >/dev/null
cmake --build "$build" >"$build/build.log" || { cat "$build/build.log" >&2 && exit 2; }

# If memory is exhausted, allocations return null as without the sanitizer. The history and the second stack are for reports.
export TSAN_OPTIONS="suppressions=$PWD/tools/dev/races.suppressions exitcode=66 allocator_may_return_null=1 \
history_size=4 second_deadlock_stack=1"
[ $# -gt 0 ] || set -- -R '^(unit\.|ranks\.2$)'
# The sanitizer needs fixed addresses.
exec setarch --addr-no-randomize ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --timeout 3000 "$@"
