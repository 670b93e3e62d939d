"""Records what a run is and how loaded its machine is, in an event file of its own."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import facts
from .event_writer import EventWriter
from .media import Text
from .system import System

#: Seconds between two readings of the machine's load.
RECORD_EVERY = 10.0
#: Seconds that :meth:`Recorder.stop` waits for facts that are still being collected.
_stop_seconds = 10.0
_time_of_file = re.compile(r"^events\.out\.tfevents\.(\d{1,12})\.")


class Recorder:
    """Writes the facts of a run once and the machine's load every :data:`RECORD_EVERY` seconds,
    from a thread of its own. No error there reaches the training script.

    The step of a point is the number of seconds since the run's first event file, so a run that is
    resumed continues.

    Args:
        folder: the run's folder.
        git_diff: also record the uncommitted changes.
        given: what the caller says about the run: ``display_name``, ``job_type``, ``labels``.

    Attributes:
        path: the event file.
    """

    def __init__(
        self, folder: Path, *, git_diff: bool = False, given: Mapping[str, Any] | None = None
    ) -> None:
        self._folder = folder
        self._given = dict(given or {})
        self._git_diff = git_diff
        self._started = _start_of_run(folder)
        self._writer = EventWriter(folder, ".system")
        self.path = self._writer.path
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="plotline-system", daemon=True)
        self._thread.start()

    def flush(self) -> None:
        """Hands everything recorded so far to the operating system."""
        self._writer.flush()

    def stop(self, status: str = "success") -> None:
        """Records the load once more and the outcome, and closes the file."""
        self._stop.set()
        self._thread.join(_stop_seconds)
        self._writer.message(facts.record({"status": status}))
        self._writer.close()

    def _run(self) -> None:
        with contextlib.suppress(Exception):
            system = System(self._folder)
            with contextlib.suppress(Exception):
                self._write_facts(system)
            while not self._stop.wait(RECORD_EVERY):
                self._write_load(system)
            self._write_load(system)

    def _write_facts(self, system: System) -> None:
        shown = facts.shown_facts(system.accelerators)
        self._text(facts.FACTS_TAG, facts.as_table(shown))
        found = {**facts.private_facts(), **self._given}
        alive = {"heartbeat_seconds": RECORD_EVERY, "status": "running"}
        self._writer.message(facts.record({**found, **alive}))
        self._writer.flush()
        self._text(facts.PACKAGES_TAG, facts.as_code(facts.packages()))
        if self._git_diff:
            diff = facts.git_diff()
            if diff:
                self._text(facts.DIFF_TAG, facts.as_code(diff, "diff"))
        self._writer.flush()

    def _write_load(self, system: System) -> None:
        values = system.read()
        if values:
            self._writer.scalars(values, self._step())
            self._writer.flush()

    def _text(self, tag: str, text: str) -> None:
        self._writer.value(tag, Text(text).summary_value(), self._step())

    def _step(self) -> int:
        return max(0, int(time.time() - self._started))


def _start_of_run(folder: Path) -> float:
    """Seconds since the epoch; from the names of the run's event files."""
    times = [time.time()]
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            match = _time_of_file.match(name)
            if match:
                times.append(float(match[1]))
    return min(times)
