"""Finding logs in Redis: names from the index, the truth from the heads, and what was said in vain taken out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field
from typing import cast

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.store import rules
from sulla.store.redis.client import ANNOUNCE, CANDIDATES, CLEAN, LOOK, SETTLE, RedisClient
from sulla.store.redis.keys import (
    SHARDS,
    IndexPlaces,
    Raw,
    head_key,
    index_key,
    kind_member,
    log_of,
    places_of,
    shard_of,
)
from sulla.store.redis.line import Command, Reply
from sulla.store.requests import FindRequest
from sulla.store.rules import LogState
from sulla.store.values import LogInfo

GRACE_MS = 60_000
"""A log that has been announced for so long, and was never settled, was left behind by somebody who was cut off."""

_FEW, _PAGE = 16, 1000
"""So many names of one shard come at once, at the least and at the most."""

_HEADS = 200
"""So many heads are read at once."""

_LOGS, _KINDS, _AWAKE, _SUSPENDED = "logs", "kinds", "awake", "suspended"
_LETTERS = {_LOGS: "l", _KINDS: "k", _AWAKE: "a", _SUSPENDED: "s"}
"""The places that are gone through by name, and what `CLEAN` calls them."""


@dataclass(frozen=True, slots=True)
class _IndexCursor:
    """How far a search in one part of the index has come."""

    by_name: str
    """One of `_LETTERS`; empty for none."""
    kind: str = ""
    due_max: int | None = None
    """Besides, whatever is due by then."""

    def span(self, after: str) -> tuple[bytes, bytes, int]:
        """From where to where its members go, and how long is what stands before the names."""
        prefix = kind_member(self.kind, "").encode() if self.by_name == _KINDS else b""
        begin = b"(" + prefix + after.encode() if after else b"[" + prefix if prefix else b"-"
        return begin, b"(" + prefix[:-1] + b"\x01" if prefix else b"+", len(prefix)


@dataclass(slots=True)
class _IndexPage:
    """The answers of all shards to one request."""

    stamps: dict[str, bytes] = field(default_factory=dict)
    """Names by the stamps that they had."""
    entries: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    """Pending entries that are old, by name."""
    names: set[str] = field(default_factory=set)
    by_place: set[str] = field(default_factory=set)
    by_time: set[str] = field(default_factory=set)
    horizon: str | None = None
    """Beyond it some shard has not said everything yet."""


class RedisIndex:
    """The sharded sets behind `Store.find`.

    Args:
        client: the way to the server.
        clock: for what is due.
    """

    def __init__(self, client: RedisClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def find(self, question: FindRequest) -> list[LogInfo]:
        """Logs that meet every condition; see `Store.find`."""
        found: list[LogInfo] = []
        after: str | None = question.after_key
        place = _place_for(question, rules.wall_ms(self._clock))
        while after is not None and len(found) < question.limit:
            page = await self._page(place, after, min(max(question.limit, _FEW), _PAGE))
            names = sorted(name for name in page.names if page.horizon is None or name <= page.horizon)
            for start in range(0, len(names), _HEADS):
                some = names[start : start + _HEADS]
                looks = [look_of(reply) for reply in await self._client.call(*map(look, some))]
                await self._tidy(place, page, some, [log for log, _ in looks])
                infos = (info_of(name, log, held, self._clock) for name, (log, held) in zip(some, looks, strict=True))
                found += [info for info in infos if info is not None and question.fits(info)]
                if len(found) >= question.limit:
                    break
            after = page.horizon
        return found[: question.limit]

    async def _page(self, place: _IndexCursor, after: str, limit: int) -> _IndexPage:
        begin, end, skip = place.span(after)
        due = "" if place.due_max is None else place.due_max
        asks = (
            CANDIDATES.on((index_key(shard),), place.by_name, begin, end, limit, due, GRACE_MS, skip + 1)
            for shard in range(SHARDS)
        )
        page = _IndexPage()
        for reply in await self._client.call(*asks):
            pending, old, named, stamps, due_names, due_stamps = cast(
                "tuple[list[bytes], int, list[bytes], list[bytes], list[bytes], list[bytes]]", reply
            )
            for number, entry in enumerate(pending):
                name = entry.partition(b"\0")[0].decode()
                page.names.add(name)
                if number < old:
                    page.entries[name].append(entry)
            by_place = [member[skip:].decode() for member in named]
            by_time = [member.decode() for member in due_names]
            page.by_place.update(by_place)
            page.by_time.update(by_time)
            page.stamps.update(zip((*by_place, *by_time), (*stamps, *due_stamps), strict=True))
            if len(named) == limit:
                page.horizon = min(by_place[-1], page.horizon or by_place[-1])
        page.names |= page.by_place | page.by_time
        page.names = {name for name in page.names if name > after}
        return page

    async def _tidy(
        self, place: _IndexCursor, page: _IndexPage, names: Sequence[str], logs: Sequence[LogState | None]
    ) -> None:
        """Settle what was left pending, and take out what the heads did not bear out."""
        commands: list[Command] = []
        for name, log in zip(names, logs, strict=True):
            commands += (settle(entry, name, real_places(log)) for entry in page.entries.get(name, ()))
            if name not in page.by_place and name not in page.by_time:
                continue
            letters, due = _vain(place, page, name, log)
            if letters:
                stamp = page.stamps[name]
                commands.append(CLEAN.on((index_key(shard_of(name)),), name, stamp, place.kind, letters, due))
        if commands:
            await self._client.call(*commands)


# ---------------------------------------------------------------------------------------------------------- commands


def findable(name: str, entry: bytes, places: IndexPlaces, step: Command) -> tuple[Command, Command, Command]:
    """A step that makes a log findable in these places, between the two parts of its entry in the index.

    Args:
        name: the log.
        entry: from `entry_of`.
        places: where it will have to be found.
        step: what makes it so.
    """
    announce = ANNOUNCE.on((index_key(shard_of(name)),), entry)
    return announce, step, settle(entry, name, places)


def entry_of(name: str, nonce: str) -> bytes:
    """A pending entry: the name and something that no other entry has."""
    return f"{name}\0{nonce}".encode()


def settle(entry: bytes, name: str, places: IndexPlaces) -> Command:
    """The command that enters a log where it has to be found."""
    due = "" if places.due_ms is None else places.due_ms
    flags = (int(places.awake), int(places.suspended), due)
    return SETTLE.on((index_key(shard_of(name)),), entry, places.kind, *flags)


def stamp_of(name: str) -> Command:
    """The command that asks for a log's stamp."""
    return ("HGET", f"{index_key(shard_of(name))}:stamps", name)


