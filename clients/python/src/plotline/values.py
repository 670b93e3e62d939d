"""Values other than scalars, as an experiment gives them back: tensors, texts, images, clips."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .errors import ApiError, PlotlineError
from .http import Http, Json

#: Values of one series in a response, and of all its series; limits of the service.
_most_points = 100_000
_most_cells = 1_000_000
#: The element types of tensors whose numbers numpy has under the same name.
_numpy_types = frozenset(
    f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)
) - {"float8"} | {"bool"}
_not_finite = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Value(NamedTuple):
    """One logged value. A list of them is what ``pandas.DataFrame`` takes.

    ``writer`` distinguishes processes that logged the same tag of a run at the same time; otherwise
    0. ``wall_time``: seconds since the epoch.
    """

    run: str
    tag: str
    writer: int
    step: int
    wall_time: float
    value: Any


@dataclass(frozen=True)
class Blob:
    """An image, a clip or a graph at the service; its bytes are fetched on first use.

    Attributes:
        content_type: as the service found it in the bytes, such as ``image/png``.
        size: bytes.
        sha256: of the bytes, in hexadecimal.
        index: its place among the blobs that were logged together.
    """

    content_type: str
    size: int
    sha256: str
    index: int
    _key: str
    _experiment: str
    _http: Http

    def bytes(self) -> bytes:
        """The bytes as they were logged.

        Raises:
            PlotlineError: they did not arrive whole.
        """
        import hashlib

        path = f"/blobs/{self._key}"
        data = bytes(self._http.request("GET", path, "Fetching a blob").data)
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise PlotlineError("The blob did not arrive whole; try again.")
        return data

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the bytes to a file."""
        Path(path).write_bytes(self.bytes())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Notebooks show images."""
        if self.content_type in ("image/png", "image/jpeg"):
            return {self.content_type: base64.b64encode(self.bytes()).decode()}
        return {"text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Blob({self.content_type}, {self.size} bytes)"


def read_values(
    http: Http,
    experiment: str,
    kind: str,
    *,
    plugin: str | None,
    tags: Sequence[str] | str | None,
    runs: Sequence[str] | str | None,
    from_step: int | None,
    to_step: int | None,
    superseded: bool,
) -> Iterator[Value]:
    """Every value of the series of one data class, by tag, run, writer and step.

    Args:
        kind: ``tensor`` or ``blob_sequence``.
    """
    reader = _Reader(http, experiment, kind, superseded)
    for tag, names, most in reader.series(plugin, _names(tags), _names(runs)):
        at_once = max(1, _most_cells // min(max(1, most), _most_points))
        for start in range(0, len(names), at_once):
            yield from reader.read(tag, names[start : start + at_once], from_step, to_step)


class _Reader:
    def __init__(self, http: Http, experiment: str, kind: str, superseded: bool) -> None:
        self._http = http
        self._experiment = experiment
        self._kind = kind
        self._superseded = superseded
        #: First and last step of each run and tag, for reads that must be divided.
        self._steps: dict[tuple[str, str], tuple[int, int]] = {}

    def series(
        self, plugin: str | None, tags: list[str] | None, runs: list[str] | None
    ) -> list[tuple[str, list[str], int]]:
        """Each tag with its runs, and the number of points of the longest of its series."""
        found: dict[str, dict[str, int]] = {}
        path = f"/experiments/{self._experiment}/series"
        for series in self._http.pages(path, "series", "Listing series"):
            run, tag = str(series["run"]), str(series["tag"])
            if series["data_class"] != self._kind or (plugin and series["plugin"] != plugin):
                continue
            if (tags is not None and tag not in tags) or (runs is not None and run not in runs):
                continue
            points = int(series["points"])
            if self._superseded:
                points += int(series["superseded_points"])
            most = found.setdefault(tag, {})
            most[run] = max(most.get(run, 0), points)
            if series["first_step"] is not None:
                first, last = int(series["first_step"]), int(series["last_step"])
                known = self._steps.get((run, tag), (first, last))
                self._steps[(run, tag)] = (min(first, known[0]), max(last, known[1]))
        return [(tag, list(most), max(most.values())) for tag, most in found.items()]

    def read(
        self, tag: str, runs: list[str], from_step: int | None, to_step: int | None
    ) -> Iterator[Value]:
        query: Json = {"tags": [tag], "runs": runs, "points": _most_points}
        if len(runs) > 1:
            query["points"] = max(1, min(_most_points, _most_cells // len(runs)))
        if self._superseded:
            query["superseded"] = True
        steps = {k: v for k, v in (("from", from_step), ("to", to_step)) if v is not None}
        if steps:
            query["steps"] = {name: str(step) for name, step in steps.items()}
        path = f"/experiments/{self._experiment}/{self._kind.replace('_', '-')}s/query"
        try:
            answer = self._http.json("POST", path, f"Reading {tag}", query, timeout=120)
        except ApiError as error:
            if error.status != 413:
                raise
            yield from self._divide(tag, runs, from_step, to_step, error)
            return
        if any(not series["exact"] for series in answer["series"]):
            too_many = PlotlineError(f"{tag} has too many values at one step.")
            yield from self._divide(tag, runs, from_step, to_step, too_many)
            return
        for series in answer["series"]:
            yield from self._values(series)

    def _divide(
        self,
        tag: str,
        runs: list[str],
        from_step: int | None,
        to_step: int | None,
        error: PlotlineError,
    ) -> Iterator[Value]:
        """Halves what was too large for one response: first its runs, then its steps."""
        if len(runs) > 1:
            middle = len(runs) // 2
            yield from self.read(tag, runs[:middle], from_step, to_step)
            yield from self.read(tag, runs[middle:], from_step, to_step)
            return
        first, last = self._steps.get((runs[0], tag), (0, -1))
        if self._superseded:  # those may lie outside of what is effective
            first, last = min(first, -(2**63)), max(last, 2**63 - 1)
        low = first if from_step is None else max(first, from_step)
        high = last if to_step is None else min(last, to_step)
        if low >= high:
            raise error
        middle = (low + high) // 2
        yield from self.read(tag, runs, low, middle)
        yield from self.read(tag, runs, middle + 1, high)

    def _values(self, series: Json) -> Iterator[Value]:
        run, tag, writer = str(series["run"]), str(series["tag"]), int(series.get("writer", 0))
        if self._kind == "tensor":
            columns = series["columns"]
            for step, wall, value in zip(columns["step"], columns["wall_time"], columns["value"]):
                yield Value(run, tag, writer, int(step), _float(wall), tensor_value(value))
            return
        for point in series["points"]:
            for blob in point["blobs"]:
                if blob is not None:  # a hole
                    read = Blob(
                        str(blob["content_type"]),
                        int(blob["bytes"]),
                        str(blob["sha256"]),
                        int(blob["index"]),
                        str(blob["key"]),
                        self._experiment,
                        self._http,
                    )
                    wall = _float(point["wall_time"])
                    yield Value(run, tag, writer, int(point["step"]), wall, read)


def tensor_value(tensor: Json) -> Any:
    """A numpy array of the tensor's shape; a text, or a list of them, for strings; the service's
    own form where numpy is missing or has no such type."""
    dtype, shape, data = str(tensor["dtype"]), [int(n) for n in tensor["shape"]], tensor["data"]
    if dtype == "string":
        texts = [_text(item) for item in data]
        return texts[0] if not shape and texts else texts
    if dtype not in _numpy_types:
        return tensor
    try:
        import numpy as np
    except ImportError:
        return tensor
    integer = "int" in dtype
    numbers = [int(item) if integer else _not_finite.get(item, item) for item in data]
    return np.array(numbers, dtype=dtype).reshape(shape)


def _text(item: Any) -> str | bytes:
    """Strings that are not UTF-8 are bytes."""
    return base64.b64decode(item["base64"]) if isinstance(item, dict) else str(item)


def _float(value: Any) -> float:
    return _not_finite[value] if isinstance(value, str) else float(value)


def _names(names: Sequence[str] | str | None) -> list[str] | None:
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)
