"""The client's exceptions, which scripts can distinguish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PlotlineError(Exception):
    """Base class of every error that this package raises. The message is for people."""

    #: Stable code for scripts: the service's problem code where the service sent one.
    code: str = "failed"


class UsageError(PlotlineError, ValueError):
    """An argument is wrong, or two arguments contradict each other."""

    code = "usage"


class NotSignedIn(PlotlineError):
    """No server is known, or no token for it."""

    code = "unauthenticated"


class NetworkError(PlotlineError):
    """No response arrived, or only part of it. The request may have taken effect."""

    code = "network"


class ApiError(PlotlineError):
    """The service rejected a request (RFC 9457 problem document)."""

    def __init__(
        self, what: str, status: int, problem: Mapping[str, Any], headers: Mapping[str, str]
    ) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code = str(problem.get("code") or f"http-{status}")
        self.request_id = problem.get("request_id")
        self.retry_after = _seconds(headers.get("retry-after"))
        detail = problem.get("detail") or problem.get("title") or f"HTTP status {status}"
        super().__init__(f"{what}: {detail}")

    @property
    def retryable(self) -> bool:
        """Whether the same request can succeed later."""
        return self.status in (408, 425, 429) or self.status >= 500


class NotFound(PlotlineError):
    """There is no such experiment, or the link to it is not known."""

    code = "experiment-not-found"


def _seconds(value: str | None) -> float:
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        return 0.0