def forget(name: str, stamp: bytes, kind: str) -> Command:
    """The command that takes a deleted log out of every place, if nobody has entered it anew since that stamp."""
    return CLEAN.on((index_key(shard_of(name)),), name, stamp, kind, "lkasdx", "")


def look(name: str) -> Command:
    """The command that reads a log's head."""
    return LOOK.on((head_key(name),))


def look_of(reply: Reply) -> tuple[LogState | None, bool]:
    """What `look` was answered: the log, and whether its lease is alive."""
    raw, held = cast("tuple[Raw, int]", reply)
    return log_of(raw), held == 1


def info_of(name: str, log: LogState | None, held: bool, clock: Clock) -> LogInfo | None:
    """What `find` and `head` tell of a log."""
    if log is None:
        return None
    return LogInfo(name, log.head, log.last_seq, log.created_ms, rules.is_ready(log, rules.wall_ms(clock)), held)


def real_places(log: LogState | None) -> IndexPlaces:
    """Where a log has to be found, by all that is known of it; nowhere if it is gone."""
    if log is None:
        return IndexPlaces()
    places = places_of(log.head)
    return IndexPlaces(places.kind, _is_awake(log), places.suspended, places.due_ms)


# ----------------------------------------------------------------------------------------------------------- private


def _place_for(question: FindRequest, now_ms: int) -> _IndexCursor:
    """The part of the index that says least and still enough."""
    before_ms = question.due_before_ms
    if before_ms is not None:
        return _IndexCursor("", due_max=before_ms - 1)
    if question.ready:
        return _IndexCursor(_AWAKE, due_max=now_ms)
    if question.status == "open":
        return _IndexCursor(_AWAKE)
    if question.status == "suspended":
        return _IndexCursor(_SUSPENDED)
    return _IndexCursor(_KINDS, question.kind) if question.kind is not None else _IndexCursor(_LOGS)


def _is_awake(log: LogState) -> bool:
    return log.head.status == "open" or log.woken_seq > log.claimed


def _vain(place: _IndexCursor, page: _IndexPage, name: str, log: LogState | None) -> tuple[str, str | int]:
    """Which places named the log in vain, as `CLEAN` takes them, and the due time that it has."""
    if log is None:
        gone = "lasd" + ("kx" if place.by_name == _KINDS else "")
        return gone, ""
    real = real_places(log)
    right = {_LOGS: True, _KINDS: log.head.kind == place.kind, _AWAKE: real.awake, _SUSPENDED: real.suspended}
    letters = "" if name not in page.by_place or right[place.by_name] else _LETTERS[place.by_name]
    due_ms = real.due_ms
    if name in page.by_time and (due_ms is None or (place.due_max is not None and due_ms > place.due_max)):
        letters += "d"
    return letters, "" if due_ms is None else due_ms
