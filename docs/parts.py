# SPDX-License-Identifier: BSD-3-Clause
"""Takes parts of the repository's READMEs into pages of the site, so that nothing is written twice.

A page has a fenced block with the info string {part} and the path of a file in the repository, whose lines "from: TEXT"
and "to: TEXT" are the beginnings of the first line that is taken and of the first that is not; without "to" the rest of
the file is taken. The Sphinx configuration and the test of the pages both use this.
"""
import os.path
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where a link of a README leads on the site; other links become the path of the file in the repository.
PAGE_OF = {
    "src/README.md#glossary": "glossary.md",
    "schedulers/README.md": "how-to/schedulers.md",
    "schedulers": "how-to/schedulers.md",
    "tools/gpu/README.md": "how-to/devices.md",
    "tools/commands/README.md": "getting-started/program.md",
    "src/bindings/fortran/README.md": "getting-started/fortran.md",
    "src/bindings/python/README.md": "getting-started/python.md",
    "src/bindings/petsc/README.md": "getting-started/petsc.md",
    "src/bindings/eigen/README.md": "getting-started/eigen.md",
}
PART = re.compile(r"^```\{part\} (\S+)\n(.*?)^```\n", re.M | re.S)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def lines_between(path, first, last):
    """The lines of a file from the one that begins with `first` up to, and without, the one that begins with `last`."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    begins = [k for k, line in enumerate(lines) if line.startswith(first)]
    if not begins:
        raise ValueError(f"docs: {path} has no line that begins with {first!r}, from which a page takes a part; mend the page")
    begin = begins[0]
    if last is None:
        return lines[begin:]
    ends = [k for k in range(begin + 1, len(lines)) if lines[k].startswith(last)]
    if not ends:
        raise ValueError(f"docs: {path} has no line after {first!r} that begins with {last!r}; mend the page")
    return lines[begin:ends[0]]


def link_on_site(match, path, page):
    """The link of a README as the page has it."""
    text, target = match.groups()
    if re.match(r"[a-z]+:", target):
        return match.group()
    if target.startswith("#"):
        place = path + target
    else:
        place = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if place in PAGE_OF:
        return f"[{text}]({os.path.relpath(PAGE_OF[place], os.path.dirname(page) or '.')})"
    return f"`{place.removesuffix('/README.md')}`"


def expand(text, page):
    """The text of a page, whose path below docs this is, with the parts of other files in it."""

    def part(match):
        path, body = match.groups()
        wanted = dict(line.split(": ", 1) for line in body.splitlines())
        lines = lines_between(path, wanted["from"], wanted.get("to"))
        if any(line.startswith("    ") for line in lines):
            raise ValueError(f"docs: {page} takes a block of code from {path}, which no test would run; take a shorter part")
        text = LINK.sub(lambda link: link_on_site(link, path, page), "\n".join(lines)) + "\n"
        highest = min((len(mark) for mark in re.findall(r"^(#+) ", text, re.M)), default=2)
        return re.sub(r"^#+(?= )", lambda mark: mark.group()[highest - 2:], text, flags=re.M)

    return PART.sub(part, text)
