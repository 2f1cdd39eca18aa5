"""What agents and playbooks used, by day."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count

import pytest

from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.daemon.console.usage import KEY, UsageAccount
from sulla.daemon.console.usage_book import MOST_MARKS, MOST_NAMES, Use, UseDay, read_day
from sulla.gateway.methods.usage import AgentUse, PlaybookUse
from sulla.playbooks.records import Played
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import Birth
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.records import ModelAbandoned, Summary, TextMessageEnd, ThreadCreated
from sulla.threads.log.usage import Usage
from sulla.threads.watching import CommittedFact

DONE = "Yes.<AGENT_DONE/>"
EVENING_MS = 1_800_000_000_000 + 15 * 3_600_000  # 23:00 UTC, and the next day in Berlin


class Books:
    """Two homes on one store, in Berlin."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self._numbers = count(1)
        self.world = World(store, ScriptedProvider([DONE] * 9), clock=clock)
        self.own, self.other = self.account("home:b1"), self.account("other:b1")

    def account(self, owner: str) -> UsageAccount:
        return UsageAccount(
            self.store, self.world.threads, self.clock, owner, "Europe/Berlin", lambda: (5_000_000, None)
        )

    def asked(self, account: UsageAccount, thread: ThreadId, agent: str, usage: Usage, at_ms: int = 0) -> None:
        """A model has answered."""
        number = next(self._numbers)
        fact = TextMessageEnd(CallId(f"c{number}"), MessageId(f"m{number}"), "Yes.", usage=usage)
        origin = Origin(at_ms or round(self.clock.now() * 1000), RunId("run_1"), agent)
        account.kept(thread, (CommittedFact(fact, origin),))


@pytest.fixture
async def books() -> AsyncIterator[Books]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    yield Books(store, clock)
    await store.close()


async def test_each_agent_has_what_it_used_in_all_homes_and_the_days_those_of_the_home(books: Books) -> None:
    thread = await books.world.thread()
    books.asked(books.own, thread, "sulla", Usage(100, 20, 5, 1, cost_micro=300))
    books.asked(books.own, thread, "reader", Usage(10, 2))
    books.asked(books.other, thread, "sulla", Usage(1, 1, cost_micro=7))
    books.asked(books.own, thread, "sulla", Usage(4, 4), EVENING_MS)
    await books.other.keep()
    books.clock.jump(24 * 3600)
    before, first, second = (await books.own.days(3)).days
    assert (before.day, before.tokens, before.by_agent) == ("2027-01-14", 0, ())
    assert (first.day, first.tokens_in, first.tokens_out, first.tokens, first.cost_micro) == (
        *("2027-01-15", 117, 23, 140, 307),
    )
    assert first.by_agent == (AgentUse("sulla", 107, 21, 128, 307), AgentUse("reader", 10, 2, 12, None))
    assert (second.day, second.tokens, second.limit_tokens, second.limit_usd) == ("2027-01-16", 8, 5_000_000, None)


async def test_what_came_to_nothing_counts_by_day_as_it_does_for_the_limits(books: Books) -> None:
    thread = await books.world.thread()
    origin = Origin(round(books.clock.now() * 1000), RunId("run_1"), "sulla")
    lost = ModelAbandoned(CallId("c1"), MessageId("m1"), "crashed", usage=Usage(100, 20, cost_micro=9))
    refused = ModelAbandoned(CallId("c2"), MessageId("m2"), "provider_auth", asked=False)
    unsaid = Summary(3, "short", charged_tokens=30)
    books.own.kept(thread, [CommittedFact(fact, origin) for fact in (lost, refused, unsaid)])
    (day,) = (await books.own.days(1)).days
    assert day.by_agent == (AgentUse("sulla", 100, 20, 150, 9),)


