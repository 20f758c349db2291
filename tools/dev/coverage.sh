#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests with coverage counters and prints the covered share of the lines in src, codelets and schedulers: each file
# below the floor, each folder, and the total. Exits with 1 if a test fails or if the total is below the floor.
# CUDA sources are left out, because they need a device. Tests of the program's memory are left out, because the counters need
# memory, too. Needs gcovr, which tools/setup.sh --coverage installs.
# Usage: tools/dev/coverage.sh [--floor PERCENT] [--html FOLDER] [CTEST_OPTION...]   default: 95 percent, all tests that run
# code
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly build=build/coverage
floor=95 html=

fail() {
  printf 'coverage: %s\n' "$*" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --floor)
      [[ ${2:-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "--floor needs a percentage"
      floor=$2
      ;;
    --html) html=${2:?--html needs a folder} ;;
    *) break ;;
  esac
  shift 2
done
command -v gcovr >/dev/null || fail "gcovr is missing; tools/setup.sh --coverage installs it"
[ $# -gt 0 ] || set -- -E '^(dev|build)\.|^cli\.(simulate|memory)$'

mkdir -p "$build"
c++ -O1 -c tools/dev/coverage_at_exit.cpp -o "$build/at_exit.o"
cmake --preset release -B "$build" -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON -DESPALIER_EXAMPLES=ON \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -DNDEBUG --coverage -fprofile-update=atomic" \
  -DCMAKE_EXE_LINKER_FLAGS_RELEASE="$PWD/$build/at_exit.o" --log-level=WARNING >/dev/null
cmake --build "$build" >"$build/build.log" || { cat "$build/build.log" >&2 && exit 2; }
find "$build" -name '*.gcda' -delete # counts of earlier runs
status=0
ctest --test-dir "$build" --parallel "$(($(nproc) + 1))" --output-on-failure "$@" || status=1
[ "$status" = 0 ] || printf 'coverage: tests failed, so their lines are missing below\n' >&2

outputs=(--json-summary "$build/summary.json" --txt "$build/lines.txt")
[ -z "$html" ] || { mkdir -p "$html" && outputs+=(--html-details "$html/index.html"); }
gcovr --root . --filter src/ --filter codelets/ --filter schedulers/ --exclude codelets/cuda/ -j "$(nproc)" \
  "${outputs[@]}" "$build"
python3 - "$build/summary.json" "$floor" <<'PYTHON' || status=1
import collections, json, pathlib, sys
files = json.loads(pathlib.Path(sys.argv[1]).read_text())["files"]
floor = float(sys.argv[2])
reached, lines = collections.Counter(), collections.Counter()
for file in files:
    for name in (str(pathlib.PurePath(file["filename"]).parent), "all"):
        reached[name] += file["line_covered"]
        lines[name] += file["line_total"]
    if file["line_covered"] * 100 < floor * file["line_total"]:
        print(f"{file['filename']:48}{file['line_covered']:6} of {file['line_total']:6} lines {file['line_percent']:6.1f} %")
for name in sorted(lines, key=lambda name: (name == "all", name)):
    print(f"{name:48}{reached[name]:6} of {lines[name]:6} lines {100 * reached[name] / max(lines[name], 1):6.1f} %")
sys.exit(100 * reached["all"] < floor * lines["all"])
PYTHON
exit "$status"
