"""Tickets: good once, for a minute, in any daemon on the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from sulla.access.principal import ALL_SCOPES, OWNER, TICKET_S, TICKET_SCOPES, Principal, Scope
from sulla.access.token_store import TokenStore
from sulla.core.errors import StoreUnavailable, Unauthorized
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock

ADMIN = Principal(OWNER, ALL_SCOPES)
_NUMBERS: Iterator[int] = count(1)


def secret() -> str:
    return f"secret {next(_NUMBERS)}"


class Slow(MemoryStore):
    """A store whose answers let others go first; it can be away, and keep what it should forget."""

    away = False
    forgets = True

    async def get(self, key: str) -> bytes | None:
        found = await super().get(key)
        await asyncio.sleep(0)
        return found

    async def remove(self, key: str) -> bool:
        if self.away:
            raise StoreUnavailable("away")
        await asyncio.sleep(0)
        return await super().remove(key)

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        await super().put(key, value, ttl_s if self.forgets else None)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Slow]:
    store = Slow(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    yield store
    await store.close()


async def store_on(store: Slow, clock: ManualClock, owner: str = "the owner's") -> TokenStore:
    token_store = TokenStore(store, clock, secret)
    await token_store.open(owner, secret)
    return token_store


async def bob(token_store: TokenStore, *scopes: Scope) -> Principal:
    made = await token_store.create("bob", frozenset(scopes), None, ADMIN)
    (found,) = (known.principal for known in token_store.known() if known.principal.name == made.name)
    return found


async def test_it_is_whose_token_it_was_made_with_and_is_used_up(store: Slow, clock: ManualClock) -> None:
    token_store = await store_on(store, clock)
    who = await bob(token_store, "read", "write")
    ticket = await token_store.mint_ticket(who)
    assert await token_store.redeem(ticket.secret) == who
    with pytest.raises(Unauthorized, match="it was used"):
        await token_store.redeem(ticket.secret)


async def test_one_for_something_else_is_used_up_and_it_is_said_what_it_was_for(
    store: Slow, clock: ManualClock
) -> None:
    token_store = await store_on(store, clock)
    who = await bob(token_store, "read")
    console, hub = await token_store.mint_ticket(who, "console"), await token_store.mint_ticket(who)
    with pytest.raises(Unauthorized, match="was for the console, not for /hub, and is used up"):
        await token_store.redeem(console.secret)
    with pytest.raises(Unauthorized, match="it was used"):
        await token_store.redeem(console.secret, "console")
    with pytest.raises(Unauthorized, match="was for /hub, not for the console, and is used up"):
        await token_store.redeem(hub.secret, "console")


async def test_it_never_allows_to_administer(store: Slow, clock: ManualClock) -> None:
    token_store = await store_on(store, clock)
    (owner,) = (known.principal for known in token_store.known())
    ticket = await token_store.mint_ticket(owner)
    assert (await token_store.redeem(ticket.secret)).scopes == TICKET_SCOPES == ALL_SCOPES - {"admin"}


async def test_of_many_who_try_at_once_in_two_daemons_one_comes_in(store: Slow, clock: ManualClock) -> None:
    here, there = await store_on(store, clock), await store_on(store, clock)
    ticket = await here.mint_ticket(await bob(here, "read"))
    tries = [token_store.redeem(ticket.secret) for token_store in (here, there) * 10]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(one) for one in found if not isinstance(one, Unauthorized)] == [Principal]


async def test_another_daemon_takes_it_though_it_has_not_heard_of_the_token_yet(
    store: Slow, clock: ManualClock
) -> None:
    here, there = await store_on(store, clock), await store_on(store, clock)
    ticket = await here.mint_ticket(await bob(here, "read"))
    assert (await there.redeem(ticket.secret)).name == "bob"


async def test_another_home_s_owner_is_nobody_here(store: Slow, clock: ManualClock) -> None:
    here, there = await store_on(store, clock), await store_on(store, clock, "another owner's")
    (owner,) = (known.principal for known in here.known())
    ticket = await here.mint_ticket(owner)
    with pytest.raises(Unauthorized, match="'owner', with which the ticket was made, is good no more"):
        await there.redeem(ticket.secret)


@pytest.mark.parametrize("forgets", [True, False])
async def test_its_minute_ends_even_if_the_store_keeps_it_longer(
    store: Slow, clock: ManualClock, forgets: bool
) -> None:
    store.forgets = forgets
    token_store = await store_on(store, clock)
    who = await bob(token_store, "read")
    first, second = await token_store.mint_ticket(who), await token_store.mint_ticket(who)
    await clock.advance(TICKET_S - 0.1)
    assert await token_store.redeem(first.secret) == who
    await clock.advance(0.1)
    with pytest.raises(Unauthorized, match="its minute is over"):
        await token_store.redeem(second.secret)


async def test_it_ends_with_its_token(store: Slow, clock: ManualClock) -> None:
    token_store = await store_on(store, clock)
    who = await bob(token_store, "read")
    ticket = await token_store.mint_ticket(who)
    await token_store.revoke("bob", ADMIN)
    await bob(token_store, "read")  # of the same name, and another one
    with pytest.raises(Unauthorized, match="'bob'"):
        await token_store.redeem(ticket.secret)
    with pytest.raises(Unauthorized, match="'bob'"):
        await token_store.mint_ticket(who)


async def test_nobody_comes_in_while_the_store_is_away(store: Slow, clock: ManualClock) -> None:
    token_store = await store_on(store, clock)
    ticket = await token_store.mint_ticket(await bob(token_store, "read"))
    store.away = True
    with pytest.raises(StoreUnavailable):
        await token_store.redeem(ticket.secret)


async def test_the_store_holds_no_secret_and_no_text_shows_one(store: Slow, clock: ManualClock) -> None:
    kept = list[tuple[str, bytes]]()
    put = store.put

    async def watching(key: str, value: bytes, ttl_s: float | None = None) -> None:
        kept.append((key, value))
        await put(key, value, ttl_s)

    store.put = watching  # type: ignore[method-assign]  # to see what is kept
    token_store = await store_on(store, clock)
    ticket = await token_store.mint_ticket(await bob(token_store, "read"))
    assert kept
    assert ticket.secret not in repr((kept, ticket))
