# SPDX-License-Identifier: BSD-3-Clause
"""The kernel task queues of swCholesky, counted from the blocks of L by the rules of the paper alone (sections 3.2 and 3.3, figure 9)."""
import collections
import json
import math

# Maximum sides of a small and of a medium matrix.
SMALL, MEDIUM = 8, 128


class Blocks:
    """The blocks of L: `width` has the number of columns of each block column, and `rows[j][i]` the number of rows of block (i, j)."""

    def __init__(self, trace):
        """Reads the blocks from the tasks D and F of a trace.json with one task per block."""
        self.width, self.rows = {}, collections.defaultdict(dict)
        for event in json.loads(trace.read_text())["traceEvents"]:
            if event.get("cat") != "task":
                continue
            task = event["args"]
            if event["name"] == "diagonal":
                self.width[task["column"]] = task["n"]
            elif event["name"] == "factor":
                self.rows[task["column"]][task["row"]] = task["m"]

    def columns(self):
        """Yields the width of each block column, and the rows of its blocks below the diagonal, from top to bottom."""
        for column, width in self.width.items():
            yield width, [rows for _, rows in sorted(self.rows[column].items())]


def products_by_block(rows, width, fused):
    """Yields (rows, columns, width) of each product by one block of a block column: SYRK first, then the GEMM with each block below.

    Fused products have the rows of consecutive blocks, as long as no matrix has more entries than a medium one.
    """
    columns = rows[0]
    together = rows[0]
    for more in rows[1:]:
        if fused and (together + more) * max(columns, width) <= MEDIUM**2:
            together += more
            continue
        yield together, columns, width
        together = more
    yield together, columns, width


def queue_of_product(m, n, k):
    side = math.sqrt(max(m * n, m * k, n * k))
    return "inst" if side <= SMALL else "tpq" if side <= MEDIUM else "dpq"


def queues_of(blocks, fused):
    """Returns the number of tasks per queue: POTRF on the managing core, TRSM on it or on all cores, SYRK and GEMM by size."""
    queues = collections.Counter()
    for width, rows in blocks.columns():
        queues["inst"] += 1
        for m in rows:
            queues["inst" if math.sqrt(m * width) <= SMALL else "dpq"] += 1
        for first in range(len(rows)):
            for product in products_by_block(rows[first:], width, fused):
                queues[queue_of_product(*product)] += 1
    return queues
