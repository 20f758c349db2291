# SPDX-License-Identifier: BSD-3-Clause
"""Functions for C++ sources, shared by the checks of this folder."""
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".c", ".h")

_BLANKED = re.compile(
    r'R"(?P<tag>[^ ()\\\n]*)\(.*?\)(?P=tag)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"  # character, but not a digit separator
    r"|//[^\n]*|/\*.*?\*/",
    re.S,
)


def without_comments_and_strings(text):
    """Replaces comments and strings by blanks, so that line numbers and columns stay the same."""
    return _BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def spans_of_comments_and_strings(text):
    """First and last position of each comment and string."""
    return [match.span() for match in _BLANKED.finditer(text)]


def strings_of(text):
    """Position and content of each string in quotes that is not in a comment."""
    for match in _BLANKED.finditer(text):
        if match.group().startswith('"'):
            yield match.start(), match.group()[1:-1]


def files_below(root, folders, suffixes=SUFFIXES):
    """Paths relative to root, sorted; folders that do not exist count as empty."""
    found = []
    for folder in folders:
        found += [p.relative_to(root) for p in (root / folder).rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(found)