async def test_a_playbook_has_what_its_runs_and_their_agents_used(books: Books) -> None:
    created = ThreadCreated("sulla", graph=PLAYBOOK, play=Play("triage", "d1", "name: triage"))
    run = await books.world.threads.create(created, "request:1")
    birth = Birth("c1", "step", run, RunId("run_1"), run, 1)
    step = await books.world.threads.create(ThreadCreated("reader", birth=birth), "request:2")
    below = Birth("c2", "call", step, RunId("run_2"), run, 2)
    child = await books.world.threads.create(ThreadCreated("helper", birth=below), "request:3")
    books.asked(books.own, step, "reader", Usage(10, 2))
    books.asked(books.own, child, "helper", Usage(1, 1))
    books.asked(books.own, await books.world.thread(), "sulla", Usage(50, 5))
    decided = CommittedFact(Played("DECIDED", "kind", tokens=7, cost_micro=9), Origin(round(books.clock.now() * 1000)))
    books.own.kept(run, (decided,))
    (today,) = (await books.own.days(1)).days
    assert today.by_playbook == (PlaybookUse("triage", 11, 3, 21, 9),)
    assert today.tokens == 21 + 55


async def test_what_was_kept_is_there_after_a_restart_and_nothing_is_added_twice(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, swap = await books.world.thread(), books.store.swap
    books.asked(books.own, thread, "sulla", Usage(10, 0))

    async def kept_without_an_answer(key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        await swap(key, old, new, ttl_s)
        raise StoreUnavailable("the answer got lost")

    with monkeypatch.context() as patch:
        patch.setattr(books.store, "swap", kept_without_an_answer)
        with pytest.raises(StoreUnavailable):
            await books.own.keep()
    books.asked(books.own, thread, "sulla", Usage(1, 0))
    await books.own.keep()
    await books.own.keep()
    (today,) = (await books.account("home:b2").days(1)).days
    assert today.tokens == 11


async def test_a_real_turn_is_counted(books: Books) -> None:
    world = World(books.store, ScriptedProvider([DONE]), clock=books.clock, watcher=books.own, boot=2)
    await world.ask(await world.thread(), "hello")
    (today,) = (await books.own.days(1)).days
    assert today.by_agent == (AgentUse("sulla", 100, 20, 120, None),)


async def test_what_cannot_be_read_is_told_as_nothing_and_counted_anew(books: Books) -> None:
    await books.store.put(KEY + "2027-01-15", b"no sums")
    assert (await books.own.days(1)).days[0].tokens == 0
    books.asked(books.own, await books.world.thread(), "sulla", Usage(10, 0))
    assert (await books.own.days(1)).days[0].tokens == 10


def test_names_of_a_day_are_bounded_and_none_goes_uncounted() -> None:
    day = UseDay()
    for number in range(MOST_NAMES + 50):
        day.put(f"agent_{number}", f"play_{number}", Use(1, 0, 1))
    assert len(day.agents) == len(day.playbooks) == MOST_NAMES + 1
    assert day.agents[""].tokens == day.playbooks[""].tokens == 50
    assert sum(use.tokens for use in day.agents.values()) == day.total.tokens


def test_homes_that_are_remembered_are_bounded() -> None:
    day = UseDay()
    for number in range(MOST_MARKS + 5):
        assert day.merge(UseDay(), f"home_{number}", "m")
    assert len(day.marks) == MOST_MARKS
    assert not day.merge(UseDay(), f"home_{MOST_MARKS}", "m")


@pytest.mark.parametrize("kept", [b"{", b"[]", b'{"total":[1],"agents":{},"playbooks":{},"marks":{}}'])
def test_a_day_that_is_none_is_named_as_such(kept: bytes) -> None:
    with pytest.raises(CorruptRecord):
        read_day(kept)


def test_a_day_is_read_as_it_was_kept() -> None:
    day = UseDay()
    day.put("sulla", "triage", Use(1, 2, 3, 4))
    day.merge(UseDay(), "home", "m1")
    assert read_day(day.to_bytes()).to_bytes() == day.to_bytes()
