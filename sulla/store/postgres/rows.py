"""The PostgreSQL backend's statements, and how their rows become values.

Its logs have the columns of the SQLite backend, in the same order (`sqlite.tables.COLUMNS`); what the functions do is
in `migrations/0002_steps.sql`. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sulla.store import rules
from sulla.store.requests import FindRequest
from sulla.store.rules import LogState
from sulla.store.sqlite.tables import AWAKE, COLUMNS, LOG, LogRow, log_of
from sulla.store.values import Head, LogInfo, Record

Value = str | int | bytes | None
Row = Sequence[object]

END = 2**62
"""Behind every record."""

PAGE_RECORDS = 2048
"""How many records come in one answer at most."""

PAGE_BYTES = 1024 * 1024
"""After how many bytes of bodies an answer ends, so that it comes within its deadline."""

_STATE = ", ".join(f"(state).{column}" for column in COLUMNS)

OFFER = """SELECT outcome, number, kept_digest, waiting FROM offer(
    %s::text, %s::text, %s::text, %s::bytea, %s::bytea, %s::boolean, %s::bigint, %s::boolean,
    %s::text, %s::text, %s::text, %s::bigint, %s::bigint, %s::bytea)"""

ACQUIRE = f"""SELECT seqs, kinds, offereds, bodies, {_STATE}
    FROM acquire(%s::text, %s::text, %s::bigint, %s::bigint, %s::bigint, %s::bigint)"""  # noqa: S608 - our own columns

APPEND = f"""SELECT kept, {_STATE} FROM append(
    %s::text, %s::bigint, %s::bigint, %s::text, %s::bigint, %s::text[], %s::bytea[],
    %s::text, %s::text, %s::text, %s::bigint, %s::bigint, %s::bytea, %s::bigint, %s::boolean)"""  # noqa: S608 - our own columns

RENEW = f"SELECT kept, {_STATE} FROM renew(%s::text, %s::bigint, %s::bigint, %s::text, %s::bigint)"  # noqa: S608 - our own columns

DELETE = f"SELECT outcome, {_STATE} FROM remove_log(%s::text, %s::bigint, %s::bigint, %s::text, %s::bigint)"  # noqa: S608 - our own columns

RELEASE = """UPDATE logs SET released = true
    WHERE key = %s AND life = %s AND epoch = %s AND owner = %s AND NOT released"""

HEAD = f"SELECT now_ms(), key, {LOG} FROM logs WHERE key = %s"  # noqa: S608 - our own columns

PUT = "SELECT put(%s::text, %s::bytea, %s::bigint, %s::bigint)"

SWAP = "SELECT swap(%s::text, %s::bytea, %s::bytea, %s::bigint, %s::bigint)"

GET = "SELECT value FROM small WHERE key = %s AND (until_ms IS NULL OR until_ms > now_ms())"

REMOVE = "DELETE FROM small WHERE key = %s RETURNING until_ms IS NULL OR until_ms > now_ms()"

INCARNATION = "SELECT value FROM meta WHERE name = 'incarnation'"

PING = "SELECT current_setting('transaction_read_only') = 'off'"


def _read(order: str) -> str:
    return f"""SELECT life, seq, kind, offered, body FROM (
        SELECT *, sum(octet_length(body)) OVER (ORDER BY seq {order}) - octet_length(body) AS before FROM (
            SELECT * FROM records WHERE life = coalesce(%s::bigint, (SELECT life FROM logs WHERE key = %s))
            AND seq > %s AND seq < %s ORDER BY seq {order} LIMIT %s
        ) span
    ) page WHERE before < %s ORDER BY seq {order}"""  # noqa: S608 - our own words


READ_UP, READ_DOWN = _read("ASC"), _read("DESC")


def state_of(row: Row) -> LogState | None:
    """The log whose `COLUMNS` these are, or None if there was none."""
    return log_of(cast(LogRow, tuple(row))) if row[0] is not None else None


def info_of(row: Row) -> LogInfo:
    """What a row of the time, the key and `COLUMNS` tells of a log."""
    now_ms, key, *columns = row
    log, now = log_of(cast(LogRow, tuple(columns))), cast(int, now_ms)
    return LogInfo(
        cast(str, key), log.head, log.last_seq, log.created_ms, rules.is_ready(log, now), rules.is_held(log, now)
    )


def tail_of(row: Row) -> tuple[Record, ...]:
    """The records that came with a grant, from its four arrays."""
    seqs, kinds, offereds, bodies = (cast(list[object], column or []) for column in row)
    return tuple(map(record_of, zip(seqs, kinds, offereds, bodies, strict=True)))


def record_of(row: Row) -> Record:
    """The record with these columns."""
    seq, kind, offered, body = row
    return Record(cast(int, seq), cast(str, kind), cast(bool, offered), cast(bytes, body))


def values_of(head: Head) -> tuple[Value, ...]:
    """A head as the functions take it."""
    return (head.kind, head.status, head.agent, head.due_ms, head.consumed, bytes(head.body))


def within(number: int) -> int:
    """A number that the server can hold; what lies beyond `END` lies behind every record too."""
    return max(-END, min(number, END))


def find_of(question: FindRequest) -> tuple[str, dict[str, Value]]:
    """The statement that finds logs by the narrowest index, and its values.

    The planner guesses how many logs an answer goes through, and without statistics it guesses badly. So it gets no
    choice: a column is hidden in an expression wherever another index is to be used.

    Args:
        question: what is looked for.

    Returns:
        A SELECT of the time, the key and `COLUMNS`, by key.
    """
    if question.ready:
        # No log is in both halves, and each half comes in order: they are merged up to the limit.
        halves = (
            _select(question, _KEY, _HIDDEN_KIND, AWAKE),
            _select(question, _HIDDEN_KEY, _HIDDEN_KIND, f"NOT {AWAKE}", "due_ms <= now_ms()"),
        )
        found = " UNION ALL ".join(halves)
    else:
        others = [f"NOT {AWAKE}", "(due_ms IS NULL OR due_ms > now_ms())"] if question.ready is False else []
        found = _select(question, *_columns_for(question), *others)
    values: dict[str, Value] = {
        "after_key": question.after_key,
        "kind": question.kind,
        "due_before_ms": within(question.due_before_ms) if question.due_before_ms is not None else None,
        "limit": within(question.limit),
    }
    return f"SELECT now_ms(), * FROM ({found}) found ORDER BY key LIMIT %(limit)s", values  # noqa: S608 - our own words


_KEY, _HIDDEN_KEY, _KIND, _HIDDEN_KIND = "key", "(key || '')", "kind", "(kind || '')"


def _columns_for(question: FindRequest) -> tuple[str, str]:
    """How key and kind are written, so that the index of what is narrower is used."""
    if question.due_before_ms is not None:
        return _HIDDEN_KEY, _HIDDEN_KIND
    if question.status in ("open", "suspended"):
        return _KEY, _HIDDEN_KIND
    return _KEY, _KIND


def _select(question: FindRequest, key: str, kind: str, *terms: str) -> str:
    wanted = [f"{key} > %(after_key)s", *terms]
    if question.kind is not None:
        wanted.append(f"{kind} = %(kind)s")
    if question.status is not None:
        # As a word, not a value: else the planner would not see that a partial index holds them all.
        wanted.append(f"status = '{question.status}'")
    if question.due_before_ms is not None:
        wanted.append("due_ms < %(due_before_ms)s")
    return f"(SELECT key, {LOG} FROM logs WHERE {' AND '.join(wanted)} ORDER BY {key} LIMIT %(limit)s)"  # noqa: S608 - our own words
