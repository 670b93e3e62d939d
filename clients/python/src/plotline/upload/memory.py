"""Remembers which experiment a log directory goes to, for each server.

The format matches the Node command line: the memory is in file *names*,
``<place>.<number>.id-<experiment>`` or ``<place>.<number>.key-<idempotency key>``, and the highest
number counts. A name is there whole or not at all, so no crash can point to a wrong experiment.
How far each file got is not remembered here: the service's offsets are the truth.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

from ..folders import replace_file, state_folder

_name = re.compile(r"^([0-9a-f]{32})\.(\d{1,9})\.(?:id-([A-Za-z0-9]{22})|key-([0-9a-f-]{36}))$")
#: A lock older than this was left by a process that died.
_stale_lock_seconds = 60.0


class UploadMemory:
    """The upload state of one log directory. A folder that cannot be written is
    not an error: the memory then lasts as long as the process, and ``say`` is called once."""

    def __init__(
        self,
        origin: str,
        logdir: str | os.PathLike[str],
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._folder = state_folder() / "uploads"
        self._about = {"server": origin, "directory": os.path.realpath(logdir)}
        key = f"{origin}\0{self._about['directory']}".encode()
        self._place = hashlib.sha256(key).hexdigest()[:32]
        self._say = say
        self._fallback: tuple[str, str] | None = None

    def recall(self) -> tuple[str, str] | None:
        """``("id", experiment)``, ``("key", idempotency key)`` of a creation whose
        response never arrived, or None."""
        if self._fallback is not None:
            return self._fallback
        entries = self._entries()
        return entries[-1][1:3] if entries else None

    def begin_creating(self) -> str:
        """Notes a creation before it is requested. Returns its Idempotency-Key."""
        key = str(uuid.uuid4())
        self._add("key", key)
        return key

    def remember(self, experiment: str) -> None:
        if self.recall() != ("id", experiment):
            self._add("id", experiment)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Lets one process of this machine at a time choose the experiment, so that all ranks of a
        training get the same one."""
        path = self._folder / f"{self._place}.lock"
        held = False
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            while not held:
                try:
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                    held = True
                except FileExistsError:
                    with contextlib.suppress(FileNotFoundError):
                        if time.time() - path.stat().st_mtime > _stale_lock_seconds:
                            path.unlink()
                            continue
                    time.sleep(0.05)
        except OSError:
            pass  # without a lock, the Idempotency-Key alone decides
        try:
            yield
        finally:
            if held:
                path.unlink(missing_ok=True)

    def _add(self, kind: str, value: str) -> None:
        try:
            older = self._entries()
            number = older[-1][0] + 1 if older else 1
            about = {"experiment_id": value} if kind == "id" else {"creating": value}
            path = self._folder / f"{self._place}.{number}.{kind}-{value}"
            replace_file(path, json.dumps({**self._about, **about}) + "\n")
            for _number, _kind, _value, file in older:
                file.unlink(missing_ok=True)
        except OSError as error:
            if self._fallback is None:
                reason = error.strerror or error
                self._say(
                    f"{self._folder} cannot be written ({reason}): the experiment of this log "
                    "directory is remembered only until this process ends."
                )
            self._fallback = (kind, value)

    def _entries(self) -> list[tuple[int, str, str, Path]]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        entries = []
        for name in names:
            match = _name.match(name)
            if match and match[1] == self._place:
                kind, value = ("id", match[3]) if match[3] else ("key", match[4])
                entries.append((int(match[2]), kind, value, self._folder / name))
        return sorted(entries)
