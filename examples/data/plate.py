#!/usr/bin/env python3
"""Writes plate.mtx: the stiffness matrix of a clamped plate, by finite elements.

A steel plate of 1.0 m x 0.5 m (plane stress, thickness 10 mm, E = 210 GPa,
nu = 0.3) is clamped along its left side. 30 x 15 four-node elements, each
integrated with 2 x 2 Gauss points; a round spot of 0.12 m radius around
(0.62, 0.27) has weakened to a fifth of the stiffness. Two displacements at each
free node make 960 unknowns. Entries are in N/mm and rounded to six digits.

    python3 plate.py > plate.mtx
"""
NX, NY, WIDTH, HEIGHT = 30, 15, 1.0, 0.5
YOUNG, NU, THICKNESS = 210e9, 0.3, 0.01
SPOT = (0.62, 0.27, 0.12, 0.2)  # centre x, y, radius, remaining stiffness


def shape_gradients(s, t, hx, hy):
    """Derivatives by x and y of the four bilinear shape functions at (s, t)."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return [(a * (1 + b * t) / (2 * hx), b * (1 + a * s) / (2 * hy)) for a, b in corners]


def element_stiffness(hx, hy):
    """8 x 8 stiffness of one hx x hy element: the integral of B' D B."""
    c = YOUNG / (1 - NU * NU) * THICKNESS
    d = [[c, c * NU, 0], [c * NU, c, 0], [0, 0, c * (1 - NU) / 2]]
    k = [[0.0] * 8 for _ in range(8)]
    g = 3 ** -0.5
    for s in (-g, g):
        for t in (-g, g):
            b = [[0.0] * 8 for _ in range(3)]
            for i, (dx, dy) in enumerate(shape_gradients(s, t, hx, hy)):
                b[0][2 * i] = b[2][2 * i + 1] = dx
                b[1][2 * i + 1] = b[2][2 * i] = dy
            for i in range(8):
                for j in range(8):
                    k[i][j] += hx * hy / 4 * sum(
                        b[p][i] * d[p][q] * b[q][j] for p in range(3) for q in range(3))
    return k


def assemble():
    """{(row, column): value} of the lower triangle, unknowns numbered from 1."""
    hx, hy = WIDTH / NX, HEIGHT / NY
    stiffness = element_stiffness(hx, hy)
    matrix = {}
    for ex in range(NX):
        for ey in range(NY):
            x, y = (ex + 0.5) * hx - SPOT[0], (ey + 0.5) * hy - SPOT[1]
            weight = SPOT[3] if x * x + y * y < SPOT[2] ** 2 else 1.0
            nodes = ((ex, ey), (ex + 1, ey), (ex + 1, ey + 1), (ex, ey + 1))
            # The nodes of the clamped column 0 get unknowns <= 0 and fall away.
            unknowns = [2 * ((i - 1) * (NY + 1) + j) + 1 + c if i > 0 else 0
                        for i, j in nodes for c in (0, 1)]
            for i, row in enumerate(unknowns):
                for j, column in enumerate(unknowns):
                    if row >= column > 0:
                        key = (row, column)
                        matrix[key] = matrix.get(key, 0.0) + weight * stiffness[i][j] * 1e-3
    return matrix


def main():
    entries = sorted((column, row, value) for (row, column), value in assemble().items()
                     if abs(value) > 1e-6)
    size = 2 * NX * (NY + 1)
    print("%%MatrixMarket matrix coordinate real symmetric")
    print("% Stiffness of a clamped steel plate in N/mm, see plate.py")
    print(size, size, len(entries))
    for column, row, value in entries:
        print(row, column, f"{value:.6g}")


main()
