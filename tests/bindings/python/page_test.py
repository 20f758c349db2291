# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the table of a factor in notebooks, and of the page of a run."""
import json
import pathlib
import tempfile
import unittest
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np

import espalier
from matrices import laplace2d


def rows_of(html):
    """Returns the rows of all tables, as lists of texts. Fails if a tag is not closed."""
    root = ElementTree.fromstring(f"<body>{html.removeprefix('<!DOCTYPE html>')}</body>")
    return [[cell.text for cell in row] for row in root.iterfind(".//{*}tr")]


class Pages(unittest.TestCase):
    def setUp(self):
        self.a = laplace2d(12)
        self.factor = espalier.CholeskyFactor(self.a, workers=1)

    def test_an_analysis_has_sizes_and_predictions(self):
        facts = dict(rows_of(self.factor._repr_html_()))
        self.assertEqual((facts["n"], facts["nnz(L)"]), ("144", str(self.factor.nnz)))
        self.assertEqual(facts["nnz(A), one triangle"], str(144 + 2 * 12 * 11))
        self.assertEqual(facts["ordering"], self.factor.order)
        self.assertRegex(facts["predicted memory"], r"^[\d.]+ [KMG]B$")
        self.assertIn("predicted factorization", facts)
        self.assertNotIn("solve", facts)

    def test_a_factor_has_times(self):
        self.factor.factorize(self.a).solve(np.ones(144))
        facts = dict(rows_of(self.factor._repr_html_()))
        self.assertRegex(facts["fastest factorization"], r"^[\d.]+ (s|ms|us), [\d.e+-]+ Gflop/s$")
        self.assertLess(float(facts["backward error"]), 1e-14)
        self.assertIn("solve", facts)

    def test_a_page_of_a_factor_is_saved(self):
        self.factor.factorize(self.a)
        page = espalier.report(self.factor)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            page.save(path)
            text = path.read_text(encoding="utf-8")
            with self.assertRaises(OSError):
                page.save(pathlib.Path(folder) / "no" / "page.html")
        self.assertEqual(text, page.html)
        self.assertEqual(page.known["kinds"], self.factor.report()["kinds"])
        self.assertEqual(dict(row[:2] for row in rows_of(text))["rows"], "144")
        self.assertIn("<h1>A matrix with 144 rows, scheduled by espalier</h1>", text)
        self.assertRegex(text, r"<svg[^>]*>")

    def test_a_notebook_shows_the_page_in_a_frame(self):
        page = espalier.report(self.factor)
        self.assertNotIn("<svg", page.html)  # there is no factorization yet
        for page in (page, espalier.report(self.factor.factorize(self.a))):
            frames = []
            parser = HTMLParser()
            parser.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)["srcdoc"]))
            parser.feed(page._repr_html_())
            self.assertEqual(frames, [("iframe", page.html)])

    def test_a_page_of_a_file(self):
        known = self.factor.factorize(self.a).report()
        known["matrix"]["name"] = "<b> & c"
        known["warnings"] = ["1 < 2"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            path.write_text(json.dumps(known), encoding="utf-8")
            page = espalier.report(path)
            self.assertEqual(page.known, known)
            self.assertEqual(espalier.report(str(path)).html, page.html)
            tasks = known["kinds"][0]
            self.assertIn([tasks["kind"], "cpu", str(tasks["count"])], [row[:3] for row in rows_of(page.html)])
            page.save(path)
            self.assertIn("<h1>&lt;b&gt; &amp; c</h1>", path.read_text(encoding="utf-8"))
            self.assertIn("1 &lt; 2", page.html)
            for text in ("{}", "[1]", "no JSON", '{"matrix": 1}'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(espalier.InputError, "is not a report"):
                    espalier.report(path)
            with self.assertRaises(OSError):
                espalier.report(pathlib.Path(folder) / "none.json")
