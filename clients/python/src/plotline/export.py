"""Writes experiments back to files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import google_crc32c

from .errors import PlotlineError
from .extras import require
from .http import Http
from .reading import Experiment

_read_bytes = 1 << 20


@dataclass
class RawExport:
    """The result of an export: run, name, version, bytes and path of each file."""

    files: list[dict[str, Any]] = field(default_factory=list)
    bytes: int = 0
    #: Files that were there already, byte for byte.
    unchanged: int = 0

    def document(self) -> dict[str, Any]:
        return {"bytes": self.bytes, "unchanged": self.unchanged, "files": self.files}


def export_raw(http: Http, experiment: str, folder: Path) -> RawExport:
    """Writes the latest version of every event file, byte for byte.

    Raises:
        PlotlineError: a file exists with other bytes, or a response was incomplete.
    """
    newest: dict[tuple[str, str], dict[str, object]] = {}
    for file in http.pages(f"/experiments/{experiment}/files", "files", "Listing files"):
        key = (str(file["run"]), str(file["name"]))
        if key not in newest or int(str(newest[key]["version"])) < int(file["version"]):
            newest[key] = file
    done = RawExport()
    for (run, name), file in newest.items():
        path = _safe(folder, run, name)
        # Without deleted points, the bytes differ from what was sent.
        kept = file.get("content_crc32c") or file["crc32c"]
        size, crc = int(str(file["bytes"])), int(str(kept), 16)
        described = {key: file[key] for key in ("run", "name", "version", "bytes")}
        done.files.append(described | {"path": str(path.relative_to(folder))})
        done.bytes += size
        if path.exists():
            if _same(path, size, crc):
                done.unchanged += 1
                continue
            raise PlotlineError(
                f"{path} already exists with different content and was not overwritten. Choose "
                "another --outdir."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
        response = http.stream(
            "GET", f"/files/{file['file_id']}/content?experiment={experiment}", "Fetching a file"
        )
        try:
            got, written = 0, 0
            with open(part, "xb") as out:
                # The file may have grown since it was listed: its listed bytes are kept.
                while written < size and (data := response.read(min(_read_bytes, size - written))):
                    got = google_crc32c.extend(got, data)
                    written += len(data)
                    out.write(data)
                out.flush()
                os.fsync(out.fileno())
            if got != crc or written != size:
                raise PlotlineError(f"{run}/{name} did not arrive whole; try again.")
            os.replace(part, path)
        finally:
            response.close()
            part.unlink(missing_ok=True)
    return done


def export_table(
    source: Experiment, folder: Path, format: str, *, superseded: bool = False
) -> tuple[Path, int]:
    """Writes all scalars as one long table, page by page. Returns its path and rows.

    Raises:
        ImportError: pyarrow is not installed (``pip install pyarrow``).
    """
    require("A table", "pyarrow")
    import pyarrow

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"scalars.{format}"
    part = folder / f".{path.name}.{os.urandom(4).hex()}.part"
    rows = 0
    writer = None
    try:
        with open(part, "xb") as out:
            for table in source.scalar_batches(superseded=superseded):
                # Pages have dictionaries of their own: their columns become text.
                schema = pyarrow.schema(
                    [(f.name, getattr(f.type, "value_type", f.type)) for f in table.schema]
                )
                if writer is None:
                    writer = _table_writer(format, out, schema)
                writer.write_table(table.cast(schema))
                rows += table.num_rows
            if writer is not None:
                writer.close()
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path, rows


def _table_writer(format: str, out: BinaryIO, schema: Any) -> Any:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    if format == "csv":
        return pyarrow.csv.CSVWriter(out, schema)
    if format == "arrow":
        return pyarrow.ipc.new_stream(out, schema)
    return pyarrow.parquet.ParquetWriter(out, schema)


def _same(path: Path, size: int, crc: int) -> bool:
    got, length = 0, 0
    with open(path, "rb") as file:
        while data := file.read(_read_bytes):
            got = google_crc32c.extend(got, data)
            length += len(data)
    return length == size and got == crc


def _safe(folder: Path, run: str, name: str) -> Path:
    """The path of a file below ``folder``. Names are what people logged: none leads out of it."""
    parts = [] if run == "." else run.split("/")
    for part in (*parts, name):
        if part in ("", ".", "..") or "\0" in part or os.sep in part:
            raise PlotlineError(f"{run}/{name} cannot be a file name here.")
    return folder.joinpath(*parts, name)
