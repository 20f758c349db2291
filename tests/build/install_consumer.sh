#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a temporary prefix, moves the prefix, and uses it: by CMake in projects with and without MPI, with
# Eigen, in C, and in Fortran if a compiler is installed; by pkg-config's flags for the same programs. Also tests the installed
# program and the Python module if the build has one.
# Usage: install_consumer.sh BUILD_DIR CXX_COMPILER BUILD_TYPE [PYTHON]
set -euo pipefail
sources=$(dirname "${BASH_SOURCE[0]}")
build=$1 compiler=$2 build_type=$3 python=${4:-}

if [ "$build_type" = Debug ]; then
  echo "skipped: a consumer cannot use a library built with sanitizers without being built with them too"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

# configure SOURCE OPTION...: configures a project with the installed package.
configure() {
  cmake -S "$sources/$1" -B "$work/$1" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=Release "${@:2}"
}

# by_cmake SOURCE OPTION...: configures, builds and runs a project.
by_cmake() {
  configure "$@" >/dev/null
  cmake --build "$work/$1"
  "$work/$1/consumer"
}

# by_pkg_config SOURCE PACKAGE COMPILER...: builds the program of a project without CMake, and runs it.
by_pkg_config() {
  local flags lib_dir
  flags=$(pkg-config --cflags --libs "$2")
  lib_dir=$(pkg-config --variable=libdir espalier)
  # shellcheck disable=SC2086
  "${@:3}" "$sources/$1"/main.* $flags -Wl,-rpath,"$lib_dir" -o "$work/$1/by_pkg_config"
  "$work/$1/by_pkg_config"
}

cmake --install "$build" --prefix "$work/installed" >/dev/null
mv "$work/installed" "$prefix"
for header in "$prefix"/include/espalier.h "$prefix"/include/espalier{_c,}.f90 "$prefix"/include/espalier/*.hpp; do
  [ -s "$header" ]
done
for text in LICENSE NOTICES.md; do [ -s "$prefix/share/doc/espalier/$text" ]; done
# Run paths must not contain build folders, folders of the user, or empty entries, which mean the current folder.
find "$prefix" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec readelf -d {} + | grep -E 'R(UN)?PATH' >"$work/runpaths"
if grep -F -e "$build" -e "$HOME" -e :: "$work/runpaths"; then
  echo "an installed file names a folder that is not the installation's" >&2
  exit 1
fi
grep -F "\$ORIGIN" "$work/runpaths" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name espalier.pc)")
export PKG_CONFIG_PATH

by_cmake consumer -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
by_cmake mpi_consumer
by_cmake eigen_consumer
by_cmake c_consumer
if configure mpi_consumer --fresh -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON >/dev/null 2>"$work/refusal"; then
  echo "the component mpi was found without MPI" >&2
  exit 1
fi
grep -q "needs MPI" "$work/refusal"
# Imitates the result of CMake's search if another MPI is installed.
mkdir "$work/modules"
printf '%s\n' 'set(MPI_CXX_FOUND TRUE)' 'set(MPI_CXX_INCLUDE_DIRS "${CMAKE_CURRENT_LIST_DIR}")' \
  'set(MPI_CXX_LIBRARIES libmpich.so)' >"$work/modules/FindMPI.cmake"
echo '#define MPICH_VERSION "4.0.2"' >"$work/modules/mpi.h"
if configure mpi_consumer --fresh -DCMAKE_MODULE_PATH="$work/modules" >/dev/null 2>"$work/refusal"; then
  echo "the component mpi was found with another MPI" >&2
  exit 1
fi
tr -s '\n ' ' ' <"$work/refusal" | grep -q "CMake found MPICH 4.0.2 (libmpich.so), but Espalier needs Open MPI."
by_pkg_config consumer espalier "$compiler" -std=c++20
by_pkg_config mpi_consumer espalier-mpi "$compiler" -std=c++20
by_pkg_config c_consumer espalier cc -std=c99 -pedantic
if fortran=$(command -v gfortran); then
  by_cmake fortran_consumer
  by_pkg_config fortran_consumer espalier "$fortran" -J "$work/fortran_consumer" "$prefix"/include/espalier{_c,}.f90
else
  echo "no gfortran: the module for Fortran is left out"
fi
readelf -d "$work/consumer/by_pkg_config" | grep 'NEEDED.*libespalier\.so\.[0-9]' >/dev/null
"$prefix/bin/espalier" --help >/dev/null
# Manual pages and completions are where man and shells look for them, and match the program.
"$prefix/bin/espalier" man --out "$work/man1"
diff -r "$work/man1" "$prefix/share/man/man1"
for place in bash-completion/completions/espalier zsh/site-functions/_espalier fish/vendor_completions.d/espalier.fish; do
  shell=${place%%[-/]*}
  "$prefix/bin/espalier" completion "$shell" | cmp - "$prefix/share/$place"
done
if [ -e "$prefix/lib/libespalier_pardiso.so" ]; then
  # Each library in a separate process, under the name that programs search for.
  for library in libpardiso.so libmkl_rt.so; do
    [ -x "$prefix/lib/espalier/pardiso/$library" ]
    python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).pardiso_' "$prefix/lib/espalier/pardiso/$library"
  done
else
  echo "no libraries with the interface of PARDISO in this build: they are left out"
fi
if [ -n "$python" ]; then
  folder=$(dirname "$(find "$prefix" -type d -name 'espalier-*.dist-info')")
  PYTHONPATH=$folder "$python" -B -c '
import importlib.metadata, numpy, espalier
assert importlib.metadata.version("espalier") == espalier.__version__
assert importlib.metadata.requires("espalier")
a = numpy.array([[2.0, 1.0], [1.0, 4.0]])
assert abs(espalier.spsolve(a, numpy.array([4.0, 9.0])) - [1.0, 2.0]).max() < 1e-14'
else
  echo "no module for Python in this build: it is left out"
fi
