#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs tests of other libraries with Espalier. It needs "tools/setup.sh --python-tests" and a build with -DESPALIER_PYTHON=ON.
# - SciPy's tests of its direct solver: Espalier replaces the solver if the matrix is symmetric positive definite. The script
#   prints the tests that use Espalier (theirs/in_place_of_scipy.py).
# - The tests of scikit-sparse 0.4, with espalier.sksparse. The script prints the tests of functions that Espalier does not
#   support (theirs/in_place_of_sksparse.py).
# Usage: tests/bindings/python/theirs.sh [BUILD_DIR]   (default build/release)
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

# tests_of LIBRARY PLUGIN MODULE: runs the tests of a module with a plugin of pytest.
tests_of() {
  PYTHONPATH=$build/python:$here/theirs "$python" -B -m pytest -q -p no:cacheprovider -p "$2" -W ignore::DeprecationWarning \
    -W ignore::PendingDeprecationWarning --pyargs "$3" -rsx || fail "tests of $1 failed with Espalier, or did without it"
}
tests_of SciPy in_place_of_scipy scipy.sparse.linalg._dsolve.tests.test_linsolve
tests_of scikit-sparse in_place_of_sksparse sksparse.test_cholmod
