"""Times `plotline.experiment(ID).scalars()`; prints a JSON document. Argument: the experiment."""

import json
import sys
import time

import pandas  # noqa: F401 - the time of the import is not the client's
import plotline
import pyarrow  # noqa: F401

experiment = plotline.experiment(sys.argv[1])
started = time.perf_counter()
frame = experiment.scalars()
print(json.dumps({"points": len(frame), "seconds": time.perf_counter() - started}))
