#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Formats all C++ sources in place. With --check it only lists the sources with another format.
# Usage: tools/dev/format.sh [--check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case ${1:-} in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  *) printf 'format: usage: tools/dev/format.sh [--check]\n' >&2 && exit 2 ;;
esac
find src simulated codelets schedulers perfmodels tools tests examples \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.c' -o -name '*.h' \) -print0 |
  xargs -0 -r clang-format --style=file "${mode[@]}"
