"""Writes forests.json: the importance of features by scikit-learn, for forest.spec.ts.

pip install scikit-learn==1.9.1; python make_forests.py
"""

import json
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestRegressor

TREES = 1000


def importance(x, y, leaf, seed):
    """Breiman's: how much the error of a tree outside its sample grows when a feature is shuffled, by the variance of y."""
    features = x.shape[1]
    forest = RandomForestRegressor(
        TREES, max_features=-(-features // 3) / features, min_samples_leaf=leaf, random_state=seed, n_jobs=2
    ).fit(x, y)
    random = np.random.default_rng(seed)
    grown = np.zeros(features)
    predicted, votes = np.zeros(len(y)), np.zeros(len(y))
    for tree, sample in zip(forest.estimators_, forest.estimators_samples_):
        out = np.setdiff1d(np.arange(len(y)), sample)
        before = tree.predict(x[out])
        predicted[out] += before
        votes[out] += 1
        for feature in range(features):
            shuffled = x[out].copy()
            shuffled[:, feature] = random.permutation(shuffled[:, feature])
            grown[feature] += np.mean((y[out] - tree.predict(shuffled)) ** 2) - np.mean((y[out] - before) ** 2)
    r2 = 1 - np.mean((y - predicted / votes) ** 2) / np.var(y)
    return (grown / TREES / np.var(y)).tolist(), float(r2)


def sweep(seed, runs):
    """Log-uniform rates, a choice of two, a few sizes, and what has no influence."""
    random = np.random.default_rng(seed)
    lr = random.uniform(-5, -1, runs)
    decay = random.uniform(-6, -2, runs)
    adam = random.integers(0, 2, runs).astype(float)
    width = random.choice([64, 128, 256, 512], runs).astype(float)
    noise = random.normal(size=(runs, 2))
    y = -0.3 * (lr + 3 + adam) ** 2 + 0.4 * np.log2(width / 64) - 0.2 * adam * (decay > -4) + random.normal(0, 0.2, runs)
    return np.column_stack([lr, decay, adam, width, noise, np.arange(runs)]), y


cases = []
for seed, runs in [(1, 60), (2, 300), (3, 1000)]:
    x, y = sweep(seed, runs)
    leaf = 1 if runs <= 200 else 3
    scores, r2 = importance(x, y, leaf, seed)
    cases.append({"leaf": leaf, "x": np.round(x, 6).T.tolist(), "y": np.round(y, 6).tolist(), "importance": scores, "r2": r2})
# Only noise: nothing is important
random = np.random.default_rng(9)
x, y = random.normal(size=(100, 5)), random.normal(size=100)
scores, r2 = importance(x, y, 3, 9)
cases.append({"leaf": 3, "x": np.round(x, 6).T.tolist(), "y": np.round(y, 6).tolist(), "importance": scores, "r2": r2})
Path(__file__).with_name("forests.json").write_text(json.dumps(cases) + "\n")
