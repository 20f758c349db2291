#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests with counters in the library, and prints which lines of src, codelets and schedulers they reach: a line
# for each folder, and the share of all. Exits with 1 where that is below the floor. What runs on devices alone is left
# out. Needs gcovr, which tools/setup.sh --coverage installs.
# Usage: tools/dev/coverage.sh [--floor PERCENT] [--html FOLDER] [CTEST_OPTION...]   floor: 95
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly build=build/coverage
floor=95 html=
while [ $# -gt 0 ]; do
  case $1 in
    --floor) floor=${2:?--floor needs a percentage} && shift ;;
    --html) html=${2:?--html needs a folder} && shift ;;
    *) break ;;
  esac
  shift
done
command -v gcovr >/dev/null || { printf 'coverage: there is no gcovr; tools/setup.sh --coverage installs it\n' >&2 && exit 2; }

cmake --preset release -B "$build" -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON -DESPALIER_EXAMPLES=ON \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 --coverage -fprofile-update=atomic" --log-level=WARNING >/dev/null
cmake --build "$build"
find "$build" -name '*.gcda' -delete # the counts of earlier runs
ctest --test-dir "$build" --parallel "$(($(nproc) + 1))" --output-on-failure "$@" ||
  printf 'coverage: tests failed; lines that they would have reached are missing below\n' >&2

outputs=(--json-summary "$build/summary.json" --txt "$build/lines.txt")
[ -z "$html" ] || { mkdir -p "$html" && outputs+=(--html-details "$html/index.html"); }
gcovr --root . --object-directory "$build" --filter src/ --filter codelets/ --filter schedulers/ --exclude codelets/cuda/ \
  --exclude-throw-branches --exclude-unreachable-branches -j "$(nproc)" "${outputs[@]}" "$build"
python3 - "$build/summary.json" "$floor" <<'PYTHON'
import collections, json, pathlib, sys
summary, floor = json.loads(pathlib.Path(sys.argv[1]).read_text()), float(sys.argv[2])
reached, lines = collections.Counter(), collections.Counter()
for file in summary["files"]:
    folder = str(pathlib.PurePath(file["filename"]).parent)
    reached[folder] += file["line_covered"]
    lines[folder] += file["line_total"]
for folder in sorted(lines):
    print(f"{folder:32}{reached[folder]:7} of {lines[folder]:6} lines {100 * reached[folder] / max(lines[folder], 1):6.1f} %")
share = 100 * sum(reached.values()) / sum(lines.values())
print(f"{'all':32}{sum(reached.values()):7} of {sum(lines.values()):6} lines {share:6.1f} %")
sys.exit(share < floor)
PYTHON
