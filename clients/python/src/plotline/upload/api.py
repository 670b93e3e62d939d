"""The upload protocol (docs/api.md, Upload) as methods."""

from __future__ import annotations

import base64
import struct
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import google_crc32c

from .._version import __version__
from ..errors import ApiError, NotSignedIn, PlotlineError
from ..http import Http, Json

_Answer = TypeVar("_Answer")
_version_names = ("0.1.0",)
#: The version of the upload protocol that this client speaks (docs/api.md, Versions).
WIRE_VERSION = 1
#: Smaller bodies are not worth compressing.
_min_compressed_bytes = 1024


@dataclass(frozen=True)
class RemoteFile:
    """A version of a file at the service: ``crc32c`` covers its durable prefix of ``offset``
    bytes."""

    file_id: str
    version: int
    offset: int
    crc32c: int
    created: bool


def check_wire_version(limits: Json, origin: str) -> None:
    """Whether this client and a service with these ``/limits`` understand each other. A service
    without the field has version 1.

    Raises:
        PlotlineError: they do not; the message says which of the two to update.
    """
    if int(limits.get("wireVersion", 1)) < WIRE_VERSION:
        raise PlotlineError(
            f"The service at {origin} is too old for this client; update the service."
        )
    if int(limits.get("oldestWireVersion", 1)) > WIRE_VERSION:
        raise PlotlineError(
            f"The service at {origin} no longer supports this client; update the client "
            f"(plotline {__version__})."
        )


class UploadApi:
    """Calls of the upload protocol on one connection pool."""

    def __init__(self, http: Http, compress: str = "auto") -> None:
        self.http = http
        host = urlsplit(http.origin).hostname or ""
        local = host in ("localhost", "::1") or host.startswith("127.")
        self._compress = compress == "gzip" or (compress == "auto" and not local)
        self._limits: Json | None = None
        self._prefixed = True
        self._began = time.monotonic()

    @property
    def max_append_bytes(self) -> int:
        """The largest body of an append."""
        return int(self._known_limits().get("maxAppendBytes", 1 << 20))

    @property
    def stores_logs(self) -> bool:
        """Whether the service stores logs of runs; older ones do not."""
        return "maxLogLines" in self._known_limits()

    def _known_limits(self) -> Json:
        if self._limits is None:
            limits = self.http.get("/limits", "Reading the limits")
            check_wire_version(limits, self.http.origin)
            self._limits = limits
        return self._limits

    def _upload(self, request: Callable[[str], _Answer]) -> _Answer:
        """A request of an upload, with the prefix that any proxy can route, if the service has it.

        If the address does not exist, the proxy does not route the prefix, or an upload process is
        older than the process that named it: then without the prefix from now on.
        """
        if self._prefixed and "uploadsVersion" in self._known_limits():
            try:
                return request("/uploads")
            except ApiError as error:
                if error.code not in ("not-found", "http-404"):
                    raise
                self._prefixed = False
        return request("")

    def check_server(self, version: str) -> str | None:
        """Returns what the service says about this version of the client, if anything.

        Raises:
            PlotlineError: the address is no Plotline service, or rejects this version.
        """
        try:
            about = self.http.get(f"/server?client={version}", "Reading the server's version")
        except ApiError as error:
            if error.status == 404:
                raise PlotlineError(f"{self.http.origin} is not a Plotline service.") from error
            if error.status in (401, 403):
                raise NotSignedIn(str(error)) from error
            raise
        if about.get("verdict") == "ERROR":
            raise PlotlineError(str(about.get("message")))
        return str(about["message"]) if about.get("verdict") == "WARN" else None

    def announce(
        self, experiment: str, run: str, name: str, length: int, new_version_key: str | None = None
    ) -> RemoteFile:
        """``POST /uploads/experiments/{id}/files``."""
        body: dict[str, Any] = {"run": run, "name": name, "length": length}
        headers = {}
        if new_version_key:
            body["new_version"] = True
            headers["idempotency-key"] = new_version_key
        path, what = f"/experiments/{experiment}/files", f"Announcing {run}/{name}"

        def ask(body: dict[str, Any]) -> Json:
            return self._upload(
                lambda prefix: self.http.json("POST", prefix + path, what, body, headers=headers)
            )

        try:
            answer = ask(body)
        except ApiError as error:
            milliseconds = float(error.problem.get("deleted_ms_ago") or 0)
            # Deleted before this upload began: it takes the name again. Deleted since: it does
            # not bring the run back.
            if error.code != "run-deleted" or milliseconds <= 1000 * (
                time.monotonic() - self._began
            ):
                raise
            answer = ask(body | {"after_deletion": True})
        return RemoteFile(
            str(answer["file_id"]),
            int(answer["version"]),
            int(answer["offset"]),
            int(str(answer["crc32c"]), 16),
            bool(answer.get("created", False)),
        )

    def append(
        self, file_id: str, offset: int, data: bytes, *, complete: bool = False
    ) -> tuple[int, int, bool]:
        """``PATCH /uploads/files/{id}``. Returns the promised offset, the epoch and whether the
        file is complete."""
        headers = {"content-type": "application/octet-stream", "upload-offset": str(offset)}
        body = data
        if self._compress and len(data) >= _min_compressed_bytes:
            squeezed = zlib.compressobj(1, zlib.DEFLATED, 31)
            packed = squeezed.compress(data) + squeezed.flush()
            if len(packed) < 0.95 * len(data):
                body = packed
                headers["content-encoding"] = "gzip"
        digest = base64.b64encode(struct.pack(">I", google_crc32c.value(body))).decode()
        headers["content-digest"] = f"crc32c=:{digest}:"
        if complete:
            headers["upload-complete"] = "?1"
        answer = self._upload(
            lambda prefix: self.http.request(
                "PATCH", f"{prefix}/files/{file_id}", "Uploading", body, headers=headers
            )
        ).headers
        return (
            int(answer.get("upload-offset") or 0),
            int(answer.get("upload-epoch") or 0),
            answer.get("upload-complete") == "?1",
        )

    def complete(self, file_id: str, size: int, crc: int) -> int:
        """``POST /uploads/files/{id}/complete``. Returns the epoch."""
        answer = self._upload(
            lambda prefix: self.http.request(
                "POST",
                f"{prefix}/files/{file_id}/complete",
                "Completing a file",
                f'{{"bytes":{size},"crc32c":"{crc:08x}"}}'.encode(),
                headers={"content-type": "application/json"},
            )
        )
        return int(answer.headers.get("upload-epoch") or 0)

    def versions(self, experiment: str, run: str, name: str) -> list[RemoteFile]:
        """Every version of a file, newest first."""
        found = []
        for file in self.http.pages(f"/experiments/{experiment}/files", "files", "Listing files"):
            if file["run"] == run and file["name"] == name:
                found.append(
                    RemoteFile(
                        str(file["file_id"]),
                        int(file["version"]),
                        int(file["bytes"]),
                        int(str(file["crc32c"]), 16),
                        False,
                    )
                )
        return sorted(found, key=lambda file: -file.version)
