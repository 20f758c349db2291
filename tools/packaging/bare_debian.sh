# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions of the scripts that try packages in a bare Debian. The bare Debian has this machine's version and no packages beyond apt. It is
# in the folder `root` inside `work`. Scripts set `maker` to their name and `work` to a private folder.

check_for_bare_debian() {
  [ "$(id -u)" = 0 ] || fail "a bare Debian needs root: sudo tools/packaging/$maker.sh"
  command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing; tools/setup.sh --packages installs it"
}

# make_bare_debian PACKAGE...: creates the bare Debian with these packages, and with a folder /packages for the tested packages.
make_bare_debian() {
  root=$work/root
  # shellcheck disable=SC1091 # each system has its own
  mmdebstrap --variant=minbase --include="$(printf '%s' apt "${@/#/,}")" "$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")" "$root" &&
    mkdir "$root/packages" &&
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# inside COMMAND...: runs the command in the bare Debian. Its mounts end with the command.
inside() {
  # shellcheck disable=SC2016 # the shell in there expands it
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount -t tmpfs tmpfs "$0/dev/shm" && mount -t tmpfs tmpfs "$0/tmp" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}
install() { inside apt-get install -q -y --no-install-recommends "$@"; }
has_compiler() { inside sh -c 'command -v cc || command -v gcc || command -v g++'; }

# Systems are solved as a user without a home folder.
as_user() { inside setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp "$@"; }
# solve_in_python INTERPRETER: solves a system with the Python interface.
solve_in_python() {
  as_user "$1" -c '
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

# processor_seconds: sets `used` to the processor seconds of all commands of the script so far.
processor_seconds() {
  times >"$work/times"
  used=$(awk -F '[ms ]' 'NR == 2 {printf "%d", 60 * $1 + $2 + 60 * $4 + $5}' "$work/times")
}
start_counting() {
  processor_seconds
  started=$SECONDS before=$used
}
# end_counting TEXT: prints the time since start_counting, and fails if it took a minute or more of processor time.
end_counting() {
  local seconds=$((SECONDS - started))
  processor_seconds
  used=$((used - before))
  printf '%s: %4d s  %s, %d s of processor time\n' "$maker" "$seconds" "$1" "$used"
  [ "$used" -lt 60 ] || fail "installing and solving took $used s of processor time; the limit is 60"
}
