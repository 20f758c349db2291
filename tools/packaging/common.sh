# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions of the scripts that make packages. Scripts set `maker` to their name and `work` to a private folder.

fail() {
  printf '%s: %s\n' "$maker" "$*" >&2
  exit 1
}

# step TEXT COMMAND...: runs the command and prints its time. Its output is printed only if it fails.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "$text: failed, see above"; }
  printf '%s: %4d s  %s\n' "$maker" $((SECONDS - started)) "$text"
}

# copy_licences FOLDER PACKAGE...: copies the copyright files of these Debian packages and of libraries compiled into Espalier.
copy_licences() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@" nlohmann-json3-dev; do
    cp "/usr/share/doc/$package/copyright" "$folder/$package"
  done
}
