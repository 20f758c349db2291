#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks Espalier on a machine with a CUDA device, within nine minutes. It runs the tests, CUDA's sanitizers, calibrations, a profile,
# and a benchmark, which includes cuDSS if it is installed. All results go to FOLDER.
# Without --bundle everything is built on this machine. --bundle uses the programs that tools/gpu/pack.sh has built elsewhere.
# Exit codes: 0 success; 1 something failed; 77 no device.
# Usage: tools/gpu/check.sh [--bundle FILE] FOLDER [MATRIX...]   the matrices of the benchmark
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  printf 'check: usage: tools/gpu/check.sh [--bundle FILE] FOLDER [MATRIX...]\n' >&2
  exit 2
}

bundle=
[ "${1:-}" != --bundle ] || { [ $# -ge 3 ] && bundle=$2 && shift 2; } || usage
[ $# -ge 1 ] || usage
mkdir -p "$1"
folder=$(realpath "$1")
shift
readonly limit=540 folder
failures=0
reserved=170 # seconds kept for the benchmark

left() { printf '%d\n' $((limit - reserved - SECONDS)); }
have() { command -v "$1" >/dev/null || { printf 'check:         %s is not installed\n' "$1" && false; }; }

# step NAME SECONDS COMMAND...: runs the command for at most this long. Its output goes to NAME.txt in the folder.
step() {
  local name=$1 most=$2 started=$SECONDS code=0
  shift 2
  [ "$most" -le "$(left)" ] || most=$(left)
  if [ "$most" -lt 5 ]; then
    printf 'check:         %s: no time left\n' "$name"
    failures=$((failures + 1))
    return
  fi
  timeout --kill-after=10 "$most" "$@" >"$folder/$name.txt" 2>&1 || code=$?
  [ $code = 0 ] || failures=$((failures + 1))
  case $code in
    0) printf 'check: %4d s  %s\n' $((SECONDS - started)) "$name" ;;
    124 | 137) printf 'check: %4d s  %s: stopped at the time limit\n' $((SECONDS - started)) "$name" ;;
    *) printf 'check: %4d s  %s: failed with code %d, see %s\n' $((SECONDS - started)) "$name" $code "$folder/$name.txt" ;;
  esac
}

if [ -n "$bundle" ]; then
  programs=$(mktemp -d)
  trap 'rm -rf "$programs"' EXIT
  tar -C "$programs" -xf "$bundle"
  toolkit=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || toolkit=/usr/local/cuda/bin/nvcc
  toolkit=$(dirname "$(dirname "$(readlink -f "$toolkit")")")
  export LD_LIBRARY_PATH=$programs/lib:$toolkit/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  program=$programs/bin/espalier tests=$programs/bin/test_cuda
else
  step build 400 tools/gpu/build.sh
  program=$PWD/build/cuda/espalier tests=$PWD/build/cuda/tests/test_cuda
fi

# Builds the program that measures cuDSS, if the library is installed: in the folder CUDSS, with the toolkit, or with Python.
build_cudss() {
  local root toolkit=${toolkit:-/usr/local/cuda}
  for root in ${CUDSS:-} "$toolkit" $(python3 -c 'import nvidia; print(*(f"{path}/cu13" for path in nvidia.__path__))' 2>/dev/null); do
    [ -e "$root/include/cudss.h" ] || continue
    library=$(find "$root"/lib* -name 'libcudss.so*' -print -quit 2>/dev/null)
    [ -n "$library" ] || continue
    "${CXX:-g++}" -std=c++20 -O2 -o "$folder/cudss" tools/gpu/cudss.cpp -I"$root/include" -I"$toolkit/include" "$library" \
      -L"$toolkit/lib64" -lcudart -Wl,-rpath,"$(dirname "$library")"
    return
  done
  return 1
}

# StarPU measures the buses of the machine when it first finds a device.
export STARPU_HOME=$folder/starpu XDG_DATA_HOME=$folder/data STARPU_SILENT=1 STARPU_WORKERS_NOBIND=1
all_on_device=(--workers 1 --granularity tile --cuda-devices 1 --sched fanout)
for operation in potrf trsm syrk gemm; do all_on_device+=(--sched-option "threshold_$operation=0"); done
! have nvidia-smi || step device 20 nvidia-smi -q
step first-solve 60 "$program" solve laplace3d:30 --cuda-devices 1 --report "$folder/first-solve.json"
step tests 60 "$tests" --gtest_filter='Cuda*'
step tests-of-the-program 90 env ESPALIER_PROGRAM="$program" python3 tests/cli/cuda.py
[ -r "$folder/first-solve.json" ] || { printf 'check: the program does not run on this machine\n' && exit 1; }
if ! grep -Eq '"cuda_workers": *[1-9]' "$folder/first-solve.json"; then
  printf 'check: no CUDA device, so nothing was run on one (%s failures in the other steps)\n' "$failures"
  exit 77
fi
if have compute-sanitizer; then
  for tool in memcheck racecheck initcheck; do
    step "$tool" 60 compute-sanitizer --tool "$tool" --error-exitcode 1 "$tests" --gtest_filter='Cuda*'
  done
  step memcheck-of-a-solve 60 compute-sanitizer --tool memcheck --error-exitcode 1 "$program" solve laplace3d:12 "${all_on_device[@]}"
fi
# Both write to the user's data folder, where the benchmark finds the results.
step calibrate 60 "$program" calibrate --quick
step calibrate-device 150 "$program" calibrate --quick --workers 1 --cuda-devices 1
if have nsys; then
  step profile 60 nsys profile --force-overwrite=true --stats=true --output="$folder/profile" "$program" solve "${1:-laplace3d:80}" \
    --cuda-devices 1 --repeat 2
fi
cudss=()
if build_cudss >"$folder/cudss.txt" 2>&1; then
  cudss=(--cudss "$folder/cudss")
else
  printf 'check:         no usable cuDSS; see cudss.txt, and CUDSS in this script\n'
fi
reserved=0
step benchmark "$(left)" python3 -u tools/gpu/benchmark.py "${cudss[@]}" "$program" "$folder" $(($(left) - 15)) "$@"
cat "$folder/benchmark.txt"
printf 'check: %d s, %d failures; results in %s\n' $SECONDS $failures "$folder"
[ $failures = 0 ]
