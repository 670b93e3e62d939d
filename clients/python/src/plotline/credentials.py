"""The server and the token for it.

A token is sent only to the server that it was made for: a token in ``PLOTLINE_TOKEN`` goes with the
server in ``PLOTLINE_SERVER``, a stored token goes to the origin that it was stored for, and the
token in a service's data folder goes to that service.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import NotSignedIn, UsageError
from .folders import config_folder, data_folder, replace_file

#: Where the embedded service listens unless it is configured otherwise.
DEFAULT_SERVER = "http://127.0.0.1:6100"


@dataclass(frozen=True)
class Credentials:
    """A server and a token for it; ``token`` is None for a visitor."""

    origin: str
    token: str | None


def find_credentials(server: str | None = None, token: str | None = None) -> Credentials:
    """Looks up server and token: arguments, environment, data folder, stored logins.

    Raises:
        NotSignedIn: no server is known.
        UsageError: the server's address is not one.
    """
    local = _local_service()
    logins = _read_logins()
    environment_server = os.environ.get("PLOTLINE_SERVER")
    environment_token = os.environ.get("PLOTLINE_TOKEN")
    chosen = (
        server
        or environment_server
        or (DEFAULT_SERVER if environment_token and not server else None)
        or logins["server"]
        or (local[0] if local else None)
    )
    if not chosen:
        raise NotSignedIn(
            "No server is known. Run `plotline login --server URL`, or set PLOTLINE_SERVER."
        )
    origin = parse_origin(chosen)
    if token:
        return Credentials(origin, token.strip())
    if environment_token and origin == parse_origin(environment_server or DEFAULT_SERVER):
        return Credentials(origin, environment_token.strip())
    stored = logins["tokens"].get(origin)
    if stored:
        return Credentials(origin, stored)
    if local and parse_origin(local[0]) == origin:
        return Credentials(origin, local[1])
    return Credentials(origin, None)


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


def _local_service() -> tuple[str, str] | None:
    path = data_folder() / "credentials.json"
    value = _read_json(path)
    server, token = value.get("server"), value.get("token")
    if not isinstance(server, str) or not isinstance(token, str):
        return None
    # A file that came with an archive or a repository must not choose where data goes.
    if sys.platform != "win32":
        found = path.stat()
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            return None
        if urlsplit(server).hostname not in ("127.0.0.1", "::1", "localhost"):
            return None
    return server, token


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
