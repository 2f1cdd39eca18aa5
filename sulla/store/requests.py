"""What callers ask of a backend, as values; made only if every backend could keep it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, TooLarge
from sulla.store.values import MAX_BODY_BYTES, MAX_NAME_BYTES, MAX_PUBLISH_BYTES, Draft, Head, Lease, LogInfo, Status

_LATEST_MS = 2**53
"""Numbers up to here are exact in every backend and in JSON."""


@dataclass(frozen=True, slots=True)
class OfferRequest:
    """The checked arguments of `Store.offer`."""

    key: str
    dedupe_id: str
    draft: Draft
    digest: bytes
    create: Head | None
    wakes: bool
    max_waiting: int | None

    def __post_init__(self) -> None:
        check_name("key", self.key)
        check_name("dedupe id", self.dedupe_id)
        check_draft(self.draft)
        if self.create is not None:
            check_head(self.create)


@dataclass(frozen=True, slots=True)
class AppendRequest:
    """The checked arguments of `Store.append`."""

    lease: Lease
    number: int
    drafts: Sequence[Draft]
    head: Head
    claimed: int
    release: bool

    def __post_init__(self) -> None:
        check_name("key", self.lease.key)
        check_head(self.head)
        for draft in self.drafts:
            check_draft(draft)


@dataclass(frozen=True, slots=True)
class FindRequest:
    """The checked arguments of `Store.find`."""

    ready: bool | None
    kind: str | None
    status: Status | None
    due_before_ms: int | None
    after_key: str
    limit: int

    def __post_init__(self) -> None:
        check_name("after_key", self.after_key, may_be_empty=True)
        if self.kind is not None:
            check_name("kind", self.kind)
        check_limit(self.limit)

    def fits(self, info: LogInfo) -> bool:
        """Whether a log is among those that are asked for."""
        due_ms, before_ms = info.head.due_ms, self.due_before_ms
        return (
            info.key > self.after_key
            and self.ready in (None, info.ready)
            and self.kind in (None, info.head.kind)
            and self.status in (None, info.head.status)
            and (before_ms is None or (due_ms is not None and due_ms < before_ms))
        )


def check_name(what: str, name: str, *, may_be_empty: bool = False) -> None:
    """Refuse what some backend could not keep.

    Raises:
        InvalidInput: it is empty, too long, holds a NUL or is no Unicode text.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise InvalidInput(f"{what} {name!r} holds half a surrogate pair: send whole Unicode characters") from None
    if size > MAX_NAME_BYTES:
        raise InvalidInput(f"{what} {name[:40]!r}… has {size} bytes; at most {MAX_NAME_BYTES} are kept")
    if "\0" in name or (not name and not may_be_empty):
        raise InvalidInput(f"{what} {name!r} is {'empty' if not name else 'no name: it holds a NUL'}")


def check_draft(draft: Draft) -> None:
    """Refuse a record that no backend should have to keep.

    Raises:
        InvalidInput: its kind is no name.
        TooLarge: its body is over the limit.
    """
    check_name("kind", draft.kind)
    check_size(f"a {draft.kind} record", draft.body)


def check_head(head: Head) -> None:
    """Refuse a head that some backend could not keep.

    Raises:
        InvalidInput: its kind or agent is no name, or its due time is out of range.
        TooLarge: its body is over the limit.
    """
    check_name("kind", head.kind)
    check_name("agent", head.agent, may_be_empty=True)
    check_size(f"the head of a {head.kind}", head.body)
    if head.due_ms is not None and abs(head.due_ms) > _LATEST_MS:
        raise InvalidInput(f"due time {head.due_ms} is out of range; expected UTC milliseconds")


def check_size(what: str, body: bytes) -> None:
    """Refuse a body over the limit.

    Raises:
        TooLarge: with both sizes.
    """
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge(f"{what} has {len(body)} bytes; at most {MAX_BODY_BYTES} are kept")


def check_value(key: str, value: bytes) -> None:
    """Refuse a small value that some backend could not keep.

    Raises:
        InvalidInput: `key` is no name.
        TooLarge: it is over the limit.
    """
    check_name("key", key)
    check_size(f"the value of {key!r}", value)


def check_swap(key: str, old: bytes | None, new: bytes) -> None:
    """Refuse to put one small value in the place of another if some backend could not keep either.

    Raises:
        InvalidInput: `key` is no name.
        TooLarge: one is over the limit.
    """
    check_value(key, new)
    if old is not None:
        check_size(f"the value that is meant to be at {key!r}", old)


def check_payload(payload: bytes) -> None:
    """Refuse a bus message that is too large.

    Raises:
        ValueError: with both sizes.
    """
    if len(payload) > MAX_PUBLISH_BYTES:
        raise ValueError(f"a bus message has {len(payload)} bytes; at most {MAX_PUBLISH_BYTES} travel")


def check_limit(limit: int) -> None:
    """Refuse a page size that is none.

    Raises:
        ValueError: it is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}; expected 1 or more")


def check_lease(owner: str, ttl_s: float) -> None:
    """Refuse a lease that could not be fenced.

    Raises:
        InvalidInput: `owner` is no name.
        ValueError: `owner` has not the form ``<home id>:<boot nonce>``, or `ttl_s` is not above 0.
    """
    check_name("owner", owner)
    home, _, nonce = owner.partition(":")
    if not home or not nonce:
        raise ValueError(f"owner is {owner!r}; expected '<home id>:<boot nonce>'")
    if ttl_s <= 0:
        raise ValueError(f"a lease of {ttl_s} s; expected more than 0")
