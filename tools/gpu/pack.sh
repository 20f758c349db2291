#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds Espalier with CUDA, without a device, and packs the programs for tools/gpu/check.sh --bundle FILE. The archive has
# all libraries that a machine with only a CUDA toolkit may lack.
# Usage: tools/gpu/pack.sh FILE.tar.xz
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ $# = 1 ] || { printf 'pack: usage: tools/gpu/pack.sh FILE.tar.xz\n' >&2 && exit 2; }
tools/gpu/build.sh

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage"/{bin,lib}
cp build/cuda/espalier build/cuda/tests/test_cuda "$stage/bin/"
# Libraries of the system and of CUDA are left out, because they belong to the machine's kernel and driver. Libraries of
# the compiler are left out, too, because tools of the machine's toolkit may need newer ones but would find these first.
ldd "$stage"/bin/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so|libcu|libnv)' | xargs cp -L -t "$stage/lib/"
strip --strip-unneeded "$stage"/bin/* "$stage"/lib/*
tar -C "$stage" -cJf "$1" bin lib
printf 'pack: %s, %d MiB\n' "$1" $(($(stat -c %s "$1") >> 20))
