"""What each method of the SQLite backend does inside its transaction; runs on the file's own thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from sqlite3 import Connection

from sulla.core.clock import Clock
from sulla.core.errors import NotFound
from sulla.store import rules
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.sqlite.tables import COLUMNS, LOG, find_of, log_of, row_of, update_of
from sulla.store.values import MAX_TAIL, Draft, Grant, Lease, LogInfo, Offered, Record

END = 2**62
"""Behind every record."""

_READ_UP = (
    "SELECT seq, kind, offered, body FROM records WHERE life = (SELECT life FROM logs WHERE key = ?) "
    "AND seq > ? AND seq < ? ORDER BY seq LIMIT ?"
)
_READ_DOWN = _READ_UP.replace("ORDER BY seq", "ORDER BY seq DESC")

_SWEPT = 8
"""How many values that ran out one `put` clears away: more than it adds, so they cannot pile up."""


def settle_in(db: Connection, incarnation: str, clock: Clock) -> None:
    """What a file needs when it is opened: an incarnation if it is new, and times that fit this boot of the machine."""
    db.execute("INSERT OR IGNORE INTO meta VALUES ('incarnation', ?)", (incarnation,))
    # More time left than there ever was: the machine was restarted, and nobody knows how long it was off.
    db.execute(
        "UPDATE small SET until_ms = :now_ms + ttl_ms WHERE until_ms > :now_ms + ttl_ms",
        {"now_ms": rules.uptime_ms(clock)},
    )


def incarnation(db: Connection) -> str:
    """The id that the file got when it was first made."""
    return str(db.execute("SELECT value FROM meta WHERE name = 'incarnation'").fetchone()[0])


def offer(db: Connection, asked: OfferRequest, clock: Clock) -> Offered:
    """See `Store.offer`."""
    before = load(db, asked.key)
    if before is None:
        if asked.create is None:
            raise NotFound(f"no log {asked.key!r}: it was never made, or deleted")
        before = _make(db, asked.key, LogState(0, rules.wall_ms(clock), asked.create))
    else:
        same = (before.life, asked.dedupe_id)
        known = db.execute("SELECT seq, digest FROM dedupe WHERE life = ? AND id = ?", same).fetchone()
        if known is not None:
            return rules.known(asked, *known)
    log = rules.offered(before, asked)
    _write(db, log, [asked.draft], offered=True)
    db.execute("INSERT INTO dedupe VALUES (?, ?, ?, ?)", (log.life, asked.dedupe_id, log.last_seq, asked.digest))
    _save(db, before, log)
    return Offered(log.last_seq, first=True)


def acquire(db: Connection, lease: Lease, after: int | None, clock: Clock) -> Grant | None:
    """See `Store.acquire`; of `lease`, the epoch and the life are yet to be known."""
    before = load(db, lease.key)
    if before is None:
        return None
    log = rules.granted(before, lease.owner, lease.ttl_s, rules.uptime_ms(clock))
    if log is None:
        return None
    _save(db, before, log)
    tail = read(db, lease.key, after, END, MAX_TAIL) if after is not None else []
    return Grant(replace(lease, epoch=log.epoch, life=log.life), log.head, log.last_seq, tuple(tail))


def renew(db: Connection, lease: Lease, clock: Clock) -> None:
    """See `Store.renew`."""
    before = rules.fenced(load(db, lease.key), lease)
    _save(db, before, rules.renewed(before, lease, rules.uptime_ms(clock)))


def release(db: Connection, lease: Lease) -> None:
    """See `Store.release`."""
    before = load(db, lease.key)
    if before is not None and (log := rules.given_back(before, lease)) is not None:
        _save(db, before, log)


def append(db: Connection, write: AppendRequest) -> int:
    """See `Store.append`."""
    before = load(db, write.lease.key)
    log = rules.appended(before, write)
    if before is not None and log is not before:
        _write(db, log, write.drafts, offered=False)
        _save(db, before, log)
    return log.answer


def delete(db: Connection, lease: Lease, last_seq: int | None) -> bool:
    """See `Store.delete`."""
    log = rules.fenced(load(db, lease.key), lease)
    if last_seq not in (None, log.last_seq):
        return False
    for statement in ("DELETE FROM records WHERE life = ?", "DELETE FROM dedupe WHERE life = ?"):
        db.execute(statement, (log.life,))
    db.execute("DELETE FROM logs WHERE life = ?", (log.life,))
    return True


def load(db: Connection, key: str) -> LogState | None:
    """What is kept of a log beside its records."""
    row = db.execute(f"SELECT {LOG} FROM logs WHERE key = ?", (key,)).fetchone()  # noqa: S608 - our own columns
    return log_of(row) if row is not None else None


def read(db: Connection, key: str, after: int, before: int, limit: int, *, reverse: bool = False) -> list[Record]:
    """See `Store.read`."""
    # SQLite's numbers end at 2^63; what lies beyond `END` lies behind every record too.
    span = (max(0, min(after, END)), max(0, min(before, END)), min(limit, END))
    rows = db.execute(_READ_DOWN if reverse else _READ_UP, (key, *span))
    return [Record(seq, kind, bool(offered), body) for seq, kind, offered, body in rows]


def find(db: Connection, question: FindRequest, clock: Clock) -> list[LogInfo]:
    """See `Store.find`."""
    rows = db.execute(*find_of(question, rules.wall_ms(clock)))
    return [rules.info_of(key, log_of(row), clock) for key, *row in rows]


def put(db: Connection, key: str, value: bytes, ttl_s: float | None, clock: Clock) -> None:
    """See `Store.put`."""
    now_ms = rules.uptime_ms(clock)
    db.execute(
        "DELETE FROM small WHERE key IN (SELECT key FROM small WHERE until_ms <= ? ORDER BY until_ms LIMIT ?)",
        (now_ms, _SWEPT),
    )
    ttl_ms = rules.span_ms(ttl_s) if ttl_s is not None else None
    until_ms = now_ms + ttl_ms if ttl_ms is not None else None
    db.execute("REPLACE INTO small VALUES (?, ?, ?, ?)", (key, value, until_ms, ttl_ms))


def swap(db: Connection, key: str, old: bytes | None, new: bytes, ttl_s: float | None, clock: Clock) -> bool:
    """See `Store.swap`."""
    there = get(db, key, clock)
    if there != old and there != new:
        return False
    put(db, key, new, ttl_s, clock)
    return True


def get(db: Connection, key: str, clock: Clock) -> bytes | None:
    """See `Store.get`."""
    row = db.execute("SELECT value, until_ms FROM small WHERE key = ?", (key,)).fetchone()
    if row is None or (row[1] is not None and row[1] <= rules.uptime_ms(clock)):
        return None
    return bytes(row[0])


def remove(db: Connection, key: str, clock: Clock) -> bool:
    """See `Store.remove`."""
    there = get(db, key, clock) is not None
    db.execute("DELETE FROM small WHERE key = ?", (key,))
    return there


def _make(db: Connection, key: str, log: LogState) -> LogState:
    names, marks = ", ".join(COLUMNS[1:]), ", ?" * len(COLUMNS[1:])
    made = db.execute(f"INSERT INTO logs (key, {names}) VALUES (?{marks})", (key, *row_of(log)[1:]))  # noqa: S608 - ours
    return replace(log, life=made.lastrowid or 0)


def _save(db: Connection, before: LogState, after: LogState) -> None:
    if after != before:
        db.execute(*update_of(before, after))


def _write(db: Connection, log: LogState, drafts: Sequence[Draft], *, offered: bool) -> None:
    """Write the log's newest records."""
    first = log.last_seq - len(drafts) + 1
    db.executemany(
        "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
        [(log.life, seq, draft.kind, int(offered), draft.body) for seq, draft in enumerate(drafts, first)],
    )
