# SPDX-License-Identifier: BSD-3-Clause
"""FERAL, through its Python package. Its first factorization also analyzes."""
import sys

import numpy as np

import interface


class Feral:
    def __init__(self, _, n, starts, rows, values):
        import feral
        self.feral = feral
        self.matrix = feral.CscMatrix(n, starts.astype(np.int64), rows.astype(np.int64), values)
        self.solver = feral.Solver()
        self.status = None

    @staticmethod
    def version():
        import feral
        return f"FERAL {feral.__version__}"

    def factor(self):
        try:
            self.status, _ = self.solver.factor(self.matrix)
        except self.feral.FeralError as error:
            raise interface.PeerFailed(f"{type(error).__name__}: {error}") from error

    def solve(self, b):
        try:
            return self.solver.solve(b)
        except self.feral.FeralError as error:
            raise interface.PeerFailed(f"{type(error).__name__}: {error}") from error

    def answer(self):
        inertia, stats = self.solver.inertia, self.solver.last_factor_stats()
        perturbed = stats.n_tiny + stats.n_cascade_break_nodes
        certain = self.status == self.feral.FactorStatus.SUCCESS and not perturbed
        return {"inertia": [inertia.n_pos, inertia.n_neg, inertia.n_zero], "status": "exact" if certain else "uncertain",
                "perturbed": perturbed}


if __name__ == "__main__":
    sys.exit(interface.main(Feral))
