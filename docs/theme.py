# SPDX-License-Identifier: BSD-3-Clause
"""Repairs the theme furo of Debian 12, so that its switch between light and dark mode works.

Debian's package loads a JavaScript module as a plain script, which browsers refuse. Its style sheet lacks the dark colours for readers
whose system asks for them, and loads another style sheet from the root of the web server. Each function changes nothing if a
package of furo does not have the fault.
"""
import pathlib
import re

DARK = re.compile(r'^@media not print \{\n(  body\[data-theme="dark"\] \{.*?\}) *\n', re.M | re.S)
NORMALIZE = "@import url(/javascript/normalize.css/normalize.css);"
SYSTEM_FOLDER = pathlib.Path("/usr/share")


def repaired_script(script, library):
    """The script of furo with the library that it imports in front, or as it is if it imports nothing."""
    lines = script.splitlines(keepends=True)
    if not lines or not lines[0].startswith("import Gumshoe"):
        return script
    return library + "\n(function () {\n" + "".join(lines[1:]) + "})();\n"


def repaired_style(style, normalize):
    """The style sheet of furo with the style sheet that it imports, and with dark colours for `auto`."""
    dark = DARK.search(style)
    if dark and "prefers-color-scheme" not in style:
        colours = dark[1].replace('[data-theme="dark"]', ':not([data-theme="light"])')
        style += f"\n@media not print {{ @media (prefers-color-scheme: dark) {{\n{colours}\n}} }}\n"
    return style.replace(NORMALIZE, normalize)


def repair(app, exception):
    """Repairs the files of the theme in the output folder."""
    static = pathlib.Path(app.outdir) / "_static"
    script, library, style = static / "scripts/furo.js", static / "scripts/gumshoe-patched.js", static / "styles/furo.css"
    if exception or app.builder.format != "html" or not (script.exists() and style.exists()):
        return
    if library.exists():
        script.write_text(repaired_script(script.read_text(encoding="utf-8"), library.read_text(encoding="utf-8")), encoding="utf-8")
    normalize = SYSTEM_FOLDER / "javascript/normalize.css/normalize.css"
    content = normalize.read_text(encoding="utf-8") if normalize.exists() else ""
    style.write_text(repaired_style(style.read_text(encoding="utf-8"), content), encoding="utf-8")
