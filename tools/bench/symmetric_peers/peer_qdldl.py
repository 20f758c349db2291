# SPDX-License-Identifier: BSD-3-Clause
"""QDLDL, through its Python package. It has neither pivoting nor signs, and its first factorization also analyzes."""
import importlib.metadata
import sys

import numpy as np

import interface


class Qdldl:
    def __init__(self, _, n, starts, rows, values):
        import qdldl
        import scipy.sparse
        self.qdldl = qdldl
        self.upper = scipy.sparse.csc_matrix((values, rows, starts), (n, n)).T.tocsc()
        self.solver = None

    @staticmethod
    def version():
        import qdldl  # noqa: F401, because only its import shows that it is missing
        return f"QDLDL {importlib.metadata.version('qdldl')}"

    def factor(self):
        try:
            if self.solver is None:
                self.solver = self.qdldl.Solver(self.upper, upper=True)
            else:
                self.solver.update(self.upper, upper=True)
        except RuntimeError as error:
            raise interface.PeerFailed(str(error)) from error

    def solve(self, b):
        return self.solver.solve(b)

    def answer(self):
        pivots = self.solver.factors()[1]
        counts = [int(np.count_nonzero(test)) for test in (pivots > 0, pivots < 0)]
        return {"inertia": [*counts, len(pivots) - sum(counts)], "status": "exact", "perturbed": 0}


if __name__ == "__main__":
    sys.exit(interface.main(Qdldl))
