from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from sulla.access.principal import ALL_SCOPES, MOST_TOKEN_S, OWNER, Principal, token_digest
from sulla.access.token_store import POLL_S, TokenStore
from sulla.access.tokens import HEAD, KEY
from sulla.core.errors import (
    Conflict,
    CorruptRecord,
    Forbidden,
    InvalidInput,
    NotFound,
    SettingsError,
    StoreUnavailable,
    Unauthorized,
)
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, LogInfo, Record
from sulla.testing.clock import ManualClock
from sulla.threads.archive.audit import audit_threads
from sulla.threads.bounds import ThreadLimits
from sulla.threads.store import ThreadStore

ADMIN = Principal(OWNER, ALL_SCOPES)
_NUMBERS: Iterator[int] = count(1)


def secret() -> str:
    return f"secret {next(_NUMBERS)}"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


class Shaky(MemoryStore):
    """A store that can be away, whose bus can lose everything, and which counts what is asked of it."""

    away = False
    deaf = False
    heads = 0
    reads = 0

    async def head(self, key: str) -> LogInfo | None:
        self.heads += 1
        await asyncio.sleep(0)  # so that two who ask at once both see what is there before
        if self.away:
            raise StoreUnavailable("away")
        return await super().head(key)

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        self.reads += 1
        return await super().read(key, after=after, before=before, limit=limit, reverse=reverse)

    def publish(self, channel: str, payload: bytes) -> None:
        if not self.deaf:
            super().publish(channel, payload)


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Shaky]:
    store = Shaky(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    yield store
    await store.close()


async def opened(store: Shaky, clock: ManualClock, owner: str = "owner's secret") -> TokenStore:
    token_store = TokenStore(store, clock, secret)
    await token_store.open(owner, secret)
    return token_store


@asynccontextmanager
async def running(token_store: TokenStore) -> AsyncIterator[None]:
    task = asyncio.ensure_future(token_store.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


def good(token_store: TokenStore, token: str, clock: ManualClock) -> bool:
    digest = token_digest(token)
    return any(known.digest == digest and not known.expired(clock.now()) for known in token_store.known())


async def bob(token_store: TokenStore, expires_s: float | None = None) -> str:
    return (await token_store.create("bob", frozenset({"read"}), expires_s, ADMIN)).secret


async def test_a_token_is_good_from_the_moment_that_it_is_shown_until_it_is_revoked(
    store: Shaky, clock: ManualClock
) -> None:
    token_store = await opened(store, clock)
    token = await bob(token_store)
    assert good(token_store, token, clock)
    assert await token_store.revoke("bob", ADMIN)
    assert not good(token_store, token, clock)
    assert good(token_store, "owner's secret", clock)


async def test_it_survives_a_restart(store: Shaky, clock: ManualClock) -> None:
    token = await bob(await opened(store, clock))
    again = await opened(store, clock)
    assert good(again, token, clock)
    assert [info.name for info in await again.list()] == [OWNER, "bob"]


async def test_the_store_never_sees_a_secret(store: Shaky, clock: ManualClock) -> None:
    token = await bob(await opened(store, clock))
    (record,) = await store.read(KEY)
    assert token.encode() not in record.body
    assert token_digest(token).hex().encode() in record.body


async def test_nobody_grants_what_he_lacks(store: Shaky, clock: ManualClock) -> None:
    token_store = await opened(store, clock)
    with pytest.raises(Forbidden, match="'approve', 'write'"):
        await token_store.create("bob", ALL_SCOPES, None, Principal("clerk", frozenset({"read", "admin"})))
    with pytest.raises(InvalidInput, match="at least one"):
        await token_store.create("bob", frozenset(), None, ADMIN)
    for expires_s in (0, -1, MOST_TOKEN_S + 1, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="expires_s"):
            await token_store.create("bob", frozenset({"read"}), expires_s, ADMIN)
    assert await store.head(KEY) is None


async def test_whoever_was_revoked_at_another_daemon_makes_and_revokes_nothing_any_more(
    store: Shaky, clock: ManualClock
) -> None:
    store.deaf = True
    here, there = await opened(store, clock), await opened(store, clock)
    await here.create("bob", ALL_SCOPES, None, ADMIN)
    await here.create("ann", ALL_SCOPES, None, ADMIN)
    await there.list()
    bob = next(known.principal for known in there.known() if known.principal.name == "bob")
    await here.revoke("bob", ADMIN)
    with pytest.raises(Unauthorized, match="'bob' is good no more"):
        await there.create("spare", ALL_SCOPES, None, bob)
    with pytest.raises(Unauthorized):
        await there.revoke("ann", bob)
    assert [info.name for info in await here.list()] == [OWNER, "ann"]


async def test_the_same_name_made_at_once_by_two_daemons_is_one_token_and_one_conflict(
    store: Shaky, clock: ManualClock
) -> None:
    one, two = await opened(store, clock), await opened(store, clock)
    made = await asyncio.gather(bob(one), bob(two), return_exceptions=True)
    tokens = [result for result in made if isinstance(result, str)]
    assert [type(result) for result in made if not isinstance(result, str)] == [Conflict]
    for token_store in (one, two, await opened(store, clock)):
        await token_store.list()
        assert [good(token_store, token, clock) for token in tokens] == [True]
        assert len(token_store.known()) == 2


async def test_revoked_at_once_by_two_daemons_it_is_revoked_once(store: Shaky, clock: ManualClock) -> None:
    one, two = await opened(store, clock), await opened(store, clock)
    await bob(one)
    await two.list()
    assert all(await asyncio.gather(one.revoke("bob", ADMIN), two.revoke("bob", ADMIN)))
    info = await store.head(KEY)
    assert info is not None
    assert info.last_seq == 2


async def test_revoking_again_says_that_it_was_revoked_before(store: Shaky, clock: ManualClock) -> None:
    token_store = await opened(store, clock)
    await bob(token_store)
    assert [await token_store.revoke("bob", ADMIN) for _ in range(2)] == [True, False]
    with pytest.raises(NotFound, match="no token 'ann'"):
        await token_store.revoke("ann", ADMIN)


async def test_a_daemon_that_slept_through_a_life_of_the_name_makes_the_next_one(
    store: Shaky, clock: ManualClock
) -> None:
    awake, asleep = await opened(store, clock), await opened(store, clock)
    first = await bob(awake)
    await awake.revoke("bob", ADMIN)
    second = await bob(asleep)
    fresh = await opened(store, clock)
    assert (good(fresh, first, clock), good(fresh, second, clock)) == (False, True)


async def test_what_another_daemon_does_is_known_at_once(store: Shaky, clock: ManualClock) -> None:
    here, there = await opened(store, clock), await opened(store, clock)
    async with running(there):
        await clock.settle()
        token = await bob(here)
        await clock.settle()
        assert good(there, token, clock)
        await here.revoke("bob", ADMIN)
        await clock.settle()
        assert not good(there, token, clock)


async def test_a_lost_wake_up_is_made_up_for_in_half_a_second(store: Shaky, clock: ManualClock) -> None:
    store.deaf = True
    here, there = await opened(store, clock), await opened(store, clock)
    async with running(there):
        await clock.settle()
        token = await bob(here)
        await clock.settle()
        assert not good(there, token, clock)
        await clock.advance(0.5)
        assert good(there, token, clock)


async def test_only_what_is_new_is_read(store: Shaky, clock: ManualClock) -> None:
    token_store = await opened(store, clock)
    await bob(token_store)
    async with running(token_store):
        heads, reads = store.heads, store.reads
        await clock.advance(10 * POLL_S)
        assert (store.heads - heads, store.reads - reads) == (10, 0)


async def test_whoever_wants_to_know_is_told_of_each_change_once(store: Shaky, clock: ManualClock) -> None:
    token_store, told = await opened(store, clock), list[int]()
    token_store.on_change(lambda: told.append(len(token_store.known())))
    await bob(token_store, expires_s=10)
    async with running(token_store):
        await clock.advance(9)
        assert told == [2]
        await clock.advance(1 + 0.5)
        assert told == [2, 2], "it has expired"
        await token_store.revoke(OWNER, ADMIN)
        assert len(told) == 3


async def test_a_token_that_was_seen_to_expire_is_not_good_again_when_the_clock_is_put_back(store: Shaky) -> None:
    clock = ManualClock()
    token_store, other = await opened(store, clock), await opened(store, clock)
    token = await bob(token_store, expires_s=10)
    async with running(token_store), running(other):
        await clock.advance(11)
    for earlier in (token_store, other, await opened(store, ManualClock())):
        assert not good(earlier, token, ManualClock())
        assert [info.expired for info in await earlier.list()] == [False, True]
    head = await store.head(KEY)
    assert head is not None
    assert head.last_seq == 2
    assert good(token_store, await bob(token_store), ManualClock()), "the name is free"


async def test_revoking_the_owners_puts_another_one_in_its_place(store: Shaky, clock: ManualClock) -> None:
    token_store, renewed = TokenStore(store, clock, secret), list[str]()

    def renew() -> str:
        renewed.append(secret())
        return renewed[-1]

    await token_store.open("the old one", renew)
    assert await token_store.revoke(OWNER, ADMIN)
    assert not good(token_store, "the old one", clock)
    assert good(token_store, renewed[0], clock)
    assert len(renewed) == 1


async def test_revoking_the_owners_holds_at_every_home_that_has_the_same(store: Shaky, clock: ManualClock) -> None:
    """As where a cluster's homes were given one, or a home was copied."""
    one, twin, other = [await opened(store, clock, owner) for owner in ("shared", "shared", "another")]
    async with running(twin), running(other):
        assert await one.revoke(OWNER, ADMIN)
        assert [good(each, "shared", clock) for each in (one, twin)] == [False, True]
        await clock.advance(POLL_S)
        assert not good(twin, "shared", clock)
        assert good(other, "another", clock)
    assert not good(await opened(store, clock, "shared"), "shared", clock), "nor at one that starts later"
    assert sum(token.principal.name == OWNER for token in twin.known()) == 1, "it has a new one of its own"
    assert [info.name for info in await one.list()] == [OWNER]


async def test_without_the_store_the_owners_is_replaced_here_and_it_is_said_that_others_were_not_told(
    store: Shaky, clock: ManualClock
) -> None:
    token_store = await opened(store, clock)
    store.away = True
    with pytest.raises(StoreUnavailable, match=r"is another one now, but no other home .* revoke it there too \(away"):
        await token_store.revoke(OWNER, ADMIN)
    assert not good(token_store, "owner's secret", clock)


async def test_a_home_that_can_make_no_other_owners_token_lets_nobody_in_with_the_old_one(
    store: Shaky, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    def cannot() -> str:
        raise SettingsError("the disk is full")

    twin = TokenStore(store, clock, secret)
    await twin.open("shared", cannot)
    assert await (await opened(store, clock, "shared")).revoke(OWNER, ADMIN)
    assert [info.name for info in await twin.list()] == [OWNER]
    assert not good(twin, "shared", clock)
    assert "none can be made: the disk is full" in caplog.text
    with pytest.raises(Unauthorized, match="no owner's token"):
        await twin.revoke(OWNER, ADMIN)


async def test_nobody_can_make_a_token_that_is_called_owner(store: Shaky, clock: ManualClock) -> None:
    token_store = await opened(store, clock)
    with pytest.raises(InvalidInput, match="'owner' is the home's own token"):
        await token_store.create(OWNER, frozenset({"read"}), None, ADMIN)


@pytest.mark.parametrize("draft", [Draft("TOKEN_CREATED", b"1 00000000 {}"), Draft("TOKEN_FROM_THE_FUTURE", b"")])
async def test_with_a_record_that_cannot_be_read_no_named_token_is_good_any_more(
    store: Shaky, clock: ManualClock, draft: Draft
) -> None:
    token_store = await opened(store, clock)
    token = await bob(token_store)
    await store.offer(KEY, "damage", draft, digest=b"", create=HEAD, wakes=False)
    for one in (token_store, await opened(store, clock)):
        with pytest.raises(CorruptRecord, match="record 2"):
            await one.list()
        assert not good(one, token, clock)
        assert good(one, "owner's secret", clock)
        assert one.damage is not None
    with pytest.raises(CorruptRecord):
        await bob(token_store)


async def test_while_the_store_is_away_tokens_stay_as_they_were_but_for_time(store: Shaky, clock: ManualClock) -> None:
    token_store, told = await opened(store, clock), list[int]()
    token = await bob(token_store, expires_s=10)
    token_store.on_change(lambda: told.append(1))
    async with running(token_store):
        store.away = True
        await clock.advance(5)
        assert good(token_store, token, clock)
        with pytest.raises(StoreUnavailable):
            await token_store.revoke("bob", ADMIN)
        await clock.advance(5 + POLL_S)
        assert told == [1]
        store.away = False
        await clock.advance(POLL_S)
        assert await token_store.revoke("bob", ADMIN)


async def test_another_log_in_its_place_is_read_from_its_beginning(store: Shaky, clock: ManualClock) -> None:
    token_store, other = await opened(store, clock), await opened(store, clock)
    token = await bob(token_store)
    grant = await store.acquire(KEY, "home:boot", 30)
    assert grant is not None
    await store.delete(grant.lease)
    await clock.advance(1)
    made = [await other.create(name, frozenset({"read"}), None, ADMIN) for name in ("ann", "eve", "sue")]
    await token_store.list()
    assert not good(token_store, token, clock)
    assert all(good(token_store, one.secret, clock) for one in made)


async def test_a_log_that_is_gone_takes_its_tokens_along(store: Shaky, clock: ManualClock) -> None:
    token_store = await opened(store, clock)
    token = await bob(token_store)
    grant = await store.acquire(KEY, "home:boot", 30)
    assert grant is not None
    await store.delete(grant.lease)
    await token_store.list()
    assert not good(token_store, token, clock)


async def test_threads_and_their_keepers_pass_the_log_over(store: Shaky, clock: ManualClock) -> None:
    await bob(await opened(store, clock))
    threads = ThreadStore(store, clock, lambda prefix: f"{prefix}_1", "home:boot", THREAD_SCHEMA, ThreadLimits())
    assert list(await threads.list()) == []
    assert (await threads.misdated())[0] in ([], ())
    assert await store.find(ready=True) == []
    assert await store.find(kind="thread") == []
    assert await store.find(due_before_ms=2**53) == []
    found = await audit_threads(store, THREAD_SCHEMA, clock, 10)
    assert (found.finished, found.damaged, found.logs, found.records) == (True, 0, 1, 0)
    with pytest.raises(NotFound):
        await threads.get(ThreadId(KEY))
