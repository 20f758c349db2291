#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a function is too long, a licence line is missing, work is left open, a tuned constant names an experiment that
docs/experiments.md does not have, a text matches a pattern of plain_words.txt, or a recent commit has an unclear subject. Warns of
long files, because a file should have one purpose.

Usage: check_style.py [ROOT]
"""
import pathlib
import re
import sys

from commit_subjects import unclear_subjects
from cpp_source import REPOSITORY, SUFFIXES, files_below, without_comments_and_strings
from plain_words import unclear_words

LONG_FILE = 600
LONGEST_FUNCTION = 80
FOLDERS = ["src", "simulated", "codelets", "schedulers", "perfmodels", "tools", "tests", "examples", "docs"]
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
# The brackets prevent that this file matches itself.
OPEN_ENDS = re.compile(r"\b(TO[D]O|FIXM[E]|XX[X])\b")

SCOPE = re.compile(r"^(inline\s+)?namespace\b|^extern\b(?!.*\w\s*\()|^(class|struct|union)\b")


def without_parentheses(head):
    """Replaces each pair of parentheses, and template parameters, with their content, by a mark."""
    head = re.sub(r"\btemplate\s*<", "<", head)
    for inner in (r"\([^()]*\)", r"<[^<>(){};]*>"):
        previous = None
        while previous != head:
            previous, head = head, re.sub(inner, "\x01" if inner[1] == "(" else " ", head)
    return head.strip()


def kind_of(head):
    """Returns the kind of the block after these words: scope, function or other (enumerations, initializers)."""
    words = without_parentheses(re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", " ", head))
    if SCOPE.match(words) and "\x01" not in words:
        return "scope"
    is_lambda = re.search(r"=\s*\[", words)
    initialises = re.search(r"(?<![=<>!+\-*/%&|^])=(?!=)", re.sub(r"\boperator\s*\S+", " ", words))
    return "function" if "\x01" in words and (is_lambda or not initialises) else "other"


def functions(text):
    """Yields (first line, last line, first words) of every function that is not inside another one."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()),
                  without_comments_and_strings(text), flags=re.M)
    open_blocks = []  # (kind, start of the head)
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        mark, here = match.group(), match.start()
        inside = any(kind != "scope" for kind, _ in open_blocks)
        if mark == "{":
            head = code[head_start:here]
            open_blocks.append(("inner" if inside else kind_of(re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", head).strip()), head_start))
        elif mark == "}" and open_blocks:
            kind, start = open_blocks.pop()
            # After a member that is initialized with braces, the next one or the body follows, so the head continues.
            if kind == "function" and not re.match(r"\s*[,{]", code[here + 1 :]):
                begin = start + len(code[start:]) - len(code[start:].lstrip())
                yield code.count("\n", 0, begin) + 1, code.count("\n", 0, here) + 1, code[begin:].split("{")[0]
            elif kind == "function":
                head_start = start
                continue
        if mark != ";" or not inside:
            head_start = match.end()


def problems_of(root, path):
    text = (root / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    first = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= first or LICENCE not in lines[first]:
        yield first + 1, f'the line "{LICENCE}" is missing at the top'
    for number, line in enumerate(lines, 1):
        if OPEN_ENDS.search(line):
            yield number, f"open end: {line.strip()}"
    if path.suffix in SUFFIXES:
        for begin, end, head in functions(text):
            if end - begin + 1 > LONGEST_FUNCTION:
                yield begin, f"{end - begin + 1} lines: {' '.join(head.split())[:60]}; a function has at most {LONGEST_FUNCTION}"


def pages_of(root):
    """The Markdown pages of the repository."""
    pages = list(root.glob("*.md")) + list((root / ".github").rglob("*.md"))
    return [page.relative_to(root) for page in pages] + files_below(root, FOLDERS, (".md",))


def wording_of(root, path):
    return unclear_words(path, (root / path).read_text(encoding="utf-8"))


def unknown_experiments(root, path):
    """Yields the keys in brackets of a file of tuned constants that the page of experiments does not have."""
    if path.name != "tuned.hpp":
        return
    page = root / "docs" / "experiments.md"
    known = re.findall(r"^\| `([a-z-]+)` \|", page.read_text(encoding="utf-8"), re.M) if page.is_file() else []
    text = (root / path).read_text(encoding="utf-8")
    for key in re.finditer(r"^ *///.*?\[([a-z-]+)\]", text, re.M):
        if key.group(1) not in known:
            yield text.count("\n", 0, key.start()) + 1, f"[{key.group(1)}] is not an experiment in docs/experiments.md"


def long_files(root, files):
    for path in files:
        lines = len((root / path).read_text(encoding="utf-8").splitlines())
        if lines > LONG_FILE:
            yield f"warning: {path} has {lines} lines; divide it by meaning"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY
    files = files_below(root, FOLDERS, SUFFIXES + (".f90", ".jl", ".py", ".sh", ".cmake"))
    files += [path.relative_to(root) for path in root.glob("*/**/CMakeLists.txt") if path.relative_to(root).parts[0] in FOLDERS]
    files += [pathlib.Path("CMakeLists.txt")] if (root / "CMakeLists.txt").is_file() else []
    print("".join(f"{warning}\n" for warning in long_files(root, files)), end="")
    failures = [f"{path}:{line}: {why}" for path in files
                for check in (problems_of, unknown_experiments) for line, why in check(root, path)]
    failures += [f"{path}:{line}: {why}" for path in files + pages_of(root) for line, why in wording_of(root, path)]
    failures += unclear_subjects(root)
    print("\n".join(failures) if failures else f"{len(files)} files keep to the style")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
