# SPDX-License-Identifier: BSD-3-Clause
"""Configuration of Sphinx; tools/dev/docs.sh runs it. Pages load nothing from the network."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import interface  # noqa: E402
import parts  # noqa: E402
import plots  # noqa: E402
import sources  # noqa: E402
import theme  # noqa: E402

project = "Espalier"
author = "Espalier authors"
release = re.search(r"project\(\s*espalier\s+VERSION\s+([\d.]+)", (parts.ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                    re.I).group(1)
extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
exclude_patterns = ["README.md"]
myst_heading_anchors = 3
# Output has no copy button.
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"
smartquotes = False
toc_object_entries_show_parents = "hide"
highlight_language = "none"

breathe_projects = {"espalier": str(parts.ROOT / "build/docs/xml")}
breathe_default_project = "espalier"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
c_id_attributes = cpp_id_attributes = ["ESPALIER_EXPORT", "ESPALIER_API"]

html_theme = "furo"
html_title = f"Espalier {release}"
html_static_path = ["_static"]
html_css_files = ["espalier.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False


def complete(app, name, source):
    """Replaces the blocks of a page that stand for text of other files."""
    page = plots.expand(parts.expand(source[0], name + ".md"))
    source[0] = interface.expand(sources.expand(page), parts.ROOT / "build/docs/xml")


def setup(app):
    app.connect("source-read", complete)
    app.connect("build-finished", theme.repair)
