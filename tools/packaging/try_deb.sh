#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tries the packages of tools/packaging/deb.sh in a bare Debian of this machine's version, in a separate folder. apt installs the
# packages with their dependencies, and the program and Python solve systems. Without the download, this must take less than a minute
# of processor time, and must work without a compiler. Debian's SciPy installs a compiler, which is disabled.
# After that, ranks solve a system, a C program is compiled with the library, and all packages are removed without leftovers. Needs
# root and the network.
# Usage: tools/packaging/try_deb.sh [FOLDER]    folder of the packages (default: build/dist)
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$(realpath -m "${1:-$repository/build/dist}")
maker=try_deb
# shellcheck source=SCRIPTDIR/common.sh
. "$repository/tools/packaging/common.sh"
# shellcheck source=SCRIPTDIR/bare_debian.sh
. "$repository/tools/packaging/bare_debian.sh"

download() { inside apt-get update -q && install --download-only "${names[@]/#//packages/}"; }
install_all_but_python() { install "${others[@]/#//packages/}"; }
allow_compilers() { find "$root/usr/bin" -type f -regex '.*/[^/]*\(gcc\|g\+\+\)-[0-9]+' -exec chmod "$1" {} +; }
install_python() { install "/packages/$python" && allow_compilers a-x; }

solve() { as_user espalier solve laplace3d:30; }
solve_on_ranks() {
  install openmpi-bin
  as_user mpirun --oversubscribe --bind-to none -n 2 espalier solve laplace3d:20 --workers 1
}

# Every installed file finds its libraries, and only in the system. StarPU can load the plugin.
check_libraries() {
  # shellcheck disable=SC2016 # the shell in there expands it
  inside bash -c '
    files=$(dpkg -L libespalier0 libespalier-sched espalier python3-espalier | grep -E "\.so|/bin/.")
    ! ldd $files | grep "not found" && ldd $files | grep -q "libstarpu-1.4.* => /usr/lib/.*/espalier/" &&
      python3 -c "import ctypes, glob; ctypes.CDLL(glob.glob(\"/usr/lib/*/libespalier_sched.so\")[0]).starpu_get_sched_lib_policies"'
}
compile() {
  allow_compilers a+x
  install gcc libc6-dev pkgconf
  cp "$repository"/tests/build/c_consumer/main.c "$root/root"
  # shellcheck disable=SC2016
  inside bash -c 'cc -std=c99 -pedantic /root/main.c $(pkg-config --cflags --libs espalier) -o /root/consumer && /root/consumer'
}
remove() {
  inside apt-get purge -q -y "${names[@]%%_*}"
  if find "$root"/{etc,usr,var/lib/dpkg/info} -iname '*espalier*' | grep .; then
    echo "these files are left"
    return 1
  fi
}

check_for_bare_debian
names=() others=()
for file in "$packages"/*espalier*.deb; do
  [ -e "$file" ] || fail "$packages has no packages; make them with tools/packaging/deb.sh"
  names+=("${file##*/}")
  case ${file##*/} in python3-*) python=${file##*/} ;; *) others+=("${file##*/}") ;; esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step "a bare Debian" make_bare_debian
cp "${names[@]/#/$packages/}" "$root/packages"
step "dependencies downloaded" download
start_counting
step "${#others[@]} packages installed" install_all_but_python
step "solved by the program" solve
! has_compiler || fail "the packages have installed a compiler"
step "$python installed" install_python
step "solved in Python" solve_in_python python3
end_counting "from the download to two solutions"
step "libraries found" check_libraries
step "solved on two ranks" solve_on_ranks
step "a program in C compiled and run" compile
step "all removed" remove
