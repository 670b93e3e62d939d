"""A run that a training script logs to.

``log`` appends to an event file in a local folder; a background thread uploads the file as it
grows. So the network never blocks the training script: without a service, or after a crash,
everything is on disk and the next upload sends the rest.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from . import hparams
from .credentials import Credentials, find_credentials
from .errors import PlotlineError, UsageError
from .event_writer import MAX_STEP, EventWriter, host_of_files, is_utf8
from .facts import record
from .media import Media, Text
from .output import Output
from .recorder import Recorder
from .upload.scan import FoundFile
from .upload.uploader import UploadOptions
from .upload.watcher import Watcher

#: Seconds between two flushes to the operating system.
FLUSH_EVERY = 1.0
#: Files that have not changed for this long, in seconds, are what an earlier process left behind,
#: if it does not show sooner: its process is gone.
_left_behind_after = 60.0
#: As :mod:`plotline.event_writer` and TensorFlow name them: time, host, process.
_file_name = re.compile(r"^(?:events\.out\.tfevents|output)\.\d+\.(?P<host>.+)\.(?P<pid>\d+)\.\d+")
_experiment_id = re.compile(r"^[A-Za-z0-9]{22}$")
_live: weakref.WeakSet[Run] = weakref.WeakSet()
_current: Run | None = None


class Run:
    """One run. Made by :func:`init`; thread-safe, and safe to use in forked processes, each of
    which writes an event file of its own.

    Attributes:
        name: the run's name: its folder below the log directory.
        folder: where its event files are.
    """

    def __init__(
        self,
        name: str,
        logdir: Path,
        *,
        experiment: str | None,
        title: str | None,
        config: Any,
        group: str,
        upload: bool,
        credentials: Credentials | None,
        facts: bool = False,
        git_diff: bool = False,
        given: Mapping[str, Any] | None = None,
        output: bool = False,
    ) -> None:
        self.name = name
        self.folder = logdir / name
        self._logdir = logdir
        self._lock = threading.Lock()
        self._step = -1
        self._finished = False
        self._warned: set[str] = set()
        self._pid = os.getpid()
        self._writer = EventWriter(self.folder)
        self._paths = {str(self._writer.path)}
        self._is_main = True
        self._error: BaseException | None = None
        self._uploader: _Background | None = None
        self._upload = upload
        self._options = UploadOptions(
            logdir=str(logdir), experiment=experiment, name=title, connections=2
        )
        self._credentials = credentials
        self._has_session = False
        if config is not None or group:
            self.configure({} if config is None else config, group)
        self._recorder: Recorder | None = None
        if facts:
            self._recorder = Recorder(self.folder, git_diff=git_diff, given=given)
            self._paths.add(str(self._recorder.path))
        elif given:
            self._writer.message(record(given))
        self._output: Output | None = None
        if output:
            self._output = Output(self.folder, self._paths.add)
            self._output.start()
        _live.add(self)
        self._start()

    @property
    def url(self) -> str | None:
        """The experiment's page, once the service has answered."""
        return self._uploader.watcher.url if self._uploader else None

    @property
    def step(self) -> int:
        """The step that the last :meth:`log` used; -1 before the first."""
        return self._step

    def configure(self, config: Any, group: str = "") -> None:
        """Sets the run's configuration, if :func:`init` was given none. The first one counts.

        Args:
            config: as for :func:`init`.
            group: as for :func:`init`.

        Raises:
            UsageError: it is larger than 64 KiB as JSON, or no configuration.
        """
        if self._pid != os.getpid():
            self._after_fork()
        if self._has_session:
            return
        body = hparams.session_start(config, time.time(), group)
        self._writer.value(hparams.START_TAG, body, 0)
        self._has_session = True

    def log(
        self, values: Mapping[str, Any], step: int | None = None, wall_time: float | None = None
    ) -> None:
        """Logs values at one step.

        Never raises because of the network or the disk, and never waits for either. A value that
        is neither a number nor a :class:`plotline.media.Media` is left out with a warning.

        Args:
            values: name to number, 0-d array or tensor, text, media, or a nested mapping whose keys
                are joined with ``/``.
            step: int64; by default one more than the last. With a number that is not whole or does
                not fit, the values are left out with a warning.
            wall_time: seconds since the epoch; now by default.

        Raises:
            TypeError: ``values`` is no mapping, or ``step`` no number.
        """
        if type(values) is not dict and not isinstance(values, Mapping):
            raise TypeError(
                'log takes names and values, such as {"loss": 0.5}, not ' + type(values).__name__
            )
        if self._finished:
            self._warn("finished", "log was called after finish; the values are left out")
            return
        if self._pid != os.getpid():
            self._after_fork()
        if step is None:
            step = self._step + 1
        else:
            whole = step if type(step) is int else _whole(step)
            if whole is None or not -MAX_STEP - 1 <= whole <= MAX_STEP:
                what = "is not a whole number" if whole is None else "does not fit int64"
                self._warn(f"step {what}", f"step {step!r} {what}; the values are left out")
                return
            step = whole
        self._step = step
        for value in values.values():
            if type(value) is not float and type(value) is not int:
                self._log_slowly(values, step, wall_time)
                return
        try:
            self._writer.scalars(values, step, wall_time)
        except (AttributeError, OverflowError, UnicodeEncodeError):
            self._log_slowly(values, step, wall_time)

    def flush(self) -> None:
        """Hands everything logged so far to the operating system, and wakes the uploader."""
        if self._pid != os.getpid():
            self._after_fork()
        self._writer.flush()
        if self._recorder:
            self._recorder.flush()
        if self._output:
            self._output.flush()
        if self._uploader:
            self._uploader.watcher.look()

    def finish(self, status: str = "success", timeout: float = 60.0) -> None:
        """Ends the run: notes the outcome, and waits until everything is uploaded and visible.

        Args:
            status: ``"success"`` or ``"failure"``.
            timeout: seconds to wait for the upload; what is left then stays on disk.
        """
        if self._pid != os.getpid():
            return
        with self._lock:
            if self._finished:
                return
            self._finished = True
        if self._has_session:
            code = hparams.SUCCESS if status == "success" else hparams.FAILURE
            body = hparams.session_end(code, time.time())
            self._writer.value(hparams.END_TAG, body, 0)
        self._writer.close()
        if self._recorder:
            self._recorder.stop(status)
        if self._output:
            self._output.stop(self._error)
        if self._writer.failed:
            _say(f"Some values of run {self.name} were not written: {self._writer.failed}")
        if self._uploader:
            self._uploader.finish(timeout)
        global _current
        if _current is self:
            _current = None
        _live.discard(self)

    def _repr_html_(self) -> str:
        """A link to the experiment's page, for notebooks."""
        from html import escape

        name, url = escape(self.name), self.url
        link = f'<a href="{escape(url)}" target="_blank" rel="noopener">{name}</a>' if url else name
        return f"<p>Run {link}</p>"

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._error = error
        self.finish("success" if kind is None else "failure")

    def _start(self) -> None:
        self._uploader = None
        flusher = weakref.ref(self)
        threading.Thread(
            target=_flush_forever, args=(flusher,), name="plotline-flush", daemon=True
        ).start()
        if not self._upload:
            return
        credentials: Credentials | None = None
        try:
            credentials = self._credentials or find_credentials()
            reason = f"Not signed in to {credentials.origin}. Run `plotline login`."
        except PlotlineError as error:
            reason = str(error)
        if credentials is None or credentials.token is None:
            _say(
                f"{reason} Logging to {self.folder}; upload it later with "
                f"`plotline upload --logdir {self._logdir}`."
            )
            return
        self._uploader = _Background(self._options, credentials, self._owns)

    def _owns(self, file: FoundFile) -> bool:
        if os.path.abspath(file.path) in self._paths or file.path in self._paths:
            return True
        # Files that a crashed process left; processes that still write files upload them.
        return self._is_main and _left_behind(file)

    def _after_fork(self) -> None:
        """A forked process writes a file of its own, and uploads it with a thread of its own."""
        with self._lock:
            if self._pid == os.getpid():
                return
            self._writer.abandon()
            self._writer = EventWriter(self.folder)
            self._paths = {str(self._writer.path)}
            if self._output:
                self._output.report_to(self._paths.add)
            self._recorder = None
            self._is_main = False
            self._has_session = False
            self._pid = os.getpid()
            self._start()
            # multiprocessing ends its children without atexit, but runs these.
            with contextlib.suppress(ImportError):
                from multiprocessing.util import Finalize

                Finalize(self, _finish, (weakref.ref(self),), exitpriority=100)

    def _log_slowly(self, values: Mapping[str, Any], step: int, wall_time: float | None) -> None:
        numbers: dict[str, float] = {}
        seen: set[str] = set()
        try:
            flat = _flat(values)
        except RecursionError:
            self._warn("recursion", "a mapping that contains itself is left out", calls=2)
            return
        for tag, value in flat:
            if not is_utf8(tag):
                self._warn(tag, f"{tag!r} is left out: its name is not UTF-8", calls=2)
                continue
            if tag in seen:
                self._warn(tag, f"{tag!r} is given twice; the first value counts", calls=2)
                continue
            seen.add(tag)
            try:
                if isinstance(value, str):
                    value = Text(value)
                if isinstance(value, Media):
                    self._writer.value(tag, value.summary_value(), step, wall_time)
                else:
                    numbers[tag] = _number(value)
            except Exception as error:
                self._warn(tag, f"{tag!r} at step {step} is left out: {error}", calls=2)
        if numbers:
            self._writer.scalars(numbers, step, wall_time)

    def _warn(self, key: str, line: str, calls: int = 1) -> None:
        """``calls``: how many of this module's are between the script and this one."""
        if key not in self._warned and len(self._warned) < 1000:
            self._warned.add(key)
            warnings.warn(f"plotline: {line}", RuntimeWarning, stacklevel=2 + calls)


