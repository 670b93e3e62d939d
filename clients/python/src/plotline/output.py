"""Captures standard output and error of a run as a log, a text file in the run's folder.

``sys.stdout`` and ``sys.stderr`` still write where they did; what they write is copied to memory,
and a thread writes it to the file, secrets redacted. A write never waits for the disk, and nothing
that goes wrong here reaches the training script. Output of subprocesses and of libraries that
bypass Python is not captured.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, BinaryIO, Callable

from .event_writer import host_of_files
from .redact import redact_line

#: Seconds between two writes of the file.
WRITE_EVERY = 1.0
#: A line that a progress bar draws again and again is written this often, in seconds.
PROGRESS_EVERY = 10.0
#: Captured characters that wait for the thread; more are dropped, and the log says so.
MAX_WAITING = 8 * 1024 * 1024
#: A longer line is written in parts.
MAX_LINE = 16 * 1024
#: The log ends here.
MAX_BYTES = 256 * 1024 * 1024

_private_key = re.compile(r"-----(BEGIN|END) [A-Z ]*PRIVATE KEY-----")
_lock_of_names = threading.Lock()
_files_made = 0


def is_log_name(name: str) -> bool:
    """Whether a file is a log of a run; other files are not uploaded as such."""
    return name.endswith(".plotline.log") and "tfevents" not in name


class LineFilter:
    """Turns captured text into lines for the log.

    Of a line that is drawn again after a carriage return, as progress bars do, the last state
    counts, and every :data:`PROGRESS_EVERY` seconds the present one. Whole lines are redacted, so
    that no secret is cut in two.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open = ""
        self._progress_at = now()
        self._in_key = False

    def take(self, text: str) -> str:
        """The lines that ``text`` completes, each with its line feed."""
        out: list[str] = []
        lines = (self._open + text).split("\n")
        self._open = lines.pop()
        for line in lines:
            self._write(line, out)
        drawn = self._open.rstrip("\r")
        if "\r" in self._open:
            state = drawn[drawn.rfind("\r") + 1 :]
            if self._now() - self._progress_at >= PROGRESS_EVERY and state:
                self._progress_at = self._now()
                self._write(state, out)
            self._open = state + "\r"
        while len(self._open) > MAX_LINE:
            self._write(self._open[:MAX_LINE], out)
            self._open = self._open[MAX_LINE:]
        return "".join(out)

    def end(self) -> str:
        """The unfinished last line."""
        out: list[str] = []
        if self._open.rstrip("\r"):
            self._write(self._open, out)
        self._open = ""
        return "".join(out)

    def _write(self, line: str, out: list[str]) -> None:
        line = line.rstrip("\r")
        line = line[line.rfind("\r") + 1 :]
        marks = _private_key.findall(line)
        was_in_key, self._in_key = self._in_key, marks[-1] == "BEGIN" if marks else self._in_key
        if was_in_key:
            # The lines of a key are hidden one by one; its first line says so.
            if not marks:
                return
            line = line[line.rfind("-----") + 5 :]
            if not line:
                return
        for at in range(0, max(1, len(line)), MAX_LINE):
            out.append(redact_line(line[at : at + MAX_LINE]) + "\n")


