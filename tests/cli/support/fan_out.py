# SPDX-License-Identifier: BSD-3-Clause
"""The tasks and messages of the fan-out algorithm of symPACK (Bellavita et al., 2023) and of the fan-both algorithm (Jacquelin et al.,
2016), counted by their definitions from a matrix.

Nothing here comes from the program: the order, the elimination tree, the supernodes and the blocks are computed from the entries.
"""
import collections

Counts = collections.namedtuple("Counts", "diagonal factor update sent panels_sent")
FanBoth = collections.namedtuple("FanBoth", "update reduce sent")


def dissected(m):
    """Returns the points of an m x m grid, numbered from 0, in an order by nested dissection."""
    def order(x, y):
        if len(x) * len(y) <= 4:
            return [i * m + j for i in x for j in y]
        if len(x) < len(y):
            half = len(y) // 2
            return order(x, y[:half]) + order(x, y[half + 1:]) + [i * m + y[half] for i in x]
        half = len(x) // 2
        return order(x[:half], y) + order(x[half + 1:], y) + [x[half] * m + j for j in y]
    return order(range(m), range(m))


def columns_of_l(n, entries):
    """Returns the rows below the diagonal of each column of L, for the pairs (i, j), i > j, of a lower triangle."""
    columns = [set() for _ in range(n)]
    for i, j in entries:
        columns[j].add(i)
    for column in columns:
        if column:
            columns[min(column)] |= column - {min(column)}
    return columns


def postorder(columns):
    """Returns the vertices of the elimination tree, each after its children."""
    children = collections.defaultdict(list)
    for j, column in enumerate(columns):
        children[min(column, default=None)].append(j)

    def visit(vertex):
        for child in children[vertex]:
            yield from visit(child)
        if vertex is not None:
            yield vertex
    return list(visit(None))


def renumbered(order, pairs):
    """Returns the pairs with the numbers that the vertices have in an order, as a lower triangle without diagonal."""
    new = {old: number for number, old in enumerate(order)}
    return {(max(new[i], new[j]), min(new[i], new[j])) for i, j in pairs if i != j}


def supernodes(columns):
    """Returns the fundamental supernodes as lists of columns: a column joins the one before it if that is its only child with the same
    rows."""
    children = collections.Counter(min(column) for column in columns if column)
    nodes = []
    for j, column in enumerate(columns):
        if nodes and children[j] == 1 and columns[j - 1] == column | {j}:
            nodes[-1].append(j)
        else:
            nodes.append([j])
    return nodes


def facing_of(columns):
    """Returns the supernodes that the blocks of each supernode face, ascending, without the diagonal block."""
    nodes = supernodes(columns)
    node_of = {column: number for number, node in enumerate(nodes) for column in node}
    return [sorted({node_of[row] for row in columns[node[-1]]}) for node in nodes]


def count(columns, rows, cols):
    """Returns the numbers of tasks, and for each rank the number of blocks that it sends. A message to a receiver has all blocks of one
    panel that the rank sends there; `panels_sent` counts these messages.

    B(i, j) has the rows of supernode j that face supernode i. It belongs to a rank of a grid with `rows` rows and `cols` columns. Each
    column of the grid gets runs of `rows` supernodes. D(j) factors B(j, j), F(i, j) needs it, and U(i, j, k) on the rank of B(i, k) needs
    B(i, j) and B(k, j).
    """
    facing = facing_of(columns)

    def owner(i, j):
        return i % rows + rows * (j // rows % cols)
    sent = set()
    updates = 0
    for j, blocks in enumerate(facing):
        sent |= {(j, j, owner(i, j)) for i in blocks}
        for position, k in enumerate(blocks):
            for i in blocks[position:]:
                updates += 1
                sent |= {(i, j, owner(i, k)), (k, j, owner(i, k))}
    sent = {(i, j, to) for i, j, to in sent if to != owner(i, j)}
    by_panel = {(owner(i, j), j, to) for i, j, to in sent}
    return Counts(len(facing), sum(map(len, facing)), updates, collections.Counter(owner(i, j) for i, j, _ in sent),
                  collections.Counter(rank for rank, _, _ in by_panel))


def count_fan_both(columns, rows, cols):
    """Returns the number of updates, the number of sums of updates that ranks send, and for each rank the number of its messages.

    The computation map has entry (i, j) = min(i, j) % r + r * (max(i, j) % p // r), for p ranks in r rows. Supernode k and its tasks D and F
    belong to entry (k, k). U(i, j, k) runs on entry (j, k), which needs B(i, j) and B(k, j). It adds to a sum for B(i, k), unless it owns
    that block. Each block and each sum is one message.
    """
    def rank_of(i, j):
        return min(i, j) % rows + rows * (max(i, j) % (rows * cols) // rows)
    updates = 0
    blocks, sums = set(), set()
    for j, faced in enumerate(facing_of(columns)):
        for position, k in enumerate(faced):
            rank = rank_of(j, k)
            for i in faced[position:]:
                updates += 1
                blocks |= {(i, j, rank), (k, j, rank)} if rank != rank_of(j, j) else set()
                sums |= {(i, k, rank)} if rank != rank_of(k, k) else set()
    sent = collections.Counter(rank_of(j, j) for _, j, _ in blocks)
    sent.update(rank for _, _, rank in sums)
    return FanBoth(updates, len(sums), sent)
