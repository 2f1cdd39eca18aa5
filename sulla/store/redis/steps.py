"""The commands of the larger steps on a log in Redis, and what their answers mean when they are refusals. Pure."""

from __future__ import annotations

from sulla.store import rules
from sulla.store.redis import client as run
from sulla.store.redis.keys import head_key, head_values, record_bytes, value_key
from sulla.store.redis.line import Command, Word
from sulla.store.requests import AppendRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.values import Head, Lease

FAR = 2**53
"""Behind every record; up to here Lua's numbers are exact."""


def offer(asked: OfferRequest, now_ms: int) -> Command:
    """The command that adds an input; see `redis_scripts.OFFER`."""
    room = "" if asked.max_waiting is None else asked.max_waiting
    return run.OFFER.on(
        (head_key(asked.key),),
        asked.dedupe_id, bytes(asked.digest), int(asked.wakes), room, int(asked.create is not None), now_ms,
        *head_values(asked.create or Head("none")), record_bytes(asked.draft, offered=True),
    )  # fmt: skip


def append(write: AppendRequest) -> Command:
    """The command that adds decided records; see `redis_scripts.APPEND`."""
    return run.APPEND.on(
        (head_key(write.lease.key),), *fence(write.lease), write.number, len(write.drafts), far(write.claimed),
        int(write.release), *head_values(write.head), *(record_bytes(draft, offered=False) for draft in write.drafts),
    )  # fmt: skip


def swap(name: str, old: bytes | None, new: bytes, ttl_s: float | None) -> Command:
    """The command that keeps a small value in the place of another one; see `redis_scripts.SWAP`."""
    ends = "" if ttl_s is None else rules.span_ms(ttl_s)
    # Empty bytes may be a value, so that nothing is meant to be there has a word of its own.
    return run.SWAP.on((value_key(name),), bytes(new), ends, *(() if old is None else (bytes(old),)))


def fence(lease: Lease) -> tuple[Word, ...]:
    """What the log remembers of its lease."""
    return lease.life, lease.epoch, lease.owner


def near(number: int) -> int:
    """A position that Lua can count with and no log is longer than."""
    return max(0, min(number, FAR))


def far(number: int) -> int:
    """The same for one that may be negative."""
    return max(-FAR, min(number, FAR))


def there(log: LogState | None) -> LogState:
    """The log of which a script said that it is there."""
    if log is None:
        raise RuntimeError("a script granted a log that is not there")
    return log


def unlike(log: LogState) -> RuntimeError:
    """The rule had no objection, though the script had one: they have to be made alike."""
    return RuntimeError(f"a script refused what the rules allow: {log!r}")
