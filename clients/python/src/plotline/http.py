"""HTTP to one service, with retries where a repeat is safe.

What its requests need is imported with this module: if the process forks while a thread imports,
the child has half a module.
"""

from __future__ import annotations

import encodings.ascii
import encodings.idna  # noqa: F401  (by Python itself, when a name is looked up)
import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Callable
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import HTTPError

from ._version import __version__
from .credentials import Credentials
from .errors import ApiError, NetworkError

#: First and longest pause between attempts, in seconds. Full jitter; ``Retry-After`` is added.
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 10.0
#: Waiting clients that were given the same Retry-After spread over this part of it.
JITTER_OF_RETRY_AFTER = 0.25

Json = dict[str, Any]


class Http:
    """Requests to one origin. Thread-safe; a process that forks opens connections of its own.

    Args:
        credentials: origin and token; the token is sent to no other origin.
        give_up_after: seconds without any success after which a failing request raises;
            ``float("inf")`` retries until :meth:`stop`.
        connections: connections kept open.
        share: secret of a share link, for visitors.
        on_pause: called before a failed request is repeated, with the error and the number of
            failures so far.
        on_success: called after each request that succeeded.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        give_up_after: float = 60.0,
        connections: int = 4,
        share: str | None = None,
        on_pause: Callable[[Exception, int], None] | None = None,
        on_success: Callable[[], None] | None = None,
    ) -> None:
        self.origin = credentials.origin
        self.give_up_after = give_up_after
        self._connections = connections
        self._on_pause = on_pause
        self._on_success = on_success
        self._headers = {"user-agent": f"plotline-python/{__version__} Python/{_python()}"}
        if credentials.token:
            self._headers["authorization"] = f"Bearer {credentials.token}"
        if share:
            self._headers["plotline-share"] = share
        self._stopped = threading.Event()
        self._last_success = time.monotonic()
        self._pid = -1
        self._pool: urllib3.PoolManager | None = None

    def stop(self) -> None:
        """Failed requests are not repeated from now on, and pauses end."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def get(self, path: str, what: str, *, timeout: float = 60.0) -> Json:
        """GET of a JSON object below ``/api/v1``."""
        return self.json("GET", path, what, timeout=timeout)

    def json(
        self,
        method: str,
        path: str,
        what: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
    ) -> Json:
        """Sends a request with a JSON body; the response is a JSON object.

        Raises:
            ApiError: the service rejected it.
            NetworkError: no response arrived within ``give_up_after`` seconds.
        """
        sent = dict(headers or {})
        data = None
        if body is not None:
            data = json.dumps(body, separators=(",", ":")).encode()
            sent["content-type"] = "application/json"
        response = self.request(method, path, what, data, headers=sent, timeout=timeout)
        if not response.data:
            return {}
        try:
            value = json.loads(response.data)
        except ValueError as error:
            message = f"{what}: the response is not JSON; is {self.origin} a Plotline service?"
            raise NetworkError(message) from error
        if not isinstance(value, dict):
            raise NetworkError(f"{what}: the response is not a JSON object")
        return value

    def pages(self, path: str, field: str, what: str, page_size: int = 1000) -> Iterator[Json]:
        """Every item of a list, page by page."""
        join = "&" if "?" in path else "?"
        token = ""
        while True:
            suffix = f"&page_token={quote(token, safe='')}" if token else ""
            page = self.get(f"{path}{join}page_size={page_size}{suffix}", what)
            yield from page.get(field) or []
            token = page.get("next_page_token") or ""
            if not token:
                return

    def request(
        self,
        method: str,
        path: str,
        what: str,
        body: bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
    ) -> urllib3.BaseHTTPResponse:
        """One request, repeated while it fails in passing. Only for requests that may be repeated.

        ``timeout``: seconds that the connection may be silent.
        """
        failures = 0
        while True:
            started = time.monotonic()
            try:
                response = self._once(method, path, what, body, headers, timeout)
            except (ApiError, NetworkError) as error:
                if isinstance(error, ApiError) and not error.retryable:
                    raise
                if self._stopped.is_set():
                    raise
                failures += 1
                if failures == 1:
                    self._last_success = max(self._last_success, started)
                retry_after = error.retry_after if isinstance(error, ApiError) else 0.0
                if isinstance(error, ApiError) and error.status == 429:
                    self._last_success = time.monotonic()  # the service works and asks to wait
                if time.monotonic() - self._last_success > self.give_up_after:
                    raise
                bound = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - 1, 20))
                spread = max(bound, retry_after * JITTER_OF_RETRY_AFTER)
                pause = retry_after + spread * random.random()
                if self._on_pause is not None:
                    self._on_pause(error, failures)
                self._stopped.wait(pause)
            else:
                self._last_success = time.monotonic()
                if self._on_success is not None:
                    self._on_success()
                return response

    def page(self, path: str, what: str) -> bytes:
        """GET of a page or picture, whose address is not below ``/api/v1``."""
        return bytes(self._once("GET", path, what, None, None, 60.0, api=False).data)

    def location(self, path: str, what: str) -> str:
        """Where a page redirects to; empty if it does not.

        Raises:
            NetworkError: no response arrived.
        """
        try:
            response = self._open().request(
                "GET",
                f"{self.origin}{path}",
                headers=self._headers,
                timeout=urllib3.Timeout(connect=10, read=60),
                retries=False,
                redirect=False,
            )
        except HTTPError as error:
            raise NetworkError(f"{what}: {_reason(error, self.origin)}") from error
        return str(response.headers.get("location") or "") if response.status == 303 else ""

    def stream(
        self, method: str, path: str, what: str, body: object = None, accept: str | None = None
    ) -> urllib3.BaseHTTPResponse:
        """A response of any size, not read yet. The caller reads it and calls ``release_conn``."""
        headers = dict(self._headers)
        if accept:
            headers["accept"] = accept
        data = None
        if body is not None:
            data = json.dumps(body, separators=(",", ":")).encode()
            headers["content-type"] = "application/json"
        failures = 0
        while True:
            error: ApiError | NetworkError
            try:
                response = self._open().request(
                    method,
                    self._url(path),
                    body=data,
                    headers=headers,
                    preload_content=False,
                    timeout=urllib3.Timeout(connect=10, read=120),
                    retries=False,
                    redirect=False,
                )
                if 200 <= response.status < 300:
                    return response
                error = _refusal(what, response)
            except HTTPError as cause:
                error = NetworkError(f"{what}: {_reason(cause, self.origin)}")
            failures += 1
            if isinstance(error, ApiError) and not error.retryable:
                raise error
            if failures > 5 or self._stopped.is_set():
                raise error
            pause = error.retry_after if isinstance(error, ApiError) else 0.0
            self._stopped.wait(pause + FIRST_PAUSE * 2**failures * random.random())

    def close(self) -> None:
        """Closes idle connections."""
        if self._pool is not None and self._pid == os.getpid():
            self._pool.clear()

    def _once(
        self,
        method: str,
        path: str,
        what: str,
        body: bytes | None,
        headers: Mapping[str, str] | None,
        timeout: float,
        api: bool = True,
    ) -> urllib3.BaseHTTPResponse:
        try:
            response = self._open().request(
                method,
                self._url(path) if api else f"{self.origin}{path}",
                body=body,
                headers={**self._headers, **(headers or {})},
                timeout=urllib3.Timeout(connect=10, read=timeout),
                retries=False,
                redirect=False,
            )
        except HTTPError as error:
            raise NetworkError(f"{what}: {_reason(error, self.origin)}") from error
        if not 200 <= response.status < 300:
            raise _refusal(what, response)
        return response

    def _open(self) -> urllib3.PoolManager:
        if self._pool is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._pool = _pool_for(self.origin, self._connections)
        return self._pool

    def _url(self, path: str) -> str:
        return f"{self.origin}/api/v1{path}"


def _pool_for(origin: str, connections: int) -> urllib3.PoolManager:
    scheme, _, rest = origin.partition("://")
    proxy = getproxies().get(scheme)
    options: dict[str, Any] = {"maxsize": connections, "block": False}
    if proxy and not proxy_bypass(rest):
        return urllib3.ProxyManager(proxy, **options)
    return urllib3.PoolManager(**options)


def _refusal(what: str, response: urllib3.BaseHTTPResponse) -> ApiError:
    problem: Any = {}
    try:
        problem = json.loads(response.data or b"{}")
    except (ValueError, HTTPError):
        problem = {}
    headers = {name.lower(): value for name, value in response.headers.items()}
    return ApiError(what, response.status, problem if isinstance(problem, dict) else {}, headers)


def _reason(error: HTTPError, origin: str) -> str:
    return f"no response from {origin} ({error.__class__.__name__})"


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"
