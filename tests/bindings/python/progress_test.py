# SPDX-License-Identifier: BSD-3-Clause
"""Tests that progress is shown on a terminal or in a notebook, and nowhere else by default."""
import contextlib
import io
import sys
import time
import types
import unittest
from unittest import mock

import espalier
from espalier import _progress
from matrices import laplace2d


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Shell:
    """A stand-in for the shell of IPython, with the kernel of a notebook or without."""

    def __init__(self, kernel):
        self.kernel = kernel


class Output:
    """A stand-in for the result of display() of IPython. It records the texts that an output of a cell has shown."""

    def __init__(self):
        self.texts = []

    def update(self, shown):
        self.texts.append(shown._repr_html_())


@contextlib.contextmanager
def ipython(kernel):
    """Replaces IPython by a stand-in with this kernel, and yields its outputs."""
    outputs = []

    def display(shown, display_id):
        outputs.append(Output())
        outputs[-1].update(shown)
        return outputs[-1]

    main, part = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    main.get_ipython, part.display = lambda: Shell(kernel), display
    with mock.patch.dict(sys.modules, {"IPython": main, "IPython.display": part}):
        yield outputs


class Progress(unittest.TestCase):
    def setUp(self):
        self.a = laplace2d(8)

    def written(self, stream=None, **options):
        """Returns the text that a factorization writes to stderr."""
        stream = stream or io.StringIO()
        with contextlib.redirect_stderr(stream):
            espalier.cho_factor(self.a, **options)
        return stream.getvalue()

    def work(self, predicted):
        """Works long enough that progress is shown several times."""
        with mock.patch.object(_progress, "INTERVAL", 0.001), _progress.progress_of("work", None, lambda: predicted):
            time.sleep(0.1)

    def test_short_factorizations_show_nothing(self):
        for stream in (io.StringIO(), Terminal()):
            self.assertEqual(self.written(stream), "")
            self.assertEqual(self.written(stream, progress=False), "")
        with ipython(kernel=object()) as outputs:
            self.assertEqual((self.written(Terminal()), outputs), ("", []))

    def test_long_ones_do_on_a_terminal_alone(self):
        with mock.patch.object(_progress, "SHOWN_FROM", 0.0):
            self.assertIn(_progress._Terminal.erase_line, self.written(Terminal()))
            self.assertEqual(self.written(io.StringIO()), "")
            self.assertEqual(self.written(Terminal(), progress=False), "")

    def test_what_was_asked_for_is_written_where_no_one_looks(self):
        self.assertRegex(self.written(progress=True), r"^factorization: \d+\.\d\d s\n$")

    def test_a_call_counts_instead_of_the_constructor(self):
        factor = espalier.CholeskyFactor(self.a, progress=True)
        for progress, lines in ((None, 1), (False, 0), (True, 1)):
            with contextlib.redirect_stderr(io.StringIO()) as stream:
                factor.factorize(self.a, progress=progress)
            self.assertEqual(stream.getvalue().count("\n"), lines)

    def test_a_terminal_has_one_line_which_is_erased(self):
        with contextlib.redirect_stderr(Terminal()) as stream:
            self.work(predicted=3)
        lines = stream.getvalue().split(_progress._Terminal.erase_line)
        self.assertGreater(len(lines), 3)
        self.assertEqual((lines[0], lines[1], lines[-1]), ("", "work: 0 s of about 3 s", ""))
        self.assertNotIn("\n", stream.getvalue())

    def test_a_notebook_has_one_output_which_stays(self):
        with contextlib.redirect_stderr(io.StringIO()) as stream, ipython(kernel=object()) as outputs:
            self.work(predicted=3)
        self.assertEqual((stream.getvalue(), len(outputs)), ("", 1))
        self.assertEqual(outputs[0].texts[0], "<code>work: 0 s of about 3 s</code>")
        self.assertRegex(outputs[0].texts[-1], r"^<code>work: 0\.\d\d s</code>$")

    def test_what_takes_longer_than_predicted_is_shown(self):
        with contextlib.redirect_stderr(Terminal()) as stream, mock.patch.object(_progress, "SHOWN_FROM", 0.05):
            self.work(predicted=0.01)
        self.assertIn("work: 0 s of about 0 s", stream.getvalue())

    def test_ipython_on_a_terminal_is_a_terminal(self):
        with contextlib.redirect_stderr(Terminal()) as stream, ipython(kernel=None) as outputs:
            self.work(predicted=3)
        self.assertEqual(outputs, [])
        self.assertIn("work", stream.getvalue())

    def test_nothing_is_predicted_where_nothing_is_shown(self):
        predict = mock.Mock(return_value=3.0)
        with contextlib.redirect_stderr(io.StringIO()):
            with _progress.progress_of("work", None, predict):
                pass
        with contextlib.redirect_stderr(Terminal()):
            with _progress.progress_of("work", False, predict):
                pass
        predict.assert_not_called()

    def test_it_ends_with_an_error(self):
        with contextlib.redirect_stderr(io.StringIO()) as stream:
            with self.assertRaises(espalier.NotPositiveDefiniteError):
                espalier.cho_factor(-self.a, progress=True)
        self.assertIn("factorization", stream.getvalue())
