"""Sessions in the log of tokens: whose they are, with what they end, and that each daemon sees the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from sulla.access.principal import (
    ALL_SCOPES,
    OWNER,
    SESSION_S,
    Principal,
    TokenOwner,
    session_digest,
    token_digest,
    token_id,
)
from sulla.access.token_store import TokenStore
from sulla.access.tokens import MOST_SESSIONS, Fact, TokenAdded, TokenFold, TokenWithdrawn, decode, encode
from sulla.access.valid import take_stock
from sulla.core.errors import Forbidden, Unauthorized
from sulla.store.memory import MemoryStore
from sulla.store.values import Record
from sulla.testing.clock import ManualClock

NOW_MS = 1_800_000_000_000
ADMIN = Principal(OWNER, ALL_SCOPES)
_NUMBERS: Iterator[int] = count(1)


def secret() -> str:
    return f"secret {next(_NUMBERS)}"


def ann() -> TokenAdded:
    return TokenAdded("ann", token_digest("ann").hex(), ("read",), None, OWNER, NOW_MS)


def session(number: int, of: str = "ann") -> TokenAdded:
    digest = session_digest(f"cookie {number}", f"key {number}").hex()
    return TokenAdded(f"console-{number}", digest, ("read",), NOW_MS + 1000, of, NOW_MS, token_id(token_digest(of)))


def names(fold: TokenFold) -> list[str]:
    return [one.name for one in fold.infos(NOW_MS / 1000)]


def test_a_session_is_read_as_it_was_written_and_a_token_is_written_as_before() -> None:
    for fact in (session(1), ann()):
        draft = encode(fact)
        assert decode(Record(1, draft.kind, offered=True, body=draft.body)) == fact
    assert b"owner_id" in encode(session(1)).body
    assert b"owner_id" not in encode(ann()).body
    said = json.loads(encode(session(1)).body[encode(session(1)).body.index(b"{") :])
    assert set(said) == {"name", "digest", "scopes", "expires_at_ms", "by", "at_ms", "owner_id"}


def test_a_session_is_the_same_person_as_its_token_and_can_be_told_from_it() -> None:
    fold = TokenFold()
    fold.apply(1, ann())
    fold.apply(2, session(1))
    token, made = fold.known()
    assert (token.session_of, made.principal.name) == (None, "ann")
    assert made.session_of == TokenOwner("ann", token.principal.id)
    assert made.principal.id != token.principal.id
    assert (fold.session_name(made.principal), fold.session_name(token.principal)) == ("console-1", "")


def test_a_session_ends_with_its_token_and_not_with_another_of_that_name() -> None:
    fold = TokenFold()
    facts: tuple[Fact, ...] = (ann(), session(1), session(2, OWNER), TokenWithdrawn("ann", OWNER, NOW_MS))
    for seq, fact in enumerate(facts, 1):
        fold.apply(seq, fact)
    assert names(fold) == ["console-2"]
    fold.apply(5, TokenAdded("ann", token_digest("ann 2").hex(), ("read",), None, OWNER, NOW_MS))
    fold.apply(6, session(3))  # of the first ann, as a daemon wrote it that had not heard of the second one
    assert [one.principal.name for one in take_stock(fold.known(), NOW_MS / 1000).known] == ["ann"]


def test_of_more_than_there_may_be_the_oldest_end() -> None:
    fold = TokenFold()
    fold.apply(1, ann())
    for number in range(MOST_SESSIONS + 3):
        fold.apply(number + 2, session(number))
    assert names(fold) == sorted(["ann", *(f"console-{number}" for number in range(3, MOST_SESSIONS + 3))])


def test_the_sessions_of_one_token_end_none_of_another_one() -> None:
    fold = TokenFold()
    fold.apply(1, ann())
    fold.apply(2, session(0, OWNER))
    for number in range(1, MOST_SESSIONS + 40):
        fold.apply(number + 2, session(number))
    assert len(names(fold)) == MOST_SESSIONS + 2
    assert "console-0" in names(fold)


def test_nothing_moves_from_one_half_to_the_other() -> None:
    assert session_digest("ab", "c") != session_digest("a", "bc")
    assert session_digest("a", "b") != session_digest("b", "a")
    assert session_digest("a", "b") != token_digest("ab")


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_1")
    await store.open()
    yield store
    await store.close()


async def tokens_on(store: MemoryStore, owner: str = "the owner's") -> TokenStore:
    tokens = TokenStore(store, ManualClock(), secret)
    await tokens.open(owner, secret)
    return tokens


async def test_another_home_s_owner_is_nobody_here_and_so_are_his_sessions(store: MemoryStore) -> None:
    here, there = await tokens_on(store), await tokens_on(store, "another owner's")
    made = await here.open_session(here.known()[0].principal)
    await there.list()
    assert len(here.known()) == 2
    assert [one.principal.name for one in there.known()] == [OWNER]
    assert made.name not in [one.name for one in await there.list()]
    assert made.name in [one.name for one in await here.list()]


async def test_a_session_is_never_good_for_longer_than_its_token(store: MemoryStore) -> None:
    tokens = await tokens_on(store)
    await tokens.create("ann", frozenset({"read"}), 60, ADMIN)
    by_ann = next(one.principal for one in tokens.known() if one.principal.name == "ann")
    now_ms = round(ManualClock().now() * 1000)
    assert (await tokens.open_session(by_ann)).expires_ms == now_ms + 60_000
    assert (await tokens.open_session(tokens.known()[0].principal)).expires_ms == now_ms + SESSION_S * 1000


async def test_only_a_token_that_is_good_makes_one(store: MemoryStore) -> None:
    tokens = await tokens_on(store)
    owner = tokens.known()[0].principal
    made = await tokens.open_session(owner)
    assert made.cookie not in repr(made)
    assert made.key not in repr(made)
    for by, error in ((made.principal, Forbidden), (ADMIN, Forbidden), (Principal("x", ALL_SCOPES, "1"), Unauthorized)):
        with pytest.raises(error):
            await tokens.open_session(by)
    await tokens.revoke(OWNER, owner)
    with pytest.raises(Unauthorized):
        await tokens.open_session(owner)


async def test_it_is_ended_once(store: MemoryStore) -> None:
    tokens = await tokens_on(store)
    made = await tokens.open_session(tokens.known()[0].principal)
    assert await tokens.close_session(made.principal) == made.name
    assert await tokens.close_session(made.principal) == ""
    assert await tokens.close_session(tokens.known()[0].principal) == ""
    assert len(tokens.known()) == 1
