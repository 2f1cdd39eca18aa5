"""What no backend has to keep is refused before it gets there."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest, check_lease, check_name, check_payload
from sulla.store.values import MAX_BODY_BYTES, MAX_NAME_BYTES, MAX_PUBLISH_BYTES, Draft, Head, Lease, LogInfo

LEASE = Lease("key", "home:1", 1, 30.0)
DRAFT = Draft("A", b"")


def _offer(key: str = "key", dedupe_id: str = "id", draft: Draft = DRAFT, create: Head | None = None) -> OfferRequest:
    return OfferRequest(key, dedupe_id, draft, b"", create, wakes=True, max_waiting=None)


@pytest.mark.parametrize("name", ["a", "é" * (MAX_NAME_BYTES // 2), "\t \n", "\U0001f511"])
def test_text_of_any_kind_is_a_name(name: str) -> None:
    check_name("key", name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("a\0b", "NUL"),
        ("\ud800", "surrogate"),
        ("a" * (MAX_NAME_BYTES + 1), "1025 bytes"),
        ("é" * (MAX_NAME_BYTES // 2 + 1), "1026 bytes"),
    ],
)
def test_what_is_no_name_is_told_why(name: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^dedupe id .*{why}"):
        check_name("dedupe id", name)


def test_a_long_name_is_not_repeated_in_full() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name("key", "a" * 10**6)
    assert len(str(refused.value)) < 200


def test_only_where_it_may_a_name_is_empty() -> None:
    check_name("agent", "", may_be_empty=True)
    with pytest.raises(InvalidInput):
        check_name("agent", "\0", may_be_empty=True)


def test_every_name_of_an_offer_is_looked_at() -> None:
    _offer(create=Head("thread"))
    for bad in (
        lambda: _offer(key=""),
        lambda: _offer(dedupe_id=""),
        lambda: _offer(draft=Draft("", b"")),
        lambda: _offer(create=Head("")),
        lambda: _offer(create=Head("thread", agent="\0")),
        lambda: AppendRequest(LEASE, 1, [Draft("A", b""), Draft("", b"")], Head("thread"), 0, release=False),
        lambda: AppendRequest(LEASE, 1, [], Head(""), 0, release=False),
        lambda: FindRequest(None, "", None, None, "", 1),
        lambda: FindRequest(None, None, None, None, "\ud800", 1),
    ):
        with pytest.raises(InvalidInput):
            bad()


def test_a_body_may_be_as_large_as_the_limit_and_no_larger() -> None:
    most = bytes(MAX_BODY_BYTES)
    _offer(draft=Draft("A", most), create=Head("thread", body=most))
    for bad in (Draft("A", most + b"x"), Draft("A", b"")):
        create = Head("thread", body=most + b"x") if not bad.body else None
        with pytest.raises(TooLarge, match=rf"{MAX_BODY_BYTES + 1} bytes; at most {MAX_BODY_BYTES}"):
            _offer(draft=bad, create=create)


@pytest.mark.parametrize("due_ms", [2**53 + 1, -(2**53) - 1, 10**30])
def test_a_time_that_is_none_is_refused(due_ms: int) -> None:
    _offer(create=Head("thread", due_ms=2**53))
    with pytest.raises(InvalidInput, match=str(due_ms)):
        _offer(create=Head("thread", due_ms=due_ms))


@pytest.mark.parametrize("owner", ["home", "home:", ":boot"])
def test_an_owner_has_a_home_and_a_boot(owner: str) -> None:
    check_lease("home:boot", 0.001)
    with pytest.raises(ValueError, match=owner):
        check_lease(owner, 30.0)


def test_a_bus_message_may_be_as_large_as_the_limit_and_no_larger() -> None:
    check_payload(bytes(MAX_PUBLISH_BYTES))
    with pytest.raises(ValueError, match="4097 bytes; at most 4096"):
        check_payload(bytes(MAX_PUBLISH_BYTES + 1))


def test_a_question_fits_what_meets_all_of_it() -> None:
    info = LogInfo("key", Head("thread", "open", due_ms=5), 1, 0, ready=True, held=False)
    asked = {
        "ready": (None, True, False),
        "kind": (None, "thread", "beat"),
        "status": (None, "open", "idle"),
        "due_before_ms": (None, 6, 5),
        "after_key": ("", "kex", "key"),
    }
    for name, (any_, fitting, other) in asked.items():
        rest = {key: values[1] for key, values in asked.items()}
        for value, fits in ((any_, True), (fitting, True), (other, False)):
            question = FindRequest(**{**rest, name: value}, limit=1)  # type: ignore[arg-type]  # each of its own type
            assert question.fits(info) is fits, (name, value)
    no_due = LogInfo("key", Head("thread"), 1, 0, ready=False, held=False)
    assert FindRequest(None, None, None, 10, "", 1).fits(no_due) is False
