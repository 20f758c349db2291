#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds StarPU, and Espalier with it inside, into $PREFIX. rattler-build has put their sources into $SRC_DIR. recipe.yaml sets
# WITH_MPI, WITH_CUDA and WITH_PYTHON.
set -euo pipefail
export XDG_CACHE_HOME=$SRC_DIR/cache # StarPU in this folder becomes part of the installation
readonly starpu=$XDG_CACHE_HOME/espalier/starpu

mapfile -t options <"$SRC_DIR/espalier/tools/starpu/configure.options"
if [ "$WITH_MPI" = OFF ]; then options+=(--disable-mpi); fi
if [ "$WITH_CUDA" = ON ]; then
  options+=(--enable-cuda --enable-maxcudadev=16 --with-cuda-include-dir="$PREFIX/include" --with-cuda-lib-dir="$PREFIX/lib")
else
  options+=(--disable-cuda)
fi
cd "$SRC_DIR/starpu"
./configure --prefix="$starpu" --libdir="$starpu/lib" --enable-maxcpus=256 "${options[@]}" CFLAGS="${CFLAGS:-} -O2 -g0"
make -j"${CPU_COUNT:-1}"
make install

python=()
if [ "$WITH_PYTHON" = ON ]; then python=(-DESPALIER_PYTHON_FOLDER="${SP_DIR#"$PREFIX"/}" -DPython_EXECUTABLE="$PYTHON"); fi
# shellcheck disable=SC2086 # one word per option
cmake -S "$SRC_DIR/espalier" -B "$SRC_DIR/build" -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib -DESPALIER_BLAS="$PREFIX/lib/libblas.so" \
  -DESPALIER_STARPU_PREFIX="$starpu" -DESPALIER_TESTS=OFF -DESPALIER_EXAMPLES=OFF -DESPALIER_MPI="$WITH_MPI" \
  -DESPALIER_CUDA="$WITH_CUDA" -DESPALIER_PYTHON="$WITH_PYTHON" "${python[@]}"
cmake --build "$SRC_DIR/build"
cmake --install "$SRC_DIR/build"
