"""Log training runs, upload TensorBoard event files as they grow, and read every point back.

import plotline

run = plotline.init("baseline", config={"lr": 1e-3})
run.log({"train/loss": 0.5})
run.finish()
"""

from ._version import __version__
from .errors import ApiError, NetworkError, NotSignedIn, PlotlineError, UsageError
from .media import Audio, Histogram, Image, Table, Text
from .reading import Experiment, experiment, experiments
from .run import Run, Watch, finish, init, log, watch

__all__ = [
    "ApiError",
    "Audio",
    "Experiment",
    "Histogram",
    "Image",
    "NetworkError",
    "NotSignedIn",
    "PlotlineError",
    "Run",
    "Table",
    "Text",
    "UsageError",
    "Watch",
    "__version__",
    "experiment",
    "experiments",
    "finish",
    "init",
    "log",
    "watch",
]
