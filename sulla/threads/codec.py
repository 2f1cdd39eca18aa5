"""Records as bytes: versioned, checksummed JSON.

``<version> <crc32, 8 hex digits> <JSON>``. The JSON is an object with ``at`` (UTC milliseconds), ``run``, ``agent``,
``parent``, ``depth`` (each only where it says something) and ``data``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args
from zlib import crc32

import orjson

from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.core.ids import RunId
from sulla.core.jsontypes import JsonObject
from sulla.store import Draft, Record
from sulla.threads.facts import ThreadFact
from sulla.threads.forms import Form

VERSION = b"1"
_FORMS: dict[str, Form[ThreadFact]] = {cls.kind: Form(cls) for cls in get_args(ThreadFact)}


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose record it is and when it was made."""

    at_ms: int
    run_id: RunId | None = None
    agent: str = ""
    parent_id: RunId | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, opened."""

    seq: int
    kind: str
    offered: bool
    origin: Origin
    data: JsonObject

    @property
    def fact(self) -> ThreadFact | None:
        """The typed fact, or None if the kind is another capability's.

        Raises:
            CorruptRecord: the data does not have the form of its kind.
        """
        form = _FORMS.get(self.kind)
        return form.read(self.data) if form is not None else None


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


def encode(fact: Fact, origin: Origin) -> Draft:
    """A fact as a record to be kept."""
    envelope: JsonObject = {"at": origin.at_ms, "data": fact.data()}
    if origin.run_id is not None:
        envelope["run"] = origin.run_id
    if origin.agent:
        envelope["agent"] = origin.agent
    if origin.parent_id is not None:
        envelope["parent"] = origin.parent_id
    if origin.depth:
        envelope["depth"] = origin.depth
    return Draft(fact.kind, seal(fact.kind, orjson.dumps(envelope)))


def decode(record: Record, key: str) -> Entry:
    """The inverse of `encode`.

    Args:
        record: what the store gave.
        key: the log it is from, for the error.

    Raises:
        CorruptRecord: the bytes are not what was written.
    """
    where = f"{key} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    try:
        envelope = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise CorruptRecord(f"{where}: not JSON: {error}") from None
    match envelope:
        case {"at": int(at_ms), "data": dict(data)}:
            run, parent = envelope.get("run"), envelope.get("parent")
            origin = Origin(at_ms, run, envelope.get("agent", ""), parent, envelope.get("depth", 0))
            return Entry(record.seq, record.kind, record.offered, origin, data)
        case _:
            raise CorruptRecord(f"{where}: expected an object with 'at' and 'data'")
