"""Reads logs of runs: what their processes printed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from .http import Http, Json

#: Lines in one response; the service's own limit.
PAGE_LINES = 5_000
_follow_every = 2.0
#: Everything that is no text, but tabs and the sequences that set colors.
_not_shown = re.compile(
    r"\x1b\[[0-9;:]*m"
    r"|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])"
    "|[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def list_logs(http: Http, experiment: str, runs: Sequence[str] | None) -> list[Json]:
    """The logs of an experiment, of these runs only, in the order in which they began."""
    query = "&".join(f"run={quote(run, safe='')}" for run in runs or [])
    path = f"/experiments/{experiment}/logs" + (f"?{query}" if query else "")
    # Their names begin with their times.
    return sorted(http.pages(path, "logs", "Listing logs"), key=lambda log: str(log["name"]))


def read_lines(http: Http, experiment: str, log: Json, start: int | None) -> Iterator[str]:
    """The lines of a log from line ``start`` on; None: the last ones."""
    path = f"/experiments/{experiment}/logs/{log['file_id']}"
    line = start
    while True:
        query = f"?lines={PAGE_LINES}" + ("" if line is None else f"&from={line}")
        found = http.get(f"{path}{query}", "Reading a log")["content"]
        if not found:
            return
        for entry in found:
            yield str(entry["text"])
        line = int(found[-1]["line"]) + 1


def tail_lines(http: Http, experiment: str, log: Json, count: int) -> Iterator[str]:
    """The last ``count`` lines."""
    if count > 0:
        return read_lines(http, experiment, log, max(1, int(log["lines"]) - count + 1))
    return iter(())


def follow(http: Http, experiment: str, runs: Sequence[str], logs: Sequence[Json]) -> Iterator[str]:
    """Lines that come after those of ``logs``, and the lines of new logs, until stopped. A line is
    returned once it is finished."""
    seen = {log["file_id"]: int(log["lines"]) for log in logs}
    while True:
        time.sleep(_follow_every)
        for log in list_logs(http, experiment, runs):
            before = seen.get(log["file_id"], 0)
            if int(log["lines"]) > before:
                lines = list(read_lines(http, experiment, log, before + 1))
                seen[log["file_id"]] = before + len(lines)
                yield from lines


def shown(line: str, colors: bool) -> str:
    """A line for a terminal: colors only on request, and nothing that would move the cursor."""

    def kept(match: re.Match[str]) -> str:
        found = match[0]
        return found if colors and found.endswith("m") and len(found) > 1 else ""

    text = _not_shown.sub(kept, line)
    return f"{text}\x1b[0m" if colors and "\x1b" in text else text
