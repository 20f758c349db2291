#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails in one of these cases: a file includes a header that its layer must not include; the library prints, exits or changes
the environment; code names a policy instead of asking for its traits (schedulers/traits.hpp); code assumes that all entries are
doubles.

Usage: check_layers.py [ROOT]
"""
import pathlib
import posixpath
import re
import sys

from cpp_source import REPOSITORY, files_below, strings_of, without_comments_and_strings

VOCABULARY = "vocabulary"
PURE = ["base", "matrix", "scaling", "ordering", "symbolic", "mapping", "graph", "plan"]
BELOW_RUNTIME = PURE + ["kernel_interface", "codelets", "kernels", "perfmodels", "schedulers"]
RUNTIME = BELOW_RUNTIME + ["runtime", "starpu", "mpi"]

# The layer of a file: the first pattern that matches its path.
LAYER_OF = [
    (r"src/espalier/(bindings|espalier|mpi|starpu|starpu_mpi|tuning)\.hpp$", "facade"),
    (r"src/espalier/", VOCABULARY),
    (r"src/bindings/", "bindings"),
    (r"src/runtime/(starpu|mpi)/", None),  # the layer has the name of the folder
    (r"src/([a-z]+)/", None),
    (r"codelets/kernels\.hpp$", "kernel_interface"),
    (r"codelets/cuda/functions\.hpp$", "codelets"),  # the only CUDA header for other layers
    (r"codelets/cuda/none\.cpp$", "codelets"),  # replaces the other files in builds without CUDA
    (r"codelets/cuda/", "cuda"),
    (r"codelets/(reference|cpu)/", "kernels"),
    (r"codelets/", "codelets"),
    (r"perfmodels/", "perfmodels"),
    (r"schedulers/decide/", "decide"),
    (r"schedulers/", "schedulers"),
    (r"tools/gpu/", "peers"),  # programs without Espalier
    (r"tools/timeline/", "timeline"),
    (r"tools/", "tools"),
    (r"simulated/program/", "simulated"),
    (r"examples/", "examples"),
]

# The layers that a layer may include in addition to itself.
MAY_INCLUDE = {
    VOCABULARY: [],
    "facade": [VOCABULARY],
    "kernel_interface": [VOCABULARY, "base"],
    "kernels": [VOCABULARY, "base", "kernel_interface"],
    "cuda": [VOCABULARY, "base", "kernel_interface", "codelets"],
    "perfmodels": [VOCABULARY, "base"],
    "decide": [VOCABULARY, "base"],
    "codelets": [VOCABULARY, "base", "perfmodels", "kernel_interface", "kernels"],
    "schedulers": [VOCABULARY, "base", "perfmodels", "decide"],
    "runtime": [VOCABULARY] + BELOW_RUNTIME,
    "starpu": [VOCABULARY, "runtime"] + BELOW_RUNTIME,
    "mpi": [VOCABULARY, "runtime", "starpu"] + BELOW_RUNTIME,
    "report": [VOCABULARY, "facade"] + RUNTIME,
    "chart": [VOCABULARY, "facade", "base"],
    "solver": [VOCABULARY, "facade", "report"] + RUNTIME,
    "distributed": [VOCABULARY, "facade", "report", "solver"] + RUNTIME,
    "calibrate": [VOCABULARY, "facade", "report", "solver"] + RUNTIME,
    "bindings": [VOCABULARY, "facade"],
    "tools": [VOCABULARY, "facade", "report", "chart", "solver", "distributed", "calibrate"] + RUNTIME,
    "timeline": [VOCABULARY, "facade", "base", "chart"],
    "simulated": [VOCABULARY, "facade", "report", "chart", "tools"] + RUNTIME,
    "examples": [VOCABULARY, "facade"],
    "peers": [],
}
for position, layer in enumerate(PURE):
    MAY_INCLUDE[layer] = [VOCABULARY] + PURE[:position]

# Headers of other projects, and the layers that may include them. Every layer may include the remaining ones.
FOREIGN = [
    (r"starpu_mpi", ["mpi", "simulated"]),
    (r"starpu", ["perfmodels", "codelets", "cuda", "schedulers", "starpu", "mpi", "calibrate", "examples",
                   "simulated", "timeline"]),
    (r"mpi\.h$", ["facade", "mpi", "distributed", "tools", "examples"]),
    (r"(cuda|cublas|cusolver|cusparse|device_launch)", ["cuda", "peers"]),
]

FOLDERS = ["src", "simulated", "codelets", "schedulers", "perfmodels", "tools", "examples"]
LIBRARY = ["src", "codelets", "schedulers", "perfmodels"]
# Paths of includes are relative to these folders, or to the folder of the including file.
INCLUDE_ROOTS = ["src", "", "tools"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
FORBIDDEN_IN_LIBRARY = [
    (r"\b(printf|vprintf|puts|putchar|perror)\s*\(|\bf(printf|puts)\s*\(\s*(stderr|stdout)|\bstd::(cerr|cout|clog)\b", "prints"),
    (r"(?<![.>\w])(exit|_exit|quick_exit|abort)\s*\(", "ends the process"),
    (r"\b(setenv|putenv|unsetenv|clearenv)\s*\(", "changes the environment"),
]
# Callers of PARDISO expect its statistics on standard output and its messages on standard error.
MAY_PRINT = "src/bindings/pardiso/messages.cpp"

# Names of policies, and common parts of the names of StarPU's policies. "espalier" is also the name of the program, so it counts only in a
# comparison.
POLICY = re.compile(r"fanout|halo|ktq|h?levelset|eager|prio|random|l?ws|peager|heteroprio|dm(da)?|dmda[prs]|dmdasd|p?heft|modular-[a-z0-9-]+")
COMPARED_WITH_DEFAULT = re.compile(r'[=!]=\s*"espalier"|"espalier"\s*[=!]=')
MAY_NAME_POLICIES = [
    "schedulers/",
    "tools/reproduce/",  # runs the policies of each paper, as a user does
    "tools/bench/bindings/",  # compares Espalier with other solvers
]


# Only kernels and matrix readers may assume that entries are doubles. Other code asks the scalar for its size.
SIZE_OF_DOUBLE = re.compile(r"\bsizeof\s*(?:\(\s*double\s*\)|double\b)")
MAY_KNOW_DOUBLE = (r"(simulated/)?codelets/", r"src/matrix/", r"src/base/scalar\.hpp$")


def layer_of(path):
    path = re.sub(r"^simulated/(?!program/)", "", path)  # a file in simulated/ has the layer of the file that it replaces
    for pattern, layer in LAYER_OF:
        match = re.match(pattern, path)
        if match:
            return layer or match.group(1)
    return None


def resolve(root, path, name):
    """Returns the repository path of an include in quotes, or None."""
    for folder in [posixpath.dirname(path)] + INCLUDE_ROOTS:
        candidate = posixpath.normpath(posixpath.join(folder, name))
        if (root / candidate).is_file():
            return candidate
    return None


def include_problem(root, path, quote, name):
    """Returns the reason why this include is wrong, or None."""
    layer = layer_of(path)
    if layer not in MAY_INCLUDE:
        return f"{path} belongs to no layer; add its folder to LAYER_OF and MAY_INCLUDE"
    target = resolve(root, path, name) if quote == '"' else None
    if target:
        other = layer_of(target)
        if other != layer and other not in MAY_INCLUDE[layer]:
            allowed = ", ".join(sorted(MAY_INCLUDE[layer])) or "nothing else"
            return f'"{name}" is of layer {other}; {layer} may include {allowed}'
        return None
    if name.startswith("simgrid/"):
        return None if path.startswith("simulated/") else f"only files in simulated/ may include <{name}>"
    for pattern, allowed in FOREIGN:
        if re.match(pattern, name):
            return None if layer in allowed else f"only {', '.join(allowed)} may include <{name}>, not {layer}"
    return f'"{name}" is not a file of this repository; write headers of other projects as <{name}>' if quote == '"' else None


def policy_names(path, text, code):
    """Yields the positions of policy names in a file that should ask for traits."""
    if any(path.startswith(place) for place in MAY_NAME_POLICIES):
        return
    yield from (position for position, content in strings_of(text) if POLICY.fullmatch(content))
    yield from (match.start() for match in COMPARED_WITH_DEFAULT.finditer(text) if code[match.start() : match.end()].strip())


def problems_of(root, path):
    text = (root / path).read_text(encoding="utf-8")
    code = without_comments_and_strings(text)
    for match in INCLUDE.finditer(text):
        # Header names are blanked as strings, so the word `include` shows whether the line is code.
        if "include" in code[match.start() : match.end()]:
            problem = include_problem(root, path, *match.groups())
            if problem:
                yield text.count("\n", 0, match.start(1)) + 1, problem
    for position in policy_names(path, text, code):
        yield text.count("\n", 0, position) + 1, "the name of a policy; ask for its traits instead (schedulers/traits.hpp)"
    if not re.match("|".join(MAY_KNOW_DOUBLE), path):
        for match in SIZE_OF_DOUBLE.finditer(code):
            yield code.count("\n", 0, match.start()) + 1, f"{match.group()} assumes the scalar; use base/scalar.hpp or the size of an entry"
    if path.split("/")[0] in LIBRARY:
        for pattern, deed in FORBIDDEN_IN_LIBRARY:
            if path == MAY_PRINT and deed == "prints":
                continue
            for match in re.finditer(pattern, code):
                line = code.count("\n", 0, match.start()) + 1
                yield line, f"the library never {deed}: {' '.join(match.group().split())}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY
    files = files_below(root, FOLDERS)
    failures = [f"{path}:{line}: {why}" for path in files for line, why in sorted(problems_of(root, str(path)))]
    print("\n".join(failures) if failures else f"{len(files)} files keep to their layers")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
