"""Charts as the service draws them."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from .errors import ApiError, NotFound, UsageError
from .http import Http, Json

if TYPE_CHECKING:
    from .reading import Experiment
    from .run import Run


class Chart:
    """A chart of one tag; notebooks show it.

    Attributes:
        svg: the picture, an SVG document.
        url: its address at the service.
    """

    def __init__(self, svg: str, url: str) -> None:
        self.svg = svg
        self.url = url

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG document to a file.

        Raises:
            ValueError: the name does not end with ``.svg``.
        """
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(
                f"A chart is an SVG document; {os.fspath(path)!r} does not end with .svg"
            )
        Path(path).write_text(self.svg, encoding="utf-8")

    def as_image(self) -> str:
        """An ``img`` element that contains the picture. Nothing inside an image is run."""
        data = base64.b64encode(self.svg.encode("utf-8")).decode()
        return f'<img alt="chart" src="data:image/svg+xml;base64,{data}">'

    def _repr_html_(self) -> str:
        return self.as_image()

    def __repr__(self) -> str:
        return f"Chart({self.url!r})"


class Frame:
    """Charts that follow a live experiment, in a frame; notebooks show it. Made by
    :meth:`plotline.Experiment.frame`.

    Attributes:
        url: the address of the embed. Anyone who knows it can view these charts until it expires
            or :meth:`revoke` is called.
    """

    def __init__(self, http: Http, link: Json, picture: str, height: int) -> None:
        self.url = str(link["url"])
        self._http = http
        self._id = str(link["id"])
        self._picture = picture
        self._height = height

    def revoke(self) -> None:
        """Ends the embed; a notebook that was saved with it then shows only the picture."""
        self._http.request("DELETE", f"/share-links/{self._id}", "Revoking the embed")

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self._height}px;border:0"
        frame = f'<iframe title="Live charts" src="{escape(self.url)}" style="{style}"></iframe>'
        # Where frames are blocked, the picture remains.
        return (
            f"<details open><summary>Live</summary>{frame}</details>"
            f"<details><summary>Picture</summary>{self._picture}</details>"
        )

    def __repr__(self) -> str:
        return f"Frame({self._id!r})"


def plot(
    experiment: Experiment | Run | str,
    tag: str,
    *,
    runs: Sequence[str] | str | None = None,
    smoothing: float = 0.0,
    x_axis: str = "step",
    x_scale: str = "linear",
    y_scale: str = "linear",
    from_step: float | None = None,
    to_step: float | None = None,
    width: int = 720,
    height: int = 440,
    theme: str = "light",
) -> Chart:
    """The chart of a tag, drawn by the service from all points: no spike is hidden.

    Args:
        experiment: an :class:`plotline.Experiment`, a :class:`plotline.Run`, an id or an address.
        tag: the tag of scalars.
        runs: names; all by default.
        smoothing: weight of the past, 0 to 0.999, as TensorBoard's.
        x_axis: ``step``, ``relative`` (time since the start) or ``wall`` (time).
        x_scale, y_scale: ``linear``, ``log`` or ``symlog``.
        from_step, to_step: part of the x axis; both or none.
        width, height: pixels, 160 to 2000.
        theme: ``light`` or ``dark``.

    Raises:
        UsageError: a run that has not been uploaded.
        NotFound: there is no such tag or run.
        ValueError: an argument is out of range.
    """
    from .reading import Experiment
    from .reading import experiment as find

    if isinstance(experiment, Experiment):
        source = experiment
    elif isinstance(experiment, str):
        source = find(experiment)
    else:
        if experiment.url is None:
            raise UsageError(f"Run {experiment.name} is not uploaded; there is no chart of it yet.")
        source = find(experiment.url)
        runs = experiment.name if runs is None else runs
    _check("smoothing", smoothing, 0 <= smoothing <= 0.999, "from 0 to 0.999")
    _check("x_axis", x_axis, x_axis in ("step", "relative", "wall"), "step, relative or wall")
    for name, scale in (("x_scale", x_scale), ("y_scale", y_scale)):
        _check(name, scale, scale in ("linear", "log", "symlog"), "linear, log or symlog")
    for name, pixels in (("width", width), ("height", height)):
        _check(name, pixels, 160 <= pixels <= 2000, "from 160 to 2000")
    _check("theme", theme, theme in ("light", "dark"), "light or dark")
    parameters: list[tuple[str, str]] = [
        ("smoothing", str(smoothing)),
        ("xAxis", x_axis),
        ("xScale", x_scale),
        ("yScale", y_scale),
        ("width", str(width)),
        ("height", str(height)),
        ("theme", theme),
    ]
    parameters += [("run", name) for name in ([runs] if isinstance(runs, str) else runs or ())]
    if from_step is not None and to_step is not None:
        parameters += [("from", str(from_step)), ("to", str(to_step))]
    try:
        return source._chart(tag, urlencode(parameters))
    except ApiError as error:
        if error.status != 404:
            raise
        which = f"tag {tag!r}" if not runs else f"tag {tag!r} in {runs!r}"
        raise NotFound(f"There are no scalars of the {which}.") from error


def _check(name: str, value: object, holds: bool, allowed: str) -> None:
    if not holds:
        raise ValueError(f"{name} is {value!r}; it must be {allowed}")
