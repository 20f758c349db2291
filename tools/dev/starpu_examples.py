#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds StarPU's own examples and tests from its source and runs them under each policy of the plugin.

The programs are those of StarPU's `make check` below examples, examples/stencil and tests/{main,datawizard,sched_ctx,
sched_policies,parallel_tasks}. Each is compiled once into the build folder, with the small sizes of STARPU_QUICK_CHECK.
It runs with every policy and number of workers. pkg-config finds the installed StarPU.

A cell of the table has a letter for each number of workers: "." success, "s" skipped by the program, "=" failed as it
does with eager or lws, "F" failed or skipped, "T" stopped at the time limit. The exit code is 1 if there is an "F" or
"T".

Limits: There are only CPU workers. They are not bound to cores, so there may be more workers than cores. The result of
a program is its exit code. Cholesky, LU and products get -check; many other programs do not check their results. A
program that does not compile is listed and left out. StarPU's microbenchmarks, its Fortran, Python and Julia programs,
and the programs of StarPU-MPI are not run.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

FOLDERS = {"examples": r".*", "examples/stencil": r".*",
           "tests": r"(main|datawizard|sched_ctx|sched_policies|parallel_tasks)/.*"}
# The automake conditionals of StarPU that are true. All others are false.
TRUE = {"STARPU_HAVE_CBLAS_H", "STARPU_HAVE_CBLAS_SGEMV", "STARPU_HAVE_CXX11", "STARPU_HAVE_OPENMP",
        "STARPU_HAVE_HWLOC", "STARPU_HWLOC_HAVE_TOPOLOGY_DUP", "STARPU_LONG_CHECK"}
DENSE = "-size 640 -nblocks 8"
# Arguments for programs that check nothing by default or lack an input file. Some combinations are left out, because
# they fail with StarPU's policies, too: -check of cholesky_tag and cholesky_grain_tag (wrong entries with one worker),
# heat -v1 (overwrites memory), -v3 and -v4 (wait forever).
ARGUMENTS = {
    **{f"cholesky/cholesky_{kind}": [f"{DENSE} -check"] for kind in ("implicit", "tile_tag")},
    **{f"lu/lu_{kind}example_{real}": [f"{DENSE} -check{more}" for more in ("", " -piv", " -no-stride")]
       for kind in ("", "implicit_") for real in ("float", "double")},
    "mult/sgemm": [f"-size 512 -nblocks 4 -iter 2 -check{more}" for more in ("", " -spmd")],
    "mult/dgemm": ["-size 512 -nblocks 4 -iter 2 -check"],
    "heat/heat": ["-shape 0", "-shape 1", "-cg", "-v2"],
    "spmv/dw_block_spmv": ["{source}/examples/spmv/matrix_market/examples/fidapm05.mtx"],
}
BUILD_FLAGS = ["-O1", "-w", "-fopenmp", "-DSTARPU_QUICK_CHECK", "-DSTARPU_OPENBLAS=1", "-DSTARPU_HAVE_CBLAS_H=1",
               "-DSTARPU_SYSTEM_BLAS=1"]
REFERENCES = ("eager", "lws")


def variables(makefile):
    """Returns the variables of a Makefile.am, as lists of words."""
    found, conditions = {}, []
    for line in makefile.read_text().replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "if":
            conditions.append((rest.strip().lstrip("!") in TRUE) != rest.strip().startswith("!"))
        elif word == "else":
            conditions[-1] = not conditions[-1]
        elif word == "endif":
            conditions.pop()
        elif all(conditions) and (match := re.match(r"(\w+)\s*(\+?=)(.*)", line)):
            name, sign, values = match.groups()
            found[name] = (found.get(name, []) if sign == "+=" else []) + values.split()
    return found


def programs(source):
    """Yields (name, folder, source files) of every program that StarPU itself checks."""
    for folder, chosen in FOLDERS.items():
        made = variables(source / folder / "Makefile.am")
        for name in dict.fromkeys(made.get("STARPU_EXAMPLES", []) + made.get("myPROGRAMS", [])):
            files = made.get(re.sub(r"\W", "_", name) + "_SOURCES", [name + ".c"])
            if re.fullmatch(chosen, name):
                yield name, source / folder, [file for file in files if re.search(r"\.c(pp)?$", file)]


