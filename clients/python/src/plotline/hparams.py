"""Configuration and outcome of a run, in the form of TensorBoard's hparams plugin
(tensorboard/plugins/hparams/plugin_data.proto), which Plotline reads from event files."""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Mapping
from typing import Any

from .errors import UsageError
from .event_writer import field, metadata, varint
from .redact import HIDDEN, names_a_secret

START_TAG = "_hparams_/session_start_info"
END_TAG = "_hparams_/session_end_info"
#: Bytes of a configuration as JSON, at most.
MAX_CONFIG_BYTES = 64 * 1024
SUCCESS, FAILURE = 1, 2


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys joined by dots; lists and other objects become JSON or text. Texts whose key
    names a secret are redacted.

    Raises:
        UsageError: the configuration is larger than :data:`MAX_CONFIG_BYTES`.
    """
    flat: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{name}."))
        elif isinstance(value, str) and value and names_a_secret(name):
            flat[name] = HIDDEN
        elif value is None or isinstance(value, (bool, int, float, str)):
            flat[name] = value
        elif hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            flat[name] = value.item()
        else:
            try:
                flat[name] = json.dumps(value)
            except (TypeError, ValueError):
                flat[name] = str(value)
    if not prefix and len(json.dumps(flat, default=str).encode()) > MAX_CONFIG_BYTES:
        raise UsageError(f"A configuration can have at most {MAX_CONFIG_BYTES} bytes.")
    return flat


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
    info = entries + (field(4, group.encode()) if group else b"") + b"\x29" + _double(started)
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
