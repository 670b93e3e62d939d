"""Finds event files: regular files with ``tfevents`` in their name that begin as event files do
(data rule 10), and the logs that runs write beside them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from ..output import is_log_name
from .first_bytes import LOOKED, why_not_sent


@dataclass(frozen=True)
class FoundFile:
    """An event file as a scan saw it. ``run`` is its folder below the log directory, or ``.``."""

    path: str
    run: str
    name: str
    size: int
    mtime_ns: int
    identity: tuple[int, int]

    @property
    def is_log(self) -> bool:
        return is_log_name(self.name)

    @property
    def label(self) -> str:
        return self.name if self.run == "." else f"{self.run}/{self.name}"


@dataclass
class ScanResult:
    """``remarks``: what was left out although it looks like an event file, and why."""

    files: list[FoundFile] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    folders: int = 0


def scan(
    logdir: str | os.PathLike[str],
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    follow_links: bool = False,
) -> ScanResult:
    """One look at a log directory.

    Links that leave the log directory are followed only with ``follow_links``: a link in an
    unpacked archive must not make the uploader send other files of this machine.

    Raises:
        OSError: the log directory itself cannot be read.
    """
    root = Path(logdir)
    os.stat(root)
    included, excluded = list(include), list(exclude)
    real_root = os.path.realpath(root)
    result = ScanResult()
    entered: set[tuple[int, int]] = set()
    stack: list[tuple[str, str]] = [(os.fspath(root), ".")]
    while stack:
        folder, run = stack.pop()
        try:
            found = os.stat(folder)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            result.remarks.append((folder, f"cannot be read ({error.strerror})"))
            continue
        if (found.st_dev, found.st_ino) in entered:
            continue
        entered.add((found.st_dev, found.st_ino))
        result.folders += 1
        below: list[tuple[str, str]] = []
        for entry in entries:
            try:
                entry.name.encode("utf-8")
            except UnicodeEncodeError:
                result.remarks.append((entry.path, "its name is not UTF-8"))
                continue
            relative = entry.name if run == "." else f"{run}/{entry.name}"
            try:
                link = entry.is_symlink()
                if link and not follow_links and not _inside(entry.path, real_root):
                    if _is_uploaded(entry.name) or entry.is_dir():
                        reason = "a link out of the log directory; --follow-links takes it"
                        result.remarks.append((entry.path, reason))
                    continue
                if entry.is_dir():
                    if not _matches(relative, excluded):
                        below.append((entry.path, relative))
                    continue
                if not _is_uploaded(entry.name):
                    continue
                status = entry.stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                result.remarks.append((entry.path, f"cannot be read ({error.strerror})"))
                continue
            if not stat.S_ISREG(status.st_mode) or _matches(relative, excluded):
                continue
            if included and not (_matches(relative, included) or _matches(run, included)):
                continue
            not_sent = None if is_log_name(entry.name) else _judge(entry.path, status)
            if not_sent is not None:
                result.remarks.append((entry.path, not_sent))
                continue
            identity = (status.st_dev, status.st_ino)
            result.files.append(
                FoundFile(entry.path, run, entry.name, status.st_size, status.st_mtime_ns, identity)
            )
        stack.extend(reversed(below))
    result.files.sort(key=lambda file: (file.run.encode(), file.name.encode()))
    return result


def _is_uploaded(name: str) -> bool:
    return "tfevents" in name or is_log_name(name)


def _judge(path: str, status: os.stat_result) -> str | None:
    """Why a file is not sent, by its first bytes; None where nothing speaks against it."""
    if status.st_size == 0:
        return None
    return _judge_state(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=65_536)
def _judge_state(path: str, _state: tuple[int, int, int, int]) -> str | None:
    try:
        with open(path, "rb") as file:
            return why_not_sent(file.read(LOOKED))
    except OSError:
        return None  # the uploader says why


def _inside(path: str, real_root: str) -> bool:
    real = os.path.realpath(path)
    return real == real_root or real.startswith(real_root + os.sep)


def _matches(path: str, globs: list[str]) -> bool:
    """A glob matches the path itself or a folder above it."""
    parts = path.split("/")
    prefixes = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return any(fnmatchcase(p, g) for g in globs for p in (*prefixes, parts[-1]))
