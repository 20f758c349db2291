# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that replaces sksparse.cholmod by espalier.sksparse, for the tests of scikit-sparse 0.4.

Every test that passes must have factored a matrix by Espalier. Tests of functions that Espalier does not support are expected to
fail, each with a known exception. If a test has real and complex matrices, its complex matrices are replaced by real ones.
"""
import contextlib
import sys

import pytest
import sksparse.cholmod

import espalier.sksparse

NOT_THERE = {
    "test_complex": (espalier.UnsupportedTypeError, "complex matrices"),
    "test_update_downdate": (espalier.NotSupportedError, "updates of a factor by matrices of low rank"),
    "test_CholmodNotPositiveDefiniteError": (
        espalier.sksparse.CholmodNotPositiveDefiniteError,
        "L D L' of a matrix that is not positive definite: cholesky() itself raises the exception that the test expects of L()",
    ),
}
REAL_ALONE = {"test_beta", "test_convenience"}
factorizations = 0
compute = espalier.sksparse.Factor._compute


def counted(factor, *given):
    global factorizations
    compute(factor, *given)
    factorizations += 1


espalier.sksparse.Factor._compute = counted
# The tests try all values that scikit-sparse has for `mode` and `ordering_method`.
espalier.sksparse._modes = sksparse.cholmod._modes
espalier.sksparse._ordering_methods = sksparse.cholmod._ordering_methods
sys.modules["sksparse.cholmod"] = espalier.sksparse


@contextlib.contextmanager
def real_alone(module):
    """Makes the tests of a module use real numbers instead of complex ones."""
    own = module.complex_matrix
    module.complex_matrix, module.complex = module.real_matrix, float
    try:
        yield
    finally:
        module.complex_matrix = own
        del module.complex


def pytest_collection_modifyitems(items):
    unknown = (NOT_THERE.keys() | REAL_ALONE) - {item.name for item in items}
    if unknown:
        raise pytest.UsageError(f"scikit-sparse has no tests named {', '.join(sorted(unknown))}")
    for item in items:
        if item.name in NOT_THERE:
            exception, reason = NOT_THERE[item.name]
            item.add_marker(pytest.mark.xfail(raises=exception, reason=reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = factorizations
    with real_alone(item.module) if item.name in REAL_ALONE else contextlib.nullcontext():
        result = yield
    assert factorizations > before, "the test passed without a factorization by Espalier"
    return result


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"espalier did {factorizations} factorizations for tests of scikit-sparse")
