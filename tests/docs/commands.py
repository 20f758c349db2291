#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every command and every block of code on the pages of docs, as a reader with a built program would.

docs/README.md says how blocks are written. The commands of a page run in one shell, in a temporary folder with links to the
repository's folders. Output that a page shows must be in the output of its commands, apart from numbers. ESPALIER_BUILD is
the build folder. ESPALIER_PYTHON is the interpreter for which the Python package was built, if it was.

Usage: commands.py [NEED]   runs the pages with the line "needs: NEED" at their top, otherwise the pages without such a line
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests" / "cli")]
import parts  # noqa: E402
from support.processes import end_all, kill, running  # noqa: E402

BUILD = pathlib.Path(os.environ["ESPALIER_BUILD"])
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
NOT_RUN = re.compile(r"^(#|//) not run here: \S.*\S\n")
FILE_NAME = re.compile(r"^(?:#|//|/\*|%|!) ([\w./-]+\.(?:cpp|c|f90|py|txt|mtx))\b")
FILES = ("cpp", "c", "fortran", "cmake", "python")
OTHERS = ("bibtex", "{toctree}", "{eval-rst}", "{image}", "{literalinclude}", "{header}", "{python}", "{fortran}", "{options}",
          "{chart}", "{table}")
LONGEST_LINE = 106
LONGEST_PAGE = 200  # seconds
# Builds of StarPU for other purposes. The commands of pages must not use them.
OTHER_STARPUS = ("starpu-0.1-p0-simgrid", "starpu-9.9-p9-cuda", "starpu-9.9-p9-races")
# A number, with its unit if this depends on the size of the number.
NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?(?: (?:[num]?s|[kMG])\b)?")


class Block:
    """A fenced block: its language, text and place."""

    def __init__(self, page, text, match):
        self.language, self.text = match.groups()
        self.place = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        self.is_run = not NOT_RUN.match(self.text)
        named = FILE_NAME.match(self.text) if self.language in FILES + ("text",) else None
        self.file = named[1] if named and self.is_run else None


def blocks_of(page):
    """Returns all blocks of a page. Raises ValueError for a block without a rule, and for code without a fence."""
    text = parts.expand((ROOT / "docs" / page).read_text(encoding="utf-8"), page)
    blocks = [Block(page, text, match) for match in FENCE.finditer(text)]
    for block in blocks:
        if block.language not in FILES + OTHERS + ("sh", "text"):
            raise ValueError(f"docs/{block.place}: {block.language!r} is not a language that docs/README.md lists")
        if block.is_run and block.language in FILES and not block.file and block.language != "python":
            raise ValueError(f"docs/{block.place}: the first line has to be a comment with the name of the file")
        if block.language not in OTHERS and any(len(line) > LONGEST_LINE for line in block.text.splitlines()):
            raise ValueError(f"docs/{block.place}: a line has over {LONGEST_LINE} characters, more than fit on a page; divide it")
    if "\n\n    " in FENCE.sub("", text):
        raise ValueError(f"docs/{page}: an indented block is not run; use a fence with a language")
    return blocks


