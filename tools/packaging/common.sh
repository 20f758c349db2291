# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the scripts that make packages have in common; they name themselves in `maker` and a folder of their own in `work`.

fail() {
  printf '%s: %s\n' "$maker" "$*" >&2
  exit 1
}

# step TEXT COMMAND...: runs the command, of which only a failure is shown, and prints how long it took.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "$text: failed, see above"; }
  printf '%s: %4d s  %s\n' "$maker" $((SECONDS - started)) "$text"
}

# copy_licences FOLDER PACKAGE...: the copyright files of these packages of Debian, and of what all of Espalier is compiled with.
copy_licences() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@" nlohmann-json3-dev; do
    cp "/usr/share/doc/$package/copyright" "$folder/$package"
  done
}
