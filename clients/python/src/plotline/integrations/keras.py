"""A callback for Keras 3, regardless of its backend."""

from __future__ import annotations

from typing import Any

import keras

from ..run import Run


class PlotlineCallback(keras.callbacks.Callback):
    """Logs the metrics of every epoch, and of every ``every_batches``-th batch.

    Args:
        run: from :func:`plotline.init`; the callback does not finish it.
        every_batches: 0 logs epochs only.
    """

    def __init__(self, run: Run, every_batches: int = 0) -> None:
        super().__init__()
        self._run = run
        self._every = every_batches
        self._batches = 0

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self._batches += 1
        if self._every and self._batches % self._every == 0:
            self._run.log({f"batch/{k}": v for k, v in (logs or {}).items()}, step=self._batches)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        values = {
            (f"val/{key[4:]}" if key.startswith("val_") else f"train/{key}"): value
            for key, value in (logs or {}).items()
        }
        self._run.log(values, step=epoch)
        self._run.flush()
