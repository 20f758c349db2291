# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in tools/packaging agree with the project: its version, a StarPU with our patches, variables of the build."""
import os
import pathlib
import re
import runpy
import sys
import types
import unittest
from unittest import mock

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = REPOSITORY / "tools" / "packaging"
CONDA = PACKAGING / "conda" / "recipe.yaml"
GUIX = PACKAGING / "guix" / "espalier.scm"
SPACK = PACKAGING / "spack" / "spack_repo" / "espalier" / "packages" / "espalier" / "package.py"
PATCHES = {path.resolve() for path in (REPOSITORY / "tools" / "starpu").glob("*.patch")}


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


def found(pattern, path):
    """Returns all matches of the pattern's group in a file, each once."""
    return set(re.findall(pattern, text(path), re.M))


class Ignored:
    """Replaces a directive that can also be a block."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class StandIn:
    """Replaces Spack's base class of packages that CMake builds."""

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.satisfies("+" + variant))


class Spec:
    """Replaces a concretized spec of Spack: the enabled variants."""

    def __init__(self, variants):
        self.on = variants
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def satisfies(self, condition):
        return (condition[1:] in self.on) == (condition[0] == "+")

    def __getitem__(self, name):
        libs = types.SimpleNamespace(joined=lambda separator: "libblas.so")
        return types.SimpleNamespace(libs=libs, prefix="/" + name, command=types.SimpleNamespace(path="/bin/" + name))


def run_spack_recipe():
    """Returns the names that package.py defines, and all its calls of `version` and `depends_on`."""
    calls = {"version": mock.Mock(), "depends_on": mock.Mock()}
    directives = {name: Ignored for name in ("license", "variant", "generator", "when", "extends", "conflicts")}
    modules = {"spack": {}, "spack.package": {**directives, **calls, "python_platlib": "/prefix/lib/python3.11/site-packages"}}
    systems = "spack_repo.builtin.build_systems"
    for name in ("spack_repo", "spack_repo.builtin", systems):
        modules[name] = {}
    modules[systems + ".cmake"] = {"CMakePackage": StandIn}
    modules[systems + ".cuda"] = {"CudaPackage": type("CudaPackage", (), {})}
    fakes = {name: types.ModuleType(name) for name in modules}
    for name, content in modules.items():
        vars(fakes[name]).update(content)
    with mock.patch.dict(sys.modules, fakes):
        return runpy.run_path(str(SPACK)), calls


def variables_of_the_build():
    files = [REPOSITORY / "CMakeLists.txt", *(REPOSITORY / "tools" / "cmake").glob("*.cmake")]
    pattern = r"^\s*(?:option\((ESPALIER_\w+)|set\((ESPALIER_\w+) [^\n]* CACHE )"
    return set().union(*(name for path in files for name in re.findall(pattern, text(path), re.M))) - {""}


class Versions(unittest.TestCase):
    def test_all_are_that_of_the_project(self):
        (version,) = found(r"^project\(espalier VERSION ([0-9.]+)", "CMakeLists.txt")
        self.assertEqual(found(r"^version: ([0-9.]+)$", "CITATION.cff"), {version})
        self.assertEqual(found(r'^  version: "([0-9.]+)"$', CONDA), {version})
        self.assertEqual(found(r'\(name "espalier"\)\n +\(version "([0-9.]+)"\)', GUIX), {version})
        _, calls = run_spack_recipe()
        self.assertEqual([call.args[0] for call in calls["version"].call_args_list], [version])


class StarPU(unittest.TestCase):
    def test_is_the_same_in_all(self):
        (version,) = found(r'^  starpu_version: "([0-9.]+)"$', CONDA)
        self.assertEqual(found(r'\(name "starpu-for-espalier"\)\n +\(version "([0-9.]+)"\)', GUIX), {version})
        self.assertEqual(found(r'"starpu@([0-9.]+)', SPACK), {version})
        self.assertEqual(found(r"^    sha256: ([0-9a-f]{64})$", CONDA), found(r'"([0-9a-f]{64})"', GUIX))

    def test_has_all_patches(self):
        listed = found(r"^      - (.*\.patch)$", CONDA)
        self.assertEqual({(CONDA.parent / name).resolve() for name in listed}, PATCHES)
        _, calls = run_spack_recipe()
        (names,) = [call.kwargs["patches"] for call in calls["depends_on"].call_args_list if "patches" in call.kwargs]
        self.assertEqual({(SPACK.parent / name).resolve() for name in names}, PATCHES)


class Sources(unittest.TestCase):
    def test_are_this_checkout(self):
        (path,) = found(r"^  - path: (.*)$", CONDA)
        self.assertEqual((CONDA.parent / path).resolve(), REPOSITORY)
        names, _ = run_spack_recipe()
        self.assertEqual(names["Espalier"].git, REPOSITORY.as_uri())
        self.assertEqual(text(GUIX).count("(dirname (dirname (dirname (current-source-directory))))"), 1)
        self.assertEqual(GUIX.parents[3], REPOSITORY)


class Variables(unittest.TestCase):
    def test_are_those_of_the_build(self):
        known = variables_of_the_build()
        self.assertIn("ESPALIER_STARPU_PREFIX", known)
        for path in (GUIX, PACKAGING / "conda" / "build.sh", PACKAGING / "deb.sh"):
            given = found(r"-D(ESPALIER_\w+)", path)
            self.assertTrue(given, path)
            self.assertLessEqual(given, known, path)

    def test_of_spack_are_those_of_the_build(self):
        names, _ = run_spack_recipe()
        for variants in (set(), {"mpi"}, {"mpi", "python", "cuda"}):
            package = names["Espalier"]()
            package.spec, package.prefix = Spec(variants), "/prefix"
            given = dict(argument[2:].split("=", 1) for argument in package.cmake_args())
            self.assertLessEqual({name for name in given if name.startswith("ESPALIER_")}, variables_of_the_build())
            self.assertEqual(given["ESPALIER_MPI"], str("mpi" in variants))
            folder = os.path.join("lib", "python3.11", "site-packages")
            self.assertEqual(given.get("ESPALIER_PYTHON_FOLDER"), folder if "python" in variants else None)


if __name__ == "__main__":
    unittest.main()
