"""Names that sync tools, browsers and editors give to files that they write aside or leave beside
the real one. A name is only a hint: the content of a file decides (:mod:`.sieve`)."""

from __future__ import annotations

import re

_patterns = [
    (tool, re.compile(pattern, re.IGNORECASE if fold else 0))
    for tool, pattern, fold in (
        # s3transfer: the name, a dot, 8 random hexadecimal digits. A host name may end like this,
        # but a time or a process id has only decimal digits.
        (
            "aws s3",
            r"(.*tfevents\.\d{9,11}\..+|.*tfevents\.\d{9,11})\.(?=\d*[A-Fa-f])[0-9A-Fa-f]{8}",
            False,
        ),
        ("gsutil", r"(.+)_\.gs(?:tmp|mv)", False),
        ("rclone", r"(.+?)(?:\.[0-9a-z]{8})?\.partial", False),
        ("Syncthing", r"(?:\.syncthing\.|~syncthing~)(.+)\.tmp", False),
        ("Syncthing", r"(.+)\.sync-conflict-\d{8}-\d{6}-\w+.*", False),
        ("Unison", r"\.unison\.(.+?)(?:\.[0-9a-f]+)?\.unison\.tmp", False),
        ("Mutagen", r"\.mutagen-temporary-(.*)", False),
        ("Nextcloud", r"\.(.+)\.~[0-9a-f]+", False),
        ("Dropbox", r"(.+) \(.*conflicted copy.*\)", False),
        ("azcopy", r"\.azDownload-[0-9a-f-]+-(.+)", False),
        ("MinIO client", r"(.+)\.part\.minio", False),
        ("lftp", r"\.in\.(.+)\.", False),
        (
            "a browser or a download",
            r"(.+)\.(?:crdownload|opdownload|part|partial|download|filepart|aria2|incomplete|tmp|temp)",
            True,
        ),
        # rsync: a dot, the name, a dot, and 6 letters or digits.
        ("rsync", r"\.(.*tfevents.*)\.[A-Za-z0-9]{6}", False),
        ("an editor", r"\.(.+)\.sw[a-z]", False),
        ("an editor", r"\.?#(.+?)#?", False),
        ("an editor", r"(.+?)(?:\.~\d+)?~", False),
        ("macOS", r"\._(.+)", False),
        ("NFS", r"\.(?:nfs|fuse_hidden)[0-9a-f]+(.*)", False),
        ("a copy", r"(.+?) ?\(\d+\)", False),
        ("a copy", r"(.+?)(?: - Copy| copy)(?: ?\(?\d+\)?)?", True),
        ("a copy", r"Copy of (.+)", True),
        ("a backup", r"(.+)\.(?:bak|backup|orig|old|save|copy)\d*", True),
    )
]
_folders = {".rsync-partial": "rsync", ".~tmp~": "rsync", ".stversions": "Syncthing"}


def temporary_tool(run: str, name: str) -> str | None:
    """The tool that names temporary files like this, or None where nothing in the name says so.

    Args:
        run: the folder of the file, with ``/``.
    """
    for tool, pattern in _patterns:
        if pattern.fullmatch(name):
            return tool
    return next((_folders[part] for part in run.split("/") if part in _folders), None)
