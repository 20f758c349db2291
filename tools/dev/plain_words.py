# SPDX-License-Identifier: BSD-3-Clause
"""Finds patterns of plain_words.txt in comments, strings and pages."""
import functools
import io
import pathlib
import re
import tokenize

from cpp_source import SUFFIXES, spans_of_comments_and_strings

LIST = pathlib.Path(__file__).with_name("plain_words.txt")
# Comments and strings: first of shells, CMake, Julia and YAML, then of Fortran.
_HASH = re.compile(r"\"(?:\\.|[^\"\\])*\"|(?<![$\w{])#[^\n]*")
_FORTRAN = re.compile(r"\"[^\"\n]*\"|![^\n]*")
# Code in a Markdown page.
_PAGE_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.M)
# Quotes, and the marks that begin the lines of a comment.
_MARKS = re.compile(r"^[ \t]*(?://[/!<]*|\*|#+|!+)|//[/!]*<?|[\"']{3}|\"", re.M)
# Stands for code, so that no pattern reaches from one comment over code to the next one.
_CODE = "\x01"


@functools.cache
def patterns():
    """The compiled patterns of the list, each with its advice. Raises ValueError for a line without advice."""
    found = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, _, advice = line.partition("  ")
            if not advice.strip():
                raise ValueError(f"{LIST.name}: no advice after two blanks: {line}")
            found.append((re.compile(pattern.replace(" ", r"\s+"), re.I), advice.strip()))
    return found


def _without_code(text, spans):
    """Keeps these spans and all white space, and replaces each other character by _CODE."""
    result, end = [], 0
    for first, last in spans:
        result += [re.sub(r"\S", _CODE, text[end:first]), text[first:last]]
        end = last
    return "".join(result + [re.sub(r"\S", _CODE, text[end:])])


def _python_spans(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]


def prose_of(path, text):
    """The comments and strings of a source, or the text of a page, at their places; quotes and marks of comments are blanks."""
    if path.suffix in SUFFIXES:
        text = _INCLUDE.sub(lambda match: re.sub(r"\S", _CODE, match.group()), text)
        text = _without_code(text, spans_of_comments_and_strings(text))
    elif path.suffix == ".py":
        text = _without_code(text, _python_spans(text))
    elif path.suffix == ".md":
        text = _PAGE_CODE.sub(lambda match: re.sub(r"\S", _CODE, match.group()), text)
    else:
        marks = _FORTRAN if path.suffix == ".f90" else _HASH
        text = _without_code(text, [match.span() for match in marks.finditer(text)])
    return _MARKS.sub(lambda match: " " * len(match.group()), text)


def unclear_words(path, text):
    """Yields the line and a message for each match of a pattern."""
    prose = prose_of(path, text)
    for pattern, advice in patterns():
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, f'"{" ".join(match.group().split())}" is hard to read; write {advice}'