class _Background:
    """The thread that uploads. What goes wrong there is said once, and tried again."""

    def __init__(self, options: UploadOptions, credentials: Credentials, owns: Any) -> None:
        self._said: set[str] = set()
        self.watcher = Watcher(options, credentials, self._say_once, owns)
        self._ended = threading.Event()
        self._stopping = False
        self._cut = False
        self._uploaded = False
        threading.Thread(target=self._run, name="plotline-upload", daemon=True).start()
        threading.Thread(target=self._greet, name="plotline-greet", daemon=True).start()

    def finish(self, timeout: float) -> None:
        self._stopping = True
        self.watcher.stop()
        if not self._ended.wait(timeout):
            self._cut = True
            self.watcher.stop(now=True)
        if not self._uploaded or self.watcher.failed:
            _say(
                "Not everything is uploaded yet. The files stay on disk, and the next run or "
                f"`plotline upload --logdir {self.watcher._options.logdir}` sends the rest."
            )

    def _run(self) -> None:
        while True:
            try:
                self.watcher.run()
                self._uploaded = not self._cut
                if self._uploaded:
                    self.watcher.wait_until_visible()
                break
            except Exception as error:
                self._say_once(f"The upload {'ended' if self._stopping else 'paused'}: {error}")
                if self._stopping:
                    break
                self.watcher._stop.wait(30)
        self._ended.set()

    def _greet(self) -> None:
        self.watcher.ready.wait()
        if self.watcher.url:
            _say(f"View your experiment at: {self.watcher.url}")

    def _say_once(self, line: str) -> None:
        if line not in self._said and len(self._said) < 1000:
            self._said.add(line)
            _say(line)


