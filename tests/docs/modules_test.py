# SPDX-License-Identifier: BSD-3-Clause
"""The modules of docs that take parts of READMEs, draw charts and complete the theme."""
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import parts  # noqa: E402
import plots  # noqa: E402
import theme  # noqa: E402

README = """# A

    code at the top

## First

    code

Text with a [link](../schedulers/README.md).

- one
  more
- two

### Below

| name | use |
| --- | --- |
| a | b |

## Second

Last.
"""


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        (root / "tools").mkdir()
        (root / "tools" / "README.md").write_text(README, encoding="utf-8")
        patch = mock.patch.object(parts, "ROOT", root)
        patch.start()
        self.addCleanup(patch.stop)

    def expand(self, wanted):
        return parts.expand(f"```{{part}} tools/README.md\n{wanted}\n```\n", "reference/page.md")

    def test_section_ends_at_the_next_heading_of_its_level_and_has_no_code(self):
        text = self.expand("section: First")
        self.assertTrue(text.startswith("Text with a [link](../how-to/schedulers.md)."))
        self.assertIn("| a | b |", text)
        self.assertNotIn("code", text)
        self.assertNotIn("Last.", text)

    def test_list_and_tables(self):
        self.assertEqual(self.expand("list: 1"), "- one\n  more\n- two\n")
        self.assertEqual(self.expand("table: 1"), "| name | use |\n| --- | --- |\n| a | b |\n")
        self.assertEqual(self.expand("table: | name"), self.expand("table: 1"))

    def test_lines_between_two_beginnings(self):
        self.assertEqual(self.expand("from: Text\nto: ###").split("\n")[-3], "- two")

    def test_missing_parts_and_code_are_errors(self):
        for wanted in ("section: Third", "list: 2", "table: 2", "from: Nothing", "from: # A\nto: ## First"):
            with self.subTest(wanted), self.assertRaisesRegex(ValueError, "docs: "):
                self.expand(wanted)


class Plots(unittest.TestCase):
    def test_every_chart_is_well_formed_with_bars_inside_and_names_date_and_version(self):
        for key, chart in plots.CHARTS.items():
            with self.subTest(key):
                picture = xml.etree.ElementTree.fromstring(plots.svg(chart))
                series, rows = chart["data"]()
                bars = [bar for bar in picture.iter("{http://www.w3.org/2000/svg}rect") if len(bar)]
                self.assertEqual(len(bars), len(series) * len(rows))
                for bar in bars:
                    self.assertGreaterEqual(float(bar.get("x")), plots.LEFT - 0.1)
                    self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), plots.WIDTH)
                self.assertRegex(chart["caption"], r"\d{4}-\d\d-\d\d, Espalier \d.*<code>")

    def test_every_row_of_a_table_has_all_columns(self):
        for key, make in plots.TABLES.items():
            with self.subTest(key):
                self.assertEqual(len({len(row) for row in make()}), 1)
                self.assertEqual(len({line.count("|") for line in plots.table(make()).splitlines()}), 1)

    def test_pages_use_all_charts_and_tables(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in plots.FOLDER.glob("*.md"))
        used = re.findall(r"^```\{(?:chart|table)\} (\S+)$", pages, re.M)
        self.assertEqual(sorted(used), sorted([*plots.CHARTS, *plots.TABLES]))


class Theme(unittest.TestCase):
    STYLE = theme.NORMALIZE + '\n@media not print {\n  body[data-theme="dark"] {\n    --a: #000; }\n    html {\n      x: y; } }\n'

    def test_dark_colours_follow_the_system(self):
        repaired = theme.repaired_style(self.STYLE, "h1 {}")
        self.assertTrue(repaired.startswith("h1 {}"))
        self.assertIn('(prefers-color-scheme: dark) {\n  body:not([data-theme="light"]) {\n    --a: #000; }', repaired)
        self.assertEqual(theme.repaired_style(repaired, ""), repaired)

    def test_script_has_its_library(self):
        self.assertEqual(theme.repaired_script('import Gumshoe from "./g.js";\nrun();\n', "var Gumshoe;"),
                         "var Gumshoe;\n(function () {\nrun();\n})();\n")
        self.assertEqual(theme.repaired_script("run();\n", "var Gumshoe;"), "run();\n")


if __name__ == "__main__":
    unittest.main()
