"""Decides which files are logs and which are copies of logs that tools write aside or leave behind.

Content decides: a file whose bytes are the beginning of another file of its run is not a log of its
own. Names help: a file with a temporary name waits until it is renamed, vanishes, or has been still
for a while. Then it is a log like any other, since no log may be lost because of its name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .scan import FoundFile
from .temporary_names import temporary_tool

#: Seconds after which a still file with a temporary name is a log of its own.
STILL_SECONDS = 30.0
#: Of a run with more files that begin alike, each is compared with so many; the service compares
#: them all.
_most_compared = 32
#: The first record's length, its checksum, and the wall time that it begins with.
_least_bytes = 24
_read_bytes = 1 << 20
#: So much before the place where a comparison goes on is compared again: a file may have been
#: written over in place.
_looked_again = 64 * 1024


@dataclass(frozen=True)
class Sifted:
    """``files`` are uploaded; ``waiting`` have temporary names and may still be renamed or grow."""

    files: list[FoundFile]
    waiting: list[FoundFile]


class Sieve:
    """Remembers what it compared, so that of growing files only what is new is read."""

    def __init__(self, say: Callable[[str], None], now: Callable[[], float] = time.monotonic):
        self._say = say
        self._now = now
        self._still: dict[str, tuple[FoundFile, float]] = {}
        #: Files with temporary names that are uploaded.
        self._taken: dict[str, tuple[int, int]] = {}
        self._said: dict[str, str] = {}
        self._equal: dict[tuple[str, str], tuple[FoundFile, FoundFile, int]] = {}
        self._beginnings: dict[str, tuple[tuple[int, int], bytes]] = {}

    def sift(self, found: Sequence[FoundFile], *, no_waiting: bool = False) -> Sifted:
        """Sifts what a scan found. ``no_waiting``: what is not a copy is taken as it is."""
        self._forget({file.path for file in found})
        runs: dict[str, list[FoundFile]] = {}
        for file in found:
            # Processes may print the same: a log is never a copy of another one.
            if not file.is_log:
                runs.setdefault(file.run, []).append(file)
        copies: set[str] = set()
        waiting: list[FoundFile] = []
        for run in runs.values():
            if len(run) > 1:
                copies |= self._copies(run)
            for file in run:
                tool = temporary_tool(file.run, file.name)
                if tool is None or file.path in copies or self._is_taken(file, no_waiting):
                    continue
                waiting.append(file)
                self._say_once(
                    file,
                    f"is named as {tool} names temporary files: it is uploaded if it does not "
                    f"change for {STILL_SECONDS:.0f} s",
                )
        left = copies | {file.path for file in waiting}
        return Sifted([file for file in found if file.path not in left], waiting)

    def _copies(self, run: list[FoundFile]) -> set[str]:
        """Of files with one content the longest is the log; of equal ones, the plainest name. A
        file that still waits makes no other file a copy."""
        groups: dict[bytes, list[FoundFile]] = {}
        for file in run:
            beginning = self._beginning(file)
            if beginning is not None:
                groups.setdefault(beginning, []).append(file)
        copies: set[str] = set()
        for group in groups.values():
            if len(group) > 1:
                copies |= self._copies_among(group)
        return copies

    def _copies_among(self, group: list[FoundFile]) -> set[str]:
        def order(file: FoundFile) -> tuple[int, bool, int]:
            temporary = temporary_tool(file.run, file.name) is not None
            return (-file.size, temporary, len(file.name.encode()))

        copies: set[str] = set()
        logs: list[FoundFile] = []
        for file in sorted(group, key=order):
            log = next((log for log in logs[-_most_compared:] if self._begins(file, log)), None)
            if log is not None:
                copies.add(file.path)
                self._say_once(
                    file, f"holds nothing that {log.label} does not hold: it is not uploaded"
                )
            elif (
                temporary_tool(file.run, file.name) is None
                or self._taken.get(file.path) == file.identity
            ):
                logs.append(file)
        return copies

    def _beginning(self, file: FoundFile) -> bytes | None:
        if file.size < _least_bytes:
            return None
        known = self._beginnings.get(file.path)
        if known is not None and known[0] == file.identity:
            return known[1]
        try:
            with open(file.path, "rb") as opened:
                beginning = opened.read(_least_bytes)
        except OSError:
            return None
        self._beginnings[file.path] = (file.identity, beginning)
        return beginning

    def _begins(self, short: FoundFile, long: FoundFile) -> bool:
        """Whether all bytes of ``short`` are the first bytes of ``long``."""
        if short.size < _least_bytes or short.size > long.size:
            return False
        key = (short.path, long.path)
        known = self._equal.get(key)
        if known is not None and known[:2] == (short, long):
            return known[2] >= short.size
        start = 0
        if (
            known is not None
            and (known[0].identity, known[1].identity) == (short.identity, long.identity)
            and known[2] == known[0].size <= short.size
        ):
            start = max(0, known[2] - _looked_again)
        equal = _equal_bytes(short, long, start)
        if equal is None:
            return False
        self._equal[key] = (short, long, equal)
        return equal >= short.size

    def _is_taken(self, file: FoundFile, no_waiting: bool) -> bool:
        if self._taken.get(file.path) == file.identity:
            return True
        known = self._still.get(file.path)
        if known is None or known[0] != file:
            self._still[file.path] = (file, self._now())
            known = None
        if not no_waiting and (known is None or self._now() - known[1] < STILL_SECONDS):
            return False
        self._taken[file.path] = file.identity
        del self._still[file.path]
        self._say_once(file, "has not changed for a while: uploading it despite its name")
        return True

    def _forget(self, present: set[str]) -> None:
        for known in (self._still, self._taken, self._said, self._beginnings):
            for path in [path for path in known if path not in present]:
                del known[path]
        for key in [key for key in self._equal if not present.issuperset(key)]:
            del self._equal[key]

    def _say_once(self, file: FoundFile, what: str) -> None:
        if self._said.get(file.path) != what:
            self._said[file.path] = what
            self._say(f"{file.label} {what}.")


def _equal_bytes(short: FoundFile, long: FoundFile, start: int) -> int | None:
    """How many first bytes of ``short`` are those of ``long``, given that ``start`` are. None where
    one of them cannot be read."""
    try:
        with open(short.path, "rb") as ours, open(long.path, "rb") as theirs:
            ours.seek(start)
            theirs.seek(start)
            # The start distinguishes most files, so little of those is read.
            at, size = start, 4096
            while at < short.size:
                data = ours.read(min(size, short.size - at))
                other = theirs.read(len(data))
                if not data or len(other) < len(data):
                    return None
                if data != other:
                    return at + next(i for i, (a, b) in enumerate(zip(data, other)) if a != b)
                at += len(data)
                size = _read_bytes
            return at
    except OSError:
        return None
