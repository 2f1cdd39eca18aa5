"""What every backend decides alike: who may write, what a step changes, which log is ready.

A backend loads a `LogState`, asks a rule for the next one, and keeps that in the same transaction. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import MessageIdReused, QueueFull, StaleLease
from sulla.store.requests import AppendRequest, OfferRequest
from sulla.store.values import Head, Lease, LogInfo, Offered


@dataclass(frozen=True, slots=True)
class LogState:
    """What a backend remembers of a log besides its records and its dedupe ids."""

    life: int
    """Which log of its key; never used again."""
    created_ms: int
    head: Head
    last_seq: int = 0
    waking: int = 0
    """How many waking inputs it has."""
    woken_seq: int = 0
    """The newest waking input."""
    claimed: int = 0
    epoch: int = 0
    owner: str = ""
    """Whose the newest lease is or was; empty if there never was one."""
    released: bool = False
    until_ms: int = 0
    """When the lease runs out, in milliseconds of `Clock.elapsed`."""
    ttl_ms: int = 0
    write_no: int = 0
    """The lease holder's last write."""
    answer: int = 0
    """What that write was answered."""


# ------------------------------------------------------------------------------------------------------------- steps


def known(offer: OfferRequest, seq: int, digest: bytes) -> Offered:
    """The answer to an offer whose id came before.

    Raises:
        MessageIdReused: with another digest.
    """
    if digest != offer.digest:
        raise MessageIdReused(
            f"{offer.dedupe_id!r} was used in {offer.key!r} before (record {seq}) with other content: "
            "send the same content again, or a new id"
        )
    return Offered(seq, first=False)


def offered(log: LogState, offer: OfferRequest) -> LogState:
    """The log with one more input.

    Raises:
        QueueFull: too many wait.
    """
    waiting = log.waking - log.head.consumed
    if offer.max_waiting is not None and waiting >= offer.max_waiting:
        raise QueueFull(
            f"{waiting} inputs wait in {offer.key!r}, and at most {offer.max_waiting} may: "
            "send it again when some of them have been worked on",
            retry_after_s=1.0,
        )
    seq = log.last_seq + 1
    if not offer.wakes:
        return replace(log, last_seq=seq)
    return replace(log, last_seq=seq, waking=log.waking + 1, woken_seq=seq)


def granted(log: LogState, owner: str, ttl_s: float, up_ms: int) -> LogState | None:
    """The log under a new lease, or None if somebody else's stands in the way."""
    earlier_boot = owner != log.owner and _home(owner) == _home(log.owner)
    if is_held(log, up_ms) and not earlier_boot:
        return None
    return _leased(replace(log, epoch=log.epoch + 1, owner=owner, released=False, write_no=0, answer=0), ttl_s, up_ms)


def renewed(log: LogState | None, lease: Lease, up_ms: int) -> LogState:
    """The log with its lease's time begun anew.

    Raises:
        StaleLease: it is not this lease's log any more.
    """
    return _leased(fenced(log, lease), lease.ttl_s, up_ms)


def given_back(log: LogState | None, lease: Lease) -> LogState | None:
    """The log without its lease, or None if it is not this lease's to give back."""
    if log is None or not _matches(log, lease) or log.released:
        return None
    return replace(log, released=True)


def appended(log: LogState | None, write: AppendRequest) -> LogState:
    """The log after a write; the same object if that very write was made before.

    Raises:
        StaleLease: it is not this lease's log any more.
        ValueError: the write's numbers cannot be.
    """
    number, lease = write.number, write.lease
    if log is not None and _matches(log, lease) and number == log.write_no > 0:
        return log
    log = fenced(log, lease)
    if number != log.write_no + 1:
        raise ValueError(
            f"{lease.key!r}: write number {number} after {log.write_no}; "
            f"expected {log.write_no + 1}, or {log.write_no} once more"
        )
    last = log.last_seq + len(write.drafts)
    if write.claimed > last:
        raise ValueError(f"{lease.key!r}: claimed is {write.claimed}, but the log ends at {last}")
    return replace(
        log,
        head=write.head,
        last_seq=last,
        claimed=max(log.claimed, write.claimed),
        released=write.release,
        write_no=number,
        answer=last,
    )


def fenced(log: LogState | None, lease: Lease) -> LogState:
    """The log, if it is still this lease's.

    Raises:
        StaleLease: it was deleted, taken or released.
    """
    if log is None or log.life != lease.life:
        raise StaleLease(f"{lease.key!r} was deleted after {lease.owner!r} took it: start nothing more")
    if not _matches(log, lease):
        raise StaleLease(
            f"{lease.key!r} was taken by {log.owner!r} (epoch {log.epoch}) from {lease.owner!r} "
            f"(epoch {lease.epoch}): start nothing more"
        )
    if log.released:
        raise StaleLease(f"{lease.key!r}: {lease.owner!r} gave its lease back (epoch {lease.epoch}): take a new one")
    return log


# ------------------------------------------------------------------------------------------------------------- views


def is_held(log: LogState, up_ms: int) -> bool:
    """Whether a lease is alive. One with more time left than it ever had stems from before a restart of the machine."""
    return log.owner != "" and not log.released and 0 < log.until_ms - up_ms <= log.ttl_ms


def is_ready(log: LogState, now_ms: int) -> bool:
    """Whether somebody should look at the log."""
    due_ms = log.head.due_ms
    return log.head.status == "open" or log.woken_seq > log.claimed or (due_ms is not None and due_ms <= now_ms)


def info_of(key: str, log: LogState, clock: Clock) -> LogInfo:
    """What `find` and `head` tell of a log."""
    ready, held = is_ready(log, wall_ms(clock)), is_held(log, uptime_ms(clock))
    return LogInfo(key, log.head, log.last_seq, log.created_ms, ready, held)


def lease_of(key: str, log: LogState, ttl_s: float) -> Lease:
    """The lease that the log is under."""
    return Lease(key, log.owner, log.epoch, ttl_s, log.life)


def wall_ms(clock: Clock) -> int:
    """UTC, in whole milliseconds."""
    return int(clock.now() * 1000)


def uptime_ms(clock: Clock) -> int:
    """`Clock.elapsed`, in whole milliseconds: sums of these are exact."""
    return int(clock.elapsed() * 1000)


def span_ms(seconds: float) -> int:
    """A time to live in whole milliseconds, one at the least."""
    return max(1, round(seconds * 1000))


# ----------------------------------------------------------------------------------------------------------- private


def _home(owner: str) -> str:
    return owner.partition(":")[0]


def _matches(log: LogState, lease: Lease) -> bool:
    # The owner too: a backend that lost its last write may give the same epoch to two.
    return (log.life, log.epoch, log.owner) == (lease.life, lease.epoch, lease.owner)


def _leased(log: LogState, ttl_s: float, up_ms: int) -> LogState:
    ttl_ms = span_ms(ttl_s)
    return replace(log, until_ms=up_ms + ttl_ms, ttl_ms=ttl_ms)
