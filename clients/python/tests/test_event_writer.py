"""Stock TensorBoard reads what the event writer writes."""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import math
import os
import struct
import warnings

import numpy as np
import pytest

import plotline
from plotline.event_writer import EventWriter, record
from plotline.hparams import as_mapping, flatten
from plotline.upload.first_bytes import why_not_sent

loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")


def events_of(path):
    return list(loader.EventFileLoader(str(path)).Load())


def values_of(path):
    """(step, wall time, tag, value) of every summary value, scalars as numbers."""
    from tensorboard.util import tensor_util

    found = []
    for event in events_of(path):
        for value in event.summary.value:
            found.append(
                (event.step, event.wall_time, value.tag, tensor_util.make_ndarray(value.tensor))
            )
    return found


def test_every_float64_is_read_back_bit_for_bit(tmp_path):
    rng = np.random.default_rng(7)
    numbers = [0.0, -0.0, 1.5, 0.1, math.pi, 1e300, 5e-324, math.inf, -math.inf, 2.0**53, 1e-45]
    numbers += list(rng.standard_normal(500)) + list(rng.standard_normal(500).astype("f4"))
    writer = EventWriter(tmp_path)
    for step, number in enumerate(numbers):
        writer.scalars({"x": number}, step, wall_time=1_700_000_000 + step / 7)
    writer.close()
    read = values_of(writer.path)
    assert [step for step, *_ in read] == list(range(len(numbers)))
    assert [wall for _, wall, *_ in read] == [
        1_700_000_000 + step / 7 for step in range(len(numbers))
    ]
    got = [struct.pack("<d", float(value)) for *_, value in read]
    assert got == [struct.pack("<d", float(number)) for number in numbers]


def test_nan_and_extreme_steps_are_kept(tmp_path):
    writer = EventWriter(tmp_path)
    for step in (-(2**63), -1, 0, 127, 128, 2**63 - 1):
        writer.scalars({"x": math.nan}, step)
    writer.close()
    read = values_of(writer.path)
    assert [step for step, *_ in read] == [-(2**63), -1, 0, 127, 128, 2**63 - 1]
    assert all(math.isnan(float(value)) for *_, value in read)


def test_tensorboard_plugins_read_the_media(tmp_path):
    picture = np.arange(6 * 4 * 3, dtype=np.uint8).reshape(6, 4, 3)
    sample = np.random.default_rng(1).standard_normal(10_000)
    run = plotline.init("media", logdir=tmp_path, upload=False)
    run.log(
        {
            "picture": plotline.Image(picture, caption="six by four"),
            "clip": plotline.Audio(np.sin(np.arange(800) / 10), 8000),
            "text": "plain *text*",
            "table": plotline.Table(["a", "b"], [[1, "x|y"]]),
            "histogram": plotline.Histogram(sample),
        },
        step=3,
    )
    run.finish()
    [path] = (tmp_path / "media").iterdir()
    from tensorboard.util import tensor_util

    by_tag = {}
    for event in events_of(path):
        for value in event.summary.value:
            by_tag[value.tag] = (
                value.metadata.plugin_data.plugin_name,
                tensor_util.make_ndarray(value.tensor),
            )
    assert {tag: plugin for tag, (plugin, _) in by_tag.items()} == {
        "picture": "images",
        "clip": "audio",
        "text": "text",
        "table": "text",
        "histogram": "histograms",
    }
    import io

    from PIL import Image

    width, height, png = by_tag["picture"][1]
    assert (int(width), int(height)) == (4, 6)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png))), picture)
    buckets = by_tag["histogram"][1]
    counts, edges = np.histogram(sample, 64)
    assert np.array_equal(buckets[:, 2], counts)
    assert np.array_equal(buckets[:, 0], edges[:-1])


