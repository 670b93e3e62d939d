"""Uploads what a log directory holds: chooses the experiment, sends every file, waits until the
points are visible."""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable

from .._version import __version__
from ..credentials import Credentials, require_credentials
from ..errors import ApiError, NetworkError, NotSignedIn, PlotlineError
from ..http import Http
from .api import UploadApi
from .file_upload import FileUpload
from .memory import UploadMemory
from .scan import FoundFile, ScanResult, scan
from .sieve import Sieve

#: Without a success for this long, in seconds, a one-shot upload ends.
ONE_SHOT_GIVE_UP_AFTER = 300.0
#: A one-shot upload waits this long, in seconds, for files with temporary names to be renamed.
_most_wait = 120.0
_look_every = 1.0
#: Maximum number of skipped names to list when no event file was found.
_most_remarks = 20
#: Without any byte becoming visible for this long, in seconds, the service counts as stuck.
_stuck_after = 600.0


@dataclass(frozen=True)
class UploadOptions:
    """The source and the target of an upload.

    ``experiment`` names an existing experiment by id; without it, the one that this directory was
    uploaded to before, or a new one. ``compress``: ``auto`` (unless the service is on this
    machine), ``gzip`` or ``none``.
    """

    logdir: str
    name: str | None = None
    description: str | None = None
    experiment: str | None = None
    new: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    connections: int = 4
    wait: bool = True
    compress: str = "auto"
    follow_links: bool = False