def init(
    name: str | None = None,
    *,
    logdir: str | os.PathLike[str] = "runs",
    experiment: str | None = None,
    config: Any = None,
    group: str = "",
    display_name: str | None = None,
    job_type: str | None = None,
    labels: Sequence[str] = (),
    upload: bool | None = None,
    facts: bool | None = None,
    git_diff: bool = False,
    output: bool | None = None,
    server: str | None = None,
    token: str | None = None,
) -> Run:
    """Starts a run.

    Args:
        name: the run's name, its folder below ``logdir``; made from the time by default. Processes
            that give the same name (the ranks of one training run) log into one run.
        logdir: where event files are written.
        experiment: the id of an existing experiment, or a name: then the log directory is
            ``logdir/NAME``. By default the one that ``logdir`` was uploaded to, or a new one.
        config: hyperparameters and other facts: a mapping, a dataclass, or an object such as
            ``argparse.Namespace``; nested keys are joined with dots, at most 64 KiB as JSON.
        group: runs with the same group are one group of hyperparameters.
        display_name: another name for people, at most 200 characters. Members can change it.
        job_type: what the run is for, such as ``train`` or ``eval``.
        labels: words to find it by. Members can change them.
        upload: False writes files only, as does ``PLOTLINE_MODE=offline``.
        facts: False records nothing about the process and the machine, as does
            ``PLOTLINE_FACTS=off``: no command line, commit, packages, hardware, and no load of the
            machine every ten seconds. docs/python.md lists all of it.
        git_diff: also records the uncommitted changes, secrets redacted.
        output: False does not record what the process prints, as does ``PLOTLINE_OUTPUT=off``. By
            default as ``facts``.
        server, token: instead of the stored login and the environment.

    Raises:
        UsageError: the name cannot be a folder, the configuration is too large, or ``labels`` is a
            text.
        TypeError: ``name`` or ``experiment`` is no text.
        OSError: the folder cannot be written.
    """
    global _current
    for what, text in (("name", name), ("experiment", experiment)):
        if text is not None and not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"{what} is a text, such as {what}='baseline', not {kind}")
        if text is not None and not is_utf8(text):
            raise UsageError(f"{text!r} cannot be the {what}: it is not UTF-8.")
    run_name = name or f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}"
    if run_name.startswith("/") or "\0" in run_name or ".." in run_name.split("/"):
        raise UsageError(f"{run_name!r} cannot be the name of a run: it is a folder below logdir.")
    folder, experiment_id, title = Path(logdir).absolute(), None, None
    if experiment is not None and _experiment_id.match(experiment):
        experiment_id = experiment
    elif experiment is not None:
        if not experiment.strip() or "/" in experiment or experiment in (".", ".."):
            raise UsageError(f"{experiment!r} cannot be the name of an experiment here.")
        folder, title = folder / experiment, experiment
    if upload is None:
        upload = os.environ.get("PLOTLINE_MODE", "online") != "offline"
    if config is not None:
        hparams.flatten(hparams.as_mapping(config))  # raises before there is a file
    if isinstance(labels, str):
        raise UsageError("labels is a list of texts.")
    if facts is None:
        facts = os.environ.get("PLOTLINE_FACTS", "on") != "off"
    if output is None:
        output = facts and os.environ.get("PLOTLINE_OUTPUT", "on") != "off"
    # One process of a machine records it, not each rank.
    local_rank = os.environ.get("LOCAL_RANK") or os.environ.get("SLURM_LOCALID") or "0"
    given = {"display_name": display_name, "job_type": job_type, "labels": list(labels)}
    given = {name: value for name, value in given.items() if value} if local_rank == "0" else {}
    credentials = find_credentials(server, token) if upload and (server or token) else None
    run = Run(
        run_name,
        folder,
        experiment=experiment_id,
        title=title,
        config=config,
        group=group,
        upload=upload,
        credentials=credentials,
        facts=facts and local_rank == "0",
        git_diff=git_diff,
        given=given,
        output=output,
    )
    _current = run
    return run


