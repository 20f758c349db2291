# SPDX-License-Identifier: BSD-3-Clause
"""CMake finds StarPU wherever it is installed. It refuses an MPI if StarPU-MPI or PT-Scotch was built with another one.

ESPALIER_CXX names the compiler. ESPALIER_FOUND_STARPU, if set, is the StarPU of a build with MPI.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CXX = os.environ.get("ESPALIER_CXX", "c++")
STARPU = os.environ.get("ESPALIER_FOUND_STARPU", "")
FINDS_STARPU = """
cmake_minimum_required(VERSION 3.25)
project(finds_starpu LANGUAGES NONE)
include(EspalierStarPU)
get_target_property(library StarPU::StarPU IMPORTED_LOCATION)
message(STATUS "prefix ${ESPALIER_FOUND_STARPU}, library ${library}")
if(TARGET StarPU::StarPUMPI)
  get_target_property(library StarPU::StarPUMPI IMPORTED_LOCATION)
  message(STATUS "mpi library ${library}")
endif()
"""
FINDS_MPI = """
cmake_minimum_required(VERSION 3.25)
project(finds_mpi LANGUAGES CXX)
find_package(MPI REQUIRED COMPONENTS CXX)
include(espalier-mpi)
espalier_refuse_mpi(reason "${LIBRARY}")
message(STATUS "reason: ${reason}")
"""
# Compiler wrapper that shows its flags as MPICH's does.
WRAPPER = """#!/bin/sh
case $1 in
  -show) echo "{cxx} -I{root}/include -L{root}/lib -lmpi" ;;
  *) exit 1 ;;