@dataclass
class UploadResult:
    """How an upload ended. Counts are of the whole experiment's runs that were uploaded here, and
    None if the caller did not wait until they were visible."""

    experiment_id: str
    url: str
    runs: int = 0
    files: int = 0
    bytes: int = 0
    uploaded_bytes: int = 0
    points: int | None = None
    superseded: int | None = None
    tensors: int | None = None
    blobs: int | None = None
    stored_runs: int | None = None
    damaged: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    visible_seconds: float | None = None
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Every file was accepted and everything in them could be stored."""
        bad = ("quarantined", "stored-bytes-lost", "reading-fails")
        return not self.failed and not any(item["reason"] in bad for item in self.damaged)


def choose_experiment(
    http: Http, memory: UploadMemory, options: UploadOptions, say: Callable[[str], None]
) -> tuple[str, str]:
    """The experiment's id and URL. A creation is noted before it is requested and repeated with the
    same Idempotency-Key, so neither a lost response nor a crash creates two."""
    texts = {
        key: value
        for key, value in (("name", options.name), ("description", options.description))
        if value is not None
    }

    def existing(experiment: str) -> tuple[str, str]:
        path = f"/experiments/{experiment}"
        found = http.get(path, f"Experiment {experiment}")
        if any(found.get(key) != value for key, value in texts.items()):
            changed = http.json("PATCH", path, f"Experiment {experiment}", texts)
            found = {**found, **changed}
        return str(found["id"]), str(found["url"])

    with memory.exclusive():
        if options.experiment is not None:
            target = existing(options.experiment)
            memory.remember(target[0])
            return target
        known = None if options.new else memory.recall()
        if known is not None and known[0] == "id":
            try:
                return existing(known[1])
            except ApiError as error:
                if error.status != 404:
                    raise
                say(
                    f"The experiment {known[1]} that this directory was uploaded to is gone: "
                    "starting a new one."
                )
        begun = known[1] if known is not None and known[0] == "key" else None

        def create(key: str) -> dict[str, Any]:
            headers = {"idempotency-key": key}
            what = "Creating an experiment"
            return http.json("POST", "/experiments", what, texts, headers=headers)

        try:
            made = create(begun or memory.begin_creating())
        except ApiError as error:
            if begun is None or error.code != "idempotency-key-reused":
                raise
            made = create(memory.begin_creating())
        memory.remember(str(made["id"]))
        return str(made["id"]), str(made["url"])


class Uploader:
    """Brings files to one experiment over several connections. Files that nothing changed cost
    nothing; a file that the service rejects does not keep the others back."""

    def __init__(
        self,
        api: UploadApi,
        experiment: str,
        connections: int = 4,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._api = api
        self.experiment = experiment
        self._connections = max(1, connections)
        self._say = say
        self._uploads: dict[str, FileUpload] = {}
        self._settled: dict[str, tuple[FoundFile, bool]] = {}
        self.failed: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def epoch(self) -> int:
        """Everything acknowledged so far is visible once the frontier is here."""
        return max((upload.epoch for upload in self._uploads.values()), default=0)

    @property
    def uploaded_bytes(self) -> int:
        return sum(upload.uploaded for upload in self._uploads.values())

    def run(self, files: Sequence[FoundFile], *, complete: bool) -> None:
        """Uploads what is new in these files.

        Raises:
            NotSignedIn, PlotlineError: nothing can be uploaded anymore.
        """
        todo = [
            file
            for file in files
            if self._settled.get(file.path) not in ((file, True), (file, complete))
            and (not file.is_log or self._api.stores_logs)
        ]
        if not todo:
            return
        _for_each(todo, lambda file: self._one(file, complete), self._connections)

    @property
    def stopped(self) -> bool:
        return self._api.http.stopped

    def forget(self, path: str) -> None:
        """The file is gone: what was uploaded of it stays."""
        self._uploads.pop(path, None)
        self._settled.pop(path, None)

    def _one(self, file: FoundFile, complete: bool) -> None:
        if self._api.http.stopped:
            return
        with self._lock:
            upload = self._uploads.get(file.path)
            if upload is None:
                upload = FileUpload(self._api, self.experiment, self._say)
                self._uploads[file.path] = upload
        try:
            upload.run(file, complete=complete)
        except (NetworkError, NotSignedIn):
            raise
        except ApiError as error:
            if error.status in (401, 403) and error.code != "quota-exceeded":
                raise NotSignedIn(str(error)) from error
            if error.code in ("experiment-not-found", "not-found"):
                raise PlotlineError(
                    "The experiment was deleted while it was uploaded to. Upload again to start a "
                    "new one."
                ) from error
            self._refused(file, error.code, str(error))
        except FileNotFoundError:
            self._refused(file, "not-found", f"{file.label} was deleted before it was uploaded")
        except (OSError, PlotlineError) as error:
            self._refused(file, getattr(error, "code", "unreadable"), f"{file.label}: {error}")
        else:
            self._settled[file.path] = (file, complete)
            self.failed.pop(file.label, None)

    def _refused(self, file: FoundFile, code: str, line: str) -> None:
        self.failed[file.label] = code
        # Tried again when it changes.
        self._settled[file.path] = (file, True)
        self._say(line)


def _for_each(files: Sequence[FoundFile], work: Callable[[FoundFile], None], threads: int) -> None:
    """Calls ``work`` for each file, in the calling thread and up to ``threads`` - 1 others. While
    the interpreter ends it starts no threads and takes no work for executors; the calling thread
    then does all of it.

    Raises:
        The first error; what has not begun by then is left.
    """
    waiting = deque(files)
    errors: list[BaseException] = []

    def drain() -> None:
        while not errors:
            try:
                file = waiting.popleft()
            except IndexError:
                return
            try:
                work(file)
            except BaseException as error:
                errors.append(error)

    helpers = []
    for _ in range(min(threads, len(files)) - 1):
        helper = threading.Thread(target=drain, name="plotline-upload-file", daemon=True)
        try:
            helper.start()
        except RuntimeError:
            break
        helpers.append(helper)
    drain()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]


class _Pauses:
    """Says once that the service does not answer, and once that it does again."""

    def __init__(self, origin: str, say: Callable[[str], None]) -> None:
        self._origin = origin
        self._say = say
        self._trouble = False
        self._asked_to_wait = False

    def paused(self, error: Exception, failures: int) -> None:
        if isinstance(error, ApiError) and error.status == 429:
            if not self._asked_to_wait:
                self._asked_to_wait = True
                self._say(
                    f"{self._origin} is busy and asks to wait. Nothing is lost; the upload "
                    "continues by itself."
                )
        elif failures >= 3 and not self._trouble:  # one broken connection is not worth a line
            self._trouble = True
            self._say(f"{error}; retrying …")

    def succeeded(self) -> None:
        if self._trouble:
            self._trouble = False
            self._say(f"{self._origin} is available again.")


def open_upload(
    options: UploadOptions,
    credentials: Credentials | None,
    say: Callable[[str], None],
    give_up_after: float,
) -> tuple[Http, UploadApi, Uploader, str]:
    """Connects, chooses the experiment and returns the parts and the experiment's URL."""
    chosen = credentials or require_credentials()
    pauses = _Pauses(chosen.origin, say)
    http = Http(
        chosen,
        give_up_after=give_up_after,
        connections=options.connections,
        on_pause=pauses.paused,
        on_success=pauses.succeeded,
    )
    api = UploadApi(http, options.compress)
    remark = api.check_server(__version__)
    if remark:
        say(remark)
    memory = UploadMemory(http.origin, options.logdir, say)
    experiment, url = choose_experiment(http, memory, options, say)
    return http, api, Uploader(api, experiment, options.connections, say), url


