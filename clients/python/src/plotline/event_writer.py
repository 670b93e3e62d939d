"""Writes TensorBoard event files.

A file is a sequence of records (``tensorflow/core/lib/io/record_writer.h``): length as uint64,
masked CRC-32C of the length, data, masked CRC-32C of the data, all little-endian. Each record is an
``Event`` message (``tensorflow/core/util/event.proto``). The few messages are encoded by hand:
a call of ``log`` costs microseconds, and nothing heavier than this module is imported.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

import google_crc32c

_MASK_DELTA = 0xA282EAD8
_double = struct.Struct("<d").pack
_float = struct.Struct("<f")
_length = struct.Struct("<Q").pack
_crc = struct.Struct("<I").pack

#: Number of buffered bytes that causes an automatic write to the operating system.
MAX_BUFFER_BYTES = 256 * 1024
#: Largest step that fits the format (int64).
MAX_STEP = 2**63 - 1

_lock_of_names = threading.Lock()
_files_made = 0


def varint(value: int) -> bytes:
    """Base-128 varint; negative numbers as their two's complement of 64 bits."""
    if 0 <= value < 0x80:
        return bytes((value,))
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, data: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def masked_crc(data: bytes) -> int:
    """The CRC-32C that record files store: rotated and offset, as record_writer.h defines it."""
    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    """One framed record."""
    length = _length(len(data))
    return b"".join((length, _crc(masked_crc(length)), data, _crc(masked_crc(data))))


