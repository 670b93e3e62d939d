"""Writes pca.json for pca.spec.ts: matrices, and their first two principal components by numpy.

pip install numpy; python make_pca.py
"""

import json
from pathlib import Path

import numpy as np

random = np.random.default_rng(7)


def case(name, matrix):
    matrix = np.asarray(matrix, float)
    finite = np.isfinite(matrix).all(axis=1)
    kept = matrix[finite]
    centered = kept - kept.mean(axis=0)
    _, singular, axes = np.linalg.svd(centered, full_matrices=False)
    axes = axes[:2] * np.sign(np.take_along_axis(axes[:2], np.abs(axes[:2]).argmax(axis=1)[:, None], axis=1))
    places = np.full((len(matrix), 2), np.nan)
    places[finite] = centered @ axes.T
    variance = singular**2
    return {
        "name": name,
        "shape": matrix.shape,
        "data": [value if np.isfinite(value) else str(value) for value in matrix.flatten().tolist()],
        "places": [[value if np.isfinite(value) else None for value in row] for row in places.tolist()],
        "explained": (variance[:2] / variance.sum()).tolist(),
    }


def clusters(rows, columns, count, spread):
    centers = random.standard_normal((count, columns))
    return np.round(centers[random.integers(0, count, rows)] + spread * random.standard_normal((rows, columns)), 4)


holes = clusters(40, 6, 3, 0.2)
holes[3, 2] = np.nan
holes[17, 0] = np.inf
cases = [
    case("three clusters", clusters(60, 16, 3, 0.1)),
    case("more columns than rows", clusters(12, 90, 3, 0.3)),
    case("more columns than the basis has vectors", clusters(70, 70, 5, 0.4)),
    case("two columns", np.round(random.standard_normal((30, 2)) @ np.array([[3, 1], [0, 0.5]]), 4)),
    case("far from the origin", 1e6 + np.round(random.standard_normal((40, 5)) * [9, 3, 1, 0.1, 0.01], 3)),
    case("tiny", 1e-150 * np.round(random.standard_normal((20, 4)) * [5, 2, 1, 1], 3)),
    case("rows that are not finite", holes),
]
Path(__file__).with_name("pca.json").write_text(json.dumps(cases) + "\n")