esac
"""


class Configuration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text=""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def configure(self, source, *options, env=None):
        """Returns exit code and output of CMake, without line breaks. `source` is a folder or the text of a CMakeLists.txt."""
        if not isinstance(source, pathlib.Path):
            source = self.write("project/CMakeLists.txt", source).parent
        done = subprocess.run(["cmake", "--fresh", "-S", source, "-B", self.folder / "build", f"-DCMAKE_CXX_COMPILER={CXX}",
                               f"-DCMAKE_MODULE_PATH={REPOSITORY / 'tools' / 'cmake'}", *options], env={**os.environ, **(env or {})},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, re.sub(r"\s+", " ", done.stdout)


class StarPU(Configuration):
    def install(self, name, lib="lib", mpi=True, version="1.4.7"):
        """Makes an imitation of an installed StarPU. Returns its prefix."""
        prefix = self.folder / name
        self.write(f"{name}/{lib}/libstarpu-1.4.so")
        if mpi:
            self.write(f"{name}/{lib}/libstarpumpi-1.4.so")
        self.write(f"{name}/{lib}/pkgconfig/starpu-1.4.pc",
                   f"prefix={prefix}\nlibdir=${{prefix}}/{lib}\nstarpu_includedir=${{prefix}}/include/starpu/1.4\n"
                   f"Name: starpu\nDescription: stand-in\nVersion: {version}\n")
        return prefix

    def find(self, *options, **env):
        """Runs CMake so that it sees only StarPU installations of the test."""
        home = {"HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"), "PKG_CONFIG_LIBDIR": str(self.folder / "none"),
                "PKG_CONFIG_PATH": "", "CMAKE_PREFIX_PATH": ""}
        return self.configure(FINDS_STARPU, "-DESPALIER_MPI=ON", *options, env={**home, **env})

    def expect_found(self, prefix, lib, outcome):
        self.assertEqual(outcome[0], 0, outcome[1])
        self.assertIn(f"prefix {prefix}, library {prefix}/{lib}/libstarpu-1.4.so ", outcome[1])
        self.assertIn(f"mpi library {prefix}/{lib}/libstarpumpi-1.4.so ", outcome[1])

    def test_in_each_folder_of_libraries(self):
        for lib in ("lib", "lib64", "lib/x86_64-linux-gnu"):
            with self.subTest(lib=lib):
                prefix = self.install(lib.replace("/", "-"), lib)
                self.expect_found(prefix, lib, self.find(f"-DESPALIER_STARPU_PREFIX={prefix}"))
                self.expect_found(prefix, lib, self.find(f"-DCMAKE_PREFIX_PATH=/nowhere;{prefix}"))
                self.expect_found(prefix, lib, self.find(CMAKE_PREFIX_PATH=f"/nowhere:{prefix}"))

    def test_in_order(self):
        patched = re.search(r"^readonly patched=(p\d+)$", (REPOSITORY / "tools" / "setup.sh").read_text(encoding="utf-8"), re.M)[1]
        system, named = self.install("system"), self.install("named")
        cached = self.install(f"cache/espalier/starpu-1.4.10-{patched}")
        for other in (f"1.4.9-{patched}", f"1.4.11-{patched}-simgrid", f"1.4.11-{patched}-races", "1.4.11-p99999"):
            self.install(f"cache/espalier/starpu-{other}")
        self.expect_found(cached, "lib", self.find())
        by_system = {"PKG_CONFIG_LIBDIR": str(system / "lib" / "pkgconfig")}
        self.expect_found(system, "lib", self.find(**by_system))
        self.expect_found(named, "lib", self.find(f"-DCMAKE_PREFIX_PATH={named}", **by_system))
        self.expect_found(system, "lib", self.find(f"-DESPALIER_STARPU_PREFIX={system}", f"-DCMAKE_PREFIX_PATH={named}"))

    def test_not_in_part(self):
        """A StarPU that is too old or lacks StarPU-MPI is skipped completely."""
        good = self.install("good")
        for other in (self.install("without", mpi=False), self.install("old", version="1.3.9")):
            self.expect_found(good, "lib", self.find(f"-DCMAKE_PREFIX_PATH={other};{good}"))

    def test_not_elsewhere_than_where_it_is_named(self):
        system = self.install("system")
        code, output = self.find(f"-DESPALIER_STARPU_PREFIX={self.folder / 'nothing'}",
                                 PKG_CONFIG_LIBDIR=str(system / "lib" / "pkgconfig"))
        self.assertNotEqual(code, 0)
        self.assertIn(f"is missing in ESPALIER_STARPU_PREFIX, {self.folder / 'nothing'};", output)


class Mpi(Configuration):
    options = ("-DESPALIER_TESTS=OFF", "-DESPALIER_EXAMPLES=OFF", f"-DESPALIER_STARPU_PREFIX={STARPU}")

    def library(self, path, soname, *links):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.write("library.c", "int MPI_Init(int *c, char ***v) { return 0; }\nint MPI_Finalize(void) { return 0; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", path, f"-Wl,-soname,{soname},--no-as-needed", *links], check=True)
        return path

    def mpi(self, macros, soname):
        """Makes an imitation of an MPI. Returns the option that makes CMake find it."""
        root = self.folder / "mpi"
        self.library("mpi/lib/libmpi.so", soname)
        declared = "int MPI_Init(int *, char ***); int MPI_Finalize(void);"
        self.write("mpi/include/mpi.h", f"{macros}\n#define MPI_VERSION 3\n#define MPI_SUBVERSION 1\n#ifdef __cplusplus\n"
                                        f'extern "C" {{ {declared} }}\n#else\n{declared}\n#endif\n')
        compiler = self.write("mpi/bin/mpicxx", WRAPPER.format(cxx=CXX, root=root))
        compiler.chmod(0o755)
        return f"-DMPI_CXX_COMPILER={compiler}"

    def mpich(self):
        return self.mpi('#define MPICH_VERSION "4.0.2"', "libmpich.so.12")

    def open_mpi(self, soname):
        macros = "#define OPEN_MPI 1\n#define OMPI_MAJOR_VERSION 4\n#define OMPI_MINOR_VERSION 1\n#define OMPI_RELEASE_VERSION 4"
        return self.mpi(macros, soname)

    def reason(self, mpi, library):
        code, output = self.configure(FINDS_MPI, mpi, f"-DLIBRARY={library}")
        self.assertEqual(code, 0, output)
        return re.search(r"-- reason: (.*?) ?-- Configuring done", output)[1]

    def test_another_than_open_mpi(self):
        self.assertEqual(self.reason(self.mpich(), "/nothing"),
                         f"CMake found MPICH 4.0.2 ({self.folder}/mpi/lib/libmpi.so), but Espalier needs Open MPI.")
        self.assertIn("Intel MPI 2021.5 (", self.reason(self.mpi('#define I_MPI_VERSION "2021.5"', "libmpi.so.12"), "/nothing"))
        self.assertIn("an MPI other than Open MPI (", self.reason(self.mpi("", "libmpi.so.1"), "/nothing"))

    def test_another_than_that_of_a_library(self):
        mpi = self.open_mpi("libmpi.so.40")
        linked = self.library("libstarpumpi-1.4.so", "libstarpumpi-1.4.so.9", self.folder / "mpi" / "lib" / "libmpi.so")
        self.assertEqual(self.reason(mpi, linked), "")
        self.assertEqual(self.reason(mpi, self.library("libplain.so", "libplain.so.1")), "")
        mpi = self.open_mpi("libmpi.so.80")
        self.assertEqual(self.reason(mpi, linked), f"CMake found Open MPI 4.1.4 ({self.folder}/mpi/lib/libmpi.so), but {linked} was "
                                                   "built with another MPI, libmpi.so.40.")

    @unittest.skipUnless(STARPU, "this build has no MPI")
    def test_of_this_project(self):
        for mpi, words in ((self.mpich, ("CMake found MPICH 4.0.2 (", "needs Open MPI.")),
                           (lambda: self.open_mpi("libmpi.so.80"), ("CMake found Open MPI 4.1.4 (", "libstarpumpi-1.4.so was built with"))):
            code, output = self.configure(REPOSITORY, mpi(), *self.options)
            self.assertNotEqual(code, 0, output)
            for word in (*words, "--fresh", "-DMPI_CXX_COMPILER=", "-DESPALIER_MPI=OFF"):
                self.assertIn(word, output)

    @unittest.skipUnless(STARPU, "this build has no MPI")
    def test_of_petsc(self):
        self.mpich()
        self.library("petsc/libpetsc.so", "libpetsc.so.3", self.folder / "mpi" / "lib" / "libmpi.so")
        self.write("petsc/PETSc.pc", f"Name: PETSc\nDescription: stand-in\nVersion: 3.18\nLibs: -L{self.folder}/petsc -lpetsc\n")
        code, output = self.configure(REPOSITORY, *self.options, "-DESPALIER_PETSC=ON", env={"PKG_CONFIG_PATH": str(self.folder / "petsc")})
        self.assertNotEqual(code, 0, output)
        self.assertIn("libpetsc.so was built with another MPI, libmpich.so.12.", output)


if __name__ == "__main__":
    unittest.main()
