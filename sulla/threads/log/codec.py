"""Records as bytes: sealed JSON, an object with ``at`` (UTC milliseconds), ``run``, ``agent``,
``parent``, ``depth`` (each only where it says something) and ``data``. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, get_args

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.core.ids import RunId
from sulla.core.jsontypes import JsonObject
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Record
from sulla.threads.log.forms import Fielded, Form, form_of
from sulla.threads.log.records import ThreadFact

Forms = Mapping[str, Form[Any]]
"""How the data of each kind of record is read."""

CORE_FORMS: Final[Forms] = {cls.kind: form_of(cls) for cls in get_args(ThreadFact)}
"""Those of the records that every thread may hold."""


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
    forms: Forms = field(default_factory=lambda: CORE_FORMS, repr=False, compare=False)
    """Of the kinds that whoever opened it knows."""

    @property
    def fact(self) -> Fact | None:
        """The typed fact, or None if the kind is of a capability that whoever opened the record does not know.

        Raises:
            CorruptRecord: the data does not have the form of its kind.
        """
        form = self.forms.get(self.kind)
        found: Fact | None = form.read(self.data) if form is not None else None
        return found


def encode(fact: Fact, origin: Origin) -> Draft:
    """A fact as a record to be kept.

    It is read back first: nobody could go on in a thread whose log holds what cannot be read.

    Raises:
        ValueError: it could not be read back, e.g. a package's node gave a field a value of another type.
    """
    data = fact.data()
    if isinstance(fact, Fielded):
        try:
            form_of(type(fact)).read(data)
        except CorruptRecord as error:
            raise ValueError(f"a {fact.kind} record that could not be read back is not written: {error}") from None
    envelope: JsonObject = {"at": origin.at_ms, "data": data}
    if origin.run_id is not None:
        envelope["run"] = origin.run_id
    if origin.agent:
        envelope["agent"] = origin.agent
    if origin.parent_id is not None:
        envelope["parent"] = origin.parent_id
    if origin.depth:
        envelope["depth"] = origin.depth
    return Draft(fact.kind, seal(fact.kind, orjson.dumps(envelope)))


def decode(record: Record, key: str, forms: Forms = CORE_FORMS) -> Entry:
    """The inverse of `encode`.

    Args:
        record: what the store gave.
        key: the log it is from, for the error.
        forms: of the kinds that are known.

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
            return Entry(record.seq, record.kind, record.offered, origin, data, forms)
        case _:
            raise CorruptRecord(f"{where}: expected an object with 'at' and 'data'")
