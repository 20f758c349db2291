# SPDX-License-Identifier: BSD-3-Clause
"""Copies parts of the repository's READMEs into pages of the site, so that each fact is written once.

A page has a fenced block with the info string {part} and the path of a file. Its lines select a part of that file:

    section: HEADING           the text below this heading, up to the next heading of the same or of a higher level,
                               without its blocks of code
    table: TEXT                the table whose first line begins with this text
    table: NUMBER              this table of the file, counted from 1
    list: NUMBER               this list of the file, counted from 1
    from: TEXT, to: TEXT       the lines from one that begins with the first text up to one that begins with the second text;
                               the last line is left out; without "to" the part ends with the file

The Sphinx configuration and the test of the pages both use this module.
"""
import os.path
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Pages for the links of READMEs. Other links become the path of the file in the repository.
PAGE_OF = {
    "README.md": "index.md",
    "CITATION.cff": "papers.md",
    "src/README.md": "explanation/architecture.md",
    "schedulers/README.md": "how-to/schedulers.md",
    "schedulers": "how-to/schedulers.md",
    "tools/compare/README.md": "how-to/schedulers.md",
    "tools/gpu/README.md": "how-to/devices.md",
    "tools/tune/README.md": "how-to/tune.md",
    "perfmodels/README.md": "how-to/tune.md",
    "tools/commands/README.md": "reference/command-line.md",
    "tools/packaging/README.md": "getting-started/install.md",
    "src/bindings/fortran/README.md": "getting-started/fortran.md",
    "src/bindings/python/README.md": "getting-started/python.md",
    "src/bindings/petsc/README.md": "getting-started/petsc.md",
    "src/bindings/eigen/README.md": "getting-started/eigen.md",
}
PART = re.compile(r"^```\{part\} (\S+)\n(.*?)^```\n", re.M | re.S)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
CODE = re.compile(r"^(?:    .*\n+)+", re.M)


def first_line(lines, begin, test, path, wanted):
    """Number of the first line from `begin` on that passes a test. Fails if there is none."""
    for number in range(begin, len(lines)):
        if test(lines[number]):
            return number
    raise ValueError(f"docs: {path} has no {wanted}, which a page uses; correct the page")


def section_of(lines, path, heading):
    """The lines below a heading, without blocks of code."""
    begin = first_line(lines, 0, lambda line: re.fullmatch(r"#+ " + re.escape(heading), line), path, f"section {heading!r}")
    level = lines[begin].index(" ")
    ends = [k for k in range(begin + 1, len(lines)) if re.match(rf"#{{1,{level}}} ", lines[k])]
    body = "\n".join(lines[begin + 1:ends[0] if ends else None]).strip("\n") + "\n"
    return CODE.sub("", body).splitlines()


def block_of(lines, begin):
    """The lines from `begin` up to the next empty line."""
    end = begin
    while end < len(lines) and lines[end]:
        end += 1
    return lines[begin:end]


def numbered_block(lines, path, mark, number):
    """The block of this number, counted from 1, among those whose lines begin with `mark`."""
    starts = [k for k, line in enumerate(lines) if line.startswith(mark) and (k == 0 or not lines[k - 1])]
    if len(starts) < number:
        raise ValueError(f"docs: {path} has no block {number} that begins with {mark!r}, which a page uses; correct the page")
    return block_of(lines, starts[number - 1])


def selected_lines(path, wanted):
    """The lines of a file that the keys of a {part} block select."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    if "section" in wanted:
        return section_of(lines, path, wanted["section"])
    for key, mark in (("list", "- "), ("table", "| ")):
        if wanted.get(key, "").isdigit():
            return numbered_block(lines, path, mark, int(wanted[key]))
    first = wanted.get("table") or wanted["from"]
    begin = first_line(lines, 0, lambda line: line.startswith(first), path, f"line that begins with {first!r}")
    if "table" in wanted:
        return block_of(lines, begin)
    if "to" not in wanted:
        return lines[begin:]
    end = first_line(lines, begin + 1, lambda line: line.startswith(wanted["to"]), path, f"line that begins with {wanted['to']!r}")
    return lines[begin:end]


def link_on_site(match, path, page):
    """The link of a README as the page has it."""
    text, target = match.groups()
    if re.match(r"[a-z]+:", target):
        return match.group()
    if target.startswith("#"):
        place = path + target
    else:
        place = os.path.normpath(os.path.join(os.path.dirname(path), target))
    file, _, anchor = place.partition("#")
    if file.startswith("docs/") and file.endswith(".md"):
        destination = file.removeprefix("docs/") + ("#" + anchor if anchor else "")
    else:
        destination = PAGE_OF.get(place) or PAGE_OF.get(file)
    if destination:
        return f"[{text}]({os.path.relpath(destination, os.path.dirname(page) or '.')})"
    return f"`{file.removesuffix('/README.md')}`"


def expand(text, page):
    """The text of a page with the parts of other files. `page` is its path below docs."""

    def part(match):
        path, body = match.groups()
        lines = selected_lines(path, dict(line.split(": ", 1) for line in body.splitlines()))
        if any(line.startswith("    ") for line in lines):
            raise ValueError(f"docs: {page} takes a block of code from {path}, which no test would run; take a shorter part")
        text = LINK.sub(lambda link: link_on_site(link, path, page), "\n".join(lines)) + "\n"
        highest = min((len(mark) for mark in re.findall(r"^(#+) ", text, re.M)), default=2)
        return re.sub(r"^#+(?= )", lambda mark: mark.group()[highest - 2:], text, flags=re.M)

    return PART.sub(part, text)
