"""Configuration and outcome of a run, in the form of TensorBoard's hparams plugin
(tensorboard/plugins/hparams/plugin_data.proto), which Plotline reads from event files."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import struct
import warnings
from collections.abc import Mapping
from typing import Any

from .errors import UsageError
from .event_writer import field, is_utf8, metadata, varint
from .redact import HIDDEN, names_a_secret

START_TAG = "_hparams_/session_start_info"
END_TAG = "_hparams_/session_end_info"
#: Bytes of a configuration as JSON, at most.
MAX_CONFIG_BYTES = 64 * 1024
SUCCESS, FAILURE = 1, 2
#: Larger integers are texts: float64, which the form has for numbers, would round them.
_most_exact = 2**53


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys joined by dots; lists and other objects become JSON or text, as do integers that
    float64 may not hold. Texts whose key names a secret are redacted. A key that is not UTF-8 is
    left out with a warning.

    Raises:
        UsageError: the configuration is larger than :data:`MAX_CONFIG_BYTES`, or contains itself.
    """
    flat: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if not is_utf8(name):
            line = f"plotline: {name!r} of the configuration is left out: its name is not UTF-8"
            warnings.warn(line, RuntimeWarning, stacklevel=4)
        elif isinstance(value, Mapping):
            try:
                flat.update(flatten(value, f"{name}."))
            except RecursionError:
                raise UsageError("A configuration cannot contain itself.") from None
        elif isinstance(value, str) and value and names_a_secret(name):
            flat[name] = HIDDEN
        else:
            flat[name] = _plain(value)
    if not prefix and len(json.dumps(flat, default=str).encode()) > MAX_CONFIG_BYTES:
        raise UsageError(f"A configuration is limited to {MAX_CONFIG_BYTES} bytes.")
    return flat


def _plain(value: Any) -> Any:
    """None, a bool, a number that float64 holds exactly, or a text."""
    with contextlib.suppress(Exception):
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            value = value.item()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _most_exact:
        try:
            return str(int(value))
        except ValueError:  # more digits than Python converts
            return hex(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    for convert in (json.dumps, str):
        with contextlib.suppress(Exception):
            return convert(value)
    return f"<{type(value).__name__}>"


def as_mapping(config: Any) -> Mapping[str, Any]:
    """A configuration that is a mapping, a dataclass, or an object with attributes such as
    ``argparse.Namespace``.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(config, Mapping):
        return config
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return dataclasses.asdict(config)
    try:
        attributes: Mapping[str, Any] = vars(config)
    except TypeError:
        kind = type(config).__name__
        raise UsageError(f"A configuration is a mapping or an object, not {kind}.") from None
    return attributes


def session_start(config: Any, started: float, group: str = "") -> bytes:
    """The value for the tag :data:`START_TAG`."""
    entries = b"".join(
        field(1, field(1, key.encode()) + field(2, _value(value)))
        for key, value in flatten(as_mapping(config)).items()
    )
    info = (
        entries
        + (field(4, group.encode("utf-8", "replace")) if group else b"")
        + b"\x29"
        + _double(started)
    )
    return field(9, metadata("hparams", field(3, info)))


def session_end(status: int, ended: float) -> bytes:
    """The value for the tag :data:`END_TAG`."""
    info = b"\x08" + varint(status) + b"\x11" + _double(ended)
    return field(9, metadata("hparams", field(4, info)))


def _value(value: Any) -> bytes:
    """``google.protobuf.Value``."""
    if value is None:
        return b"\x08\x00"
    if isinstance(value, bool):
        return b"\x20" + (b"\x01" if value else b"\x00")
    if isinstance(value, (int, float)):
        return b"\x11" + _double(float(value))
    return field(3, str(value).encode("utf-8", "replace"))


_double = struct.Struct("<d").pack