class Output:
    """Captures what this process prints, from :meth:`start` to :meth:`stop`.

    Args:
        folder: the run's folder.
        on_file: called with the path of each log as soon as there is one.
    """

    def __init__(self, folder: Path, on_file: Callable[[str], None]) -> None:
        self._folder = folder
        self._on_file = on_file
        self._streams: list[tuple[Any, Callable[[str], Any], Callable[[str], Any]]] = []
        self._reset()

    def start(self) -> None:
        """Begins to capture."""
        streams: list[Any] = [sys.stdout, sys.stderr]
        for stream in {id(stream): stream for stream in streams}.values():
            with contextlib.suppress(Exception):
                self._wrap(stream)

    def stop(self, error: BaseException | None = None) -> None:
        """Ends the capture; ``error``, which ends the run, is the last thing in the log."""
        for stream, own, former in self._streams:
            with contextlib.suppress(Exception):
                if stream.__dict__.get("write") is own:
                    if getattr(former, "__self__", None) is stream:
                        del stream.__dict__["write"]
                    else:
                        stream.__dict__["write"] = former
        self._streams = []
        self._stopped = True
        if self._pid != os.getpid():
            return
        with contextlib.suppress(Exception):
            if error is not None and not isinstance(error, (SystemExit, GeneratorExit)):
                lines = traceback.format_exception(type(error), error, error.__traceback__)
                self._keep("".join(lines))
            self._write_out(last=True)
        with contextlib.suppress(Exception):
            if self._file:
                self._file.close()

    def report_to(self, on_file: Callable[[str], None]) -> None:
        """Calls ``on_file`` from now on, also for the present log of this process."""
        self._on_file = on_file
        if self._pid == os.getpid() and self._path is not None:
            on_file(self._path)

    def flush(self) -> None:
        """Writes whole lines that were captured so far."""
        if self._pid == os.getpid():
            with contextlib.suppress(Exception):
                self._write_out()

    def _reset(self) -> None:
        self._pid = os.getpid()
        # Signal handlers and destructors may print while their thread holds the lock.
        self._lock = threading.RLock()
        self._writing = threading.Lock()
        self._waiting: list[str] = []
        self._characters = 0
        self._dropped = 0
        self._filter = LineFilter()
        self._file: BinaryIO | None = None
        self._path: str | None = None
        self._bytes = 0
        self._full = False
        self._stopped = False
        self._thread_started = False

    def _wrap(self, stream: Any) -> None:
        former = stream.write

        def write(text: str) -> Any:
            written = former(text)
            with contextlib.suppress(Exception):
                self._capture(text)
            return written

        stream.write = write
        self._streams.append((stream, write, former))

    def _capture(self, text: str) -> None:
        if self._stopped or not isinstance(text, str):
            return
        if self._pid != os.getpid():
            # A forked process writes a log of its own.
            self._reset()
        self._keep(text)

    def _keep(self, text: str) -> None:
        with self._lock:
            if self._characters + len(text) > MAX_WAITING:
                self._dropped += len(text)
                return
            self._waiting.append(text)
            self._characters += len(text)
            if not self._thread_started:
                self._thread_started = True
                thread = threading.Thread(target=self._run, name="plotline-output", daemon=True)
                thread.start()

    def _run(self) -> None:
        pid = self._pid
        while not self._stopped and os.getpid() == pid:
            time.sleep(WRITE_EVERY)
            with contextlib.suppress(Exception):
                self._write_out()

    def _write_out(self, *, last: bool = False) -> None:
        with self._writing:
            with self._lock:
                text = "".join(self._waiting)
                dropped, self._dropped = self._dropped, 0
                self._waiting.clear()
                self._characters = 0
            lines = self._filter.take(text)
            if dropped:
                lines += (
                    f"[plotline: {dropped} characters were printed too fast and are left out]\n"
                )
            if last:
                lines += self._filter.end()
            if lines and not self._full:
                self._append(lines.encode("utf-8", "replace"))

    def _append(self, data: bytes) -> None:
        if self._file is None:
            path, self._file = _create(self._folder)
            self._path = str(path)
            self._on_file(self._path)
        if self._bytes + len(data) > MAX_BYTES:
            self._full = True
            data = f"[plotline: the log ends here, at {MAX_BYTES} bytes]\n".encode()
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except OSError:
            self._full = True
        self._bytes += len(data)


def _create(folder: Path) -> tuple[Path, BinaryIO]:
    """Makes a log that no other process has; its name contains the time, the host, the process and,
    of several ranks, the rank."""
    global _files_made
    folder.mkdir(parents=True, exist_ok=True)
    rank = os.environ.get("RANK") or os.environ.get("SLURM_PROCID") or ""
    suffix = f".rank{rank}" if re.fullmatch(r"\d{1,9}", rank) else ""
    while True:
        with _lock_of_names:
            number = _files_made
            _files_made += 1
        head = f"output.{int(time.time()):010d}.{host_of_files()}.{os.getpid()}.{number}"
        name = f"{head}{suffix}.plotline.log"
        try:
            return folder / name, open(folder / name, "xb", buffering=0)
        except FileExistsError:
            continue
