"""Folders and files of other tools in a log directory, which are not sent. The list equals the Node
command line's (apps/cli/src/local/other-tools.ts)."""

from __future__ import annotations

import os
import re

_file_of_wandb = re.compile(r"^(offline-)?run-|^latest-run$|^debug(-internal)?\.log$")


def other_tools_folder(path: str) -> str | None:
    """Why a folder is not scanned: it contains copies of event files, which would appear as runs,
    or data without event files. None: an ordinary folder."""
    name = os.path.basename(path)
    if name == "__MACOSX":
        return "macOS metadata from a ZIP archive; skipped"
    if name in (".snapshot", ".snapshots", ".zfs"):
        return "file system snapshots; skipped"
    if name == "wandb":
        try:
            names = os.listdir(path)
        except OSError:
            names = []
        if any(_file_of_wandb.search(name) for name in names):
            return (
                "the Weights & Biases folder; skipped. To upload event files in it, pass it to "
                "--logdir"
            )
    if name == "profile" and os.path.basename(os.path.dirname(path)) == "plugins":
        return "profiler traces; skipped, because they are not in event files"
    return None


def other_tools_file(name: str) -> str | None:
    """Why a file that users may expect to see is not sent; None: any other file."""
    if name == "projector_config.pbtxt":
        return "projector embeddings; skipped, because they are not in event files"
    return None
