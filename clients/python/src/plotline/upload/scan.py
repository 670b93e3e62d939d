"""Finds event files: regular files with ``tfevents`` in their name (data rule 10)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path


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
    def label(self) -> str:
        return self.name if self.run == "." else f"{self.run}/{self.name}"


@dataclass
class ScanResult:
    """``remarks``: what was left out although it looks like an event file, and why."""

    files: list[FoundFile] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    folders: int = 0


# Names under which copy and sync tools write a file before it has its own: aws s3, gsutil, rclone,
# rsync, Syncthing, browsers, editors, macOS. Their bytes arrive again under the real name.
_temporary = re.compile(
    r"""(
      ^\.                                  # rsync .name.XXXXXX, .syncthing.*, ._AppleDouble
    | ^~syncthing~
    | \.[0-9a-fA-F]{8}$                    # aws s3 cp and sync
    | _\.gstmp$
    | \.(partial|part|crdownload|download|tmp|temp|swp|swx|bak|orig|filepart)$
    | ~$
    | \s?\(\d+\)$                          # a second download
    )""",
    re.VERBOSE,
)


_compare_bytes = 1 << 20


def is_temporary_name(name: str) -> bool:
    """Whether a name is one that copy tools use for files that are not whole yet."""
    return _temporary.search(name) is not None


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
                    if "tfevents" in entry.name or entry.is_dir():
                        reason = "a link out of the log directory; --follow-links takes it"
                        result.remarks.append((entry.path, reason))
                    continue
                if entry.is_dir():
                    if not _matches(relative, excluded):
                        below.append((entry.path, relative))
                    continue
                if "tfevents" not in entry.name:
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
            identity = (status.st_dev, status.st_ino)
            result.files.append(
                FoundFile(entry.path, run, entry.name, status.st_size, status.st_mtime_ns, identity)
            )
        stack.extend(reversed(below))
    result.files = _without_temporary(result.files)
    result.files.sort(key=lambda file: (file.run.encode(), file.name.encode()))
    return result


def _without_temporary(files: list[FoundFile]) -> list[FoundFile]:
    """Leaves out temporary copies: their name is one of a copy tool's, and their bytes are the
    beginning of another file of their run. A log is never left out for its name alone."""
    by_run: dict[str, list[FoundFile]] = {}
    for file in files:
        by_run.setdefault(file.run, []).append(file)
    return [
        file
        for file in files
        if not (
            is_temporary_name(file.name)
            and any(
                _is_prefix(file, other.path, other.identity)
                for other in by_run[file.run]
                if not is_temporary_name(other.name) and other.size >= file.size
            )
        )
    ]


@lru_cache(maxsize=4096)
def _is_prefix(file: FoundFile, other: str, _identity: tuple[int, int]) -> bool:
    """Whether the bytes of ``file`` are the beginning of another file, which only grows."""
    try:
        with open(file.path, "rb") as ours, open(other, "rb") as theirs:
            left = file.size
            while left > 0:
                data = ours.read(min(_compare_bytes, left))
                if not data or data != theirs.read(len(data)):
                    return False
                left -= len(data)
    except OSError:
        return False
    return True


def _inside(path: str, real_root: str) -> bool:
    real = os.path.realpath(path)
    return real == real_root or real.startswith(real_root + os.sep)


def _matches(path: str, globs: list[str]) -> bool:
    """A glob matches the path itself or a folder above it."""
    parts = path.split("/")
    prefixes = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return any(fnmatchcase(p, g) for g in globs for p in (*prefixes, parts[-1]))
