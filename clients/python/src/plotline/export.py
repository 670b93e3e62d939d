"""Writes experiments back to files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import google_crc32c

from .errors import PlotlineError, UsageError
from .http import Http
from .reading import Experiment

_read_bytes = 1 << 20


def export_raw(http: Http, experiment: str, folder: Path) -> int:
    """Writes the latest version of every event file, byte for byte. Returns how many.

    Raises:
        UsageError: a file is there already with other bytes.
        PlotlineError: an answer was not whole.
    """
    newest: dict[tuple[str, str], dict[str, object]] = {}
    for file in http.pages(f"/experiments/{experiment}/files", "files", "Listing files"):
        key = (str(file["run"]), str(file["name"]))
        if key not in newest or int(str(newest[key]["version"])) < int(file["version"]):
            newest[key] = file
    for (run, name), file in newest.items():
        path = _safe(folder, run, name)
        size, crc = int(str(file["bytes"])), int(str(file["crc32c"]), 16)
        if path.exists():
            if _same(path, size, crc):
                continue
            raise UsageError(f"{path} is there already and has other bytes; choose another folder.")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
        response = http.stream(
            "GET", f"/files/{file['file_id']}/content?experiment={experiment}", "Fetching a file"
        )
        try:
            got, written = 0, 0
            with open(part, "xb") as out:
                while data := response.read(_read_bytes):
                    got = google_crc32c.extend(got, data)
                    written += len(data)
                    out.write(data)
                out.flush()
                os.fsync(out.fileno())
            if got != crc or written < size:
                raise PlotlineError(f"{run}/{name} did not arrive whole; try again.")
            os.replace(part, path)
        finally:
            response.release_conn()
            part.unlink(missing_ok=True)
    return len(newest)


def export_table(source: Experiment, folder: Path, format: str) -> tuple[Path, int]:
    """Writes all effective scalars as one long table, page by page. Returns its path and rows."""
    import pyarrow

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"scalars.{format}"
    rows = 0
    writer = None
    with open(path, "xb") as out:
        for table in source.scalar_batches():
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
    return path, rows


def _table_writer(format: str, out: BinaryIO, schema: Any) -> Any:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    if format == "csv":
        return pyarrow.csv.CSVWriter(out, schema)
    if format == "arrow":
        return pyarrow.ipc.new_file(out, schema)
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
