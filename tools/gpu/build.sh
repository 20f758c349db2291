#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the program and the device tests with CUDA. Needs a CUDA toolkit, but no device.
# Usage: tools/gpu/build.sh [OPTION...]   options of CMake
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/setup.sh --cuda
cmake --preset cuda -DESPALIER_TESTS=ON -DESPALIER_EXAMPLES=OFF -DESPALIER_UNIT_TESTS=OFF --log-level=WARNING "$@"
cmake --build --preset cuda --target espalier_program test_cuda test_ranks espalier_cuda_stand_in espalier_cuda_checked_stand_in
