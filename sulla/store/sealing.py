"""A version and a checksum around what a capability keeps, so that damage is found and never read as something else.

``<version> <crc32, 8 hex digits> <payload>``. Pure.
"""

from __future__ import annotations

from zlib import crc32

from sulla.core.errors import CorruptRecord

VERSION = b"1"


def seal(kind: str, payload: bytes) -> bytes:
    """Put version and checksum before a payload; the checksum covers the kind too."""
    return b"%b %08x %b" % (VERSION, _checksum(kind, payload), payload)


def unseal(kind: str, body: bytes, where: str) -> bytes:
    """The payload, if it is what was sealed.

    Args:
        kind: what it should be.
        body: what was kept.
        where: names the place for the error.

    Raises:
        CorruptRecord: another version, a wrong checksum, or no seal at all.
    """
    version, _, rest = body.partition(b" ")
    checksum, _, payload = rest.partition(b" ")
    if version != VERSION:
        raise CorruptRecord(f"{where}: unknown record version {version[:16]!r}, expected {VERSION!r}")
    if checksum != b"%08x" % _checksum(kind, payload):
        raise CorruptRecord(f"{where}: the checksum does not match; the record was changed or cut")
    return payload


def _checksum(kind: str, payload: bytes) -> int:
    return crc32(payload, crc32(kind.encode("utf-8", "surrogatepass")))
