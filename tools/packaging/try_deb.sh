#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what tools/packaging/deb.sh has made into a bare Debian, as this machine runs, in a folder of its own: apt installs the
# packages with what they need, and the program and Python solve systems, within a minute of processors after the download and
# without a compiler; Debian's SciPy brings one along, which nobody may run. Then ranks solve, a program in C is compiled against the
# library, and nothing is left when all are removed. Needs root and the network.
# Usage: tools/packaging/try_deb.sh [FOLDER]    FOLDER, by default build/dist, has the packages
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$(realpath -m "${1:-$repository/build/dist}")
maker=try_deb
# shellcheck source=SCRIPTDIR/common.sh
. "$repository/tools/packaging/common.sh"

# inside COMMAND...: runs it in the bare Debian, with mounts that end with it.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount -t tmpfs tmpfs "$0/dev/shm" && mount -t tmpfs tmpfs "$0/tmp" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}
install() { inside apt-get install -q -y --no-install-recommends "$@"; }
download() { inside apt-get update -q && install --download-only "${names[@]/#//packages/}"; }
install_all_but_python() { install "${others[@]/#//packages/}"; }
allow_compilers() { find "$root/usr/bin" -type f -regex '.*/[^/]*\(gcc\|g\+\+\)-[0-9]+' -exec chmod "$1" {} +; }
install_python() { install "/packages/$python" && allow_compilers a-x; }

# Who solves is a user without a home.
as_user() { inside setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp "$@"; }
solve() { as_user espalier solve laplace3d:30; }
solve_in_python() {
  as_user python3 -c '
import importlib.metadata, numpy, scipy.sparse, espalier
assert importlib.metadata.version("espalier") == espalier.__version__
n = 200
d = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
a = scipy.sparse.csc_matrix(scipy.sparse.kronsum(d, d))
x = numpy.linspace(-1, 1, n * n)
error = abs(espalier.cho_factor(a).solve(a @ x) - x).max()
print(espalier.__file__, "error", error)
assert error < 1e-9'
}
solve_on_ranks() {
  install openmpi-bin
  as_user mpirun --oversubscribe --bind-to none -n 2 espalier solve laplace3d:20 --workers 1
}

# Every file that is loaded finds what it needs, and in the system alone; StarPU can load the plugin.
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

# processor_seconds: sets `used` to what all commands of this script have taken so far.
processor_seconds() {
  times >"$work/times"
  used=$(awk -F '[ms ]' 'NR == 2 {printf "%d", 60 * $1 + $2 + 60 * $4 + $5}' "$work/times")
}

[ "$(id -u)" = 0 ] || fail "a bare Debian needs root: sudo tools/packaging/try_deb.sh"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing, which tools/setup.sh --packages installs."
names=() others=()
for file in "$packages"/*espalier*.deb; do
  [ -e "$file" ] || fail "$packages has no packages; make them by tools/packaging/deb.sh"
  names+=("${file##*/}")
  case ${file##*/} in python3-*) python=${file##*/} ;; *) others+=("${file##*/}") ;; esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
step "a bare Debian" mmdebstrap --variant=minbase "$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")" "$root"
mkdir "$root/packages"
cp "${names[@]/#/$packages/}" "$root/packages"
cp /etc/resolv.conf "$root/etc/resolv.conf"
step "what they need is downloaded" download
processor_seconds
started=$SECONDS before=$used
step "${#others[@]} packages installed" install_all_but_python
step "solved by the program" solve
! inside sh -c 'command -v cc || command -v gcc || command -v g++' || fail "the packages have brought a compiler along"
step "$python installed" install_python
step "solved in Python" solve_in_python
seconds=$((SECONDS - started))
processor_seconds
used=$((used - before))
printf 'try_deb: %4d s  from the download to two solutions, %d s of processors\n' "$seconds" "$used"
[ "$used" -lt 60 ] || fail "to install and solve took $used s of processors; it may take 60"
step "libraries found" check_libraries
step "solved on two ranks" solve_on_ranks
step "a program in C compiled and run" compile
step "all removed" remove
