"""Watches a log directory and uploads what appears, until stopped."""

from __future__ import annotations

import threading
import time
from typing import Callable

from ..credentials import Credentials
from .scan import FoundFile, Remark, ScanResult, scan
from .sieve import Sieve
from .uploader import Uploader, UploadOptions, open_upload, wait_until_visible

#: Seconds between two looks at the log directory.
SCAN_EVERY = 1.0
#: A file that grows slowly is sent this often: the service commits twice for each range.
SEND_EVERY = 3.0
#: Growth in bytes that is sent at once.
MUCH_BYTES = 64 * 1024
#: A large directory is looked at less often: a look takes at most a tenth of the time.
_rest_per_scan = 10
#: A file is complete when it has not changed for an hour, or for a minute where a later file of its
#: run exists. Should it grow after all, the service opens it again.
_abandoned_after = 3600.0
_followed_after = 60.0


class Watcher:
    """Uploads a log directory while it grows.

    Args:
        options: what to upload, and where to.
        credentials: server and token; looked up by default.
        say: called with lines for people.
        only: uploads only these paths, for a process that shares a run's folder with others.
    """

    def __init__(
        self,
        options: UploadOptions,
        credentials: Credentials | None = None,
        say: Callable[[str], None] = lambda line: None,
        only: Callable[[FoundFile], bool] | None = None,
    ) -> None:
        self._options = options
        self._credentials = credentials
        self._say = say
        self._only = only
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._sent: dict[str, tuple[FoundFile, float]] = {}
        self._still: dict[str, tuple[int, float]] = {}
        self._said: set[str] = set()
        self._sieve = Sieve(say)
        self._uploader: Uploader | None = None
        self._http = None
        #: Set as soon as the experiment is known.
        self.url: str | None = None
        self.experiment: str | None = None
        self.ready = threading.Event()

    @property
    def epoch(self) -> int:
        return self._uploader.epoch if self._uploader else 0

    @property
    def failed(self) -> bool:
        """Whether the service refused files, or they could not be read."""
        return self._uploader is not None and bool(self._uploader.failed)

    def stop(self, *, now: bool = False) -> None:
        """Ends :meth:`run` after one last look; at once with ``now``."""
        self._stop.set()
        self._wake.set()
        if now and self._http is not None:
            self._http.stop()

    def look(self) -> None:
        """Looks at the directory now rather than at the next interval."""
        self._wake.set()

    def run(self) -> None:
        """Uploads until :meth:`stop`.

        Raises:
            PlotlineError: nothing can be uploaded anymore (signed out, experiment deleted).
        """
        options = self._options
        http, _api, uploader, url = open_upload(options, self._credentials, self._say, float("inf"))
        self._http = http  # type: ignore[assignment]
        self._uploader, self.url, self.experiment = uploader, url, uploader.experiment
        self.ready.set()
        waiting = False
        try:
            while True:
                last = self._stop.is_set()
                started = time.monotonic()
                seen = self._scan()
                took = time.monotonic() - started
                if not seen.files and not waiting:
                    waiting = True
                    self._say(f"No event files in {options.logdir} yet; waiting for them.")
                files = self._sieve.sift(seen.files, no_waiting=last).files
                if self._only is not None:
                    files = [file for file in files if self._only(file)]
                self._upload(uploader, files, everything=last)
                if last or http.stopped:
                    return
                self._wake.wait(max(SCAN_EVERY, _rest_per_scan * took))
                if not self._stop.is_set():
                    self._wake.clear()
        finally:
            http.close()

    def wait_until_visible(self) -> None:
        """Returns when everything uploaded so far can be read."""
        if self._http is not None and self.experiment is not None:
            wait_until_visible(self._http, self.experiment, self.epoch, self._say)

    def _scan(self) -> ScanResult:
        options = self._options
        try:
            seen = scan(options.logdir, options.include, options.exclude, options.follow_links)
        except OSError as error:
            # A directory that is gone for a while has no files; it may come back.
            detail = f"cannot be read ({error.strerror})"
            seen = ScanResult(remarks=[Remark(options.logdir, detail, "unreadable")])
        for path, detail, _ in seen.remarks:
            line = f"{path}: {detail}"
            if line not in self._said:
                self._said.add(line)
                self._say(line)
        return seen

    def _upload(self, uploader: Uploader, files: list[FoundFile], everything: bool) -> None:
        now = time.monotonic()
        due, over = [], []
        present = {file.path for file in files}
        for path in [path for path in self._sent if path not in present]:
            del self._sent[path]
            self._still.pop(path, None)
            uploader.forget(path)
        for i, file in enumerate(files):
            sent = self._sent.get(file.path)
            if everything or self._is_due(file, sent, now):
                self._sent[file.path] = (file, now)
                due.append(file)
            later = i + 1 < len(files) and files[i + 1].run == file.run
            if self._is_over(file, later, now):
                over.append(file)
        uploader.run(due, complete=False)
        uploader.run(over, complete=True)

    def _is_due(self, file: FoundFile, sent: tuple[FoundFile, float] | None, now: float) -> bool:
        if sent is None or sent[0].identity != file.identity:
            return True
        if file == sent[0]:
            return False
        growth = file.size - sent[0].size
        return not 0 < growth < MUCH_BYTES or now - sent[1] >= SEND_EVERY - SCAN_EVERY / 2

    def _is_over(self, file: FoundFile, later_file_in_run: bool, now: float) -> bool:
        known = self._still.get(file.path)
        if known is None or known[0] != file.size:
            self._still[file.path] = (file.size, now)
            return False
        return now - known[1] > (_followed_after if later_file_in_run else _abandoned_after)
