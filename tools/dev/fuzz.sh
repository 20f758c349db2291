#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the fuzz targets of tests/fuzz with clang and runs them, two at a time. Each target searches for inputs with a
# crash, a leak, a sanitizer report, a broken promise, or more than 20 s or 1 GiB. Such inputs are kept, and the exit
# code is 1.
# Needs the library of the preset release, and builds it if it is missing.
# Usage: tools/dev/fuzz.sh [--seconds N] [--seed N] [--build-only] [TARGET...]   default: 60 seconds, all targets
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly build=build/fuzz found=build/fuzz/found failures=build/fuzz/failures
seconds=60 seed=1 build_only=no targets=()

fail() {
  printf 'fuzz: %s\n' "$*" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --seconds | --seed)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1 needs an integer of at least 1"
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    --build-only) build_only=yes ;;
    -*) fail "usage: tools/dev/fuzz.sh [--seconds N] [--seed N] [--build-only] [TARGET...]" ;;
    *) [ -f "tests/fuzz/targets/$1.cpp" ] || fail "there is no target $1; see tests/fuzz/targets"
      targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename -s .cpp tests/fuzz/targets/*.cpp)
command -v clang++ >/dev/null || fail "clang++ is missing; tools/setup.sh --fuzz installs it"

[ -f build/release/build.ninja ] || cmake --preset release --log-level=WARNING >/dev/null
cmake --build --preset release --target espalier_static espalier_program_parts >/dev/null
cmake -S tests/fuzz -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ --log-level=WARNING >/dev/null
cmake --build "$build" --target "${targets[@]}" >"$build/build.log" || { cat "$build/build.log" >&2 && exit 1; }
[ "$build_only" = no ] || exit 0

# search TARGET: runs one search. Its new inputs replace those of the last search. Prints a line, and after a failure
# the command that repeats it.
search() {
  local target=$1 log=$found/$1.log status=0
  rm -rf "${found:?}/$target" && mkdir -p "$found/$target"
  [ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm # each input is a file
  "$build/$target" -seed="$seed" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len=16384 \
    -dict=tests/fuzz/words.dict -artifact_prefix="$failures/$target-" -print_final_stats=1 \
    "$found/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || status=$?
  grep -a '^fuzz: .* inputs' "$log" || true
  [ "$status" != 0 ] || return 0
  grep -aE 'ERROR: |SUMMARY: |runtime error: |broken promise|libFuzzer: ' "$log" | head -n 5
  printf 'fuzz: %s breaks; to repeat: %s\n' "$target" \
    "$(sed -n "s|.*Test unit written to \(.*\)|$build/$target \1|p" "$log" | tail -n 1)"
  return 1
}
export -f search
export build found failures seconds seed

mkdir -p "$found" "$failures"
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'search {}' || exit 1
