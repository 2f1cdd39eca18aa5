"""A thread as lines of a file, written and read back: a first line, every event as clients see it, a last line that
seals them. Pure.

::

    {"format": "sulla-thread", "version": 1, "thread_id": "thr_9b2d"}
    {"thread_id": "thr_9b2d", "seq": 1, …, "type": "THREAD_CREATED", "at": "…", "data": {…}}
    …
    {"count": 42, "digest": "sha256:…"}

The digest is over every byte before the last line, so a file that was cut, or changed by accident, is noticed. It is no
signature: whoever changes a file on purpose can make a new one.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TypeVar

import orjson

from sulla.core.errors import Conflict, InvalidInput
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp, unstamp
from sulla.store.values import MAX_BODY_BYTES
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.schema import ThreadSchema

FORMAT = "sulla-thread"
VERSION = 1

MAX_LINE_BYTES = 3 * MAX_BODY_BYTES + 65_536
"""The longest line: the largest record, whose characters take up at most three times their bytes as ASCII."""

_AGAIN = "export the thread again"
_DAMAGED = f"the file was cut or changed; {_AGAIN}"
_LATER = "a later Sulla may have made it: import it with that one"
_NOT_OURS = "this is no file of `sulla thread export`, which begins with the format, its version and a thread's id"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,127}")
"""What clients can call a thread."""
_FIELDS = {"thread_id", "seq", "run_id", "parent_run_id", "agent", "depth", "type", "at", "data"}
_WORDS = {str: "a text", int: "a whole number", dict: "an object"}

T = TypeVar("T", str, int, dict[str, Json])


def event_of(thread_id: ThreadId, entry: Entry) -> JsonObject:
    """A record as clients see it (docs/inside/protocol.md, *Events*)."""
    source = entry.origin
    return {
        "thread_id": thread_id,
        "seq": entry.seq,
        "run_id": source.run_id,
        "parent_run_id": source.parent_id,
        "agent": source.agent,
        "depth": source.depth,
        "type": entry.kind,
        "at": stamp(source.at_ms),
        "data": entry.data,
    }


def entry_of(schema: ThreadSchema, event: Json, thread_id: ThreadId) -> Entry:
    """The inverse of `event_of`.

    Args:
        schema: what threads hold.
        event: what a line holds.
        thread_id: whose event it should be.

    Raises:
        InvalidInput: it is no durable event of this thread.
    """
    if not isinstance(event, dict):
        raise InvalidInput(f"expected an event, found {_shown(event)}")
    if unknown := sorted(event.keys() - _FIELDS):
        raise InvalidInput(f"{unknown[0][:40]!r} is no field of an event; {_LATER}")
    if (whose := _checked_field(event, "thread_id", str)) != thread_id:
        raise InvalidInput(f"thread_id: found {_shown(whose)}, but the file is of {thread_id!r}")
    try:
        at_ms = unstamp(_checked_field(event, "at", str))
    except ValueError as error:
        raise InvalidInput(f"at: {error}") from None
    origin = Origin(
        at_ms,
        _run_id(event, "run_id"),
        _checked_field(event, "agent", str),
        _run_id(event, "parent_run_id"),
        _checked_field(event, "depth", int),
    )
    kind = _checked_field(event, "type", str)
    data = _checked_field(event, "data", dict)
    return Entry(_checked_field(event, "seq", int), kind, kind in schema.offered, origin, data, schema.forms)


def _checked_field(event: JsonObject, name: str, kind: type[T]) -> T:
    if name not in event:
        raise InvalidInput(f"the field {name!r} is missing, so this is no event")
    value = event[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidInput(f"{name}: found {_shown(value)}, expected {_WORDS[kind]}")
    return value


def _run_id(event: JsonObject, name: str) -> RunId | None:
    return None if name in event and event[name] is None else RunId(_checked_field(event, name, str))


class Sealer:
    """Makes the lines of one file, in order.

    Args:
        thread_id: whose file it is.
    """

    def __init__(self, thread_id: str) -> None:
        self.count = 0
        """How many events there are so far."""
        self._thread_id = thread_id
        self._sum = sha256()

    def first(self) -> bytes:
        """The first line."""
        return self._counted({"format": FORMAT, "version": VERSION, "thread_id": self._thread_id})

    def event(self, event: JsonObject) -> bytes:
        """The next event's line.

        Raises:
            Conflict: it is not the next one: the thread was deleted or replaced meanwhile.
        """
        self.count += 1
        if event.get("seq") != self.count:
            raise Conflict(
                f"the thread {self._thread_id!r} changed while it was read: found record {event.get('seq')}, "
                f"expected {self.count}; {_AGAIN}"
            )
        return self._counted(event)

    @property
    def digest(self) -> str:
        """What the last line says."""
        return f"sha256:{self._sum.hexdigest()}"

    def last(self) -> bytes:
        """The last line."""
        return _line({"count": self.count, "digest": self.digest})

    def _counted(self, value: JsonObject) -> bytes:
        line = _line(value)
        self._sum.update(line)
        return line


class Unsealer:
    """Reads the lines of one file, in order, and takes none that a `Sealer` would not have made.

    Args:
        schema: what threads hold.
    """

    def __init__(self, schema: ThreadSchema) -> None:
        self._schema = schema
        self.thread_id = ThreadId("")
        """Whose file it is, once the first line was taken."""
        self.count = 0
        """How many events there were so far."""
        self.digest = ""
        """What the last line says, once it was taken."""
        self._lines = 0
        self._sum = sha256()

    def take(self, line: bytes) -> Entry | None:
        """Look at the next line, its end included.

        Returns:
            Its event; None for the first and the last line.

        Raises:
            InvalidInput: it cannot stand there; the message names the line and says what to do.
        """
        self._lines += 1
        try:
            return self._take(line)
        except InvalidInput as error:
            raise InvalidInput(f"line {self._lines}: {error.message}") from None

    def done(self) -> None:
        """The file is at its end.

        Raises:
            InvalidInput: it should go on.
        """
        if not self.digest:
            raise InvalidInput(
                f"the file is cut: it ends after {self._lines} lines, without the last one that holds count and "
                f"digest; {_AGAIN}"
            )

    def _take(self, line: bytes) -> Entry | None:
        if self.digest:
            raise InvalidInput("something follows the line with count and digest, which has to be the last one")
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"it has more than {MAX_LINE_BYTES} bytes, which no record has")
        try:
            value: Json = orjson.loads(line) if line.endswith(b"\n") else None
        except orjson.JSONDecodeError as error:
            raise InvalidInput(f"not JSON ({error}): {_NOT_OURS if self._lines == 1 else _DAMAGED}") from None
        if value is None:
            raise InvalidInput(f"it does not end: {_DAMAGED}")
        if self._lines == 1:
            self.thread_id = _begun(value)
        elif isinstance(value, dict) and "digest" in value:
            self._end(value)
            return None
        self._sum.update(line)
        if self._lines == 1:
            return None
        entry = entry_of(self._schema, value, self.thread_id)
        self.count += 1
        if entry.seq != self.count:
            raise InvalidInput(f"found record {entry.seq}, expected {self.count}: {_DAMAGED}")
        return entry

    def _end(self, value: JsonObject) -> None:
        if value.get("count") != self.count:
            raise InvalidInput(
                f"it counts {_shown(value.get('count'))} records, but there are {self.count}: {_DAMAGED}"
            )
        if value["digest"] != f"sha256:{self._sum.hexdigest()}":
            raise InvalidInput(f"the digest does not match: {_DAMAGED}")
        self.digest = str(value["digest"])


def _begun(value: Json) -> ThreadId:
    """The thread that a first line names."""
    match value:
        case {"format": "sulla-thread", "version": int(version)} if version != VERSION:
            raise InvalidInput(f"the file has version {version}, and this Sulla reads version {VERSION}; {_LATER}")
        case {"format": "sulla-thread", "version": 1, "thread_id": str(thread_id)} if _ID.fullmatch(thread_id):
            return ThreadId(thread_id)
        case {"format": "sulla-thread", "version": 1}:
            raise InvalidInput(f"it names no thread as clients could call one: {_shown(value)}")
        case _:
            raise InvalidInput(_NOT_OURS)


def _line(value: JsonObject) -> bytes:
    """In ASCII, so that no terminal and no pipe can spoil it."""
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _shown(value: Json) -> str:
    return json.dumps(value)[:100]
