#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tries the wheel of tools/packaging/wheel.sh in a new Python environment, in a bare Debian of this machine's version, in a separate
# folder. pip installs NumPy and SciPy, and a system is solved. This must take less than a minute of processor time, and must
# work without a compiler. Needs root and the network.
# Usage: tools/packaging/try_wheel.sh [FOLDER]    folder of the wheel (default: build/dist)
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
# Python finds all libraries, in the wheel or among the libraries that every Linux has.
check_libraries() {
  # shellcheck disable=SC2016 # the shell in there expands it
  inside bash -c '
    files=$(find /opt/fresh/lib/python3*/site-packages/espalier* -name "*.so*" -type f)
    ! ldd $files | grep "not found" && ldd $files | grep -q "libstarpu-1.4.* => /opt/fresh/"'
}

check_for_bare_debian
found=("$wheels"/espalier-*.whl)
[ -e "${found[0]}" ] || fail "$wheels has no wheel; make it with tools/packaging/wheel.sh"
[ ${#found[@]} = 1 ] || fail "$wheels has ${#found[@]} wheels; keep only one"
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
! has_compiler || fail "Python or the wheel has installed a compiler"
step "libraries found" check_libraries
