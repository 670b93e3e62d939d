"""A callback for the Trainer of Hugging Face Transformers."""

from __future__ import annotations

import os
import warnings
from typing import Any

from transformers import TrainerCallback

from ..errors import UsageError
from ..run import Run, init


class PlotlineCallback(TrainerCallback):
    """Logs what the Trainer logs, from the main process.

    Args:
        run: from :func:`plotline.init`; without one, a run is started with the training arguments
            as its configuration, and finished with it.
    """

    def __init__(self, run: Run | None = None) -> None:
        self._run = run
        self._own = run is None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._run is None and state.is_world_process_zero:
            # Some versions give the output folder as the name.
            name = os.path.basename(os.path.normpath(getattr(args, "run_name", None) or ""))
            self._run = init(name if name not in ("", ".", "..") else None)
            try:
                self._run.configure(args.to_dict())
            except UsageError as error:  # too large: not a reason to end the training run
                warnings.warn(f"plotline: {error}", RuntimeWarning, stacklevel=2)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any
    ) -> None:
        if self._run is None or not state.is_world_process_zero:
            return
        values = {
            (f"eval/{key[5:]}" if key.startswith("eval_") else f"train/{key}"): value
            for key, value in (logs or {}).items()
            if isinstance(value, (int, float))
        }
        self._run.log(values, step=state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._run is not None and self._own:
            self._run.finish()
            self._run = None
