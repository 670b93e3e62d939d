"""Finds event files: regular files with ``tfevents`` in their name that begin as event files do
(data rule 10), and the logs that runs write beside them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..output import is_log_name
from .first_bytes import LOOKED, why_not_sent
from .other_tools import other_tools_file, other_tools_folder


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


class Remark(NamedTuple):
    """What was left out although users might expect it; ``reason`` is for programs."""

    path: str
    detail: str
    reason: str


@dataclass
class ScanResult:
    """What a scan found, and what it left out."""

    files: list[FoundFile] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
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
    entered_by_link: set[tuple[int, int]] = set()
    # Path, run, whether a link led there, and the identities of the folders above.
    stack: list[tuple[str, str, bool, tuple[tuple[int, int], ...]]] = [
        (os.fspath(root), ".", False, ())
    ]

    def leave_out(path: str, detail: str, reason: str) -> None:
        result.remarks.append(Remark(path, detail, reason))

    while stack:
        folder, run, linked, above = stack.pop()
        try:
            found = os.stat(folder)
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            leave_out(folder, *_unreadable(error))
            continue
        path_to_here = (*above, (found.st_dev, found.st_ino))
        result.folders += 1
        below: list[tuple[str, str, bool, tuple[tuple[int, int], ...]]] = []
        for entry in entries:
            relative = entry.name if run == "." else f"{run}/{entry.name}"
            try:
                link = entry.is_symlink()
                is_folder = entry.is_dir()
                others = (
                    other_tools_folder(entry.path)
                    if is_folder and not link
                    else other_tools_file(entry.name)
                )
                if others is not None:
                    leave_out(entry.path, others, "other-tool")
                    continue
                if not is_folder and not _is_uploaded(entry.name):
                    continue
                if not _is_utf8(entry.name):
                    detail = "its name is not UTF-8; run and file names must be"
                    leave_out(entry.path, detail, "not-utf8")
                    continue
                if _matches(relative, excluded):
                    continue
                status = entry.stat()
                if link and not follow_links and not _inside(entry.path, real_root):
                    target = os.path.realpath(entry.path)
                    detail = (
                        f"a link out of the log directory, to {target}; not followed without "
                        "--follow-links"
                    )
                    leave_out(entry.path, detail, "link-outside")
                    continue
                if is_folder:
                    if link or linked:
                        real = os.stat(entry.path)
                        identity = (real.st_dev, real.st_ino)
                        if identity in path_to_here:
                            detail = "a link to one of its parent folders; not followed"
                            leave_out(entry.path, detail, "link-loop")
                            continue
                        if identity in entered_by_link:
                            detail = "another link points to the same folder; followed only once"
                            leave_out(entry.path, detail, "linked-twice")
                            continue
                        entered_by_link.add(identity)
                    below.append((entry.path, relative, link or linked, path_to_here))
                    continue
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                leave_out(entry.path, *_unreadable(error))
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            if included and not (_matches(relative, included) or _matches(run, included)):
                continue
            not_sent = None if is_log_name(entry.name) else _judge(entry.path, status)
            if not_sent is not None:
                not_yet = "not-written-yet" if "not sent until" in not_sent else "no-event-file"
                leave_out(entry.path, not_sent, not_yet)
                continue
            identity = (status.st_dev, status.st_ino)
            result.files.append(
                FoundFile(entry.path, run, entry.name, status.st_size, status.st_mtime_ns, identity)
            )
        stack.extend(reversed(below))
    result.files.sort(key=lambda file: (file.run.encode(), file.name.encode()))
    return result


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unreadable(error: OSError) -> tuple[str, str]:
    if error.errno == errno.ELOOP:
        return "a cycle of links; not followed", "link-loop"
    code = errno.errorcode.get(error.errno or 0, "unknown")
    return f"cannot be read ({code})", "unreadable"


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
