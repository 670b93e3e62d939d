"""Log training runs, upload TensorBoard event files as they grow, and read every point back.

import plotline

run = plotline.init("baseline", config={"lr": 1e-3})
run.log({"train/loss": 0.5})
run.finish()
"""

from ._version import __version__
from .errors import ApiError, NetworkError, NotFound, NotSignedIn, PlotlineError, UsageError
from .media import Audio, Histogram, Image, Table, Text
from .plotting import Chart, Frame, plot
from .reading import Experiment, experiment, experiments
from .run import Run, Watch, finish, init, log, watch
from .values import Blob, Value

__all__ = [
    "ApiError",
    "Audio",
    "Blob",
    "Chart",
    "Experiment",
    "Frame",
    "Histogram",
    "Image",
    "NetworkError",
    "NotFound",
    "NotSignedIn",
    "PlotlineError",
    "Run",
    "Table",
    "Text",
    "UsageError",
    "Value",
    "Watch",
    "__version__",
    "experiment",
    "experiments",
    "finish",
    "init",
    "log",
    "plot",
    "watch",
]
