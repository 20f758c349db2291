# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference pages from sources: the docstrings of the Python package, the comments of the Fortran module, and the
manual of the program.

Info strings of the blocks:

    {python} FILE NAMES...     public classes and functions of a module; without names all of them
    {fortran} FILE             public types and procedures of a Fortran module
    {options} SUBCOMMAND       options of a subcommand, from `espalier man` of a build: ESPALIER_BUILD, else build/release
"""
import ast
import os
import pathlib
import re
import subprocess
import textwrap

from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```\{(python|fortran|options)\} ([^\n]+)\n```\n", re.M)


def is_public(name):
    return not name.startswith("_")


def docstring(node, indent):
    """The docstring of a definition as reStructuredText. Paragraphs that follow the list of parameters stand before the list."""
    head, mark, parameters = (ast.get_docstring(node) or "").partition("\nParameters\n")
    paragraphs = parameters.split("\n\n")
    texts = [paragraph for paragraph in paragraphs[1:] if "\n    " not in paragraph]
    rest = [paragraph for paragraph in paragraphs if paragraph not in texts]
    text = "\n\n".join([head.rstrip(), *texts, ""]) + mark + "\n\n".join(rest)
    return textwrap.indent(str(NumpyDocstring(text, Config(napoleon_use_rtype=False))), indent)


def signature(function, is_method):
    """The parameters of a function, without `self` and without types."""
    arguments = function.args
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [arguments.vararg, arguments.kwarg]:
        if argument:
            argument.annotation = None
    if is_method and not any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in function.decorator_list):
        arguments.args = arguments.args[1:]
    return ast.unparse(arguments)


def function_lines(function, module, indent, is_method):
    """The directive of a function, a method or a property."""
    marks = [ast.unparse(mark) for mark in function.decorator_list]
    if is_method and "property" in marks:
        lines = [f"{indent}.. py:property:: {function.name}"]
    else:
        kind = "method" if is_method else "function"
        place = "" if is_method else module + "."
        lines = [f"{indent}.. py:{kind}:: {place}{function.name}({signature(function, is_method)})"]
    return lines + ["", docstring(function, indent + "   "), ""]


def class_lines(node, module):
    """The directive of a class with its public methods."""
    constructor = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    parameters = f"({signature(constructor, True)})" if constructor else ""
    lines = [f".. py:class:: {module}.{node.name}{parameters}", "", docstring(node, "   "), ""]
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and is_public(item.name) and ast.get_docstring(item):
            lines += function_lines(item, module, "   ", True)
    return lines


def python(arguments):
    """The directives of a Python module."""
    path, *names = arguments.split()
    module = "espalier" if pathlib.Path(path).stem.startswith("_") else "espalier." + pathlib.Path(path).stem
    lines = ["```{eval-rst}"]
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or not is_public(node.name) or names and node.name not in names:
            continue
        lines += class_lines(node, module) if isinstance(node, ast.ClassDef) else function_lines(node, module, "", False)
    return "\n".join(lines + ["```", ""])


def comment_before(lines, number):
    """The comment of a Fortran declaration, as one paragraph for each paragraph of the comment."""
    begin = number
    while lines[begin - 1].lstrip().startswith("!>"):
        begin -= 1
    text = "\n".join(line.strip().removeprefix("!>").strip() for line in lines[begin:number])
    return re.sub(r"\b(espalier_\w+\(\)|ESPALIER_\w+)", r"`\1`", text)


def declaration(lines, number):
    """The first statement of a Fortran procedure and the declarations of its arguments."""
    end = number
    while lines[end].rstrip().endswith("&"):
        end += 1
    names = re.findall(r"\w+", lines[number].partition("(")[2] + " ".join(lines[number + 1:end + 1]))
    kept = lines[number:end + 1]
    for line in lines[end + 1:]:
        variable = re.match(r"\s+[\w(), =*:]+::\s*(\w+)", line)
        if not variable:
            break
        if variable[1] in names:
            kept.append(line)
    return textwrap.dedent("\n".join(kept))


def statement(lines, number):
    """A statement with its continuation lines."""
    end = number
    while lines[end].rstrip().endswith("&"):
        end += 1
    return textwrap.dedent("\n".join(lines[number:end + 1]))


def procedure_lines(lines, number):
    """The comment and the declaration of a Fortran procedure."""
    return [comment_before(lines, number), "", "```fortran", declaration(lines, number), "```", ""]


def fortran(path):
    """The public constants, types, interfaces and procedures of a Fortran module."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    begins, parts = {}, []
    for number, line in enumerate(lines):
        head = re.match(r"\s*(?:impure elemental )?(?:subroutine|function) (\w+)", line)
        if head:
            begins[head[1]] = number
    for number, line in enumerate(lines):
        public = re.match(r"\s*(?:type ::|interface|(?:impure elemental )?(?:subroutine|function)) (espalier_\w+)", line)
        if "parameter, public ::" in line:
            parts += ["" if parts else "## Constants", "", comment_before(lines, number), "", "```fortran", statement(lines, number), "```", ""]
        elif public:
            parts += [f"## `{public[1]}`", ""]
            parts += procedure_lines(lines, number) if public[1] in begins else [comment_before(lines, number), ""]
            listed = re.match(r"\s*module procedure (.*)", lines[number + 1])
            for name in listed[1].split(", ") if listed else ():
                parts += procedure_lines(lines, begins[name])
    return "\n".join(parts)


def manual(subcommand):
    """The text of `espalier man SUBCOMMAND`, or None without a build."""
    program = pathlib.Path(os.environ.get("ESPALIER_BUILD", ROOT / "build/release")) / "espalier"
    if not program.exists():
        return None
    return subprocess.run([program, "man", subcommand], check=True, capture_output=True, text=True).stdout


def without_roff(text):
    """Plain text of a line of a manual page."""
    text = re.sub(r"\\f[BIR]", "", text)
    return text.replace("\\-", "-").replace("\\&", "").replace("\\(aq", "'").replace("\\e", "\\")


def markdown(line):
    """Markdown of a line of a manual page, with the names of options as code."""
    text = re.sub(r"([|<>*_])", r"\\\1", without_roff(line))
    return re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r"`\1`", text)


def options(subcommand):
    """Tables of the arguments and options of a subcommand."""
    page = manual(subcommand)
    if page is None:
        return f"This site was built without the program. `espalier {subcommand} --help` prints the options.\n"
    parts = []
    for section in re.split(r"^\.S[HS] ", page, flags=re.M)[1:]:
        name, _, body = section.partition("\n")
        entries = re.split(r"^\.TP\n", body, flags=re.M)[1:]
        if not entries or name in ("EXIT STATUS", "EXAMPLES", "SEE ALSO"):
            continue
        parts += [f"**{name.capitalize() if name.isupper() else name}**", "", "| name | meaning |", "| --- | --- |"]
        for entry in entries:
            term, *text = entry.splitlines()
            meaning = "<br>".join(markdown(line) for line in text if not line.startswith("."))
            parts.append(f"| `{without_roff(term)}` | {meaning} |")
        parts.append("")
    return "\n".join(parts)


def expand(page):
    """The text of a page with the reference of each block."""
    makers = {"python": python, "fortran": fortran, "options": options}
    return BLOCK.sub(lambda block: makers[block[1]](block[2]), page)
