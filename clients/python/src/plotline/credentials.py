"""The server and the token for it.

A token is sent only to the server that it was made for: a token in ``PLOTLINE_TOKEN`` goes to a
server that the user named, a stored token to the origin that it was stored for, and the token in a
service's data folder to that service. The rules match the Node command line.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import NotSignedIn, UsageError
from .folders import config_folder, data_folder, replace_file, state_folder

#: A server address and a token are some hundred bytes.
_max_credentials_bytes = 64 * 1024


@dataclass(frozen=True)
class Credentials:
    """A server and a token for it; ``token`` is None for a visitor."""

    origin: str
    token: str | None


def find_credentials(server: str | None = None, token: str | None = None) -> Credentials:
    """Looks up the server, then a token for it.

    The server is the argument, ``PLOTLINE_SERVER``, a service whose data folder
    ``PLOTLINE_DATA_DIR`` names by an absolute path, the default of ``plotline login``, or a service
    that this user runs in ``.plotline`` of the working folder. ``PLOTLINE_TOKEN`` never goes to a
    server that only a file in the working folder names.

    Raises:
        NotSignedIn: no server is known, or a token is set without its server.
        UsageError: the server's address is not one.
    """
    named = os.path.isabs(os.environ.get("PLOTLINE_DATA_DIR", ""))
    local = _local_service(named)
    logins = _read_logins()
    chosen = server or os.environ.get("PLOTLINE_SERVER") or (local[0] if local and named else None)
    chosen = chosen or logins["server"]
    given = token or os.environ.get("PLOTLINE_TOKEN", "").strip()
    if not chosen and not local:
        raise NotSignedIn(
            "No server is configured. Run `plotline login --server URL`, or set PLOTLINE_SERVER."
        )
    if given and not chosen:
        raise NotSignedIn(
            "PLOTLINE_TOKEN is set, but not the server that it is for. Set PLOTLINE_SERVER as well."
        )
    origin = parse_origin(chosen or (local[0] if local else ""))
    if given:
        return Credentials(origin, given.strip())
    if local and parse_origin(local[0]) == origin:
        return Credentials(origin, local[1])
    return Credentials(origin, logins["tokens"].get(origin))


def require_credentials(server: str | None = None, token: str | None = None) -> Credentials:
    """As :func:`find_credentials`, for calls that need a token.

    Raises:
        NotSignedIn: there is no token for the server.
    """
    credentials = find_credentials(server, token)
    if credentials.token is None:
        raise NotSignedIn(
            f"Not signed in to {credentials.origin}. Run `plotline login`, or set PLOTLINE_TOKEN "
            "together with PLOTLINE_SERVER."
        )
    return credentials


def parse_origin(server: str) -> str:
    """``https://host:port`` of a server address.

    Raises:
        UsageError: the address has another scheme, a user name, a path or a query.
    """
    parts = urlsplit(server.strip())
    try:
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{server!r} is not a server address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{server!r} is not a server address such as https://plotline.example")
    if parts.username or parts.password:
        raise UsageError("A server address has no user name or password; use `plotline login`.")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError("A server address ends after the port.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default = 443 if parts.scheme == "https" else 80
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != default else "")


def logins_path() -> Path:
    """The file of stored logins."""
    return config_folder() / "credentials.json"


def store_login(origin: str, token: str) -> Path:
    """Stores a token for an origin, and makes the origin the default server."""
    logins = _read_logins()
    tokens = {**logins["tokens"], origin: token}
    replace_file(logins_path(), json.dumps({"server": origin, "tokens": tokens}, indent=2) + "\n")
    return logins_path()


def forget_login(origin: str) -> str | None:
    """Removes the stored token of an origin, and returns it; None if there was none."""
    logins = _read_logins()
    tokens = dict(logins["tokens"])
    token: str | None = tokens.pop(origin, None)
    if token is None:
        return None
    server = None if logins["server"] == origin else logins["server"]
    replace_file(logins_path(), json.dumps({"server": server, "tokens": tokens}, indent=2) + "\n")
    return token


def _local_service(named: bool) -> tuple[str, str] | None:
    """Server and token of a service of this user on this machine.

    Anyone can put a ``credentials.json`` into a repository or an archive and so choose where the
    next upload goes. So it counts only when this user owns it, nobody else can read it, and, unless
    the user named the folder, a service noted in the user's state folder that it wrote these bytes.
    """
    path = data_folder() / "credentials.json"
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _max_credentials_bytes:
            return None
        if sys.platform != "win32":
            me = os.geteuid()
            if found.st_uid != me and not (named and me == 0):
                return None
            if stat.S_IMODE(found.st_mode) & 0o077:
                return None
        content = file.read()
    try:
        value = json.loads(content)
    except ValueError:
        return None
    if not isinstance(value, dict) or not (named or _is_noted(os.path.realpath(path), content)):
        return None
    server, token = value.get("server"), value.get("token")
    return (server, token) if isinstance(server, str) and isinstance(token, str) else None


def _is_noted(path: str, content: bytes) -> bool:
    """Whether a service of this user noted that it wrote these bytes there."""
    wanted = {"file": path, "sha256": hashlib.sha256(content).hexdigest()}
    folder = state_folder() / "services"
    notes = folder.glob("*.json") if folder.is_dir() else []
    return any(wanted.items() <= _read_json(note).items() for note in notes if len(note.name) == 37)


def _read_logins() -> dict[str, Any]:
    value = _read_json(logins_path())
    tokens = value.get("tokens")
    server = value.get("server")
    return {
        "server": server if isinstance(server, str) else None,
        "tokens": {k: v for k, v in tokens.items() if isinstance(v, str)}
        if isinstance(tokens, dict)
        else {},
    }


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
