#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the wheel that tools/packaging/wheel.sh has made into a new environment of Python in a bare Debian, as this machine runs, in
# a folder of its own: pip fetches NumPy and SciPy, and a system is solved, within a minute of processors and without a compiler.
# Needs root and the network.
# Usage: tools/packaging/try_wheel.sh [FOLDER]    FOLDER, by default build/dist, has the wheel
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheels=$(realpath -m "${1:-$repository/build/dist}")
maker=try_wheel
# shellcheck source=SCRIPTDIR/common.sh
. "$repository/tools/packaging/common.sh"
# shellcheck source=SCRIPTDIR/bare_debian.sh
. "$repository/tools/packaging/bare_debian.sh"

install_wheel() {
  inside python3 -m venv /opt/fresh
  inside /opt/fresh/bin/pip install --cert /packages/certificates.crt "/packages/$wheel"
}
# What Python loads is found, and comes from the wheel or from what is on every Linux.
check_libraries() {
  # shellcheck disable=SC2016 # the shell in there expands it
  inside bash -c '
    files=$(find /opt/fresh/lib/python3*/site-packages/espalier* -name "*.so*" -type f)
    ! ldd $files | grep "not found" && ldd $files | grep -q "libstarpu-1.4.* => /opt/fresh/"'
}

check_for_bare_debian
found=("$wheels"/espalier-*.whl)
[ -e "${found[0]}" ] || fail "$wheels has no wheel; make it by tools/packaging/wheel.sh"
[ ${#found[@]} = 1 ] || fail "$wheels has ${#found[@]} wheels, of which only one can be tried"
wheel=${found[0]##*/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step "a bare Debian with Python" make_bare_debian python3 python3-venv
cp "${found[0]}" "$root/packages"
cp /etc/ssl/certs/ca-certificates.crt "$root/packages/certificates.crt"
start_counting
step "$wheel installed" install_wheel
step "solved in Python" solve_in_python /opt/fresh/bin/python
end_counting "from the download to a solution"
! has_compiler || fail "Python or the wheel has brought a compiler along"
step "libraries found" check_libraries
