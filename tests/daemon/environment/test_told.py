"""Who is at work and what people look at, through the daemon's own wiring."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from sulla.agent.environment_rpc import EnvironmentEvent
from sulla.agent.rpc import METHODS as AGENTS
from sulla.agent.rpc import WorkRow
from sulla.core.errors import NotFound, RateLimited
from sulla.core.ids import ThreadId
from sulla.daemon.build import System, build
from sulla.daemon.environment import RATES
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.models.catalog import ModelName
from sulla.skills.catalog import SkillCatalog
from sulla.skills.rpc import METHODS as SKILLS
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider

DONE = "Done. <AGENT_DONE>ok</AGENT_DONE>"
PAGE = EnvironmentEvent(
    kind="page", title="Trains", url="https://trains.example/", text="key is sk-held-0123456789abcdef", ago_s=4
)


@dataclass(slots=True)
class Home:
    """A daemon that was built and not started."""

    system: System
    gate: Gate
    clock: ManualClock

    async def thread(self) -> ThreadId:
        return ThreadId(await self.system.service.create_thread(None, "", None, None))

    async def working(self, group: asyncio.TaskGroup) -> ThreadId:
        """A thread whose turn stands in the middle of its reply."""
        thread = await self.thread()
        await self.system.service.send(TurnSend(thread_id=thread, message_id="m1", text="long work"), "owner")
        group.create_task(self.system.turns.attend(thread))
        await self.gate.reached()
        return thread


@pytest.fixture
async def home(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[Home]:
    numbers, gate = count(1), Gate()

    place = Place(
        manual_clock,
        lambda prefix: f"{prefix}_{next(numbers)}",
        "home:boot",
        lambda: 0.5,
        wrap_provider=lambda provider: ScriptedProvider([Say((gate, DONE)), DONE]),
    )
    place.redactor.learn("sk-held-0123456789abcdef")
    settings = load_settings({"SULLA_STORE": "memory:"}, {}, tmp_path)
    system = build(settings, Choice(ModelName("offline"), "nothing is configured"), place)
    await system.store.open()
    yield Home(system, gate, manual_clock)
    await system.store.close()


async def test_an_agent_that_is_at_work_is_listed_with_where_and_since_when(home: Home) -> None:
    service = home.system.service
    agents = AGENTS.service_in(service.services)
    assert [agent.working for agent in (await agents.list_agents()).agents] == [()]
    assert (await service.status())["active"] == []
    async with asyncio.TaskGroup() as group:
        thread = await home.working(group)
        (agent,) = (await agents.list_agents()).agents
        assert agent.working == (WorkRow(thread, "", round(home.clock.now() * 1000)),)
        assert (await service.status())["active"] == [
            {"agent": "sulla", "thread_id": thread, "project": "", "since": "2027-01-15T08:00:00.000Z"}
        ]
        home.gate.open()
    assert [agent.working for agent in (await agents.list_agents()).agents] == [()]


async def test_status_answers_while_the_store_is_away(home: Home) -> None:
    await home.system.store.close()
    assert (await home.system.service.status())["active"] == []


async def test_what_is_reported_reaches_the_next_turn_without_the_daemons_secrets(home: Home) -> None:
    home.gate.open()
    thread = await home.thread()
    assert await home.system.scene.report_environment(thread, [PAGE], "owner") == 1
    await home.system.service.send(TurnSend(thread_id=thread, message_id="m1", text="what is this?"), "owner")
    await home.system.turns.attend(thread)
    events = await home.system.service.history(thread, 0, None, 100)
    (started,) = [event for event in events if event.type == "RUN_STARTED"]
    assert "- page, 4 s ago: Trains | https://trains.example/ | key is [redacted]" in str(started.data["environment"])
    assert started.data["tainted"] is True


async def test_reports_that_come_too_fast_are_refused_with_when_to_come_again(home: Home) -> None:
    thread, scene = await home.thread(), home.system.scene
    await scene.report_environment(thread, [PAGE], "owner")
    with pytest.raises(RateLimited, match=r"too fast: .* again in 0.25 s") as refused:
        await scene.report_environment(thread, [PAGE], "owner")
    await home.clock.advance(refused.value.retry_after_s or 0)
    assert await scene.report_environment(thread, [PAGE], "owner") == 1
    for _ in range(RATES.burst - 2):
        await home.clock.advance(RATES.min_interval_ms / 1000)
        await scene.report_environment(thread, [PAGE], "owner")
    await home.clock.advance(RATES.min_interval_ms / 1000)
    with pytest.raises(RateLimited):
        await scene.report_environment(thread, [PAGE], "owner")


async def test_nothing_is_taken_for_a_thread_that_there_is_not(home: Home) -> None:
    with pytest.raises(NotFound, match="no thread 'thr_0'"):
        await home.system.scene.report_environment("thr_0", [PAGE], "owner")


async def test_a_deleted_thread_takes_it_along(home: Home) -> None:
    thread = await home.thread()
    await home.system.scene.report_environment(thread, [PAGE], "owner")
    await home.system.service.delete_thread(thread)
    assert await home.system.store.get(f"environment:{thread}") is None


async def test_skills_are_listed_with_whose_they_are_and_who_may_use_them(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "make-tea"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: make-tea\ndescription: Tea, made well.\n---\nBoil water.\n")
    found = {
        skill.name: skill for skill in (await SKILLS.service_in(home.system.service.services).list_skills()).skills
    }
    tea, plan = found["make-tea"], found["plan-a-project"]
    assert (tea.source, tea.trusted, tea.changed, tea.agents) == ("home", False, False, ("sulla",))
    assert (plan.source, plan.trusted, plan.agents) == ("shipped", True, ("sulla",))
    assert tea.digest.startswith("sha256:")
    shelf = home.system.host.needed(SkillCatalog)
    shelf.trust(shelf.known["make-tea"])
    (folder / "SKILL.md").write_text("---\nname: make-tea\ndescription: Coffee.\n---\nBoil water.\n")
    await home.clock.advance(2)
    (changed,) = [
        one
        for one in (await SKILLS.service_in(home.system.service.services).list_skills()).skills
        if one.name == "make-tea"
    ]
    assert (changed.description, changed.trusted, changed.changed) == ("Coffee.", False, True)
