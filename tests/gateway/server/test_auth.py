from __future__ import annotations

from hmac import compare_digest

import pytest

from sulla.access.principal import KnownToken, Principal, token_digest
from sulla.access.token_store import TokenStore
from sulla.core.errors import Unauthorized
from sulla.gateway.server.auth import (
    ADDRESSES,
    LOCK_S,
    WINDOW_S,
    WRONG_TOKENS,
    Guard,
    Lockout,
    address_key,
    bearer,
)
from sulla.testing.clock import ManualClock

READER = Principal("reader", frozenset({"read"}))


class KnownTokens(TokenStore):
    def __init__(self) -> None:
        self.tokens = [KnownToken(token_digest("right"), READER)]

    def known(self) -> list[KnownToken]:
        return self.tokens


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def book() -> KnownTokens:
    return KnownTokens()


@pytest.fixture
def guard(book: KnownTokens, clock: ManualClock) -> Guard:
    return Guard(book, clock)


def test_a_right_token_says_who_it_is(guard: Guard) -> None:
    assert guard.admit("127.0.0.1", "right") == READER


async def test_an_expired_token_is_refused_with_its_name_and_is_no_guess(guard: Guard, book: KnownTokens) -> None:
    book.tokens[0] = KnownToken(token_digest("right"), READER, 1000)
    for _ in range(2 * WRONG_TOKENS):
        with pytest.raises(Unauthorized, match=r"'reader' expired at 1970-01-01T00:00:01"):
            guard.admit("127.0.0.1", "right")


@pytest.mark.parametrize("token", [None, "", "Right", "right ", "\udc80", "x" * 100_000])
def test_any_other_is_refused_and_not_repeated(guard: Guard, token: str | None) -> None:
    with pytest.raises(Unauthorized) as caught:
        guard.admit("127.0.0.1", token)
    assert not token or token not in caught.value.message


def test_a_revoked_token_is_refused_at_once(guard: Guard, book: KnownTokens) -> None:
    guard.admit("127.0.0.1", "right")
    book.tokens.clear()
    with pytest.raises(Unauthorized):
        guard.admit("127.0.0.1", "right")


def wrong(guard: Guard, address: str, count: int) -> None:
    for number in range(count):
        with pytest.raises(Unauthorized):
            guard.admit(address, f"guess {number}")


@pytest.mark.parametrize("address", ["192.0.2.1", "127.0.0.1"])
async def test_who_guesses_is_locked_out_for_a_while(guard: Guard, clock: ManualClock, address: str) -> None:
    wrong(guard, address, WRONG_TOKENS)
    with pytest.raises(Unauthorized, match="too many") as caught:
        guard.admit(address, "another guess")
    assert caught.value.retry_after_s == LOCK_S
    with pytest.raises(Unauthorized, match="not valid"):
        guard.admit("192.0.2.2", "another guess")
    await clock.advance(LOCK_S)
    with pytest.raises(Unauthorized, match="not valid"):
        guard.admit(address, "another guess")


def test_the_right_token_gets_in_beside_wrong_ones_from_the_same_address(guard: Guard) -> None:
    for _ in range(3):
        wrong(guard, "127.0.0.1", 2 * WRONG_TOKENS)
        assert guard.admit("127.0.0.1", "right") == READER


def test_an_expired_token_is_told_so_from_a_locked_address_too(guard: Guard, book: KnownTokens) -> None:
    book.tokens.append(KnownToken(token_digest("old"), READER, 1000))
    wrong(guard, "127.0.0.1", WRONG_TOKENS)
    with pytest.raises(Unauthorized, match="expired at"):
        guard.admit("127.0.0.1", "old")


def test_a_flood_of_wrong_tokens_leaves_nothing_behind_but_its_lock(guard: Guard) -> None:
    wrong(guard, "127.0.0.1", 20_000)
    assert len(guard._lockout._locked) == 1
    assert not guard._lockout._wrong


@pytest.mark.parametrize("token", ["right", "first", "last", "unknown"])
@pytest.mark.parametrize("locked", [False, True])
def test_as_much_is_compared_whichever_token_it_is(
    guard: Guard, book: KnownTokens, token: str, monkeypatch: pytest.MonkeyPatch, *, locked: bool
) -> None:
    book.tokens.insert(0, KnownToken(token_digest("first"), READER))
    book.tokens.append(KnownToken(token_digest("last"), READER))
    wrong(guard, "127.0.0.1", WRONG_TOKENS if locked else 0)
    compared: list[bytes] = []

    def counted(known: bytes, shown: bytes) -> bool:
        compared.append(known)
        return compare_digest(known, shown)

    monkeypatch.setattr("sulla.gateway.server.auth.compare_digest", counted)
    if token == "unknown":
        with pytest.raises(Unauthorized):
            guard.admit("127.0.0.1", token)
    else:
        guard.admit("127.0.0.1", token)
    assert compared == [one.digest for one in book.tokens]


def test_one_address_in_two_writings_is_counted_once(guard: Guard) -> None:
    for number in range(WRONG_TOKENS):
        with pytest.raises(Unauthorized):
            guard.admit("192.0.2.1" if number % 2 else "::ffff:192.0.2.1", f"guess {number}")
    with pytest.raises(Unauthorized, match="too many"):
        guard.admit("192.0.2.1", "another guess")


def test_a_stale_client_does_not_lock_out_its_neighbours(guard: Guard) -> None:
    for _ in range(200):
        with pytest.raises(Unauthorized, match="not valid"):
            guard.admit("127.0.0.1", "old")


async def test_slow_mistakes_do_not_add_up(guard: Guard, clock: ManualClock) -> None:
    for number in range(3 * WRONG_TOKENS):
        with pytest.raises(Unauthorized, match="not valid"):
            guard.admit("127.0.0.1", f"guess {number}")
        await clock.advance(WINDOW_S / 5)


def test_the_memory_of_addresses_is_bounded() -> None:
    lockout = Lockout()
    for number in range(3 * ADDRESSES):
        for guess in range(WRONG_TOKENS if number % 2 else 1):
            lockout.wrong(f"address {number}", bytes([guess]) * 8, now=1.0)
    assert len(lockout._wrong) <= ADDRESSES
    assert len(lockout._locked) <= ADDRESSES


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("::1", "::2", False),
        ("127.0.0.1", "127.9.8.7", True),
        ("127.0.0.1", "::1", True),
        ("127.0.0.1", "::ffff:127.0.0.2", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("unknown", "unknown", True),
    ],
)
def test_addresses_that_one_peer_can_choose_from_are_one(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) is same


def test_a_bearer_header_is_read() -> None:
    assert bearer("Bearer abc") == bearer("bearer  abc ") == "abc"


@pytest.mark.parametrize("header", ["", "abc", "Basic abc", "Bearer", "Bearer  "])
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(Unauthorized, match="Bearer"):
        bearer(header)
