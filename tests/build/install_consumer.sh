#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a temporary prefix, builds a project against it, and runs both programs from there.
# Usage: install_consumer.sh BUILD_DIR CONSUMER_SOURCE CXX_COMPILER BUILD_TYPE
set -euo pipefail
build=$1 source=$2 compiler=$3 build_type=$4

if [ "$build_type" = Debug ]; then
  echo "skipped: a consumer cannot use a library built with sanitizers without being built with them too"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
for header in "$work"/prefix/include/espalier/*.hpp; do
  [ -s "$header" ]
done
cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build"
"$work/build/consumer"
"$work/prefix/bin/espalier" --help >/dev/null
