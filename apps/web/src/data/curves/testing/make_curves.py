"""Writes curves.json for curve.spec.ts: pr_curves tensors, and their areas by scikit-learn.

pip install scikit-learn==1.9.1; python make_curves.py
"""

import json
from pathlib import Path

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

random = np.random.default_rng(31)


def tensor(labels, scores, weights, thresholds):
    """Rows TP, FP, TN, FN, precision, recall, as tensorboard.plugins.pr_curve.summary has them."""
    edges = np.arange(thresholds) / (thresholds - 1)
    positive = scores[None, :] >= edges[:, None] - 1e-12
    true, false = weights * labels, weights * (1 - labels)
    tp, fp = (positive * true).sum(1), (positive * false).sum(1)
    fn, tn = true.sum() - tp, false.sum() - fp
    precision = tp / np.maximum(1e-7, tp + fp)
    recall = tp / np.maximum(1e-7, tp + fn)
    return np.stack([tp, fp, tn, fn, precision, recall])


def case(name, labels, scores, thresholds, weights=None):
    """All scores lie on thresholds, so the plugin's curve has the same points as scikit-learn's."""
    labels = np.asarray(labels, float)
    scores = np.round(np.asarray(scores) * (thresholds - 1)) / (thresholds - 1)
    weights = np.ones(len(labels)) if weights is None else weights
    precision, recall, _ = precision_recall_curve(labels, scores, sample_weight=weights)
    return {
        "name": name,
        "thresholds": thresholds,
        "data": tensor(labels, scores, weights, thresholds).flatten().tolist(),
        "averagePrecision": average_precision_score(labels, scores, sample_weight=weights),
        "area": auc(recall, precision),
    }


def noisy(count, share, spread):
    labels = (random.random(count) < share).astype(float)
    return labels, np.clip(labels * 0.4 + 0.3 + spread * random.standard_normal(count), 0, 1)


cases = [
    case("a usual classifier", *noisy(800, 0.5, 0.25), 127),
    case("few positives", *noisy(2000, 0.02, 0.2), 127),
    case("five thresholds", *noisy(300, 0.4, 0.3), 5),
    case("more thresholds than examples", *noisy(12, 0.5, 0.3), 201),
    case("perfect", [0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], 127),
    case("the wrong way round", [1, 1, 0, 0], [0.1, 0.2, 0.7, 0.9], 127),
    case("one score for all", [1, 0, 0, 1, 0], [0.5] * 5, 127),
    case("all positive", [1, 1, 1], [0.2, 0.5, 0.9], 127),
    case("weights", *noisy(400, 0.3, 0.25), 127, random.random(400)),
]
Path(__file__).with_name("curves.json").write_text(json.dumps(cases) + "\n")
