"""Reads experiments back: every point, exactly."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from .credentials import Credentials, find_credentials, parse_origin
from .errors import NotFound, UsageError
from .extras import require
from .http import Http, Json
from .logs import list_logs, read_lines, tail_lines
from .plotting import Chart, Frame
from .values import Value, read_values

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Points in one page of a raw read; the service's own limit.
PAGE_POINTS = 100_000
_id = re.compile(r"^[A-Za-z0-9]{22}$")
#: ``config.KEY`` in a filter, and the quoted texts in which it means nothing.
_config = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|\bconfig\.([A-Za-z_][\w.]*)""")


class Experiment:
    """An experiment at a service. Made by :func:`experiment`; nothing is read before it is asked.

    Attributes:
        id: the experiment's id.
    """

    def __init__(self, http: Http, experiment_id: str) -> None:
        self._http = http
        self.id = experiment_id
        self._path = f"/experiments/{experiment_id}"

    @property
    def url(self) -> str:
        """The experiment's page."""
        return f"{self._http.origin}/e/{self.id}"

    def info(self) -> Json:
        """Name, description, totals and times, as ``GET /experiments/{id}`` has them."""
        return self._http.get(self._path, f"Experiment {self.id}")

    def runs(self, filter: str | None = None) -> list[Json]:
        """Every run, one dictionary each: ``run``, ``state``, ``config``, ``labels``, ``source``
        and the other fields of ``GET /experiments/{id}/runs``.

        Args:
            filter: an expression such as ``last('val/loss') < 0.3 and config.lr = 0.01``.
                Other fields: ``run``, ``display_name``, ``state``, ``status``, ``group``,
                ``job_type``, ``label``, ``person``, ``host``, ``command``, ``git_commit``,
                ``git_branch``, ``git_dirty``, ``heartbeat``, ``archived``, ``start_time``,
                ``last_time``, ``min('TAG')``, ``max('TAG')``.

        Raises:
            ApiError: the experiment does not exist, or the filter is not understood.
        """
        query = f"?filter={quote(_filter(filter), safe='')}" if filter else ""
        return list(self._http.pages(f"{self._path}/runs{query}", "runs", "Listing runs"))

    def runs_frame(self, filter: str | None = None) -> pandas.DataFrame:
        """As :meth:`runs`, one row each: run, state, group, start_time and last_time (seconds
        since the epoch), labels and so on, and columns ``config.KEY`` and ``source.KEY``.

        Raises:
            ImportError: pandas is not installed (``pip install pandas``).
        """
        require("A DataFrame", "pandas")
        import pandas

        rows = []
        for run in self.runs(filter):
            row = {k: v for k, v in run.items() if k not in ("config", "hparams", "source")}
            row.update((f"source.{k}", v) for k, v in (run.get("source") or {}).items())
            row.update((f"config.{k}", v) for k, v in run["hparams"].items())
            rows.append(row)
        return pandas.DataFrame(rows)

    def tags(self) -> list[Json]:
        """Every tag over all runs, with its data class and counts."""
        return list(self._http.pages(f"{self._path}/tags", "tags", "Listing tags"))

    def scalars(
        self,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        buckets: int | None = None,
        superseded: bool = False,
    ) -> pandas.DataFrame:
        """Scalars as a pandas DataFrame, in the order of runs, tags and steps.

        Args:
            tags, runs: names; all by default.
            from_step, to_step: inclusive bounds.
            buckets: None reads every point: columns run, tag, step (int64), wall_time (float64,
                seconds since the epoch), value (float64). A number reads that many buckets a
                series, for drawing: columns step, last_step, count, first, last, min, max and so
                on, exact for the points of each bucket.
            superseded: also the points that a restart replaced, in log order, with a column
                ``superseded``.

        Raises:
            ImportError: pandas or pyarrow is not installed (``pip install pandas pyarrow``).
            ApiError: the experiment does not exist, or a query is rejected.
        """
        require("A DataFrame", "pandas", "pyarrow")
        table = self.scalars_arrow(
            tags,
            runs,
            from_step=from_step,
            to_step=to_step,
            buckets=buckets,
            superseded=superseded,
        )
        frame: pandas.DataFrame = table.to_pandas()
        return frame

    def scalars_polars(self, *args: Any, **options: Any) -> polars.DataFrame:
        """As :meth:`scalars`, as a polars DataFrame."""
        require("A polars DataFrame", "polars", "pyarrow")
        import polars

        frame = polars.from_arrow(self.scalars_arrow(*args, **options))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def scalars_arrow(
        self,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        buckets: int | None = None,
        superseded: bool = False,
    ) -> pyarrow.Table:
        """As :meth:`scalars`, as an Arrow table with dictionary columns for run and tag."""
        require("An Arrow table", "pyarrow")
        import pyarrow

        batches = list(
            self.scalar_batches(
                tags,
                runs,
                from_step=from_step,
                to_step=to_step,
                buckets=buckets,
                superseded=superseded,
            )
        )
        if not batches:
            return pyarrow.table({})
        table = pyarrow.concat_tables(batches, promote_options="permissive")
        return table.unify_dictionaries().combine_chunks()

    def scalar_batches(
        self,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        buckets: int | None = None,
        superseded: bool = False,
    ) -> Iterator[pyarrow.Table]:
        """Pages of :meth:`scalars_arrow`, for experiments larger than memory."""
        require("An Arrow table", "pyarrow")
        import pyarrow

        query: Json = {}
        if buckets is None:
            query.update(sampling="raw", page_size=PAGE_POINTS)
            if superseded:
                query["superseded"] = True
        elif superseded:
            raise UsageError("Buckets have no superseded points; leave out one of the two.")
        else:
            query.update(sampling="minmax", points=buckets)
        if tags is not None:
            query["tags"] = [tags] if isinstance(tags, str) else list(tags)
        if runs is not None:
            query["runs"] = [runs] if isinstance(runs, str) else list(runs)
        steps = {k: v for k, v in (("from", from_step), ("to", to_step)) if v is not None}
        if steps:
            query["steps"] = steps
        token: str | None = None
        while True:
            body = {**query, "page_token": token} if token else query
            response = self._http.stream(
                "POST",
                f"{self._path}/scalars/query",
                "Reading scalars",
                body,
                accept="application/vnd.apache.arrow.stream",
            )
            try:
                data = response.read()
            finally:
                response.release_conn()
            token = response.headers.get("next-page-token")
            yield pyarrow.ipc.open_stream(pyarrow.py_buffer(data)).read_all()
            if not token:
                return

    def tensors(
        self,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        *,
        plugin: str | None = None,
        from_step: int | None = None,
        to_step: int | None = None,
        superseded: bool = False,
    ) -> Iterator[Value]:
        """Every tensor: histograms, PR curves, text and others. Never downsampled.

        Args:
            tags, runs: names; all by default.
            plugin: only what was logged for this TensorBoard plugin, such as ``histograms``.
            from_step, to_step: inclusive bounds.
            superseded: also superseded points.

        Yields:
            Values whose ``value`` is a numpy array of the logged shape and type, or texts. A
            histogram has shape (buckets, 3): left edge, right edge, count.
        """
        return read_values(
            self._http,
            self.id,
            "tensor",
            plugin=plugin,
            tags=tags,
            runs=runs,
            from_step=from_step,
            to_step=to_step,
            superseded=superseded,
        )

    def texts(
        self, tags: Sequence[str] | str | None = None, runs: Sequence[str] | str | None = None
    ) -> list[Value]:
        """Every text, with its Markdown as ``value``: a ``str``, or a list where several were
        logged together."""
        return list(self.tensors(tags, runs, plugin="text"))

    def histograms(
        self, tags: Sequence[str] | str | None = None, runs: Sequence[str] | str | None = None
    ) -> list[Value]:
        """Every histogram; ``value`` has shape (buckets, 3): left edge, right edge, count."""
        return list(self.tensors(tags, runs, plugin="histograms"))

    def blobs(
        self,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        *,
        plugin: str | None = None,
        from_step: int | None = None,
        to_step: int | None = None,
        superseded: bool = False,
    ) -> Iterator[Value]:
        """Every image, clip and graph, one :class:`plotline.Blob` each. Arguments as for
        :meth:`tensors`."""
        return read_values(
            self._http,
            self.id,
            "blob_sequence",
            plugin=plugin,
            tags=tags,
            runs=runs,
            from_step=from_step,
            to_step=to_step,
            superseded=superseded,
        )

    def images(
        self, tags: Sequence[str] | str | None = None, runs: Sequence[str] | str | None = None
    ) -> list[Value]:
        """Every image, one :class:`plotline.Blob` each."""
        return [v for v in self.blobs(tags, runs) if v.value.content_type.startswith("image/")]

    def audio(
        self, tags: Sequence[str] | str | None = None, runs: Sequence[str] | str | None = None
    ) -> list[Value]:
        """Every clip, one :class:`plotline.Blob` each."""
        return [v for v in self.blobs(tags, runs) if v.value.content_type.startswith("audio/")]

    def logs(self, run: str | None = None) -> list[Json]:
        """The logs of the run, or of all: what each of its processes printed. Each has ``run``,
        ``name``, ``rank``, ``bytes``, ``lines`` and ``complete``."""
        return list_logs(self._http, self.id, None if run is None else [run])

    def log_lines(self, run: str, *, tail: int | None = 1000, rank: int | None = None) -> list[str]:
        """The output of a run: one string per line, process by process.

        Args:
            run: its name.
            tail: only the last lines of each log; None for all.
            rank: only the logs of this rank.
        """
        lines: list[str] = []
        for log in self.logs(run):
            if rank is None or log["rank"] == rank:
                first = (self._http, self.id, log)
                lines += read_lines(*first, 1) if tail is None else tail_lines(*first, tail)
        return lines

    def snapshot(
        self,
        name: str | None = None,
        *,
        runs: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
    ) -> Experiment:
        """Makes a copy of what is readable now, which never changes. Keep its ``id`` to read the
        same points again.

        Args:
            name: of the copy.
            runs, tags: only these.
        """
        wanted = (("name", name), ("runs", runs), ("tags", tags))
        made = self._http.json(
            "POST",
            f"{self._path}/snapshots",
            "Making a snapshot",
            {key: value for key, value in wanted if value is not None},
            headers={"idempotency-key": str(uuid.uuid4())},
        )
        return Experiment(self._http, str(made["id"]))

    def receipt(self) -> Json:
        """The received and the ingested data: files, bytes, checksums, points per series."""
        return self._http.get(f"{self._path}/receipt", "Reading the receipt")

    def picture(self, tag: str, **query: str | int) -> str:
        """The chart of a tag as SVG. ``query``: as in the address of the page, such as
        ``smoothing="0.6"``. :func:`plotline.plot` has them as arguments."""
        return self._chart(tag, urlencode({k: str(v) for k, v in query.items()})).svg

    def _chart(self, tag: str, query: str) -> Chart:
        path = f"/e/{self.id}/{quote(tag, safe='/')}.svg" + (f"?{query}" if query else "")
        svg = self._http.page(path, f"Drawing {tag}").decode("utf-8")
        return Chart(svg, f"{self._http.origin}{path}")

    def frame(
        self,
        origin: str,
        *,
        tags: Sequence[str] | str | None = None,
        runs: Sequence[str] | str | None = None,
        days: int = 1,
        height: int = 480,
    ) -> Frame:
        """Charts for a notebook that follow a live experiment, in a frame; and a picture of them,
        for where frames are blocked. Creates an embed, whose address is saved with the notebook.

        Args:
            origin: the site of the notebook, such as ``http://localhost:8888``; browsers show the
                embed only in frames there.
            tags, runs: show only these.
            days: until the embed expires, 1 to 3650.
            height: of the frame, in pixels.

        Raises:
            ApiError: the token may not share the experiment (it has no scope ``manage``).
        """
        wanted = {"runs": [runs] if isinstance(runs, str) else runs}
        wanted["tags"] = [tags] if isinstance(tags, str) else tags
        body = {key: list(names) for key, names in wanted.items() if names is not None}
        made = self._http.json(
            "POST",
            f"{self._path}/share-links",
            "Creating an embed",
            {**body, "embed_origins": [origin], "expires_in_days": days, "name": "Notebook"},
        )
        return Frame(self._http, made, self._pictures(body.get("tags")), height)

    def _pictures(self, tags: Sequence[str] | None = None) -> str:
        if tags is None:
            found = [tag["tag"] for tag in self.tags() if tag.get("data_class") == "scalar"]
            tags = [tag for tag in found if not tag.startswith("system/")] or found
        return "".join(
            f'<div style="display:inline-block;margin:4px">{self._chart(tag, "").as_image()}</div>'
            for tag in tags[:4]
        )

    def _repr_html_(self) -> str:
        """The experiment's first charts as pictures, for notebooks. :meth:`frame` has live ones."""
        from html import escape

        info = self.info()
        charts = self._pictures()
        name = escape(str(info.get("name") or self.id))
        link = f'<a href="{escape(self.url)}" target="_blank" rel="noopener">{name}</a>'
        return f"<div><p>{link}</p>{charts}</div>"

    def __repr__(self) -> str:
        return f"Experiment({self.url!r})"


