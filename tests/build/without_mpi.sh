#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and installs the library without MPI. This must not need MPI or PT-Scotch. A project uses the library, and CMake must
# refuse the component mpi. The build folder is next to the other build's, so that all paths are the same and the compiler's
# cache can provide the files that do not differ.
# Usage: without_mpi.sh SOURCE_DIR BUILD_DIR CXX_COMPILER STARPU_PREFIX BUILD_TYPE WARNINGS_ARE_ERRORS
set -euo pipefail
sources=$1 build=$(dirname "$2")/without_mpi compiler=$3 starpu=$4 build_type=$5 warnings_are_errors=$6

if [ "$build_type" = Debug ]; then
  echo "skipped: the release build has this test"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configure_consumer SOURCE: configures a project with the installed package.
configure_consumer() {
  cmake -S "$sources/tests/build/$1" -B "$work/$1" -DCMAKE_PREFIX_PATH="$work/installed" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
}

cmake --preset release -S "$sources" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DESPALIER_MPI=OFF -DESPALIER_TESTS=OFF \
  -DESPALIER_EXAMPLES=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR="$warnings_are_errors" \
  -DESPALIER_STARPU_PREFIX="$starpu" -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
  --log-level=WARNING
cmake --build "$build"
cmake --install "$build" --prefix "$work/installed" >/dev/null

needed=$(ldd "$(find "$work/installed" -name 'libespalier.so')")
if grep -E 'libmpi|libptscotch|libstarpumpi' <<<"$needed"; then
  echo "the library without MPI needs these" >&2
  exit 1
fi
[ ! -e "$work/installed/include/espalier/mpi.hpp" ]
[ ! -e "$work/installed/include/espalier/starpu_mpi.hpp" ]
configure_consumer consumer >/dev/null
cmake --build "$work/consumer"
"$work/consumer/consumer"
if configure_consumer mpi_consumer >/dev/null 2>"$work/refusal"; then
  echo "the component mpi was found in a library without it" >&2
  exit 1
fi
grep -q "ESPALIER_MPI=OFF" "$work/refusal"
