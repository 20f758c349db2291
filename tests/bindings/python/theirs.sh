#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests that SciPy has of its direct solver with Espalier in its place, where their matrices are symmetric positive
# definite (theirs/in_place_of_scipy.py), and says which of them that is; then those that scikit-sparse 0.4 has, by
# espalier.sksparse, and says which need what Espalier has not (theirs/in_place_of_sksparse.py). It needs
# "tools/setup.sh --python-tests" and a build with -DESPALIER_PYTHON=ON.
# Usage: tests/bindings/python/theirs.sh [BUILD_DIR]   BUILD_DIR is build/release, unless it is given
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-$here/../../../build/release}
readonly python=${XDG_CACHE_HOME:-$HOME/.cache}/espalier/python/bin/python

fail() {
  printf 'python: %s\n' "$*" >&2
  exit 1
}
[ -d "$build/python/espalier" ] || fail "$build/python is missing; configure with -DESPALIER_PYTHON=ON and build."
"$python" -c 'import pytest, scipy, sksparse' 2>/dev/null ||
  fail "$python has no pytest or no scikit-sparse; run tools/setup.sh --python-tests."
build=$(cd "$build" && pwd)

# tests_of LIBRARY PLUGIN MODULE
tests_of() {
  PYTHONPATH=$build/python:$here/theirs "$python" -B -m pytest -q -p no:cacheprovider -p "$2" -W ignore::DeprecationWarning \
    -W ignore::PendingDeprecationWarning --pyargs "$3" -rsx || fail "tests of $1 failed with Espalier, or did without it"
}
tests_of SciPy in_place_of_scipy scipy.sparse.linalg._dsolve.tests.test_linsolve
tests_of scikit-sparse in_place_of_sksparse sksparse.test_cholmod
