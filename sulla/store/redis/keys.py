"""Names and forms of what lies in Redis: which key holds what, in which slot, and how a record becomes bytes.

All keys of one log have its name as their hash tag, and all keys of one shard of the index have the shard's number: so
each script touches one slot of a Redis Cluster (design §3). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.store.rules import LogState
from sulla.store.values import Draft, Head, Record, Status

INCARNATION = "sulla:incarnation"
"""Which store this is; gone when somebody has emptied it."""

SHARDS = 8
"""How many parts the index has. Part of the layout: another number would not find what is there."""

SEED_NAMES = ("stream_buffer:",)
"""Values that keep the seed's names; every other one has a prefix, so that no value's name can be a log's key."""

FIELDS = (
    "life", "created", "last", "waking", "woken", "claimed", "epoch", "owner", "freed", "write", "answer",
    "kind", "status", "agent", "due", "consumed", "body",
)  # fmt: skip
"""The fields of a head's hash, in the order of `log_of`."""

Raw = Sequence[bytes | None]

_STATUSES: dict[bytes, Status] = {b"idle": "idle", b"open": "open", b"suspended": "suspended"}
_OFFERED, _DECIDED = b"+", b"-"


# ------------------------------------------------------------------------------------------------------------- keys


def head_key(name: str) -> str:
    """The key of a log's head, a hash of `FIELDS`; the log's other keys follow from it, in the same slot.

    Beside it lie ``…:log`` (a list: record n stands at n - 1), ``…:ids`` (a hash: the dedupe id to ``<seq>:<digest>``)
    and ``sulla:lock:{<name>}`` (the owner, for as long as the lease is alive).
    """
    return f"sulla:threadstate:{{{_tag(name)}}}:head"


def value_key(name: str) -> str:
    """The key of a small value."""
    return name if name.startswith(SEED_NAMES) else f"sulla:value:{name}"


def shard_of(name: str) -> int:
    """The shard of the index that knows the log."""
    return crc32(name.encode()) % SHARDS


def index_key(shard: int) -> str:
    """What the keys of a shard begin with; one slot.

    Below it lie ``pending`` (logs that are just being written to, by time), ``stamps`` (a hash: the log to a number
    that rises whenever it is entered anew), ``clock`` (the newest stamp), and what logs are found by: ``logs``,
    ``kinds``, ``awake`` and ``suspended`` in the order of their names, ``due`` by time.
    """
    return f"sulla:index:{{{shard}}}"


def channel_prefix(incarnation: str) -> str:
    """What a bus channel begins with: databases of one server share its channels, stores must not."""
    return f"sulla:bus:{incarnation}:"


def _tag(name: str) -> str:
    """The name as a hash tag: the first ``}`` ends a tag, and an empty tag is none."""
    return name.replace("%", "%25").replace("}", "%7D") if "}" in name or "%" in name else name


# ------------------------------------------------------------------------------------------------------------- index


@dataclass(frozen=True, slots=True)
class IndexPlaces:
    """The index entries that a log needs because of its head."""

    kind: str = ""
    """Empty: it has been entered as a log of its kind before."""
    awake: bool = False
    suspended: bool = False
    due_ms: int | None = None

    def beyond(self, other: IndexPlaces) -> IndexPlaces:
        """What of these is not among the other ones."""
        return IndexPlaces(
            self.kind if self.kind != other.kind else "",
            self.awake and not other.awake,
            self.suspended and not other.suspended,
            self.due_ms if self.due_ms != other.due_ms else None,
        )

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self != IndexPlaces()


def places_of(head: Head) -> IndexPlaces:
    """Where a log with that head has to be found, whatever waits in it."""
    return IndexPlaces(head.kind, head.status == "open", head.status == "suspended", head.due_ms)


def kind_member(kind: str, name: str) -> str:
    """How a log is entered under its kind; no kind holds a NUL."""
    return f"{kind}\0{name}"


# ------------------------------------------------------------------------------------------------------------- forms


def record_bytes(draft: Draft, *, offered: bool) -> bytes:
    """A record as it is kept: who added it, its kind, a NUL, its body."""
    return b"%b%b\0%b" % (_OFFERED if offered else _DECIDED, draft.kind.encode(), draft.body)


def records_of(first: int, kept: Iterable[bytes]) -> list[Record]:
    """The records that these are, counted from `first`.

    Raises:
        CorruptRecord: one is none.
    """
    records, prefixes = [], dict[bytes, tuple[str, bool]]()  # hundreds of records have but a few kinds
    for seq, data in enumerate(kept, first):
        end = data.find(b"\0")
        prefix = data[: max(end, 0)]
        kind = prefixes.get(prefix)
        if kind is None:
            if prefix[:1] not in (_OFFERED, _DECIDED):
                raise CorruptRecord(f"record {seq} in Redis is damaged: {data[:40]!r}… is none of ours")
            kind = prefixes[prefix] = (prefix[1:].decode(), prefix[:1] == _OFFERED)
        records.append(Record(seq, kind[0], kind[1], data[end + 1 :]))
    return records


def head_values(head: Head) -> tuple[str | int | bytes, ...]:
    """A head as the scripts take it: kind, status, agent, due time (empty for none), consumed, body."""
    due = "" if head.due_ms is None else head.due_ms
    return (head.kind, head.status, head.agent, due, head.consumed, bytes(head.body))


def log_of(raw: Raw) -> LogState | None:
    """The log whose `FIELDS` these are; None if there is none.

    Raises:
        CorruptRecord: they are not a log's.
    """
    if not raw or raw[0] is None:
        return None
    try:
        values = [value for value in raw if value is not None]
        life, created, last, waking, woken, claimed, epoch = map(int, values[:7])
        owner, freed, write, answer = values[7].decode(), values[8] == b"1", int(values[9]), int(values[10])
        kind, status, agent = values[11].decode(), _STATUSES[values[12]], values[13].decode()
        head = Head(kind, status, agent, int(values[14]) if values[14] else None, int(values[15]), values[16])
    except (IndexError, KeyError, ValueError) as error:
        raise CorruptRecord(f"a head in Redis is damaged: {error!r} in {[(v or b'')[:40] for v in raw]}") from None
    return LogState(
        life, created, head, last, waking, woken, claimed, epoch, owner, freed, write_no=write, answer=answer
    )  # fmt: skip


def known_of(kept: bytes) -> tuple[int, bytes]:
    """The number and the digest of an offer that was kept."""
    seq, _, digest = kept.partition(b":")
    return int(seq), digest
