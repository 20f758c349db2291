#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the documentation in build/docs with Sphinx: the pages in docs, and the public interface, which Doxygen reads
# from the headers. Fails if a public declaration has no comment, or if a comment, a link or a page has an error.
# Usage: tools/dev/docs.sh   exits with 77 if a tool is missing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

missing() {
  printf 'docs: %s is missing; run tools/setup.sh --docs\n' "$1" >&2
  exit 77
}

for module in sphinx breathe myst_parser furo sphinx_copybutton; do
  /usr/bin/python3 -c "import $module" 2>/dev/null || missing "Python's $module"
done
command -v doxygen >/dev/null || missing doxygen
mkdir -p build/docs
doxygen tools/dev/Doxyfile
# Reads all pages again, because pages of an earlier run would give no warnings.
/usr/bin/python3 -B -m sphinx -W --keep-going -q -E -d build/docs/doctrees docs build/docs/html
printf 'docs: build/docs/html/index.html\n'
