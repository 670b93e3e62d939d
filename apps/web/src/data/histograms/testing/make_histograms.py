"""Writes histograms.json: histograms as writers log them, as stock TensorBoard reads them, with numpy's cumulative counts.

Run with tensorboard 2.21, tensorboardX 2.6.5 and numpy 2.4 installed: python make_histograms.py
"""

import json
import pathlib

import numpy as np
from tensorboard import data_compat
from tensorboard.plugins.histogram import summary_v2
from tensorboard.util import tensor_util
from tensorboardX import summary as tensorboardx

PLACES = 41
random = np.random.default_rng(5)
normal = random.normal(0, 1, 100_000)


def from_tensorboardx(values, bins, max_bins=None):
    """PyTorch's SummaryWriter has the same code and default bins (`tensorflow`)."""
    if bins == "tensorflow":
        bins = tensorboardx_default_bins()
    summary = tensorboardx.histogram("h", values, bins, max_bins)
    # Both packages have a proto class of their own for the same bytes
    from tensorboard.compat.proto.summary_pb2 import Summary

    value = Summary.FromString(summary.SerializeToString()).value[0]
    return tensor_util.make_ndarray(data_compat.migrate_value(value).tensor)


def tensorboardx_default_bins():
    positive = []
    value = 1e-12
    while value < 1e20:
        positive.append(value)
        value *= 1.1
    return [-one for one in positive[::-1]] + [0] + positive


def from_tensorflow(values, buckets=30):
    value = summary_v2.histogram_pb("h", values, buckets).value[0]
    return tensor_util.make_ndarray(value.tensor)


histograms = {
    "PyTorch, normal": from_tensorboardx(normal, "tensorflow"),
    "PyTorch, normal of few values": from_tensorboardx(normal[:3000], "tensorflow"),
    "PyTorch, tiny gradients": from_tensorboardx(normal * 1e-9, "tensorflow"),
    "PyTorch, zeros and a few others": from_tensorboardx(np.concatenate([np.zeros(5000), normal[:50]]), "tensorflow"),
    "PyTorch, one value": from_tensorboardx(np.full(1000, 0.5), "tensorflow"),
    "tensorboardX, auto": from_tensorboardx(normal, "auto"),
    "tensorboardX, at most 64 bins": from_tensorboardx(normal, "tensorflow", 64),
    "TensorFlow, normal": from_tensorflow(normal),
    "TensorFlow, one value": from_tensorflow(np.full(1000, 3.25)),
    "TensorFlow, lognormal": from_tensorflow(np.exp(2 * normal)),
    "an end at the largest number": np.array([[-1, 0, 10], [0, 1, 20], [1, np.finfo(np.float64).max, 5]]),
    "needles among wide bins": np.array([[0, 1, 10], [1, 1, 30], [1, 2, 10], [2.001, 2.002, 40], [5, 5, 7], [9, 10, 3]]),
}


def cumulative(rows, places):
    """Values below each place: inside a bin in proportion, all of a bin without width once its place is passed."""
    below = np.zeros(len(places))
    for left, right, count in rows:
        if right > 1e300:
            right = left
        below += count * (np.where(places > left, 1.0, 0.0) if right == left else np.clip((places - left) / (right - left), 0, 1))
    return below


cases = []
for name, rows in histograms.items():
    ends = [edge for row in rows for edge in row[:2] if row[2] > 0 and edge < 1e300]
    places = np.linspace(min(ends), max(ends), PLACES)
    cases.append({
        "name": name,
        "data": [float(f"{number:.12g}") for row in rows for number in row],
        "total": float(np.sum(rows[:, 2])),
        "places": places.tolist(),
        "below": cumulative(rows, places).tolist(),
    })
pathlib.Path(__file__).with_name("histograms.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")
