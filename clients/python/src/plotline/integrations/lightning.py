"""A logger for Lightning (``lightning`` or ``pytorch_lightning``)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

try:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ImportError:
    from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

from ..errors import UsageError
from ..run import Run, init


class PlotlineLogger(Logger):
    """Logs what a ``LightningModule`` logs, from the process of rank 0.

    ``Trainer(logger=PlotlineLogger("baseline"))``. The module's hyperparameters become the run's
    configuration.

    Args:
        run: a name for a new run, or a run from :func:`plotline.init`, which is not finished here.
        options: as for :func:`plotline.init`, for a new run.
    """

    def __init__(self, run: Run | str | None = None, **options: Any) -> None:
        super().__init__()
        self._given = run if isinstance(run, Run) else None
        self._name = run if isinstance(run, str) else None
        self._options = options
        self._run: Run | None = self._given

    @property
    @rank_zero_experiment
    def experiment(self) -> Run:
        """The run, started at its first use; for values such as :class:`plotline.Image`."""
        if self._run is None:
            self._run = init(self._name, **self._options)
        return self._run

    @property
    def name(self) -> str | None:
        return self._run.name if self._run is not None else self._name

    @property
    def version(self) -> str:
        return ""

    @property
    def save_dir(self) -> str | None:
        """Checkpoints go beside the run's event files."""
        return str(self._run.folder.parent) if self._run is not None else None

    @rank_zero_only
    def log_hyperparams(self, params: Any, *_args: Any, **_options: Any) -> None:
        if params is None:
            return
        if not isinstance(params, Mapping):
            params = vars(params)
        if params:
            try:
                self.experiment.configure(params)
            except UsageError as error:  # too large: not a reason to end the training run
                warnings.warn(f"plotline: {error}", RuntimeWarning, stacklevel=2)

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        self.experiment.log(metrics, step=step)

    @rank_zero_only
    def save(self) -> None:
        if self._run is not None:
            self._run.flush()

    @rank_zero_only
    def finalize(self, status: str) -> None:
        if self._run is None:
            return
        if self._given is not None:
            self._run.flush()
        elif status == "success":
            self._run.finish()
        else:
            self._run.finish("failure")