def is_utf8(text: str) -> bool:
    """Whether a text can be a name: a lone surrogate cannot be written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def metadata(
    plugin: str, content: bytes = b"", data_class: int = 0, description: str = ""
) -> bytes:
    """``SummaryMetadata``. ``data_class``: 1 scalar, 2 tensor, 3 blob sequence."""
    plugin_data = field(1, plugin.encode()) + (field(2, content) if content else b"")
    out = field(1, plugin_data)
    if description:
        out += field(3, description.encode())
    if data_class:
        out += b"\x20" + varint(data_class)
    return out


def tensor_of_bytes(values: Iterable[bytes], shape: Iterable[int]) -> bytes:
    """A ``TensorProto`` of strings."""
    dims = b"".join(field(2, b"\x08" + varint(size)) for size in shape)
    return b"\x08\x07" + field(2, dims) + b"".join(field(8, value) for value in values)


def tensor_of_doubles(data: bytes, shape: Iterable[int]) -> bytes:
    """A ``TensorProto`` of float64; ``data`` is little-endian, in C order."""
    dims = b"".join(field(2, b"\x08" + varint(size)) for size in shape)
    return b"\x08\x02" + field(2, dims) + field(4, data)


_scalar_metadata = field(9, metadata("scalars", data_class=1))
# dtype DT_DOUBLE, an empty shape, then the head of `double_val` with its eight bytes.
_scalar_tensor_head = b"\x42\x0e\x08\x02\x12\x00\x32\x08"
assert len(_scalar_tensor_head) == 8


class EventWriter:
    """Appends events to one event file, from any thread.

    Scalars are stored exactly: values that float32 can hold take 4 bytes, others a float64 tensor.
    Memory is bounded by :data:`MAX_BUFFER_BYTES`. After ``fork`` the child must call
    :meth:`abandon`: the file belongs to the process that opened it.

    Args:
        folder: the run's folder; it is made.
        suffix: appended to the file's name, for files that need distinct names.
    """

    def __init__(self, folder: str | os.PathLike[str], suffix: str = "") -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._heads: dict[str, bytes] = {}
        self._known: set[str] = set()
        self._pid = os.getpid()
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._error: OSError | None = None
        now = time.time()
        self.path, self._file = _create(Path(folder), now, suffix)
        self._append(b"\x09" + _double(now) + field(3, b"brain.Event:2"))
        self.flush()

    @property
    def failed(self) -> OSError | None:
        """Why events could not be written, if they could not; later ones are dropped."""
        return self._error

    def scalars(
        self, values: Mapping[str, float], step: int, wall_time: float | None = None
    ) -> None:
        """Writes one event with these values.

        Args:
            values: tag to value; anything that ``float()`` takes.
            step: int64.
            wall_time: seconds since the epoch; now by default.
        """
        now = time.time() if wall_time is None else wall_time
        heads = self._heads
        known = self._known
        parts = []
        fresh = []
        for tag, value in values.items():
            head = heads.get(tag)
            if head is None:
                head = heads[tag] = field(1, tag.encode())
            number = float(value)
            try:
                narrow = _float.pack(number)
                exact = _float.unpack(narrow)[0] == number or number != number
            except OverflowError:
                exact = False
            if exact:
                body = head + b"\x15" + narrow
            else:
                body = head + _scalar_tensor_head + _double(number)
            if tag not in known:
                fresh.append(tag)
                body += _scalar_metadata
            size = len(body)
            parts.append(b"\x0a" + (bytes((size,)) if size < 128 else varint(size)) + body)
        known.update(fresh)  # only now: a value may have been no number
        self._event(b"".join(parts), step, now)

    def value(self, tag: str, body: bytes, step: int, wall_time: float | None = None) -> None:
        """Writes one ``Summary.Value``; ``body`` is what follows the tag."""
        now = time.time() if wall_time is None else wall_time
        self._event(field(1, field(1, tag.encode()) + body), step, now)

    def message(self, text: str) -> None:
        """Writes a log message, an event that readers of points pass over."""
        # LogMessage{level = 1: INFO, message = 2}
        body = b"\x08\x14" + field(2, text.encode("utf-8", "replace"))
        self._append(b"\x09" + _double(time.time()) + field(6, body))

    def flush(self) -> None:
        """Hands everything to the operating system."""
        with self._lock:
            self._write_out()

    def close(self) -> None:
        """Flushes and closes the file."""
        with self._lock:
            self._write_out()
            with contextlib.suppress(OSError):
                self._file.close()

    def abandon(self) -> None:
        """Lets go of the file without writing, in a process that inherited it by ``fork``."""
        self._buffer = []
        self._buffered = 0
        self._lock = threading.Lock()
        self._error = OSError("this event file belongs to the parent process")

    def _event(self, summary: bytes, step: int, wall_time: float) -> None:
        data = b"".join(
            (
                b"\x09",
                _double(wall_time),
                b"\x10" + varint(step) if step else b"",
                b"\x2a",
                varint(len(summary)),
                summary,
            )
        )
        self._append(data)

    def _append(self, data: bytes) -> None:
        framed = record(data)
        with self._lock:
            self._buffer.append(framed)
            self._buffered += len(framed)
            if self._buffered > MAX_BUFFER_BYTES:
                self._write_out()

    def _write_out(self) -> None:
        if not self._buffer:
            return
        data = b"".join(self._buffer)
        self._buffer.clear()
        self._buffered = 0
        if self._error is not None:
            return
        try:
            _write_all(self._file, data)
        except (OSError, ValueError) as error:
            # A full disk must not end the training run. Bytes after a partial record are
            # unreadable, so the file ends here; `failed` has the reason.
            self._error = error if isinstance(error, OSError) else OSError(str(error))


def _write_all(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def host_of_files() -> str:
    """This machine's name, as event files have it in theirs."""
    return socket.gethostname().replace("/", "_") or "localhost"


def _create(folder: Path, now: float, suffix: str) -> tuple[Path, BinaryIO]:
    """Makes a file that no other writer has: TensorFlow's name, with a number for its process."""
    global _files_made
    host = host_of_files()
    while True:
        with _lock_of_names:
            number = _files_made
            _files_made += 1
        name = f"events.out.tfevents.{int(now):010d}.{host}.{os.getpid()}.{number}{suffix}"
        try:
            return folder / name, open(folder / name, "xb", buffering=0)
        except FileExistsError:
            continue