def upload(
    options: UploadOptions,
    credentials: Credentials | None = None,
    say: Callable[[str], None] = lambda line: None,
    found: ScanResult | None = None,
) -> UploadResult:
    """Uploads what is there now and completes it (``plotline upload --one-shot``).

    Raises:
        PlotlineError: nothing was found, or the upload failed.
    """
    started = time.monotonic()
    seen = found or scan(options.logdir, options.include, options.exclude, options.follow_links)
    if not seen.files:
        raise nothing_found(options.logdir, seen)
    for path, detail, _ in seen.remarks:
        say(f"{path}: {detail}")
    http, _api, uploader, url = open_upload(options, credentials, say, ONE_SHOT_GIVE_UP_AFTER)
    try:
        files = _upload_all(uploader, options, seen, say)
        result = UploadResult(
            uploader.experiment,
            url,
            runs=len({file.run for file in files}),
            files=len(files),
            bytes=sum(file.size for file in files),
            uploaded_bytes=uploader.uploaded_bytes,
            failed=[{"file": k, "reason": v} for k, v in uploader.failed.items()],
        )
        if options.wait:
            acknowledged = time.monotonic()
            wait_until_visible(http, uploader.experiment, uploader.epoch, say)
            result.visible_seconds = round(time.monotonic() - acknowledged, 3)
            count_stored(http, uploader.experiment, {file.run for file in files}, result)
        result.seconds = round(time.monotonic() - started, 3)
        return result
    finally:
        http.close()


def nothing_found(logdir: str, seen: ScanResult) -> PlotlineError:
    """The error for a folder without event files, with what was left out and why."""
    below = seen.folders - 1
    deeper = f" and {below} folder{'' if below == 1 else 's'} below it" if below > 0 else ""
    lines = [f"\n  {path}: {detail}" for path, detail, _ in seen.remarks[:_most_remarks]]
    if len(seen.remarks) > _most_remarks:
        lines.append(f"\n  … and {len(seen.remarks) - _most_remarks} more")
    error = PlotlineError(
        f'No event files: looked in {logdir}{deeper} for files with "tfevents" in their '
        f"name.{''.join(lines)}"
    )
    error.code = "no-event-files"
    return error


def _upload_all(
    uploader: Uploader, options: UploadOptions, seen: ScanResult, say: Callable[[str], None]
) -> list[FoundFile]:
    """Uploads and completes what a scan found; waits for files with temporary names until they are
    renamed or still. Returns what was uploaded."""
    sieve = Sieve(say)
    until = time.monotonic() + _most_wait
    files = seen.files
    while True:
        sifted = sieve.sift(files, no_waiting=time.monotonic() >= until)
        uploader.run(sifted.files, complete=True)
        if not sifted.waiting or uploader.stopped:
            return sifted.files
        time.sleep(_look_every)
        files = scan(options.logdir, options.include, options.exclude, options.follow_links).files


def wait_until_visible(
    http: Http, experiment: str, epoch: int, say: Callable[[str], None] = lambda line: None
) -> None:
    """Returns when everything acknowledged up to ``epoch`` can be read."""
    path = f"/experiments/{experiment}/frontier"
    visible, moved = -1, time.monotonic()
    while True:
        try:
            http.get(f"{path}?wait_for={epoch}&timeout=30", "Waiting until everything is visible")
            return
        except ApiError as error:
            if error.code != "not-visible-yet":
                raise
        frontier = http.get(path, "Reading the frontier")
        if frontier["visible_bytes"] != visible:
            visible, moved = frontier["visible_bytes"], time.monotonic()
        if time.monotonic() - moved > _stuck_after:
            raise PlotlineError(
                "Everything is uploaded and durable, but the service has made no more points "
                "visible for ten minutes."
            )
        say(
            f"Uploaded; the service still has {frontier['acknowledged_bytes'] - visible} bytes "
            "to read."
        )


def count_stored(http: Http, experiment: str, runs: set[str], result: UploadResult) -> None:
    """Fills in what the service holds of these runs, from the receipt."""
    receipt = http.get(f"/experiments/{experiment}/receipt", "Reading the receipt")
    listed = http.pages(f"/experiments/{experiment}/runs", "runs", "Listing runs")
    result.stored_runs = sum(run["run"] in runs for run in listed)
    points = {"scalar": 0, "tensor": 0, "blob_sequence": 0}
    superseded = 0
    for series in receipt.get("series") or []:
        if series["run"] in runs:
            replaced = int(series.get("superseded_points") or 0)
            points[series["data_class"]] += int(series["points"]) + replaced
            superseded += replaced
    result.points = points["scalar"]
    result.superseded = superseded
    result.tensors = points["tensor"]
    result.blobs = points["blob_sequence"]
    result.damaged = [
        {
            "file": p["file"] if p["run"] == "." else f"{p['run']}/{p['file']}",
            "offset": p["offset"],
            "reason": p["reason"],
        }
        for p in receipt.get("problems") or []
        if p["run"] in runs
    ]


def new_key() -> str:
    """An Idempotency-Key."""
    return str(uuid.uuid4())
