"""Output of the command: results, messages, one document with ``--json``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any, TextIO

_nothing = "\u2013"
_control = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


class Report:
    """Results go to standard output, messages to standard error. With ``--json`` one document goes
    to standard output, and results are left out: the document has them all."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, line: str) -> None:
        if not self.as_json:
            _write(sys.stdout, printable(line))

    def line(self, text: str) -> None:
        """A line of a log, which is safe to show already."""
        if not self.as_json:
            _write(sys.stdout, text)

    def say(self, line: str) -> None:
        _write(sys.stderr, printable(line))

    def document(self, value: object) -> None:
        if self.as_json:
            _write(sys.stdout, json.dumps(value))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Columns as wide as their widest cell; numbers are aligned to the right."""
        texts = [
            [_nothing if cell is None else printable(str(cell)) for cell in row] for row in rows
        ]
        right = [any(isinstance(row[c], (int, float)) for row in rows) for c in range(len(head))]
        widths = [
            max(len(title), *(len(row[c]) for row in texts)) if texts else len(title)
            for c, title in enumerate(head)
        ]
        for row in [list(head), *texts]:
            cells = (
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(row, widths, right)
            )
            self.result("  ".join(cells).rstrip())


def _write(stream: TextIO, line: str) -> None:
    # In one call: several threads write, and `print` writes the end of the line on its own.
    stream.write(f"{line}\n")
    stream.flush()


def printable(line: str) -> str:
    """Names come from event files: control and bidirectional characters must not reach a
    terminal."""
    return _control.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def plural(count: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def counted(*counts: tuple[int, str]) -> list[str]:
    """The counts that are not 0, as words. If all are 0, the first one."""
    some = [(count, noun) for count, noun in counts if count > 0]
    return [plural(count, noun) for count, noun in some or counts[:1]]


def format_bytes(count: int) -> str:
    """``0 B``, ``1.5 KiB``, ``120 MiB``."""
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    value, unit = float(count), 0
    while value >= 1024 and unit < len(units) - 1:
        value /= 1024
        unit += 1
    return (
        f"{value:.0f} {units[unit]}" if unit == 0 or value >= 100 else f"{value:.1f} {units[unit]}"
    )
