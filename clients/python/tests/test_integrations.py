"""The callbacks log what the real frameworks give them."""

from __future__ import annotations

import os

import numpy as np
import pytest

import plotline
from test_event_writer import values_of

os.environ.setdefault("KERAS_BACKEND", "jax")


def logged(run):
    [path] = run.folder.iterdir()
    found = {}
    for step, _wall, tag, value in values_of(path):
        found.setdefault(tag, []).append((step, float(value)))
    return found


def test_keras_logs_every_epoch_and_the_batches_that_are_asked_for(tmp_path):
    keras = pytest.importorskip("keras")
    pytest.importorskip(os.environ["KERAS_BACKEND"])
    from plotline.integrations.keras import PlotlineCallback

    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x = np.random.default_rng(1).random((80, 3))
    run = plotline.init("keras", logdir=tmp_path, upload=False)
    history = model.fit(
        x,
        x.sum(1),
        epochs=3,
        batch_size=16,
        validation_split=0.2,
        verbose=0,
        callbacks=[PlotlineCallback(run, every_batches=2)],
    ).history
    run.finish()
    found = logged(run)
    assert found["train/loss"] == list(enumerate(history["loss"]))
    assert found["val/mae"] == list(enumerate(history["val_mae"]))
    assert [step for step, _ in found["batch/loss"]] == [2, 4, 6, 8, 10, 12]


def test_transformers_logs_from_the_main_process_only(tmp_path):
    trainer = pytest.importorskip("transformers.trainer_callback")
    TrainerControl, TrainerState = trainer.TrainerControl, trainer.TrainerState

    from plotline.integrations.transformers import PlotlineCallback

    run = plotline.init("hf", logdir=tmp_path, upload=False)
    callback = PlotlineCallback(run)
    for main in (True, False):
        state = TrainerState()
        state.is_world_process_zero = main
        state.global_step = 5 if main else 6
        logs = {"loss": 0.5, "eval_acc": 0.25, "epoch": 1}
        callback.on_log(None, state, TrainerControl(), logs=logs)
    run.finish()
    assert logged(run) == {
        "train/loss": [(5, 0.5)],
        "eval/acc": [(5, 0.25)],
        "train/epoch": [(5, 1.0)],
    }
