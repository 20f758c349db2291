#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the documentation in build/docs: the pages in docs and the public interface, by Sphinx, with what Doxygen reads in
# the headers. It fails where anything public has no comment, or a comment, a link or a page is wrong.
# Usage: tools/dev/docs.sh   exits with 77 where a tool is missing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

missing() {
  printf 'docs: %s is missing; run tools/setup.sh --docs\n' "$1" >&2
  exit 77
}

for module in sphinx breathe myst_parser furo; do
  /usr/bin/python3 -c "import $module" 2>/dev/null || missing "Python's $module"
done
command -v doxygen >/dev/null || missing doxygen
mkdir -p build/docs
doxygen tools/dev/Doxyfile
# All pages anew: a page that is taken from the run before has no warnings.
/usr/bin/python3 -B -m sphinx -W --keep-going -q -E -d build/docs/doctrees docs build/docs/html
printf 'docs: build/docs/html/index.html\n'
