#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs clang-tidy on the C++ files that changed since a revision, by default the last tag, or on all of them, and exits
# with 1 where it has anything to say. Usage: tools/dev/tidy.sh [--all | REVISION]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case ${1:-} in
  --all) since=$(git hash-object -t tree /dev/null) ;; # the empty tree
  "") since=$(git describe --tags --abbrev=0 2>/dev/null) ||
    { printf 'tidy: there is no tag; give a revision to compare with, or --all\n' >&2 && exit 2; } ;;
  -*) printf 'tidy: usage: tools/dev/tidy.sh [--all | REVISION]\n' >&2 && exit 2 ;;
  *) since=$1 ;;
esac

# Each file has a compile command of its own there: no unity build, no precompiled headers.
cmake --preset release -B build/tidy -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DESPALIER_TESTS=ON -DESPALIER_EXAMPLES=ON --log-level=WARNING >/dev/null

changed=$(git diff --name-only --diff-filter=d "$since" -- '*.cpp' '*.hpp' && git ls-files -o --exclude-standard -- '*.cpp' '*.hpp')
files=()
skipped=0
for file in $changed; do
  # Headers are read as the source file with the most similar name is. Code for devices and PETSc needs their headers.
  if grep -qF "\"file\": \"$PWD/$file\"" build/tidy/compile_commands.json ||
    { [[ $file == *.hpp && $file != */cuda/* && $file != */petsc/* ]]; }; then
    files+=("$file")
  else
    skipped=$((skipped + 1))
  fi
done

status=0
if [[ ${#files[@]} -gt 0 ]]; then
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
      2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' >&2) || status=1
fi
printf 'tidy: %d files checked since %s, %d left out that this build does not compile\n' \
  "${#files[@]}" "${1:-$since}" "$skipped"
exit $status