def test_configuration_is_a_session_of_the_hparams_plugin(tmp_path):
    with plotline.init(
        "h",
        logdir=tmp_path,
        upload=False,
        config={"lr": 0.1, "model": {"depth": 3, "name": "vit"}, "amp": True, "x": None},
    ):
        pass
    from tensorboard.plugins.hparams import plugin_data_pb2

    [path] = (tmp_path / "h").iterdir()
    content = {}
    for event in events_of(path):
        for value in event.summary.value:
            data = plugin_data_pb2.HParamsPluginData.FromString(value.metadata.plugin_data.content)
            content[value.tag] = data
    start = content["_hparams_/session_start_info"].session_start_info
    assert start.hparams["lr"].number_value == 0.1
    assert start.hparams["model.depth"].number_value == 3
    assert start.hparams["model.name"].string_value == "vit"
    assert start.hparams["amp"].bool_value is True
    assert content["_hparams_/session_end_info"].session_end_info.status == 1


def test_a_configuration_is_a_mapping_a_dataclass_or_a_namespace(tmp_path):
    @dataclasses.dataclass
    class Model:
        depth: int = 3

    @dataclasses.dataclass
    class Config:
        lr: float = 0.1
        model: Model = dataclasses.field(default_factory=Model)

    assert flatten(as_mapping(Config())) == {"lr": 0.1, "model.depth": 3}
    assert flatten(as_mapping(argparse.Namespace(lr=0.1, amp=True))) == {"lr": 0.1, "amp": True}
    with plotline.init("n", logdir=tmp_path, upload=False, config=argparse.Namespace(lr=0.1)):
        pass
    [path] = (tmp_path / "n").iterdir()
    assert b"session_start_info" in path.read_bytes()
    for wrong in (3, [1], "lr=1"):
        with pytest.raises(plotline.UsageError, match="A configuration is"):
            plotline.init("w", logdir=tmp_path, upload=False, config=wrong)
    assert not (tmp_path / "w").exists()


def test_a_value_that_is_not_a_number_is_skipped_with_one_warning(tmp_path):
    run = plotline.init("w", logdir=tmp_path, upload=False)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        run.log({"bad": object(), "good": 1.0})
        run.log({"bad": object(), "good": 2.0})
        run.log({"good": 3.0}, step=2**63)
    run.finish()
    assert ["left out" in str(warning.message) for warning in warned] == [True, True]
    [path] = (tmp_path / "w").iterdir()
    assert [float(value) for *_, value in values_of(path)] == [1.0, 2.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_writes_its_own_file(tmp_path):
    run = plotline.init("f", logdir=tmp_path, upload=False)
    run.log({"x": 1.0}, step=1)
    child = os.fork()
    if child == 0:
        try:
            run.log({"x": 2.0}, step=2)
            run.finish()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    run.log({"x": 3.0}, step=3)
    run.finish()
    files = sorted((tmp_path / "f").iterdir())
    steps = sorted(tuple(step for step, *_ in values_of(path)) for path in files)
    assert steps == [(1, 3), (2,)]


def test_a_full_disk_ends_the_file_but_not_the_training(tmp_path, monkeypatch):
    writer = EventWriter(tmp_path)

    class Full:
        def write(self, _data):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    writer._file = Full()
    writer.scalars({"x": 1.0}, 1)
    writer.flush()
    writer.scalars({"x": 1.0}, 2)
    writer.close()
    assert writer.failed is not None


def test_only_a_framed_record_starts_an_event_file():
    good = record(b"\x09" + bytes(8))
    assert why_not_sent(good) is None
    assert why_not_sent(b"") is None
    assert "until it grows" in why_not_sent(good[:5])
    assert "not an event file" in why_not_sent(b"root:x:0:0:root:")
    assert "until the record is written" in why_not_sent(bytes(12))
    assert "gunzip" in why_not_sent(gzip.compress(good))
    assert "git lfs pull" in why_not_sent(b"version https://git-lfs.github.com/spec/v1\n")


def test_a_warning_names_the_line_of_the_script(tmp_path):
    run = plotline.init("a", logdir=tmp_path, upload=False)
    with pytest.warns(RuntimeWarning, match="is left out") as no_number:
        run.log({"no number": object()})
    with pytest.warns(RuntimeWarning, match="does not fit int64") as no_step:
        run.log({"x": 1.0}, step=2**63)
    run.finish()
    assert [warning.filename for warning in (*no_number, *no_step)] == [__file__, __file__]
