# SPDX-License-Identifier: BSD-3-Clause
"""Random graphs with a dense core, hubs or long-range edges, as symmetric positive definite matrices."""
import random

FAMILIES = {}


def family(generate):
    """Decorator that adds a function to the table of families. The function takes a random source and a size from 0 to 5, and returns
    the number of vertices and the edges."""
    FAMILIES[generate.__name__] = generate
    return generate


def _clique(vertices):
    return {(max(a, b), min(a, b)) for a in vertices for b in vertices if a != b}


@family
def crossed(source, size):
    """Two crossed factors, as in mixed models and tables of ratings: each observation joins a user and an item."""
    users, items = int(8000 * 1.6**size), 200 + 200 * size
    return users + items, {(users + source.randrange(items), source.randrange(users)) for _ in range(users * (3 + size % 3))}


@family
def three_way(source, size):
    """Three crossed factors. The largest is nested in groups. Each observation joins one level of each factor."""
    users, items, times = int(8000 * 1.5**size), 100 + 80 * size, 30 + 10 * size
    edges = set()
    for _ in range(users * 3):
        u, i, t = source.randrange(users), users + source.randrange(items), users + items + source.randrange(times)
        edges |= {(i, u), (t, u), (t, i)}
    return users + items + times, edges


@family
def leaves(source, size):
    """A clique, and leaves that are each joined to three of its columns: L has no fill."""
    core, count = 350 + 110 * size, 8000 + 4000 * size
    edges = _clique(range(count, count + core))
    for leaf in range(count):
        edges |= {(count + k, leaf) for k in source.sample(range(core), 3)}
    return core + count, edges


@family
def normal_equations(source, size):
    """B B^T of a linear program. Columns of B have few entries, and some rows are nearly full."""
    rows, long_rows = int(5000 * 1.4**size), 20 + 8 * size
    edges = set()
    for _ in range(2 * rows):
        column = source.sample(range(rows), 2)
        if source.random() < 0.6:
            column.append(rows - 1 - int(long_rows * source.random() ** 2))
        edges |= _clique(column)
    return rows, edges


@family
def power_law(source, size):
    """Preferential attachment (Barabasi and Albert): each new vertex gets edges to two or three earlier
    ones, more likely to those of high degree."""
    n, each = int(10000 * 1.3**size), 2 + size % 2
    ends, edges = list(range(each)), set()
    for v in range(each, n):
        joined = {source.choice(ends) for _ in range(each)}
        edges |= {(v, w) for w in joined}
        ends += [*joined, *[v] * len(joined)]
    return n, edges


@family
def near_tree(source, size):
    """A power network: a random tree with hubs and 5 % more edges."""
    n = int(40000 * 1.4**size)
    edges = {(v, int(v * source.random() ** 1.5)) for v in range(1, n)}
    for _ in range(n // 20):
        a, b = source.sample(range(n), 2)
        edges.add((max(a, b), min(a, b)))
    return n, edges


@family
def bundle_adjustment(source, size):
    """Bundle adjustment: points of three columns and cameras of six columns. A camera and each point that it sees share a dense
    block."""
    points, cameras = 5000 + 3000 * size, 40 + 15 * size
    edges = set()
    for c in range(cameras):
        edges |= _clique(range(3 * points + 6 * c, 3 * points + 6 * c + 6))
    for p in range(points):
        own = range(3 * p, 3 * p + 3)
        edges |= _clique(own)
        first = source.randrange(cameras)
        for seen in range(source.randint(2, 5)):
            c = (first + seen * source.randint(1, 3)) % cameras
            edges |= {(3 * points + 6 * c + k, v) for k in range(6) for v in own}
    return 3 * points + 6 * cameras, edges


@family
def hubs(source, size):
    """A band with hubs: each column touches one or two hubs, as in arrowheads and in circuits with supply rails."""
    n, rails = int(16000 * 1.5**size), 15 + 10 * size
    edges = {(v + step, v) for v in range(n) for step in (1, 7) if v + step < n}
    for v in range(n):
        edges |= {(n + source.randrange(rails), v) for _ in range(1 + size % 2)}
    return n + rails, edges


@family
def geometric(source, size):
    """Points of a cube, joined if they are close (random geometric graph with about 14 neighbours)."""
    n = int(14000 * 1.3**size)
    reach = (14 / (n * 4.19)) ** (1 / 3)
    cells, edges = {}, set()
    for v in range(n):
        at = tuple(source.random() for _ in range(3))
        cells.setdefault(tuple(int(x / reach) for x in at), []).append((v, at))
    near = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    for cell, inside in cells.items():
        for v, at in inside:
            for step in near:
                for w, other in cells.get(tuple(c + s for c, s in zip(cell, step)), ()):
                    if w < v and sum((a - b) ** 2 for a, b in zip(at, other)) < reach**2:
                        edges.add((v, w))
    return n, edges


@family
def small_world(source, size):
    """A ring with six neighbours per vertex; some edges lead to random vertices (Watts and Strogatz)."""
    n, rewired = int(14000 * 1.3**size), 0.02 + 0.01 * (size % 3)
    edges = set()
    for v in range(n):
        for step in (1, 2, 3):
            w = source.randrange(n) if source.random() < rewired else (v + step) % n
            if w != v:
                edges.add((max(v, w), min(v, w)))
    return n, edges


def write(name, size, path):
    """Writes a matrix of a family as Matrix Market: the Laplacian of the graph with weights 1, and 0.001 on its diagonal."""
    source = random.Random(f"{name} {size}")
    n, edges = FAMILIES[name](source, size)
    diagonal = [0.001] * n
    for row, column in edges:
        diagonal[row] += 1
        diagonal[column] += 1
    with open(path, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {n + len(edges)}\n")
        out.writelines(f"{v + 1} {v + 1} {value:.3f}\n" for v, value in enumerate(diagonal))
        out.writelines(f"{row + 1} {column + 1} -1\n" for row, column in sorted(edges))
