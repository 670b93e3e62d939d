"""Judges the first bytes of a file: only what begins as an event file is sent.

Without a first record nothing in the file could be read, and the bytes may be anything: a private
key that a link leads to, or a page that a download has left.
"""

from __future__ import annotations

import re

from ..event_writer import masked_crc

#: As many bytes of a file as are looked at: enough to name what else it is.
LOOKED = 512
#: The length of the first record and its checksum.
_header = 12

_signatures = (
    (b"\x1f\x8b", "is compressed with gzip. Unpack it first: gunzip"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd. Unpack it first: zstd -d"),
    (b"\xfd7zXZ", "is compressed with xz. Unpack it first: xz -d"),
    (b"BZh", "is compressed with bzip2. Unpack it first: bunzip2"),
    (b"PK\x03\x04", "is a ZIP archive. Unpack it first"),
    (b"\x00\x05\x16\x07", "is what macOS keeps beside a copied file (AppleDouble)"),
)
_texts = (
    (
        re.compile(rb"version https://git-lfs\.github\.com/spec/"),
        "is a pointer of Git LFS, not the file itself. Fetch the files first: git lfs pull",
    ),
    (
        re.compile(rb"/annex/objects/"),
        "is a pointer of git-annex, not the file itself. Fetch the files first: git annex get",
    ),
    (
        re.compile(rb"<!doctype html|<html", re.IGNORECASE),
        "is an HTML page, most often the error of a download. Download the file again",
    ),
    (
        re.compile(rb"<\?xml"),
        "is an XML document, most often the error of a download. Download the file again",
    ),
)


def why_not_sent(head: bytes) -> str | None:
    """Why a file with these first bytes is not sent, or None: it is empty, or an event file.

    Args:
        head: the first :data:`LOOKED` bytes, or all where the file has fewer.
    """
    if not head or _is_framed(head):
        return None
    if not any(head[:_header]):
        return "begins with zeros instead of a record; not sent until the record is written"
    for signature, reason in _signatures:
        if head.startswith(signature):
            return reason
    if head[0] == 0x78 and len(head) > 1 and int.from_bytes(head[:2], "big") % 31 == 0:
        return "is compressed with zlib (TFRecord option ZLIB). Write it without compression"
    for pattern, reason in _texts:
        if pattern.match(head.lstrip()):
            return reason
    if len(head) < _header:
        return f"has {len(head)} bytes, less than a record; not sent until it grows"
    return "is not an event file: it does not begin with a record; not sent"


def _is_framed(head: bytes) -> bool:
    if len(head) < _header:
        return False
    return masked_crc(head[:8]) == int.from_bytes(head[8:_header], "little")
