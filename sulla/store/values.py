"""What goes into a store and comes out of it, and how large it may be. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass

MAX_PUBLISH_BYTES = 4096
"""The largest bus message (design §3): a durable event travels as its sequence number."""

MAX_NAME_BYTES = 1024
"""The longest key, kind, dedupe id, owner, agent or channel, as UTF-8. None holds a NUL; only an agent may be empty."""

MAX_BODY_BYTES = 16 * 1024 * 1024
"""The largest body of a record or a head, and the largest value."""

MAX_TAIL = 512
"""How many records come with a grant."""

Status = Literal["idle", "open", "suspended"]
"""`open`: a run is going on, or work is queued that may start. `suspended`: it waits for an answer. `idle`: neither."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A record that has no sequence number yet."""

    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a log. Numbers start at 1 and have no holes."""

    seq: int
    kind: str
    offered: bool
    """Whether it is an input (anyone's) rather than a decision (the lease holder's)."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """The small part of a log that the store understands, and its owner's checkpoint."""

    kind: str
    """What the log is: ``thread``, ``tokens``, ``playbook``, ``beat``, ``child``."""
    status: Status = "idle"
    agent: str = ""
    due_ms: int | None = None
    """When the log wants to be looked at again, UTC milliseconds; None for never."""
    consumed: int = 0
    """How many waking inputs have been dealt with so far; what is offered beyond them is waiting."""
    body: bytes = b""
    """The fold's checkpoint; opaque here."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The answer to an offer."""

    seq: int
    first: bool
    """False if this id was known already; `seq` is then that of the first offer."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to append to one log. `epoch` rises with each grant: so a late holder is told from the present one."""

    key: str
    owner: str
    """``<home id>:<boot nonce>``."""
    epoch: int
    ttl_s: float
    life: int = 0
    """Which log of that key: one that was deleted and made again counts its epochs from 1 again, but is another one."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What comes with a lease, so that a holder that knows the log already needs no further reads."""

    lease: Lease
    head: Head
    last_seq: int
    tail: tuple[Record, ...]
    """The records after the `after` that was asked for; empty if none was."""


@dataclass(frozen=True, slots=True)
class LogInfo:
    """One row of `find`."""

    key: str
    head: Head
    last_seq: int
    created_ms: int
    ready: bool
    """Has unclaimed waking inputs, or is `open`, or its due time has come."""
    held: bool
    """Whether somebody's lease on it is alive; a later boot of the same home gets it all the same."""
