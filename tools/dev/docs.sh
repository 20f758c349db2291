#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the HTML of the public headers in build/docs with doxygen (Debian's package doxygen). It fails where anything
# public has no comment, or a comment is wrong. Usage: tools/dev/docs.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v doxygen >/dev/null || { printf 'docs: doxygen is missing; run tools/setup.sh --docs\n' >&2 && exit 1; }
mkdir -p build/docs
doxygen tools/dev/Doxyfile
printf 'docs: build/docs/index.html\n'
