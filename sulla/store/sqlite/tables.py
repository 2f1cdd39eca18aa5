"""The tables of the SQLite backend: how they came about, how a log becomes a row, and the statements that find logs.
Pure.
"""

from __future__ import annotations

from sulla.core.errors import CorruptRecord
from sulla.store.requests import FindRequest
from sulla.store.rules import LogState
from sulla.store.values import Head, Status

Value = str | int | bytes | None
"""What a column holds."""

APPLICATION_ID = 0x53554C41
"""Says in the file's header whose it is: "SULA"."""

AWAKE = "(status = 'open' OR woken_seq > claimed)"
"""Ready whatever the time; the same words as in the partial index, or SQLite would not see that it may use it."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        # AUTOINCREMENT: the number of a deleted log is never given to another one, so an old lease cannot match it.
        """CREATE TABLE logs (
            life INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, created_ms INTEGER NOT NULL,
            last_seq INTEGER NOT NULL, waking INTEGER NOT NULL, woken_seq INTEGER NOT NULL, claimed INTEGER NOT NULL,
            epoch INTEGER NOT NULL, owner TEXT NOT NULL, released INTEGER NOT NULL,
            until_ms INTEGER NOT NULL, ttl_ms INTEGER NOT NULL, write_no INTEGER NOT NULL, answer INTEGER NOT NULL,
            kind TEXT NOT NULL, status TEXT NOT NULL, agent TEXT NOT NULL, due_ms INTEGER, consumed INTEGER NOT NULL,
            body BLOB NOT NULL
        )""",
        "CREATE UNIQUE INDEX logs_key ON logs (key)",
        "CREATE INDEX logs_kind ON logs (kind, key)",
        f"CREATE INDEX logs_awake ON logs (key) WHERE {AWAKE}",
        "CREATE INDEX logs_suspended ON logs (key) WHERE status = 'suspended'",
        "CREATE INDEX logs_due ON logs (due_ms, key) WHERE due_ms IS NOT NULL",
        """CREATE TABLE records (
            life INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, offered INTEGER NOT NULL,
            body BLOB NOT NULL, PRIMARY KEY (life, seq)
        ) WITHOUT ROWID""",
        """CREATE TABLE dedupe (
            life INTEGER NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, digest BLOB NOT NULL,
            PRIMARY KEY (life, id)
        ) WITHOUT ROWID""",
        """CREATE TABLE small (
            key TEXT PRIMARY KEY, value BLOB NOT NULL, until_ms INTEGER, ttl_ms INTEGER
        ) WITHOUT ROWID""",
        "CREATE INDEX small_until ON small (until_ms) WHERE until_ms IS NOT NULL",
    ),
)
"""Statements by version: number n makes a file of version n from one of n - 1. Once released, one is never changed."""

COLUMNS = (
    "life", "created_ms", "last_seq", "waking", "woken_seq", "claimed",
    "epoch", "owner", "released", "until_ms", "ttl_ms", "write_no", "answer",
    "kind", "status", "agent", "due_ms", "consumed", "body",
)  # fmt: skip
"""A log's columns beside its key, in the order of `row_of`."""

LOG = ", ".join(COLUMNS)

LogRow = tuple[
    int, int, int, int, int, int, int, str, int, int, int, int, int, str, str, str, int | None, int, bytes
]  # fmt: skip
"""A row of `COLUMNS`."""

_STATUSES: dict[str, Status] = {"idle": "idle", "open": "open", "suspended": "suspended"}


def row_of(log: LogState) -> LogRow:
    """A log as the values of `COLUMNS`."""
    head = log.head
    return (
        log.life, log.created_ms, log.last_seq, log.waking, log.woken_seq, log.claimed,
        log.epoch, log.owner, int(log.released), log.until_ms, log.ttl_ms, log.write_no, log.answer,
        head.kind, head.status, head.agent, head.due_ms, head.consumed, head.body,
    )  # fmt: skip


def log_of(row: LogRow) -> LogState:
    """The log whose `COLUMNS` these are.

    Raises:
        CorruptRecord: they are not a log's.
    """
    (life, created_ms, last_seq, waking, woken_seq, claimed, epoch, owner, released, until_ms, ttl_ms, write_no, answer,
     kind, status, agent, due_ms, consumed, body) = row  # fmt: skip
    known = _STATUSES.get(status)
    if known is None:
        raise CorruptRecord(f"the row of log number {life} is damaged: its status is {status!r}")
    return LogState(
        life, created_ms, Head(kind, known, agent, due_ms, consumed, body), last_seq, waking, woken_seq, claimed,
        epoch, owner, bool(released), until_ms, ttl_ms, write_no, answer,
    )  # fmt: skip


def update_of(before: LogState, after: LogState) -> tuple[str, list[Value]]:
    """The statement that makes the row of `before` that of `after`.

    It names only what differs: an index is written anew whenever one of its columns is named, changed or not.
    """
    changes = [
        (column, new)
        for column, old, new in zip(COLUMNS, row_of(before), row_of(after), strict=True)
        if new is not old and new != old
    ]
    sets = ", ".join(f"{column} = ?" for column, _ in changes)
    return f"UPDATE logs SET {sets} WHERE life = ?", [*(new for _, new in changes), after.life]  # noqa: S608 - our columns


def find_of(question: FindRequest, now_ms: int) -> tuple[str, dict[str, Value]]:
    """The statement that finds logs by the narrowest index, and its values.

    Args:
        question: what is looked for.
        now_ms: UTC milliseconds.

    Returns:
        A SELECT of the key and `COLUMNS`, by key.
    """
    terms = ["key > :after_key"]
    if question.kind is not None:
        terms.append("kind = :kind")
    if question.status is not None:
        terms.append("status = :status")
    if question.due_before_ms is not None:
        terms.append("due_ms < :due_before_ms")
    if question.ready:
        # No log is in both halves, and each half comes in order: they are merged up to the limit.
        found = " UNION ALL ".join(
            (_select("logs_awake", AWAKE, *terms), _select("logs_due", "due_ms <= :now_ms", f"NOT {AWAKE}", *terms))
        )
    else:
        if question.ready is False:
            terms += [f"NOT {AWAKE}", "(due_ms IS NULL OR due_ms > :now_ms)"]
        found = _select(*_index_for(question), *terms)
    values: dict[str, Value] = {
        "after_key": question.after_key,
        "kind": question.kind,
        "status": question.status,
        "due_before_ms": question.due_before_ms,
        "now_ms": now_ms,
        "limit": question.limit,
    }
    return f"{found} ORDER BY key LIMIT :limit", values


def _index_for(question: FindRequest) -> tuple[str, ...]:
    """The index, and the words that allow SQLite to use it."""
    if question.due_before_ms is not None:
        return ("logs_due",)
    if question.status == "open":
        return ("logs_awake", AWAKE)
    if question.status == "suspended":
        return ("logs_suspended", "status = 'suspended'")
    return ("logs_kind",) if question.kind is not None else ("logs_key",)


def _select(index: str, *terms: str) -> str:
    return f"SELECT key, {LOG} FROM logs INDEXED BY {index} WHERE {' AND '.join(terms)}"  # noqa: S608 - our own words
