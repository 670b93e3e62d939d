"""Odd values never end a training, and none is changed silently."""

from __future__ import annotations

import struct
import warnings

import pytest

import plotline
from plotline.hparams import flatten, session_start


@pytest.fixture
def run(tmp_path):
    with plotline.init("a", logdir=tmp_path, upload=False) as started:
        yield started


def written(run):
    run.flush()
    return run._writer.path.read_bytes()


def test_integers_of_a_configuration_stay_exact():
    values = {"exact": 2**53, "seed": 2**60 + 1, "low": -(2**53) - 1, "huge": 10**400}
    values |= {"longest": 10**5000, "list": [10**5000], "yes": True, "float": 1e300}
    flat = flatten(values)
    assert flat["exact"] == 2**53
    assert (flat["seed"], flat["low"]) == (str(2**60 + 1), str(-(2**53) - 1))
    assert flat["huge"] == str(10**400)
    assert int(flat["longest"], 0) == 10**5000
    assert flat["yes"] is True
    assert flat["float"] == 1e300
    body = session_start(values, 0.0)
    assert str(2**60 + 1).encode() in body
    assert struct.pack("<d", 2.0**53) in body


def test_odd_configurations_start_a_run(tmp_path):
    class Odd:
        def __str__(self):
            raise RuntimeError("no text")

    config = {"bad\ud800": 1, "good": 2, "odd": Odd(), "text": "x\ud800"}
    with pytest.warns(RuntimeWarning, match="not UTF-8"):
        run = plotline.init("a", logdir=tmp_path, upload=False, config=config, group="g\ud800")
    assert b"good" in written(run)
    assert b"<Odd>" in written(run)
    run.finish()
    loop: dict = {}
    loop["again"] = loop
    with pytest.raises(plotline.UsageError, match="contain itself"):
        plotline.init("b", logdir=tmp_path, upload=False, config=loop)


def test_one_odd_value_leaves_the_others(run):
    with pytest.warns(RuntimeWarning, match="not UTF-8"):
        run.log({"good": 0.1, "bad\ud800": 2.0})
    with pytest.warns(RuntimeWarning, match="large"):
        run.log({"second": 0.1, "big": 10**400})
    # The kind of value is written with its first point, also after a failed attempt.
    assert written(run).count(b"scalars") == 2
    assert struct.pack("<d", 0.1) in written(run)
    with pytest.warns(RuntimeWarning, match="given twice"):
        run.log({"a/b": 1, "a": {"b": 2}})
    loop: dict = {}
    loop["again"] = loop
    with pytest.warns(RuntimeWarning, match="contains itself"):
        run.log(loop)


@pytest.mark.parametrize("step", [2.5, float("nan"), float("inf"), 2**63, -(2**63) - 1])
def test_values_at_a_step_that_is_no_int64_are_left_out_with_a_warning(run, step):
    with pytest.warns(RuntimeWarning, match="left out"):
        run.log({"unseen": 1.0}, step=step)
    assert b"unseen" not in written(run)
    assert run.step == -1


def test_whole_numbers_of_any_type_are_steps(run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.log({"x": 1.0}, step=7.0)
    assert run.step == 7


def test_wrong_arguments_say_what_to_pass(run, tmp_path):
    for step in ("7", [7], {}):
        with pytest.raises(TypeError, match="step is a whole number, such as 7"):
            run.log({"x": 1.0}, step=step)
    for values in (None, 5, [("x", 1.0)]):
        with pytest.raises(TypeError, match="log takes names and values"):
            run.log(values)
    for wrong in (5, b"name", ["name"]):
        with pytest.raises(TypeError, match="is a text"):
            plotline.init(wrong, logdir=tmp_path, upload=False)
    for wrong in ({"name": "x\ud800"}, {"experiment": "x\ud800"}):
        with pytest.raises(ValueError, match="not UTF-8"):
            plotline.init(logdir=tmp_path, upload=False, **wrong)
