# SPDX-License-Identifier: BSD-3-Clause
"""Writes the directives of breathe for all declarations of a public header, from the output of Doxygen.

A page has a fenced block with the info string {header} and the name of the header. Breathe's own directive for a file
would declare the namespace once for each header.
"""
import re
import xml.etree.ElementTree

HEADER = re.compile(r"^```\{header\} (\S+)\n```\n", re.M)
# Some members of this structure have the names of members of its nested structures. Sphinx would take them for the same members, so
# the page shows the declaration as text.
AS_TEXT = {"espalier::Report"}


def directives(xml_folder, header):
    """Yields (directive, name) for each class, enumeration, type and function, in the order of the header."""
    stem = header.rsplit("/", 1)[-1].replace("_", "__").replace(".", "_8")
    compound = xml.etree.ElementTree.parse(xml_folder / f"{stem}.xml").find("compounddef")
    for inner in compound.findall("innerclass"):
        if "internal" not in inner.text:
            yield "doxygenstruct" if inner.get("refid").startswith("struct") else "doxygenclass", inner.text
    for member in compound.iter("memberdef"):
        kind, scoped = member.get("kind"), member.findtext("qualifiedname") or member.findtext("name")
        if kind in ("enum", "typedef"):
            yield f"doxygen{kind}", scoped
        elif kind == "function" and "internal" not in scoped:
            types = [re.sub(r"\s+", " ", "".join(p.find("type").itertext())) for p in member.findall("param")]
            yield "doxygenfunction", f"{scoped}({', '.join(types)})"


def expand(text, xml_folder):
    """The text of a page with directives instead of the names of headers."""

    def one(match):
        lines = ["```{eval-rst}"]
        for directive, name in directives(xml_folder, match.group(1)):
            if name in AS_TEXT:
                lines += [f".. literalinclude:: /../src/{match.group(1)}", "   :language: cpp",
                          f"   :start-at: struct {name.rsplit('::', 1)[-1]} {{", "   :end-before: }  // namespace", ""]
            else:
                members = directive in ("doxygenclass", "doxygenstruct")
                lines += [f".. {directive}:: {name}", "   :members:" if members else "", ""]
        return "\n".join(lines + ["```", ""])

    return HEADER.sub(one, text)
