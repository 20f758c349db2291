#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone to a first solution: installs the missing dependencies, builds the program, solves a
# small system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh

started=$SECONDS
cmake --preset release -DESPALIER_TESTS=OFF -DESPALIER_EXAMPLES=OFF --log-level=WARNING
cmake --build --preset release
printf 'quickstart: %d s  built build/release/espalier\n' $((SECONDS - started))

build/release/espalier solve examples/data/flange_tiny.mtx.gz