def need_of(page):
    """Returns the need of a page in addition to the program, one of NEEDS; an empty string if there is none."""
    match = re.match(r"---\nneeds: (\w+)\n", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    return match[1] if match else ""


def script_of(blocks):
    """Returns the shell script of a page, which says which block failed, and its Python code."""
    lines = ["set -euo pipefail", "trap '[ $? = 0 ] || echo \"FAILED: the block at docs/$block\"' EXIT"]
    for block in blocks:
        if block.language == "sh" and block.is_run:
            lines += [f"block={block.place}", block.text]
    unnamed = [block for block in blocks if block.language == "python" and block.is_run and not block.file]
    if unnamed:
        lines += [f"block={unnamed[0].place}", "python page.py"]
    return "\n".join(lines), "\n".join(block.text for block in unnamed)


def line_matches(wanted, printed):
    """Returns whether a shown line equals the printed one apart from numbers. "…" matches anything."""
    pattern = ".*".join(re.escape(NUMBER.sub("#", piece)) for piece in wanted.split("…"))
    return re.fullmatch(pattern.replace(r"\ ", " ").replace("  ", " +"), NUMBER.sub("#", printed).rstrip()) is not None


def missing_output(blocks, output):
    """Yields each shown line that no command printed."""
    printed = output.splitlines()
    for block in blocks:
        if block.language == "text" and block.is_run and not block.file:
            for line in filter(str.strip, block.text.splitlines()):
                if not any(line_matches(line.rstrip(), one) for one in printed):
                    yield f"docs/{block.place}: no command printed {line!r}"


def run_page(page, home):
    """Runs a page. Returns whether it succeeded."""
    started = time.monotonic()
    blocks = blocks_of(page)
    script, python = script_of(blocks)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=pathlib.Path(page).stem + "-", dir=home))
    for name in ("examples", "src", "tests", "tools", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(BUILD)
    for block in blocks:
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
    (folder / "page.py").write_text(python, encoding="utf-8")
    code, output, failures = run_script(script, folder, environment(home))
    failures += missing_output(blocks, output)
    count = sum(block.is_run and block.language in FILES + ("sh",) for block in blocks)
    print(f"{page}: {count} blocks, {time.monotonic() - started:.1f} s", flush=True)
    if code != 0 or failures:
        print(output, *failures, f"{page}: exit code {code}", sep="\n")
    return code == 0 and not failures


def run_script(script, folder, env):
    """Runs a script of commands, and ends the processes that they leave. Returns its exit code, its output, and a list of errors."""
    wrong = []
    with subprocess.Popen(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as shell:
        try:
            output, _ = shell.communicate(timeout=LONGEST_PAGE)
        except subprocess.TimeoutExpired:
            wrong.append(f"the commands had not ended after {LONGEST_PAGE} s, and were killed")
            kill([process for process in running() if process != shell.pid])  # the shell then names the current block
            output, _ = shell.communicate()
    return shell.returncode, output, wrong + [f"the commands left a process: {command}" for command in end_all(patience=10)]


def provide_cache(home):
    """Makes a cache folder with links to the user's cache of Espalier, and with other builds of StarPU."""
    users = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "espalier"
    cache = home / "cache" / "espalier"
    cache.mkdir(parents=True)
    for entry in users.iterdir() if users.is_dir() else ():
        (cache / entry.name).symlink_to(entry)
    for name in OTHER_STARPUS:
        place = cache / name / "lib" / "pkgconfig"
        place.mkdir(parents=True)
        (place / "starpu-1.4.pc").write_text(f"Name: starpu\nDescription: {name}\nVersion: 1.4.0\nLibs: -l{name}\n")


def environment(home):
    """Returns the environment of a reader who has followed the page on installing. It also allows mpirun to start as root."""
    prefix = home / "espalier"
    interpreter = home / "bin"
    own = {name: value for name, value in os.environ.items() if not re.match(r"STARPU_(SCHED|NCPU)", name)}
    return {**own, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": f"{interpreter}:{prefix / 'bin'}:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": f"{prefix / 'lib/pkgconfig'}:{os.environ.get('PKG_CONFIG_PATH', '')}",
            "CMAKE_PREFIX_PATH": str(prefix), "PYTHONPATH": str(BUILD / "python"), "LC_ALL": "C.UTF-8",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def has_coprocessors():
    """Returns whether the program's StarPU has TCP/IP master-slave workers."""
    tried = subprocess.run([BUILD / "espalier", "solve", "laplace2d:3", "--coprocessors", "1"], capture_output=True, text=True,
                           check=False)
    return "no TCP/IP" not in tried.stderr


# Needs of pages, with a function that checks them and the message if they are missing.
NEEDS = {
    "": (lambda: True, ""),
    "coprocessors": (has_coprocessors, "this StarPU has no TCP/IP master-slave workers"),
    "fortran": (lambda: shutil.which("gfortran"), "there is no gfortran (tools/setup.sh --fortran)"),
    "petsc": ((BUILD / "libespalier_petsc.so").exists, "the plugin for PETSc is not built (-DESPALIER_PETSC=ON)"),
    "python": (lambda: os.environ.get("ESPALIER_PYTHON"), "the interface for Python is not built (-DESPALIER_PYTHON=ON)"),
}


def provide_python(home, need):
    """Puts the interpreter into the path, under the names that the pages use."""
    (home / "bin").mkdir()
    chosen = os.environ["ESPALIER_PYTHON"] if need == "python" else "/usr/bin/python3"
    for name in ("python", "python3"):
        launcher = home / "bin" / name
        launcher.write_text(f"#!/bin/sh\nexec {shlex.quote(chosen)} -B \"$@\"\n", encoding="utf-8")
        launcher.chmod(0o755)


def main():
    need = sys.argv[1] if len(sys.argv) > 1 else ""
    is_there, otherwise = NEEDS[need]
    if not is_there():
        print(f"skipped: {otherwise}")
        sys.exit(77)
    folder = ROOT / "docs"
    pages = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.md") if path.name != "README.md")
    pages = [page for page in pages if need_of(page) == need]
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name)
        provide_python(home, need)
        provide_cache(home)
        # This page comes first, because it installs the files that the other pages use.
        first = "getting-started/install.md"
        ordered = [first] + [page for page in pages if page != first]
        if not pages or not all([run_page(page, home) for page in ordered]):
            sys.exit(1)


if __name__ == "__main__":
    main()
