#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs clang-tidy on the C++ files that changed since a revision (default: the last tag), or on all files. Exits with 1 if there are
# warnings.
# Usage: tools/dev/tidy.sh [--all | REVISION]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case ${1:-} in
  --all) since=$(git hash-object -t tree /dev/null) ;; # the empty tree
  "") since=$(git describe --tags --abbrev=0 2>/dev/null) ||
    { printf 'tidy: there is no tag; give a revision to compare with, or --all\n' >&2 && exit 2; } ;;
  -*) printf 'tidy: usage: tools/dev/tidy.sh [--all | REVISION]\n' >&2 && exit 2 ;;
  *) since=$1 ;;
esac

# configure PRESET OPTION...: configures a build in which each file has a separate compile command, without unity builds and
# precompiled headers.
configure() {
  cmake --preset "$1" -B "build/tidy/$1" -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}" --log-level=WARNING >/dev/null
}

# has PATTERN: succeeds if the name of a changed file matches.
has() { grep -qE "$1" <<<"$changed"; }

# compiles PRESET FILE: succeeds if the preset compiles the file.
compiles() { grep -qsF "\"file\": \"$PWD/$2\"" "build/tidy/$1/compile_commands.json"; }

# preset_of FILE: prints the first preset that compiles the file. A header is checked with the flags of the source file whose name
# is most similar.
preset_of() {
  case $1 in
    simulated/*.hpp) printf simgrid && return ;;
    */cuda/*.hpp) printf cuda && return ;;
    *.hpp) printf release && return ;;
  esac
  local preset
  for preset in release cuda simgrid; do
    ! compiles "$preset" "$1" || { printf '%s' "$preset" && return; }
  done
}

changed=$(git diff --name-only --diff-filter=d "$since" -- '*.cpp' '*.hpp' && git ls-files -o --exclude-standard -- '*.cpp' '*.hpp')
options=()
! has '/python/' || options+=(-DESPALIER_PYTHON=ON -DESPALIER_PYTHON_FOLDER=lib/python3/site-packages)
! has '/petsc/' || options+=(-DESPALIER_PETSC=ON)
configure release -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON -DESPALIER_EXAMPLES=ON "${options[@]}"
! has '(/|_)cuda' || configure cuda -DESPALIER_TESTS=ON -DESPALIER_UNIT_TESTS=ON
! has '^simulated/' || configure simgrid

declare -A files=()
checked=0 skipped=0
for file in $changed; do
  preset=$(preset_of "$file")
  if [[ -n $preset ]]; then
    files[$preset]+=$file$'\n'
    checked=$((checked + 1))
  else
    printf 'tidy: no build compiles %s\n' "$file"
    skipped=$((skipped + 1))
  fi
done

status=0
for preset in "${!files[@]}"; do
  xargs -d '\n' -n 1 -P "$(nproc)" clang-tidy -p "build/tidy/$preset" --quiet --warnings-as-errors='*' \
    <<<"${files[$preset]%$'\n'}" 2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' >&2) || status=1
done
printf 'tidy: %d files checked since %s, %d left out\n' "$checked" "${1:-$since}" "$skipped"
exit $status
