"""The callbacks log what the real frameworks pass to them."""

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


def test_keras_logs_every_epoch_and_the_requested_batches(tmp_path):
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


def test_the_trainer_of_transformers_calls_the_callback(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from plotline.integrations.transformers import PlotlineCallback

    class Line(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, x, labels):
            return {"loss": ((self.weight * x - labels) ** 2).mean()}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLOTLINE_MODE", "offline")
    trainer = transformers.Trainer(
        Line(),
        transformers.TrainingArguments(
            str(tmp_path / "out"), max_steps=4, logging_steps=2, report_to=[], run_name="line"
        ),
        train_dataset=[{"x": float(i), "labels": 2.0 * i} for i in range(32)],
        callbacks=[PlotlineCallback()],
    )
    trainer.train()
    [path] = (tmp_path / "runs/line").iterdir()
    found = values_of(path)
    losses = [(step, float(value)) for step, _, tag, value in found if tag == "train/loss"]
    logged_by_trainer = [
        (entry["step"], entry["loss"]) for entry in trainer.state.log_history if "loss" in entry
    ]
    assert losses == logged_by_trainer
    assert any(tag == "_hparams_/session_start_info" for _, _, tag, _ in found)


def test_lightning_logs_metrics_and_hyperparameters(tmp_path):
    torch = pytest.importorskip("torch")
    try:
        import lightning.pytorch as pl
    except ImportError:
        pl = pytest.importorskip("pytorch_lightning")
    from plotline.integrations.lightning import PlotlineLogger

    class Line(pl.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(1, 1)
            self.losses = []

        def training_step(self, batch, _index):
            loss = (self.layer(batch[0]) ** 2).mean()
            self.losses.append(float(loss))
            self.log("train/loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), self.hparams.lr)

    data = torch.utils.data.TensorDataset(torch.arange(8.0)[:, None])
    logger = PlotlineLogger("line", logdir=tmp_path, upload=False)
    model = Line(lr=0.001)
    trainer = pl.Trainer(
        max_epochs=1,
        logger=logger,
        log_every_n_steps=1,
        accelerator="cpu",
        enable_checkpointing=False,
        enable_progress_bar=False,
        default_root_dir=tmp_path,
    )
    trainer.fit(model, torch.utils.data.DataLoader(data))
    [path] = (tmp_path / "line").iterdir()
    found = values_of(path)
    losses = [float(value) for _, _, tag, value in found if tag == "train/loss"]
    assert losses == model.losses
    assert any(tag == "_hparams_/session_start_info" for _, _, tag, _ in found)
    assert any(tag == "_hparams_/session_end_info" for _, _, tag, _ in found)
