"""The processes of a cluster know who of them lives, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Protocol

import psycopg
import pytest

from sulla.core.errors import SettingsError
from sulla.host.system import SystemClock
from sulla.store.postgres.url import parse_address
from sulla.work.dbos.judgement import BEAT_S, DEAD_S
from sulla.work.dbos.line import Line
from sulla.work.dbos.members import DeadMember, Members
from sulla.work.dbos.process import this_host, this_process
from tests.kits.work_kit import CLOCK

_SAYS_WHO = "from sulla.work.dbos.process import this_process; print(this_process())"


class MakeMember(Protocol):
    """Makes one of the cluster."""

    def __call__(self, executor: str, home: str, boot: str = "boot_1") -> Members:
        """As that start of a home sees it."""
        ...


@pytest.fixture
async def member(url: str) -> AsyncIterator[MakeMember]:
    address = parse_address(url)
    async with AsyncExitStack() as stack:

        def make(executor: str, home: str, boot: str = "boot_1") -> Members:
            made = Members(Line(address.conninfo, address.shown), executor, f"{home}:{boot}")
            stack.push_async_callback(made.close)
            return made

        first = make("nobody", "nobody")
        await first.make(_nothing, CLOCK)
        yield make


async def _nothing() -> None:
    return None


def _age(url: str, executor: str, seconds: float = DEAD_S + 1) -> None:
    """As if that one had said nothing for longer than the living do."""
    with psycopg.connect(url, autocommit=True) as line:
        line.execute(
            "UPDATE sulla_work.members SET seen = seen - make_interval(secs => %s) WHERE executor = %s",
            (seconds, executor),
        )


async def test_another_home_is_refused_the_name_of_one_that_lives(member: MakeMember) -> None:
    await member("w1", "home_a").join(CLOCK)
    with pytest.raises(SettingsError, match=r"another home already works as 'w1' .*work\.executor of its own"):
        await member("w1", "home_b").join(CLOCK)


class _Still(SystemClock):
    """Time in which nobody may wait."""

    async def sleep(self, delay_s: float) -> None:
        raise AssertionError("it waited")


async def test_a_home_that_begins_anew_after_a_kill_has_its_name_at_once(member: MakeMember, url: str) -> None:
    await member("w1", "home_a").join(CLOCK)
    _is(url, "w1", await _ended())
    again = member("w1", "home_a", "boot_2")
    await again.join(_Still())
    assert await again.beat(judges=True) == ()


async def test_a_home_that_begins_anew_on_another_host_waits_until_the_old_one_is_dead(
    member: MakeMember, url: str
) -> None:
    await member("w1", "home_a").join(CLOCK)
    _is(url, "w1", "1:1", "elsewhere/boot/pid")
    _age(url, "w1", DEAD_S - 0.5)
    with pytest.raises(AssertionError, match="it waited"):
        await member("w1", "home_a", "boot_2").join(_Still())
    async with CLOCK.timeout(DEAD_S):
        await member("w1", "home_a", "boot_2").join(CLOCK)


@pytest.mark.parametrize("executor", ["w1", "w2"])
async def test_a_copy_of_a_home_is_refused_while_the_original_lives(member: MakeMember, executor: str) -> None:
    original, over = member("w1", "home_a"), asyncio.Event()
    await original.join(CLOCK)

    async def live() -> None:
        while not over.is_set():
            await original.beat(judges=True)

    living = asyncio.create_task(live())
    with pytest.raises(SettingsError, match=r"this home already works as 'w1' \(process \d+ of the host .*'id'"):
        await member(executor, "home_a", "boot_2").join(CLOCK)
    over.set()
    await living


@pytest.mark.parametrize("executor", ["w1", "w2"])
async def test_an_original_that_wakes_up_finds_that_a_copy_works(member: MakeMember, url: str, executor: str) -> None:
    original, copy = member("w1", "home_a"), member(executor, "home_a", "boot_2")
    await original.join(CLOCK)
    _age(url, "w1")
    await copy.join(CLOCK)
    with pytest.raises(SettingsError, match=f"this home already works as '{executor}'"):
        await original.beat(judges=True)
    await copy.beat(judges=True)


async def test_one_whose_row_is_another_ones_by_now_gives_nothing_of_it_back(member: MakeMember, url: str) -> None:
    original, copy = member("w1", "home_a"), member("w1", "home_a", "boot_2")
    await original.join(CLOCK)
    _age(url, "w1")
    await copy.join(CLOCK)

    async def give_back() -> None:
        raise AssertionError("it is the copy's")

    await original.leave(give_back)
    with pytest.raises(SettingsError, match="another home already works as 'w1'"):
        await member("w1", "home_b").join(CLOCK)


async def test_the_name_of_a_dead_one_may_be_taken(member: MakeMember, url: str) -> None:
    await member("w1", "home_a").join(CLOCK)
    _age(url, "w1")
    await member("w1", "home_b").join(CLOCK)


async def test_one_that_says_nothing_is_taken_for_dead_by_the_others(member: MakeMember, url: str) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    await one.join(CLOCK)
    assert await two.beat(judges=True) == ()
    _age(url, "w1")
    assert await two.beat(judges=True) == (DeadMember("w1", "home_a"),)
    assert two.dead == (DeadMember("w1", "home_a"),)
    await one.beat(judges=True)
    assert await two.beat(judges=True) == ()


async def test_whoever_looked_a_beat_before_one_is_relieved_knows_of_it(member: MakeMember, url: str) -> None:
    await member("w1", "home_a").join(CLOCK)
    _age(url, "w1", DEAD_S - BEAT_S)
    assert await member("w2", "home_b").beat(judges=True) == (DeadMember("w1", "home_a"),)

    async def relieve() -> None:
        raise AssertionError("it may live")

    await member("w2", "home_b").relieve(DeadMember("w1", "home_a"), relieve)


async def test_of_those_who_would_relieve_a_dead_one_at_once_one_does(member: MakeMember, url: str) -> None:
    await member("w1", "home_a").join(CLOCK)
    _age(url, "w1")
    relieved, go_on = list[str](), asyncio.Event()

    async def slowly() -> None:
        relieved.append("w2")
        await go_on.wait()

    async def at_once() -> None:
        relieved.append("w3")

    dead = DeadMember("w1", "home_a")
    relieving = asyncio.create_task(member("w2", "home_b").relieve(dead, slowly))
    while not relieved:
        await asyncio.sleep(0)
    await member("w3", "home_c").relieve(dead, at_once)
    go_on.set()
    await relieving
    await member("w3", "home_c").relieve(dead, at_once)
    assert relieved == ["w2"]


async def test_one_that_lives_is_relieved_by_nobody(member: MakeMember) -> None:
    await member("w1", "home_a").join(CLOCK)

    async def relieve() -> None:
        raise AssertionError("it lives")

    await member("w2", "home_b").relieve(DeadMember("w1", "home_a"), relieve)


async def test_what_failed_is_tried_by_the_next_who_looks(member: MakeMember, url: str) -> None:
    await member("w1", "home_a").join(CLOCK)
    _age(url, "w1")
    dead, tried = DeadMember("w1", "home_a"), list[str]()

    async def fail() -> None:
        raise RuntimeError("boom")

    async def relieve() -> None:
        tried.append("again")

    with pytest.raises(RuntimeError, match="boom"):
        await member("w2", "home_b").relieve(dead, fail)
    await member("w2", "home_b").relieve(dead, relieve)
    assert tried == ["again"]


async def test_a_chore_is_done_by_one_of_them_each_time(member: MakeMember) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    assert [await each.may_do("sweep", 60.0) for each in (one, two, one)] == [True, False, False]
    assert await two.may_do("sweep", 0.0)


async def test_one_that_leaves_is_not_dead(member: MakeMember) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    await one.join(CLOCK)
    await one.leave(_nothing)
    assert await two.beat(judges=True) == ()
    await member("w1", "home_c").join(CLOCK)


async def test_one_that_may_not_judge_takes_nobody_for_dead(member: MakeMember, url: str) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    await one.join(CLOCK)
    _age(url, "w1")
    assert await two.beat(judges=False) == ()


async def _ended() -> str:
    """A process of this host that has ended, as it called itself."""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", _SAYS_WHO, stdout=asyncio.subprocess.PIPE)
    said, _ = await child.communicate()
    return said.decode().strip()


def _is(url: str, executor: str, process: str, host: str | None = None) -> None:
    """As if that one were another process, of this host or another one."""
    with psycopg.connect(url, autocommit=True) as line:
        line.execute(
            "UPDATE sulla_work.members SET process = %s, host = coalesce(%s, host) WHERE executor = %s",
            (process, host, executor),
        )


async def test_one_of_the_same_host_whose_process_has_ended_is_dead_at_once_to_all(
    member: MakeMember, url: str
) -> None:
    one, two, three = member("w1", "home_a"), member("w2", "home_b"), member("w3", "home_c")
    await one.join(CLOCK)
    _is(url, "w1", await _ended())
    assert await two.beat(judges=False) == (DeadMember("w1", "home_a"),)
    _is(url, "w1", "", "elsewhere")
    assert await three.beat(judges=True) == (DeadMember("w1", "home_a"),)
    relieved = []

    async def relieve() -> None:
        relieved.append("w1")

    await three.relieve(DeadMember("w1", "home_a"), relieve)
    assert relieved == ["w1"]


async def test_one_that_cannot_be_seen_from_here_is_not_taken_for_dead(member: MakeMember, url: str) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    await one.join(CLOCK)
    gone = await _ended()
    for process, host in ((gone, "elsewhere"), (gone, ""), ("", this_host()), (this_process(), this_host())):
        _is(url, "w1", process, host)
        assert await two.beat(judges=True) == ()


async def test_one_that_began_anew_just_when_its_end_was_seen_lives(member: MakeMember, url: str) -> None:
    one, two = member("w1", "home_a"), member("w2", "home_b")
    await one.join(CLOCK)
    _is(url, "w1", await _ended())
    await two.beat(judges=False)
    await one.join(CLOCK)
    assert await two.beat(judges=True) == ()
