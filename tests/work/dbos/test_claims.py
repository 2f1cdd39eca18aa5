"""One job of a log runs at a time in a cluster, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Protocol

import psycopg
import pytest

from sulla.work.base import Group
from sulla.work.dbos.claims import KEPT_S, Claims
from sulla.work.queue import JobCaps
from tests.kits.in_turn import in_turn
from tests.kits.work_kit import CLOCK
from tests.work.dbos.conftest import cluster

pytestmark = in_turn(3)


class MakeClaims(Protocol):
    """Makes what a process sees of the claims."""

    def __call__(self, executor: str, caps: JobCaps | None = None) -> Claims: ...


@pytest.fixture
async def claims(url: str) -> AsyncIterator[MakeClaims]:
    async with AsyncExitStack() as stack:
        first = cluster(url, "nobody")
        stack.push_async_callback(first.close)
        await first.make(CLOCK)

        def make(executor: str, caps: JobCaps | None = None) -> Claims:
            made = cluster(url, executor, caps=caps).claims
            stack.push_async_callback(made.close)
            return made

        yield make


def _age(url: str) -> None:
    """As if all had been taken or ended long ago."""
    with psycopg.connect(url, autocommit=True) as line:
        line.execute("UPDATE sulla_work.claims SET since = since - make_interval(secs => %s)", (KEPT_S + 1,))


async def test_of_those_who_hear_of_a_wish_one_has_its_log_and_nobody_looks_again(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    assert [await each.take("a", "a:7") for each in (one, two)] == ["", None]
    assert await one.taken() == {"a"}
    assert not await one.end("a")
    assert await two.take("a", "a:7") is None, "it was seen to"


async def test_another_wish_that_comes_meanwhile_is_not_lost(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    await one.take("a", "a:7")
    assert await two.take("a", "a:8") is None
    assert await one.end("a"), "whoever has the log looks again"
    assert await two.take("a", "a:8") == ""


async def test_a_wish_that_has_no_name_is_never_taken_for_one_that_was_seen_to(claims: MakeClaims) -> None:
    one, two = claims("w1"), claims("w2")
    assert await one.take("a", "") == ""
    assert await two.take("a", "") is None
    assert await one.end("a")
    assert await two.take("a", "") == ""


async def test_a_name_that_was_seen_to_long_ago_may_be_taken_again(claims: MakeClaims, url: str) -> None:
    one = claims("w1")
    await one.take("a", "a:7")
    await one.end("a")
    _age(url)
    assert await one.take("a", "a:7") == ""


async def test_what_a_dead_process_had_is_free_for_the_same_wish(claims: MakeClaims) -> None:
    dead, lives = claims("w1"), claims("w2")
    await dead.take("a", "a:7")
    assert await lives.free("w1") == ["a"]
    assert await lives.take("a", "a:7") == ""
    assert not await dead.end("a"), "it woke up"
    assert await lives.taken() == {"a"}
    assert await dead.take("a", "a:7") is None


async def test_what_processes_have_that_nobody_remembers_is_free(claims: MakeClaims, url: str) -> None:
    lives = cluster(url, "w1")
    await lives.members.join(CLOCK)
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


async def test_places_are_counted_over_all_processes_and_given_back(claims: MakeClaims) -> None:
    caps = JobCaps(total=3, per_agent=1)
    one, two = claims("w1", caps), claims("w2", caps)
    clerk, guide, child = Group("clerk"), Group("guide"), Group("clerk", "child", "a")
    assert await one.take("a", "", clerk) == ""
    assert await two.take("b", "b:1", clerk) == "agent clerk"
    assert await two.take("b", "b:1", guide) == "", "what found no place was not taken"
    assert await two.take("c", "", child) == ""
    assert await one.take("d", "", child) == "all"
    assert await two.take("a", "", clerk) is None, "a log that somebody has is no matter of places"
    assert await one.end("a")
    assert await two.take("d", "", clerk) == ""
    assert sorted(await one.free("w2")) == ["b", "c", "d"]
    assert [await one.take(key, "", Group(key)) for key in "efgh"] == ["", "", "", "all"]


async def test_of_those_who_ask_at_once_as_many_get_a_place_as_there_are(claims: MakeClaims) -> None:
    caps = JobCaps(total=3)
    askers = [claims(f"w{number}", caps) for number in range(4)]
    asked = [each.take(f"{number}{key}", "", Group(key)) for number, each in enumerate(askers) for key in "abc"]
    assert sorted(map(str, await asyncio.gather(*asked))) == ["", "", "", *["all"] * 9]


async def test_a_playbook_has_one_place_with_all_its_steps(claims: MakeClaims) -> None:
    one = claims("w1", JobCaps(plays=1, steps=2))
    assert await one.take("play", "", Group("", "play")) == ""
    assert [await one.take(key, "", Group("a", "step", "play")) for key in ("s1", "s2", "s3")] == ["", "", "step"]
    await one.end("play")
    assert await one.take("other", "", Group("", "play")) == "play", "its steps are at work"
    assert await one.take("play", "", Group("", "play")) == ""


async def test_a_turn_that_is_passed_on_waits_for_a_place_of_the_next_agent_and_has_none_of_the_first(
    claims: MakeClaims,
) -> None:
    caps = JobCaps(per_agent=1)
    one, two = claims("w1", caps), claims("w2", caps)
    await one.take("a", "", Group("router"))
    await two.take("b", "", Group("clerk"))
    assert not await one.pass_to("a", "clerk")
    assert await two.take("c", "", Group("router")) == ""
    await two.end("b")
    assert await one.pass_to("a", "clerk")
    assert await two.take("d", "", Group("clerk")) == "agent clerk"
