#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library, the program and the tests for the thread sanitizer, with the StarPU of tools/setup.sh --races, and
# runs the tests of functions, of ranks and of policies: any race, deadlock or leaked thread that it finds fails the test.
# What StarPU's authors allow themselves is left out, and libraries that the sanitizer does not see into.
# Usage: tools/dev/races.sh [CTEST_OPTION...]   by default: -E 'fuzz|damaged_files|exit_codes' of the tests labelled "checked"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly build=build/races
prefix=$(compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/espalier/starpu-*-races" | sort -rV | head -n 1) ||
  { printf 'races: there is no StarPU for the thread sanitizer; tools/setup.sh --races builds it\n' >&2 && exit 2; }

# As released, for the sake of what the tests themselves do: the checked build compiles them without any sanitizer.
cmake --preset release -B "$build" -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON -DESPALIER_EXAMPLES=OFF \
  -DESPALIER_STARPU_PREFIX="$prefix" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -fsanitize=thread" --log-level=WARNING >/dev/null
cmake --build "$build"

cat "$prefix/share/starpu/races.suppressions" tools/dev/races.suppressions >"$build/suppressions"
export TSAN_OPTIONS="suppressions=$PWD/$build/suppressions exitcode=66 second_deadlock_stack=1"
[ $# -gt 0 ] || set -- -L checked -E 'fuzz|damaged_files|exit_codes'
# The sanitizer wants its addresses to itself.
exec setarch --addr-no-randomize ctest --test-dir "$build" --output-on-failure --timeout 3000 "$@"
