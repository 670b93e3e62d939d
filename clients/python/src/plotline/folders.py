"""Where the client keeps what it remembers (XDG Base Directory Specification 0.8).

The folders and file formats match the Node command line, so that both see the same logins
and continue each other's uploads.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def _xdg(variable: str, fallback: str, on_windows: str) -> Path:
    value = os.environ.get(variable, "")
    if value and os.path.isabs(value):  # a relative path is invalid there and ignored
        return Path(value)
    if sys.platform == "win32" and os.environ.get(on_windows):
        return Path(os.environ[on_windows])
    return Path.home() / fallback


def config_folder() -> Path:
    """Stored logins."""
    return _xdg("XDG_CONFIG_HOME", ".config", "APPDATA") / "plotline"


def state_folder() -> Path:
    """Which experiment a log directory goes to."""
    return _xdg("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA") / "plotline"


def data_folder() -> Path:
    """The data folder of a service that runs on this machine."""
    return Path(os.environ.get("PLOTLINE_DATA_DIR") or ".plotline").absolute()


def replace_file(path: Path, text: str) -> None:
    """Writes a file whole or not at all, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
