"""One job of a log runs at a time in a cluster, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import psycopg
import pytest

from sulla.work.dbos.claims import KEPT_S, Claims
from tests.work.dbos.conftest import cluster

MakeClaims = Callable[[str], Claims]


@pytest.fixture
async def claims(url: str) -> AsyncIterator[MakeClaims]:
    async with AsyncExitStack() as stack:
        first = cluster(url, "nobody")
        stack.push_async_callback(first.close)
        await first.make(4)

        def make(executor: str) -> Claims:
            made = cluster(url, executor).claims
            stack.push_async_callback(made.close)
            return made

        yield make


def _age(url: str) -> None:
    """As if all had been taken or ended long ago."""
    with psycopg.connect(url, autocommit=True) as line:
        line.execute("UPDATE sulla_work.claims SET since = since - make_interval(secs => %s)", (KEPT_S + 1,))


async def test_of_those_who_hear_of_a_wish_one_has_its_log_and_nobody_looks_again(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    assert [await each.take("a", "a:7") for each in (one, two)] == [True, False]
    assert await one.taken() == {"a"}
    assert not await one.end("a")
    assert not await two.take("a", "a:7"), "it was seen to"


async def test_another_wish_that_comes_meanwhile_is_not_lost(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    await one.take("a", "a:7")
    assert not await two.take("a", "a:8")
    assert await one.end("a"), "whoever has the log looks again"
    assert await two.take("a", "a:8")


async def test_a_wish_that_has_no_name_is_never_taken_for_one_that_was_seen_to(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    assert await one.take("a", "")
    assert not await two.take("a", "")
    assert await one.end("a")
    assert await two.take("a", "")


async def test_a_name_that_was_seen_to_long_ago_may_be_taken_again(claims: MakeClaims, url: str) -> None:
    one = claims("w1")
    await one.take("a", "a:7")
    await one.end("a")
    _age(url)
    assert await one.take("a", "a:7")


async def test_what_a_dead_process_had_is_free_for_the_same_wish(claims: MakeClaims) -> None:
    dead, lives = claims("w1"), claims("w2")
    await dead.take("a", "a:7")
    assert await lives.free("w1") == ["a"]
    assert await lives.take("a", "a:7")
    assert not await dead.end("a"), "it woke up"
    assert await lives.taken() == {"a"}
    assert not await dead.take("a", "a:7")


async def test_what_processes_have_that_nobody_remembers_is_free(claims: MakeClaims, url: str) -> None:
    lives = cluster(url, "w1")
    await lives.members.join()
    await lives.claims.take("a", "a:7")
    await claims("forgotten").take("b", "b:1")
    assert await lives.claims.free_orphans() == ["b"]
    await lives.close()


async def test_what_is_over_is_forgotten_after_a_while_and_nothing_else(claims: MakeClaims, url: str) -> None:
    one = claims("w1")
    for key in "ab":
        await one.take(key, f"{key}:7")
    await one.end("b")
    _age(url)
    await one.forget()
    with psycopg.connect(url) as line:
        assert line.execute("SELECT key FROM sulla_work.claims").fetchall() == [("a",)]
