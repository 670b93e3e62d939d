"""Uploads one file, from where the service has it.

The rule that keeps every byte in its place: a file is announced, and the CRC-32C of the local
first ``offset`` bytes must equal the service's; only then are bytes sent from ``offset`` on.
Whatever the service contradicts leads back there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Callable

import google_crc32c

from ..errors import ApiError, PlotlineError
from .api import RemoteFile, UploadApi
from .first_bytes import LOOKED, why_not_sent
from .scan import FoundFile

_read_bytes = 1 << 20
#: Bytes at the end of what was sent that are compared again before more is sent.
_tail_bytes = 64 * 1024
#: Contradictions without progress after which a file is given up for this pass.
_max_conflicts = 6


@dataclass
class FileState:
    """The state of a file in this process: the version it sends to and how far that is durable."""

    remote: RemoteFile | None = None
    sent: int = 0
    crc: int = 0
    tail_crc: int = 0
    identity: tuple[int, int] | None = None
    complete: bool = False


class FileUpload:
    """Brings one file to the service. Not thread-safe."""

    def __init__(self, api: UploadApi, experiment: str, say: Callable[[str], None]) -> None:
        self._api = api
        self._experiment = experiment
        self._say = say
        self.state = FileState()
        #: The largest epoch in a response.
        self.epoch = 0
        self.uploaded = 0

    def run(self, found: FoundFile, *, complete: bool) -> None:
        """Sends what the service lacks of ``found``; completes the file on request.

        Raises:
            OSError: the file cannot be read.
            ApiError: the service rejects the file.
        """
        conflicts = 0
        while True:
            try:
                with open(found.path, "rb") as file:
                    self._pass(file, found, complete)
                return
            except ApiError as error:
                if error.status != 409 and error.code != "file-not-found":
                    raise
                conflicts += 1
                if conflicts > _max_conflicts:
                    raise
                self.state = FileState()

    def _pass(self, file: BinaryIO, found: FoundFile, complete: bool) -> None:
        status = os.fstat(file.fileno())
        size = status.st_size
        identity = (status.st_dev, status.st_ino)
        state = self.state
        if state.remote is None or not self._same_start(file, size, identity):
            reason = None if found.is_log else why_not_sent(file.read(LOOKED))
            if reason is not None:  # the file has changed since the scan
                raise PlotlineError(f"{found.label} {reason}")
            self._announce(file, found, size)
            state = self.state
        remote = state.remote
        assert remote is not None
        state.identity = identity
        limit = self._api.max_append_bytes
        file.seek(state.sent)
        for data in _ranges(file, state.sent, size, limit):
            last = complete and state.sent + len(data) == size and size <= limit
            offset, epoch, done = self._api.append(
                remote.file_id, state.sent, data, complete=last and state.sent == 0
            )
            self.epoch = max(self.epoch, epoch)
            self.uploaded += len(data)
            state.crc = google_crc32c.extend(state.crc, data)
            state.sent += len(data)
            state.complete = done
            if offset < state.sent:
                # An earlier range is missing at the service: compare again.
                self.state = FileState()
                raise ApiError("Uploading", 409, {"code": "range-conflict"}, {})
        state.tail_crc = self._tail_crc(file, state.sent)
        if complete and not state.complete:
            self.epoch = max(self.epoch, self._api.complete(remote.file_id, state.sent, state.crc))
            state.complete = True

    def _same_start(self, file: BinaryIO, size: int, identity: tuple[int, int]) -> bool:
        """Whether this is still the file whose first ``sent`` bytes were sent."""
        state = self.state
        if size < state.sent:
            return False
        if state.identity == identity:
            return self._tail_crc(file, state.sent) == state.tail_crc
        return _prefix_crc(file, state.sent) == state.crc

    def _tail_crc(self, file: BinaryIO, end: int) -> int:
        start = max(0, end - _tail_bytes)
        file.seek(start)
        return int(google_crc32c.value(file.read(end - start)))

    def _announce(self, file: BinaryIO, found: FoundFile, size: int) -> None:
        """Finds the version whose durable prefix is a prefix of the file here, or makes one."""
        api, experiment = self._api, self._experiment
        remote = api.announce(experiment, found.run, found.name, size)
        if not self._take(file, size, remote):
            for other in api.versions(experiment, found.run, found.name):
                if other.offset > 0 and self._take(file, size, other):
                    return
            # Another machine with the same file asks by the same key and gets the same version.
            content = f"{remote.file_id}\0{size}\0{_prefix_crc(file, size):08x}".encode()
            key = hashlib.sha256(content).hexdigest()[:32]
            made = api.announce(experiment, found.run, found.name, size, new_version_key=key)
            self._say(
                f"{found.label} differs from the file uploaded under its name: uploading it as "
                f"version {made.version}."
            )
            if not self._take(file, size, made):
                raise ApiError("Announcing", 409, {"code": "range-conflict"}, {})

    def _take(self, file: BinaryIO, size: int, remote: RemoteFile) -> bool:
        if remote.offset > size or _prefix_crc(file, remote.offset) != remote.crc32c:
            return False
        self.state = FileState(remote, remote.offset, remote.crc32c)
        return True


def _ranges(file: BinaryIO, start: int, end: int, limit: int) -> Iterator[bytes]:
    while start < end:
        data = file.read(min(limit, end - start))
        if not data:
            return  # shortened meanwhile; the next pass compares
        start += len(data)
        yield data


def _prefix_crc(file: BinaryIO, end: int) -> int:
    file.seek(0)
    crc = 0
    left = end
    while left > 0:
        data = file.read(min(_read_bytes, left))
        if not data:
            break
        crc = google_crc32c.extend(crc, data)
        left -= len(data)
    return crc
