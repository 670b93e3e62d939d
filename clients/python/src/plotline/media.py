"""Values other than numbers: images, audio, text, histograms, tables.

Each is the tensor that the TensorBoard plugin of its kind reads, so stock TensorBoard shows it too.
"""

from __future__ import annotations

import io
import os
import struct
import wave
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import UsageError
from .event_writer import field, metadata, tensor_of_bytes, tensor_of_doubles

# tensorboard/plugins/audio/plugin_data.proto: encoding = 2, WAV = 11
_wav_content = b"\x10\x0b"


class Media(ABC):
    """A value for :meth:`plotline.Run.log` that is not a number."""

    @abstractmethod
    def summary_value(self) -> bytes:
        """The fields of ``Summary.Value`` after the tag: tensor and metadata."""


class Image(Media):
    """One image.

    Args:
        data: a path, encoded bytes (PNG, JPEG, GIF), a Pillow image, or an array of shape
            (height, width), (height, width, 1), (height, width, 3) or (height, width, 4): integers
            from 0 to 255, or floats from 0 to 1. A torch tensor of shape (channels, height, width)
            with 1, 3 or 4 channels is taken as well. Arrays need Pillow.
        caption: shown beside it.
    """

    def __init__(self, data: Any, caption: str = "") -> None:
        self.caption = caption
        self.width, self.height, self.encoded = _encode_image(data)

    def summary_value(self) -> bytes:
        values = [str(self.width).encode(), str(self.height).encode(), self.encoded]
        tensor = field(8, tensor_of_bytes(values, [3]))
        return tensor + field(9, metadata("images", data_class=3, description=self.caption))


class Audio(Media):
    """One clip.

    Args:
        data: a path or bytes of a WAV file, or samples of shape (frames,) or (frames, channels):
            floats from -1 to 1, stored as 16-bit PCM.
        sample_rate: samples a second; needed for samples.
        caption: shown beside it.
    """

    def __init__(self, data: Any, sample_rate: int = 44_100, caption: str = "") -> None:
        self.caption = caption
        if isinstance(data, (str, os.PathLike)):
            with open(data, "rb") as file:
                data = file.read()
        self.encoded = (
            bytes(data) if isinstance(data, (bytes, bytearray)) else _wav(data, sample_rate)
        )

    def summary_value(self) -> bytes:
        tensor = field(8, tensor_of_bytes([self.encoded, self.caption.encode()], [1, 2]))
        return tensor + field(9, metadata("audio", _wav_content, 3))


class Text(Media):
    """A text; TensorBoard and Plotline show it as Markdown."""

    def __init__(self, text: str) -> None:
        self.text = str(text)

    def summary_value(self) -> bytes:
        tensor = field(8, tensor_of_bytes([self.text.encode("utf-8", "replace")], []))
        return tensor + field(9, metadata("text", data_class=2))


class Table(Text):
    """A table, kept as a Markdown text."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        names = [str(column) for column in columns]
        lines = [_row(names), _row(["---"] * len(names))]
        for row in rows:
            if len(row) != len(names):
                raise UsageError(f"A row has {len(row)} cells, the table {len(names)} columns.")
            lines.append(_row(row))
        super().__init__("\n".join(lines))


class Histogram(Media):
    """The distribution of some values.

    Args:
        values: numbers of any shape; NaN and infinities are left out.
        bins: bins of equal width over their range.
    """

    def __init__(self, values: Any, bins: int = 64) -> None:
        if bins < 1 or bins > 10_000:
            raise UsageError("A histogram has 1 to 10,000 bins.")
        self.buckets = _histogram(values, bins)

    def summary_value(self) -> bytes:
        data = b"".join(struct.pack("<3d", *bucket) for bucket in self.buckets)
        tensor = field(8, tensor_of_doubles(data, [len(self.buckets), 3]))
        return tensor + field(9, metadata("histograms", data_class=2))


def _row(cells: Iterable[Any]) -> str:
    texts = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return "| " + " | ".join(texts) + " |"


def _encode_image(data: Any) -> tuple[int, int, bytes]:
    if isinstance(data, (str, os.PathLike)):
        with open(data, "rb") as file:
            data = file.read()
    if isinstance(data, (bytes, bytearray)):
        return (*_size_of(bytes(data)), bytes(data))
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise UsageError("Images from arrays need Pillow: pip install pillow") from error
    picture = data if isinstance(data, Pillow.Image) else Pillow.fromarray(_pixels(data))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return picture.width, picture.height, out.getvalue()


def _pixels(data: Any) -> Any:
    """An array of uint8 of shape (height, width) or (height, width, channels)."""
    import numpy as np

    torch_like = hasattr(data, "detach")
    array = np.asarray(data.detach().cpu() if torch_like else data)
    if torch_like and array.ndim == 3 and array.shape[0] in (1, 3, 4):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)):
        raise UsageError(f"An array of shape {array.shape} is not an image.")
    if array.dtype.kind == "f":
        array = np.clip(np.nan_to_num(array) * 255 + 0.5, 0, 255)
    elif array.dtype.kind == "b":
        array = array * 255
    return np.clip(array, 0, 255).astype(np.uint8)


def _size_of(data: bytes) -> tuple[int, int]:
    """Width and height of an encoded image; 0, 0 if only Pillow could tell and it is missing."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    try:
        from PIL import Image as Pillow
    except ImportError:
        return 0, 0
    with Pillow.open(io.BytesIO(data)) as picture:
        return int(picture.width), int(picture.height)


def _wav(samples: Any, sample_rate: int) -> bytes:
    import numpy as np

    array = np.asarray(samples.detach().cpu() if hasattr(samples, "detach") else samples)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise UsageError(f"Samples of shape {array.shape} are not a clip.")
    if array.dtype.kind == "f":
        array = np.clip(np.nan_to_num(array), -1, 1) * 32767
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(array.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(sample_rate))
        file.writeframes(np.round(array).astype("<i2").tobytes())
    return out.getvalue()


def _histogram(values: Any, bins: int) -> list[tuple[float, float, float]]:
    try:
        import numpy as np
    except ImportError:
        return _histogram_without_numpy(values, bins)
    array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    array = array.astype(float).ravel()
    array = array[np.isfinite(array)]
    if array.size == 0:
        return []
    if array.min() == array.max():
        return [(float(array[0]), float(array[0]), float(array.size))]
    counts, edges = np.histogram(array, bins)
    return [(float(a), float(b), float(n)) for a, b, n in zip(edges[:-1], edges[1:], counts)]


def _histogram_without_numpy(values: Any, bins: int) -> list[tuple[float, float, float]]:
    numbers = [float(value) for value in values]
    numbers = [n for n in numbers if n - n == 0]
    if not numbers:
        return []
    low, high = min(numbers), max(numbers)
    if low == high:
        return [(low, high, float(len(numbers)))]
    counts = [0] * bins
    for n in numbers:
        counts[min(bins - 1, int((n - low) / (high - low) * bins))] += 1
    edges = [low + (high - low) * i / bins for i in range(bins)] + [high]
    return [(edges[i], edges[i + 1], float(counts[i])) for i in range(bins)]
