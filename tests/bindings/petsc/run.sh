#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs PETSc's tutorials ex1, ex2, ex10, ex52 and ex72 without changes, with Espalier as their Cholesky factorization, on
# one to four ranks. Compares the norms that they print with those of PETSc's factorization. Then runs solver.py and SLEPc.
# It needs "tools/setup.sh --petsc" and a build with -DESPALIER_PETSC=ON.
# Usage: tests/bindings/petsc/run.sh [BUILD_DIR]   (default build/release)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../../../build/release}" && pwd)
readonly plugin=$build/libespalier_petsc.so
readonly shared=/usr/share/petsc/3.18/share/petsc
readonly tutorials=$shared/examples/src/ksp/ksp/tutorials
readonly spd=$shared/datafiles/matrices/spd-real-int32-float64

fail() {
  printf 'petsc: %s\n' "$*" >&2
  exit 1
}
[ -f "$plugin" ] || fail "$plugin is missing; configure with -DESPALIER_PETSC=ON and build."
[ -f "$tutorials/ex1.c" ] && /usr/bin/python3 -c 'import petsc4py' 2>/dev/null ||
  fail "PETSc's tutorials or petsc4py are missing; run tools/setup.sh --petsc."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ESPALIER_PETSC=$plugin
cd "$work"

# ranks COUNT COMMAND...: runs a command on several ranks. The plugin is preloaded, because several ranks need it before MPI starts.
ranks() {
  mpirun --oversubscribe --allow-run-as-root --bind-to none -x LD_PRELOAD="$plugin" \
    -x STARPU_MPI_DRIVER_CALL_FREQUENCY=4 -x STARPU_MPI_DRIVER_TASK_FREQUENCY=1 -x STARPU_MPI_NOBIND=1 \
    -x STARPU_SILENT=1 -n "$@"
}

# norm OUTPUT: prints the last norm in the output of a tutorial; "< 1.e-12" counts as 1.e-12.
norm() { sed -nE 's/.*[Nn]orm( of error)?( <)? *([0-9.]+(e[-+]?[0-9]+)?).*/\3/p' <<<"$1" | tail -n 1; }

# expect_norm COUNT TUTORIAL OPTION...: expects that Espalier was used, and that the norm is at most 1e-12 or ten times that of
# PETSc's factorization by one process.
checked=0
expect_norm() {
  local count=$1 tutorial=$2 own found
  shift 2
  own=$("./$tutorial" "$@" -mat_type aij -ksp_type preonly -pc_type cholesky 2>&1) || fail "$tutorial $*: $own"
  found=$(ranks "$count" "./$tutorial" -dll_append "$plugin" -ksp_type preonly -pc_type cholesky \
    -pc_factor_mat_solver_type espalier -mat_espalier_workers 1 -ksp_view "$@" 2>&1) ||
    fail "$count ranks, $tutorial $*: $found"
  grep -q 'package used to perform factorization: espalier' <<<"$found" || fail "$tutorial $*: not by Espalier: $found"
  awk -v own="$(norm "$own")" -v found="$(norm "$found")" \
    'BEGIN { exit !(own != "" && found != "" && (found + 0 <= 10 * own || found + 0 <= 1e-12)) }' ||
    fail "$count ranks, $tutorial $*: the norm is $(norm "$found"), but PETSc's own $(norm "$own")"
  checked=$((checked + 1))
}

for number in 1 2 10 52 72; do
  # shellcheck disable=SC2046
  mpicc "$tutorials/ex$number.c" -w -O1 $(pkg-config --cflags --libs PETSc) -lm -o "ex$number"
done

expect_norm 1 ex1 -n 50
for count in 1 2 3 4; do
  expect_norm $count ex2 -m 30 -n 31
  expect_norm $count ex52 -m 40 -n 30
  expect_norm $count ex10 -f0 "$spd" -f1 "$spd"
  expect_norm $count ex72 -f0 "$spd" -num_numfac 3 -num_rhs 2
  expect_norm $count ex72 -f0 "$spd" -mat_type sbaij
done

# Several ranks need an MPI with threads. A program that does not request them gets an error message.
if said=$(mpirun --oversubscribe --allow-run-as-root -n 2 ./ex2 -dll_append "$plugin" -pc_type cholesky \
  -pc_factor_mat_solver_type espalier 2>&1); then
  fail "two ranks without the threads of MPI were not refused: $said"
fi
grep -q 'LD_PRELOAD=libespalier_petsc.so' <<<"$said" || fail "two ranks without the threads of MPI: $said"
printf 'petsc: %d runs of the tutorials have the norms of PETSc\n' "$checked"

for count in 1 2 3 4; do
  ranks $count /usr/bin/python3 -B "$here/solver.py"
done

# Each rank factors alone, so the library is not preloaded.
for count in 1 4; do
  mpirun --oversubscribe --allow-run-as-root --bind-to none -x STARPU_SILENT=1 -n $count \
    /usr/bin/python3 -B "$here/../../../examples/12_slepc_slicing.py"
done

# All ranks factor together, or pairs of them.
for partitions in 1 2; do
  ranks 4 /usr/bin/python3 -B "$here/../../../examples/12_slepc_slicing.py" -eps_krylovschur_partitions $partitions
done
