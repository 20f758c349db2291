#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""If public headers are compiled as C++17, they say that they need C++20. Arguments: the compiler, the source folder, and the folders of
MPI's headers, separated by semicolons."""
import pathlib
import subprocess
import sys

COMPILER, SOURCES, MPI = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3].split(";")
NEEDED = "need C++20"


def messages(header, standard):
    """Returns the compiler's messages for a source file that only includes the header."""
    folders = [word for folder in (str(SOURCES), *MPI) if folder for word in ("-isystem", folder)]
    command = [COMPILER, f"-std={standard}", "-fsyntax-only", "-x", "c++", *folders, "-"]
    source = f'#include "espalier/{header.name}"\n'
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main():
    headers = sorted((SOURCES / "espalier").glob("*.hpp"))
    wrong = [] if headers else ["there is no header"]
    for header in headers:
        code, text = messages(header, "c++17")
        first = next((line for line in text.splitlines() if "error:" in line), "nothing")
        if code == 0 or NEEDED not in first:
            wrong.append(f"{header.name} as C++17: the first error is {first}")
    code, text = messages(SOURCES / "espalier" / "types.hpp", "c++20")
    if code != 0:
        wrong.append(f"types.hpp as C++20: {text}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
