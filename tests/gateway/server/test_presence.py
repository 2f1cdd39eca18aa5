from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count

import pytest

from sulla.access.principal import ALL_SCOPES, OWNER, KnownToken, Principal, TokenOwner, token_digest
from sulla.access.token_store import TokenStore
from sulla.gateway.server.presence import Presence
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock

BOB = Principal("bob", frozenset({"read"}), "1")
BOB_AGAIN = Principal("bob", frozenset({"read"}), "2")
ANN = Principal("ann", frozenset({"read"}), "3")


class KnownTokens(TokenStore):
    def __init__(self, *principals: Principal) -> None:
        self.tokens = [KnownToken(token_digest(one.id), one) for one in principals]

    def known(self) -> list[KnownToken]:
        return self.tokens


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def book() -> KnownTokens:
    return KnownTokens(BOB, ANN)


@pytest.fixture
def presence(book: KnownTokens, clock: ManualClock) -> Presence:
    return Presence(book, clock)


class Thing:
    """Something that can be closed."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def close(self, reason: str) -> None:
        self.told.append(reason)


def test_what_was_opened_by_a_revoked_token_is_closed_and_nothing_else(presence: Presence, book: KnownTokens) -> None:
    one, two, other = Thing(), Thing(), Thing()
    with presence.of(BOB, one.close), presence.of(BOB, two.close), presence.of(ANN, other.close):
        book.tokens = [known for known in book.tokens if known.principal != BOB]
        presence.sweep()
    assert one.told == two.told == ["the token 'bob' was revoked"]
    assert other.told == []


def test_a_new_token_of_the_same_name_keeps_nothing_open(presence: Presence, book: KnownTokens) -> None:
    thing = Thing()
    with presence.of(BOB, thing.close):
        book.tokens = KnownTokens(BOB_AGAIN).tokens
        presence.sweep()
    assert thing.told == ["the token 'bob' was revoked"]


async def test_what_was_opened_by_an_expired_token_is_closed(
    presence: Presence, book: KnownTokens, clock: ManualClock
) -> None:
    book.tokens = [KnownToken(token_digest("b"), BOB, round(clock.now() * 1000) + 1000)]
    thing = Thing()
    with presence.of(BOB, thing.close):
        presence.sweep()
        assert thing.told == []
        await clock.advance(1.0)
        presence.sweep()
    assert thing.told == ["the token 'bob' has expired"]


def test_a_session_that_alone_has_ended_is_not_called_a_revoked_token(presence: Presence, book: KnownTokens) -> None:
    token, session = KnownToken(token_digest("b"), BOB), replace(BOB, id="s")
    of_it = KnownToken(token_digest("s"), session, session_of=TokenOwner("bob", BOB.id))
    for left, told in (
        ([token], "this session was ended: sign in again"),
        ([token, replace(of_it, run_out=True)], "this session was ended: sign in again"),
        ([], "the token 'bob' was revoked"),
        ([replace(token, run_out=True), replace(of_it, run_out=True)], "the token 'bob' has expired"),
    ):
        book.tokens, thing = [token, of_it], Thing()
        with presence.of(session, thing.close):
            book.tokens = left
            presence.sweep()
        assert thing.told == [told]
    assert presence._made_with == {}


def test_what_opens_too_late_is_closed_at_once(presence: Presence, book: KnownTokens) -> None:
    book.tokens = []
    thing = Thing()
    with presence.of(BOB, thing.close):
        assert thing.told == ["the token 'bob' was revoked"]


def test_what_has_ended_is_forgotten(presence: Presence, book: KnownTokens) -> None:
    thing = Thing()
    with presence.of(BOB, thing.close):
        pass
    book.tokens = []
    presence.sweep()
    assert thing.told == []
    assert presence._here == {}


def test_closing_one_thing_may_end_another(presence: Presence, book: KnownTokens) -> None:
    told: list[str] = []

    def last(reason: str) -> None:
        told.append(reason)

    def first(reason: str) -> None:
        told.append(reason)
        presence.leave(BOB, last)

    presence.enter(BOB, first)
    presence.enter(BOB, last)
    book.tokens = []
    presence.sweep()
    presence.leave(BOB, first)
    assert told == ["the token 'bob' was revoked"] * 2


# ------------------------------------------------------------------------------------- with the tokens of two daemons


@asynccontextmanager
async def two_daemons(clock: ManualClock) -> AsyncIterator[tuple[TokenStore, TokenStore, Presence]]:
    """Two daemons' tokens on one store, and who is connected to the second one."""
    store, numbers = MemoryStore(clock, lambda prefix: f"{prefix}_1"), count(1)
    await store.open()
    here, there = (TokenStore(store, clock, lambda: f"secret {next(numbers)}") for _ in range(2))
    for token_store in (here, there):
        await token_store.open("owner", lambda: f"secret {next(numbers)}")
    presence = Presence(there, clock)
    there.on_change(presence.sweep)
    task = asyncio.ensure_future(there.run())
    await clock.settle()
    try:
        yield here, there, presence
    finally:
        task.cancel()
        await asyncio.wait((task,))
        await store.close()


def principal(token_store: TokenStore, name: str) -> Principal:
    (found,) = (known.principal for known in token_store.known() if known.principal.name == name)
    return found


async def test_a_token_revoked_at_one_daemon_closes_what_it_opened_at_the_other_within_half_a_second(
    clock: ManualClock,
) -> None:
    async with two_daemons(clock) as (here, there, presence):
        await here.create("bob", frozenset({"read"}), None, Principal(OWNER, ALL_SCOPES))
        await clock.advance(0.5)
        thing = Thing()
        with presence.of(principal(there, "bob"), thing.close):
            await here.revoke("bob", Principal(OWNER, ALL_SCOPES))
            await clock.advance(0.5)
            assert thing.told == ["the token 'bob' was revoked"]


async def test_a_token_that_expires_closes_what_it_opened_within_half_a_second(clock: ManualClock) -> None:
    async with two_daemons(clock) as (here, there, presence):
        await here.create("bob", frozenset({"read"}), 10, Principal(OWNER, ALL_SCOPES))
        await clock.advance(0.5)
        thing = Thing()
        with presence.of(principal(there, "bob"), thing.close):
            await clock.advance(9)
            assert thing.told == []
            await clock.advance(1.0)
            assert thing.told == ["the token 'bob' has expired"]
