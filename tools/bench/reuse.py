#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the ordering of changed meshes from scratch with the reuse of the previous ordering.

Usage: reuse.py [--espalier PROGRAM] [--workers 1,2] [--ordering NAME] [--changed 1,5,20] [--steps N] [--rounds N] [MATRIX...]

In each step some vertices of the mesh change, in patches of a hundred vertices at random places. Contacts: some edges between
vertices at distance two are added, and some edges are removed. Refined: a new vertex joins the ends of some edges and a neighbour.
The previous ordering is that of the last step, so that errors of the reuse would add up. Both ways run in turn. A line has the
median seconds of both orderings, the ratio of these, and the operations with reuse over those from scratch, as the median and the
maximum of all steps. Needs the Python package of Espalier and SciPy. The exit code is 0, or 2 for a usage error.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import tempfile

import espalier
import numpy as np
from scipy import io, sparse

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
MATRICES = ["laplace2d:500", "laplace3d:40", "irregular2d:200000"]
PATCH = 100
KINDS = ("contacts", "refined")


def pattern(program, matrix):
    """Returns the neighbours of each vertex of a generated or stored matrix."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "a.mtx"
        subprocess.run([program, "generate", matrix, file, "--quiet"], check=True)
        a = sparse.csr_matrix(io.mmread(file))
    return [[int(u) for u in a.indices[a.indptr[v] : a.indptr[v + 1]] if u != v] for v in range(a.shape[0])]


def patches(mesh, share, dice):
    """Yields sets of near vertices until they have this share of the mesh."""
    left = share * len(mesh)
    while left > 0:
        patch = {dice.randrange(len(mesh))}
        queue = list(patch)
        for v in queue:
            for u in mesh[v]:
                if u not in patch and len(patch) < PATCH:
                    patch.add(u)
                    queue.append(u)
        left -= len(patch)
        yield sorted(patch)


def changed(mesh, kind, share, dice):
    """Returns the edges of a changed mesh, each as (smaller, larger), and the number of its vertices."""
    edges = {(v, u) for v, near in enumerate(mesh) for u in near if v < u}
    n = len(mesh)
    for patch in patches(mesh, share, dice):
        for v in patch:
            for u in mesh[v]:
                if kind == "refined":
                    if v < u and dice.random() < 0.1:
                        edges.update(((v, n), (u, n), (dice.choice(mesh[u]), n)))
                        n += 1
                    continue
                if dice.random() < 0.06:
                    edges.discard((min(u, v), max(u, v)))
                far = dice.choice(mesh[u])
                if far != v and dice.random() < 0.25:
                    edges.add((min(far, v), max(far, v)))
    return edges, n


def matrix_of(edges, n):
    """Returns a diagonally dominant matrix with these edges."""
    row, column = np.array(sorted(edges)).T
    off = sparse.coo_matrix((-np.ones(len(row)), (row, column)), (n, n))
    off = off + off.T
    return sparse.csc_matrix(off + sparse.diags(1 + np.asarray(-off.sum(axis=0)).ravel()))


def analyzed(options, workers, matrix, **previous):
    """Returns the factor, the seconds of its ordering and its operations."""
    factor = espalier.CholeskyFactor(matrix, order=options.ordering, workers=workers, **previous)
    report = factor.report()
    return factor, report["ordering"]["seconds"], report["symbolic"]["flops"]


def measured(options, workers, mesh, kind, share):
    """Yields the median seconds from scratch and with reuse, and the ratio of operations, of each step."""
    dice = random.Random(1)
    previous, _, _ = analyzed(options, workers, matrix_of(*changed(mesh, kind, 0, dice)))
    previous_n = len(mesh)
    for _ in range(options.steps):
        edges, n = changed(mesh, kind, share, dice)
        matrix = matrix_of(edges, n)
        # This step adds other vertices than the last one.
        known = np.where(np.arange(n) < len(mesh), np.arange(n), -1)
        columns = None if n == previous_n == len(mesh) else known
        scratch, reused = [], []
        for _ in range(options.rounds):
            _, seconds, flops = analyzed(options, workers, matrix)
            scratch.append(seconds)
            factor, seconds, flops_reused = analyzed(options, workers, matrix, previous=previous, previous_column=columns)
            reused.append(seconds)
        previous, previous_n = factor, n
        yield statistics.median(scratch), statistics.median(reused), flops_reused / flops


def numbers(text):
    return [float(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--espalier", default=str(PROGRAM))
    parser.add_argument("--workers", type=numbers, default=[1, 2])
    parser.add_argument("--ordering", default="dissection")
    parser.add_argument("--changed", type=numbers, default=[1, 5, 20])
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("matrices", nargs="*", default=MATRICES)
    options = parser.parse_args()
    print("matrix              change    share workers  scratch    reuse  faster  operations (maximum)")
    for matrix in options.matrices:
        mesh = pattern(options.espalier, matrix)
        for kind in KINDS:
            for share in options.changed:
                for workers in map(int, options.workers):
                    steps = list(measured(options, workers, mesh, kind, share / 100))
                    scratch, reused, ratio = (statistics.median(column) for column in zip(*steps))
                    worst = max(step[2] for step in steps)
                    print(f"{matrix:<19} {kind:<9} {share:>3g} % {workers:>7} {scratch:>7.3f} s {reused:>6.3f} s "
                          f"{scratch / reused:>6.1f}x {ratio:>10.2f} ({worst:.2f})", flush=True)


if __name__ == "__main__":
    main()