def log(values: Mapping[str, Any], step: int | None = None) -> None:
    """As :meth:`Run.log`, for the run that :func:`init` started last."""
    if _current is None:
        raise UsageError("Call plotline.init() before plotline.log().")
    _current.log(values, step)


def finish(status: str = "success") -> None:
    """As :meth:`Run.finish`, for the run that :func:`init` started last."""
    if _current is not None:
        _current.finish(status)


class Watch:
    """A background uploader for a log directory; made by :func:`watch`."""

    def __init__(self, background: _Background) -> None:
        self._background = background

    @property
    def url(self) -> str | None:
        """The experiment's page, once the service has answered."""
        return self._background.watcher.url

    def stop(self, timeout: float = 60.0) -> None:
        """Uploads what is there and ends; what is left after ``timeout`` seconds stays on disk."""
        self._background.finish(timeout)
        _watches.discard(self)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


_watches: set[Watch] = set()


def watch(
    logdir: str | os.PathLike[str] = "runs",
    *,
    experiment: str | None = None,
    name: str | None = None,
    server: str | None = None,
    token: str | None = None,
) -> Watch:
    """Uploads a log directory in the background, whatever writes its event files.

    Ends with the process, after one last look. What a killed process did not upload, the next call
    for the same directory does.

    Args:
        logdir: folder that contains the runs; it may be empty, or not exist yet.
        experiment: id of an existing experiment.
        name: name for the experiment.
        server, token: instead of the stored login and the environment.

    Raises:
        NotSignedIn: no server is known, or no token for it.
    """
    from .credentials import require_credentials

    credentials = require_credentials(server, token)
    options = UploadOptions(os.path.abspath(logdir), name=name, experiment=experiment)
    started = Watch(_Background(options, credentials, None))
    _watches.add(started)
    return started