def package(*arguments, name="starpu-1.4"):
    return subprocess.run(["pkg-config", *arguments, name], check=True, capture_output=True, text=True).stdout.split()


def build(folder, files, program, headers):
    """Compiles the program. Returns the first error of the compiler, or an empty string."""
    if program.exists():
        return ""
    top = folder.parent if folder.parent.name == "examples" else folder
    include = [f"-I{path}" for path in (headers, folder, top, top.parent / "src", top.parent / "include")]
    compiler, name = "g++" if files[0].endswith(".cpp") else "gcc", "starpu-1.4"
    if folder.name == "stencil":  # uses MPI if StarPU has it
        compiler, name = "mpicc", "starpumpi-1.4"
    command = [compiler, *BUILD_FLAGS, *include, *package("--cflags", name=name), *files, "-o", str(program),
               *package("--libs", name=name), *package("--libs"), "-Wl,-rpath," + package("--variable=libdir")[0],
               "-lopenblas", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    wrong = re.search(r".*(error|undefined).*", done.stderr)
    return wrong.group() if wrong else ""


def run(command, policy, workers, options):
    """Runs the program once. Returns a letter as in the table."""
    changes = {"STARPU_SCHED": policy, "STARPU_NCPU": workers, "STARPU_WORKERS_NOBIND": "1", "STARPU_SILENT": "1",
               "STARPU_SCHED_LIB": str(options.library), "HWLOC_PLUGINS_PATH": "", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(command, env={**os.environ, **changes}, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                code = process.wait(options.seconds)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    return "T"
                raise
    return {0: ".", 77: "s"}.get(code, "F")


def row(command, options):
    """Returns a cell of the table per policy."""
    theirs = {}  # by number of workers: how the program ends with StarPU's policies
    cells = []
    for policy in options.policies.split(","):
        cell = ""
        for workers in options.workers.split(","):
            letter = "=" if set("FT") & theirs.get(workers, set()) else run(command, policy, workers, options)
            if letter in "sFT" and workers not in theirs:
                theirs[workers] = {run(command, other, workers, options) for other in REFERENCES}
            if letter in "FT" and set("FT") & theirs[workers]:
                letter = "="
            if letter == "s" and "s" not in theirs[workers]:
                letter = "F"
            cell += letter
        cells.append(cell)
    return cells


def parse():
    def path(text):
        return pathlib.Path(text).resolve()

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="SOURCE", type=path, help="StarPU's unpacked source")
    parser.add_argument("library", metavar="LIBRARY", type=path, help="libespalier_sched.so")
    parser.add_argument("--only", metavar="REGEX", default="", help="programs whose name contains it: lu/, ^main/")
    parser.add_argument("--policies", metavar="NAMES", default="espalier,fanout,ktq,levelset,hlevelset",
                        help="separated by commas (%(default)s)")
    parser.add_argument("--workers", metavar="NUMBERS", default="1,2,3,4", help="numbers of CPU workers (%(default)s)")
    parser.add_argument("--build", metavar="FOLDER", type=path, default=f"{tempfile.gettempdir()}/starpu_examples",
                        help="folder for the compiled programs; existing ones are not compiled again (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of one run (%(default)s)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="programs at the same time (%(default)s)")
    return parser.parse_args()


def main():
    options = parse()
    headers = options.build / "include"  # replaces headers that StarPU's configure writes
    (headers / "common").mkdir(parents=True, exist_ok=True)
    (headers / "common" / "config.h").write_text("#include <starpu_config.h>\n#include <unistd.h>\n")

    def try_out(name, folder, files):
        program = options.build / name.replace("/", "-")
        if wrong := build(folder, files, program, headers):
            return [(f"{name}: not built: {wrong}", None)]
        calls = [arguments.format(source=options.source) for arguments in ARGUMENTS.get(name, [""])]
        return [(f"{name} {call}".strip(), row([program, *call.split()], options)) for call in calls]

    width = len(options.workers.split(","))
    print(" ".join(f"{policy:{max(width, 9)}}" for policy in options.policies.split(",")))
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = [program for program in programs(options.source) if re.search(options.only, program[0])]
        for rows in pool.map(lambda program: try_out(*program), chosen):
            for name, cells in rows:
                print(" ".join(f"{cell:{max(width, 9)}}" for cell in cells or []), name, flush=True)
                failed = failed or bool(cells and re.search("[FT]", "".join(cells)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