def _filter(expression: str) -> str:
    """The service's form of a filter."""

    def hparam(match: re.Match[str]) -> str:
        return match[1] or f"hparam('{match[2]}')"

    return _config.sub(hparam, expression)


def experiment(
    id_or_url: str | None, *, server: str | None = None, token: str | None = None
) -> Experiment:
    """An experiment to read from.

    Args:
        id_or_url: its id, the address of its page, or a share link (``…/s/SECRET``).
        server, token: instead of the stored login and the environment.

    Raises:
        UsageError: that is neither, or None: the ``url`` of a run that no service has seen.
        NotFound: the service does not know the link.
        NotSignedIn: no server is known.
    """
    if id_or_url is None:
        raise UsageError(
            "The run has no experiment yet: no service has answered. Its files are in the log "
            "directory; `plotline upload` sends them."
        )
    if _id.match(id_or_url):
        return Experiment(Http(find_credentials(server, token)), id_or_url)
    parts = urlsplit(id_or_url)
    path = [part for part in parts.path.split("/") if part]
    if parts.scheme not in ("http", "https") or len(path) < 2 or path[0] not in ("e", "s"):
        raise UsageError(
            f"{id_or_url!r} is neither an experiment's id nor the address of its page or a link."
        )
    origin = parse_origin(f"{parts.scheme}://{parts.netloc}")
    if path[0] == "e":
        return Experiment(Http(find_credentials(origin, token)), path[1])
    return Experiment(*open_link(origin, path[1]))


def open_link(origin: str, secret: str) -> tuple[Http, str]:
    """Connection and experiment of a share link.

    Raises:
        NotFound: the service does not know the link.
    """
    # A link leads to its experiment's page; programs get the same redirect.
    target = Http(Credentials(origin, None)).location(f"/s/{secret}", "Opening the link")
    match = re.search(r"/e/([A-Za-z0-9]{22})$", target)
    if match is None:
        raise NotFound(
            f"{origin} does not know this link. It has expired, was revoked, never existed, or "
            "belongs to another service."
        )
    return Http(Credentials(origin, None), share=secret), match[1]


def experiments(
    filter: str | None = None, *, server: str | None = None, token: str | None = None
) -> list[Json]:
    """The experiments of the workspace, newest first."""
    http = Http(find_credentials(server, token))
    query = f"?filter={quote(filter, safe='')}" if filter else ""
    return list(http.pages(f"/experiments{query}", "experiments", "Listing experiments"))


__all__ = ["Experiment", "experiment", "experiments"]
