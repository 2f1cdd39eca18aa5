"""What each method of the PostgreSQL backend asks of the server: one statement, one round trip."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from sulla.core.errors import NotFound
from sulla.store import rules
from sulla.store.postgres import rows
from sulla.store.postgres.pool import Line
from sulla.store.postgres.rows import PAGE_BYTES, PAGE_RECORDS, Row, Value
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.values import MAX_TAIL, Grant, Head, Lease, LogInfo, Offered, Record

_NO_HEAD = Head("", "idle")

_SWEPT = 8
"""How many values that ran out one `put` or `swap` clears away."""


async def offer(line: Line, asked: OfferRequest) -> Offered:
    """See `Store.offer`."""
    draft, head = asked.draft, asked.create or _NO_HEAD
    row = await _one(
        line,
        rows.OFFER,
        (asked.key, asked.dedupe_id, draft.kind, bytes(draft.body), bytes(asked.digest), asked.wakes),
        (asked.max_waiting, asked.create is not None),
        rows.values_of(head),
    )
    outcome, number, digest, waiting = row
    if outcome == "absent":
        raise NotFound(f"no log {asked.key!r}: it was never made, or deleted")
    if outcome == "full":
        rules.offered(LogState(0, 0, _NO_HEAD, waking=cast(int, waiting)), asked)
        raise _disagree("offer", asked.key)
    if outcome == "known":
        return rules.known(asked, cast(int, number), cast(bytes, digest))
    return Offered(cast(int, number), first=True)


async def acquire(line: Line, lease: Lease, after: int | None) -> Grant | None:
    """See `Store.acquire`; of `lease`, the epoch and the life are yet to be known."""
    since = rows.within(after) if after is not None else None
    asked = (lease.key, lease.owner, rules.span_ms(lease.ttl_s), since, MAX_TAIL, PAGE_BYTES)
    row = await _one(line, rows.ACQUIRE, asked)
    log = rows.state_of(row[4:])
    if log is None:
        return None
    return Grant(replace(lease, epoch=log.epoch, life=log.life), log.head, log.last_seq, rows.tail_of(row[:4]))


async def renew(line: Line, lease: Lease) -> None:
    """See `Store.renew`."""
    kept, *state = await _one(line, rows.RENEW, _fence(lease), (rules.span_ms(lease.ttl_s),))
    if not kept:
        rules.fenced(rows.state_of(state), lease)
        raise _disagree("renew", lease.key)


async def release(line: Line, lease: Lease) -> None:
    """See `Store.release`."""
    await line.execute(rows.RELEASE, _fence(lease), prepare=True)


async def append(line: Line, write: AppendRequest) -> int:
    """See `Store.append`."""
    drafts = write.drafts
    kept, *state = await _one(
        line,
        rows.APPEND,
        (*_fence(write.lease), write.number),
        ([draft.kind for draft in drafts], [bytes(draft.body) for draft in drafts]),
        rows.values_of(write.head),
        (write.claimed, write.release),
    )
    if kept is None:
        rules.appended(rows.state_of(state), write)
        raise _disagree("append", write.lease.key)
    return cast(int, kept)


async def delete(line: Line, lease: Lease, last_seq: int | None) -> bool:
    """See `Store.delete`."""
    outcome, *state = await _one(line, rows.DELETE, _fence(lease), (last_seq,))
    if outcome == "refused":
        rules.fenced(rows.state_of(state), lease)
        raise _disagree("delete", lease.key)
    return outcome == "removed"


async def read_page(
    line: Line, key: str, life: int | None, after: int, before: int, limit: int, *, reverse: bool
) -> tuple[int | None, list[Record], bool]:
    """Records up to a page's size; see `Store.read`.

    Args:
        line: the connection.
        key: the log.
        life: which log of that key, as the page before said; None for the first page.
        after: only records behind this one.
        before: only records before this one.
        limit: how many at most.
        reverse: highest first.

    Returns:
        Which log it is, the records, and whether there may be more.
    """
    asked = min(limit, PAGE_RECORDS)
    values = (life, key, rows.within(after), rows.within(before), asked, PAGE_BYTES)
    cursor = await line.execute(rows.READ_DOWN if reverse else rows.READ_UP, values, prepare=True, binary=True)
    found = await cursor.fetchall()
    records = [rows.record_of(row[1:]) for row in found]
    more = len(records) == asked or sum(len(record.body) for record in records) >= PAGE_BYTES
    return (cast(int, found[0][0]) if found else life), records, more


async def head(line: Line, key: str) -> LogInfo | None:
    """See `Store.head`."""
    cursor = await line.execute(rows.HEAD, (key,), prepare=True, binary=True)
    row = await cursor.fetchone()
    return rows.info_of(row) if row is not None else None


async def find(line: Line, question: FindRequest) -> list[LogInfo]:
    """See `Store.find`."""
    statement, values = rows.find_of(question)
    cursor = await line.execute(statement.encode(), values, prepare=True, binary=True)
    return [rows.info_of(row) for row in await cursor.fetchall()]


async def put(line: Line, key: str, value: bytes, ttl_s: float | None) -> None:
    """See `Store.put`."""
    ttl_ms = rules.span_ms(ttl_s) if ttl_s is not None else None
    await line.execute(rows.PUT, (key, bytes(value), ttl_ms, _SWEPT), prepare=True)


async def swap(line: Line, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool:
    """See `Store.swap`."""
    ttl_ms = rules.span_ms(ttl_s) if ttl_s is not None else None
    expected = bytes(old) if old is not None else None
    return bool((await _one(line, rows.SWAP, (key, expected, bytes(new), ttl_ms, _SWEPT)))[0])


async def get(line: Line, key: str) -> bytes | None:
    """See `Store.get`."""
    cursor = await line.execute(rows.GET, (key,), prepare=True, binary=True)
    row = await cursor.fetchone()
    return cast(bytes, row[0]) if row is not None else None


async def remove(line: Line, key: str) -> bool:
    """See `Store.remove`."""
    cursor = await line.execute(rows.REMOVE, (key,), prepare=True)
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def incarnation(line: Line) -> str:
    """The id that the tables got when they were made."""
    return cast(str, (await _one(line, rows.INCARNATION))[0])


async def takes_writes(line: Line) -> bool:
    """Whether the server is there and takes writes."""
    return bool((await _one(line, rows.PING))[0])


async def _one(line: Line, statement: str, *values: tuple[object, ...]) -> Row:
    cursor = await line.execute(statement.encode(), [v for part in values for v in part], prepare=True, binary=True)
    row = await cursor.fetchone()
    if row is None:
        raise TypeError(f"no row from {statement!r}")
    return row


def _fence(lease: Lease) -> tuple[Value, ...]:
    return (lease.key, lease.life, lease.epoch, lease.owner)


def _disagree(step: str, key: str) -> AssertionError:
    """The function on the server and `rules` see the same row and decide differently: one of them is wrong."""
    return AssertionError(f"{step} of {key!r} was refused by the server, and rules.py sees no reason")
