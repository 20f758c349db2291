# SPDX-License-Identifier: BSD-3-Clause
"""Builds Espalier for Spack from this checkout."""
import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[6]
PATCHES = [os.path.relpath(patch, HERE) for patch in sorted((CHECKOUT / "tools" / "starpu").glob("*.patch"))]


class Espalier(CMakePackage, CudaPackage):
    """Sparse Cholesky factorization over StarPU: a program and a library that solve sparse, symmetric positive definite
    systems on the cores, accelerators and ranks of a machine."""

    git = CHECKOUT.as_uri()

    license("BSD-3-Clause")

    version("0.1.0", branch="main")

    variant("mpi", default=True, description="Ranks, and the program")
    variant("python", default=False, description="The module for Python")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("nlohmann-json@3:", type="build")

    depends_on("blas")
    depends_on("fmt")
    depends_on("hwloc")
    depends_on("metis@5:")
    depends_on("scotch@7:~metis")
    depends_on("suite-sparse")
    depends_on("zlib-api")
    # The patches fit this version.
    depends_on("starpu@1.4.10+shared+fast~examples", patches=PATCHES)
    depends_on("starpu+cuda", when="+cuda")
    depends_on("starpu~cuda", when="~cuda")

    with when("+mpi"):
        depends_on("cli11@2:", type="build")
        depends_on("openmpi")
        depends_on("scotch+mpi")
        depends_on("starpu+mpi")

    with when("+python"):
        extends("python@3.9:")
        depends_on("py-nanobind@2.4:", type="build")
        depends_on("py-numpy@1.22:", type=("build", "run"))
        depends_on("py-scipy@1.8:", type=("build", "run"))

    conflicts("%gcc@:11", msg="Espalier is written in C++20")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("ESPALIER_BLAS", spec["blas"].libs.joined(";")),
            self.define("ESPALIER_STARPU_PREFIX", spec["starpu"].prefix),
            self.define("ESPALIER_TESTS", False),
            self.define("ESPALIER_EXAMPLES", False),
            self.define_from_variant("ESPALIER_MPI", "mpi"),
            self.define_from_variant("ESPALIER_CUDA", "cuda"),
            self.define_from_variant("ESPALIER_PYTHON", "python"),
        ]
        if spec.satisfies("+python"):
            args.append(self.define("ESPALIER_PYTHON_FOLDER", os.path.relpath(python_platlib, self.prefix)))
            args.append(self.define("Python_EXECUTABLE", spec["python"].command.path))
        if spec.satisfies("+cuda") and spec.variants["cuda_arch"].value[0] != "none":
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        return args

    def test_solve(self):
        """Solves a generated system."""
        if self.spec.satisfies("~mpi"):
            raise SkipTest("without MPI there is no program")
        program = which(self.prefix.bin.espalier, required=True)
        program("solve", "laplace3d:10", "--workers", "1")

    def test_import(self):
        """Solves a system with the Python module."""
        if self.spec.satisfies("~python"):
            raise SkipTest("the Python module was not requested")
        self.spec["python"].command(
            "-c", "import espalier, numpy; print(espalier.spsolve(numpy.eye(3), numpy.ones(3)))"
        )