def _left_behind(file: FoundFile) -> bool:
    """Whether no process writes this file anymore, as far as this machine can tell."""
    if time.time() - file.mtime_ns / 1e9 > _left_behind_after:
        return True
    match = _file_name.match(file.name)
    if match is None or match["host"] != host_of_files() or not hasattr(os, "fork"):
        return False
    try:
        os.kill(int(match["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _flush_forever(reference: weakref.ref[Run]) -> None:
    while True:
        time.sleep(FLUSH_EVERY)
        run = reference()
        if run is None or run._finished or run._pid != os.getpid():
            return
        run._writer.flush()
        del run


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in values.items():
        tag = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat.extend(_flat(value, f"{tag}/"))
        else:
            flat.append((tag, value))
    return flat


def _whole(step: Any) -> int | None:
    """The step as an int; None for a number that is not whole.

    Raises:
        TypeError: it is no number.
    """
    wrong = TypeError(f"step is a whole number, such as 7, not {type(step).__name__}")
    if isinstance(step, (str, bytes, bytearray)):
        raise wrong
    try:
        whole = int(step)
        return whole if whole == step else None
    except TypeError:
        raise wrong from None
    except Exception:  # NaN, infinity, several elements
        return None


def _number(value: Any) -> float:
    item = getattr(value, "item", None)
    if item is not None:
        value = item()  # raises where there is more than one element
    return float(value)


def _finish(reference: weakref.ref[Run]) -> None:
    run = reference()
    if run is not None:
        run.finish()


def _say(line: str) -> None:
    with contextlib.suppress(Exception):
        # In one call: several threads write, and `print` writes the end of the line on its own.
        sys.stderr.write(f"plotline: {line}\n")
        sys.stderr.flush()


def _forget_watches_after_fork() -> None:
    # Threads do not survive a fork: the parent's uploaders are not this process's to wait for.
    _watches.clear()
    for run in list(_live):
        run._uploader = None
        run._lock = threading.Lock()


_failed = False
_previous_excepthook = sys.excepthook


def _note_failure(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    global _failed
    _failed = True
    _previous_excepthook(kind, error, traceback)


def _at_exit() -> None:
    for run in list(_live):
        run.finish("failure" if _failed else "success")
    for started in list(_watches):
        started.stop()


sys.excepthook = _note_failure
atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_watches_after_fork)
