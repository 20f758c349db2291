#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes packages for the Debian of this machine: libespalier0 with a private StarPU, libespalier-dev, libespalier-sched, espalier and
# python3-espalier, and checks them with lintian. tools/packaging/try_deb.sh installs and uses them.
# Usage: tools/packaging/deb.sh [FOLDER]
#   The packages go to FOLDER (default: build/dist). DEBFULLNAME and DEBEMAIL name the maintainer (default: git's user).
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=$(realpath -m "${1:-$repository/build/dist}")
build=$repository/build/deb
maker=deb
# shellcheck source=SCRIPTDIR/common.sh
. "$repository/tools/packaging/common.sh"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/espalier

# Prints the copyright file of all packages: the licences of Espalier, of its StarPU and of libraries compiled into it.
copyright() {
  local file
  cat "$repository/LICENSE"
  cat <<TEXT

The package $library has StarPU $version in a private folder, as shared libraries that may be replaced. It is Debian's source
package starpu $version with the patches in /usr/share/doc/$library/starpu.

Copyright (C) 2008-2026 University of Bordeaux, CNRS (LaBRI UMR 5800), Inria, and others as its sources say

StarPU is free software; you can redistribute it and/or modify it under the terms of the GNU Lesser General Public License as
published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later version. On Debian
systems its text is in /usr/share/common-licenses/LGPL-2.1.

These libraries are compiled in: JSON for Modern C++ everywhere, CLI11 into the program, nanobind into the module for Python.
TEXT
  for file in "$work"/licences/*; do
    printf '\n==== %s ====\n\n' "$(basename "$file")"
    cat "$file"
  done
}

# Finds the newest StarPU that tools/setup.sh --packages has built with the patches of tools/starpu.
find_starpu() {
  local patched
  patched=$(sed -n 's/^readonly patched=//p' "$repository/tools/setup.sh")
  starpu=$(compgen -G "$cache/starpu-*-$patched-packages" | sort -rV | head -n 1)
  version=$(PKG_CONFIG_PATH=$starpu/lib/pkgconfig pkg-config --modversion starpu-1.4)
}

configure() {
  copy_licences "$work/licences" libcli11-dev
  cp "$cache"/python/lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE "$work/licences/nanobind"
  mkdir -p "$build"
  copyright >"$build/copyright"
  cmake --preset release -S "$repository" -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DESPALIER_DEBIAN=ON -DESPALIER_PYTHON=ON \
    -DESPALIER_PYTHON_FOLDER=lib/python3/dist-packages -DESPALIER_TESTS=OFF -DESPALIER_EXAMPLES=OFF \
    -DESPALIER_STARPU_PREFIX="$starpu" -DPython_EXECUTABLE="$cache/python/bin/python" \
    -DCPACK_PACKAGE_CONTACT="$name <$address>" -DCPACK_DEBIAN_PACKAGE_RELEASE="$release"
}

# make_packages: writes the packages into the new folder $work/packages.
make_packages() {
  cpack --config "$build/CPackConfig.cmake" -B "$work/cpack"
  mkdir "$work/packages"
  mv "$work"/cpack/*.deb "$work/packages"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=${DEBFULLNAME:-$(git -C "$repository" config user.name || echo "Espalier authors")}
address=${DEBEMAIL:-$(git -C "$repository" config user.email || true)}
[ -n "$address" ] || fail "neither DEBEMAIL nor git names a maintainer of the packages; give an address: DEBEMAIL=you@your.host tools/packaging/deb.sh"
release=1~$(. /etc/os-release && printf '%s%s' "$ID" "$VERSION_ID")
library=libespalier$(sed -nE 's/^project\(espalier VERSION ([0-9]+).*/\1/p' "$repository/CMakeLists.txt")
export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1 # shares compiled files with other builds
step "set-up" "$repository/tools/setup.sh" --packages --python
find_starpu
step "configured" configure
step "built" cmake --build "$build"
step "packages" make_packages
step "no error found by lintian" lintian --allow-root --fail-on error "$work"/packages/*.deb
mkdir -p "$target"
cp "$work"/packages/*.deb "$target"
(cd "$work/packages" && printf 'deb: %s\n' *.deb | sed "s|: |: $target/|")
