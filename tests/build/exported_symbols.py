# SPDX-License-Identifier: BSD-3-Clause
"""The library exports the names that its public headers declare, for C++ and C, and the names that StarPU looks up, but no others. The
plugin exports only the two functions that StarPU looks up. The libraries with the interface of PARDISO export only functions of PARDISO and
of MKL.

Usage: exported_symbols.py NM LIBRARY PLUGIN [PARDISO_LIBRARY]...
"""
import pathlib
import re
import subprocess
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "dev"))
from cpp_source import without_comments_and_strings  # noqa: E402

KINDS = ("diagonal", "factor", "update", "assemble", "reduce", "fill", "forward", "backward")
OF_COPROCESSORS = {"espalier_coprocessor_" + kind for kind in KINDS}
OF_PLUGIN = {"starpu_get_sched_lib_policy", "starpu_get_sched_lib_policies"}

CLASS = re.compile(r"(?:class|struct)\s+ESPALIER_EXPORT\s+(\w+)(.*?)\n\};", re.S)
FUNCTION = re.compile(r"^ESPALIER_EXPORT\s[^;(]*?(\w+)\(", re.M)
C_FUNCTION = re.compile(r"^ESPALIER_API\s[^;(]*?(\w+)\(", re.M)
MEMBER = re.compile(r"(operator=|~?\w+)\s*\(")
SYMBOL = re.compile(r"(?:(?:typeinfo|typeinfo name|vtable) for )?espalier::(\w+)(?:::(operator=|~?\w+))?(?:\(.*)?$")


def declared():
    """Returns the exported names of the headers. A class comes with its member functions, a function with an empty set."""
    names = {}
    for header in (REPOSITORY / "src" / "espalier").glob("*.hpp"):
        text = without_comments_and_strings(header.read_text(encoding="utf-8"))
        names.update({name: set(MEMBER.findall(body)) for name, body in CLASS.findall(text)})
        names.update({name: set() for name in FUNCTION.findall(text)})
    return names


def declared_for_c():
    header = REPOSITORY / "src" / "bindings" / "c" / "espalier.h"
    return set(C_FUNCTION.findall(without_comments_and_strings(header.read_text(encoding="utf-8"))))


def shown(nm, library):
    lines = subprocess.run([nm, "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split(None, 2)[2].replace("[abi:cxx11]", "") for line in lines.splitlines()}


class ExportedSymbols(unittest.TestCase):
    def test_library_shows_its_interface_alone(self):
        names = declared()
        symbols = shown(NM, LIBRARY)
        by_name = OF_COPROCESSORS | declared_for_c()
        self.assertLessEqual(by_name, symbols)
        seen = set()
        others = []
        for symbol in sorted(symbols - by_name):
            match = SYMBOL.match(symbol)
            name, member = match.groups() if match else (None, None)
            if name in names and (member is None or member in names[name]):
                seen.add(name)
            else:
                others.append(symbol)
        self.assertFalse(others, "\n".join(others))
        self.assertEqual(seen, set(names))

    def test_plugin_shows_what_starpu_looks_for_alone(self):
        self.assertEqual(shown(NM, PLUGIN), OF_PLUGIN)

    def test_libraries_like_pardiso_show_names_of_pardiso_alone(self):
        for library in PARDISO_LIBRARIES:
            symbols = shown(NM, library)
            self.assertIn("pardiso", symbols)
            self.assertFalse([name for name in symbols if not re.fullmatch(r"pardiso\w*|mkl_\w+|MKL_\w+", name)])


if __name__ == "__main__":
    NM, LIBRARY, PLUGIN, *PARDISO_LIBRARIES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
