"""What agents can do with schedules, and what they are held to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.core.control import Control
from sulla.core.errors import InvalidInput, QueueFull, Refused
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.words import agent as said_by
from sulla.schedules import tools as tools_module
from sulla.schedules.spec import MessageAction, ReminderAction
from sulla.schedules.tools import schedule_tools
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, ToolContext
from sulla.tools.policy import Allow, AskFirst, CallContext, judge
from tests.schedules.town import House, every, opened

ROSES: dict[str, Any] = {"text": "Water the roses.", "at": "in 20 minutes"}


class Desk:
    """An agent at its schedules."""

    def __init__(self, house: House, clock: ManualClock) -> None:
        self.house = house
        self.tools = {tool.name: tool for tool in schedule_tools(house.service)}
        self.context = ToolContext(
            ThreadId("thr_1"),
            RunId("run_1"),
            CallId("c1"),
            "k1",
            Path(),
            clock,
            Control(),
            lambda note: None,
            said_by(tainted=False),
            agent="sulla",
        )

    async def call(
        self, name: str, key: str = "k1", *, tainted: bool = False, agent: str = "sulla", **args: object
    ) -> Done:
        context = replace(self.context, idempotency_key=key, by=said_by(tainted=tainted), agent=agent)
        done = await self.tools[name].run(args, context)  # type: ignore[arg-type]  # it is JSON
        assert isinstance(done, Done)
        return done

    def action(self) -> object:
        (one,) = self.house.book.page("", 9)
        assert one.state is not None
        return one.state.spec.action


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    clock = ManualClock()
    store = await opened(clock)
    house = House(store, clock)
    yield Desk(house, clock)
    await store.close()


def test_the_policy_asks_where_nobody_is_there_and_where_text_from_outside_may_be_behind_it(desk: Desk) -> None:
    for name in ("remind_user", "schedule_task", "cancel_schedule"):
        tool = desk.tools[name]
        assert isinstance(judge(tool, {}, desk.context, CallContext(tainted=False)), Allow)
        for standing in (CallContext(tainted=True), CallContext("unattended", tainted=False)):
            assert isinstance(judge(tool, {}, desk.context, standing), AskFirst), (name, standing)
    looks = judge(desk.tools["list_schedules"], {}, desk.context, CallContext("unattended", tainted=True))
    assert isinstance(looks, Allow)


async def test_a_call_that_is_made_again_makes_no_second_one(desk: Desk) -> None:
    first = await desk.call("remind_user", **ROSES)
    await desk.context.clock.advance(600.0)  # type: ignore[attr-defined]  # a manual one
    again = await desk.call("remind_user", **ROSES)
    assert first.text == again.text


async def test_what_is_made_in_a_mistrusted_conversation_is_mistrusted_when_it_comes(desk: Desk) -> None:
    await desk.call("remind_user", tainted=True, **ROSES)
    assert desk.action() == ReminderAction("Water the roses.", "thr_1", "sulla", tainted=True)
    assert (await desk.call("list_schedules")).tainted
    (row,) = await desk.house.service.list("", 9)
    assert row.tainted
    await desk.call("cancel_schedule", id=row.schedule)
    await desk.call("schedule_task", "k2", tainted=True, message="Look.", every_minutes=30)
    actions = [one.state.spec.action for one in desk.house.book.page("", 9) if one.state is not None]
    assert MessageAction("Look.", agent="sulla", tainted=True) in actions


async def test_an_agent_ends_its_own_alone(desk: Desk) -> None:
    await desk.house.service.add(every(60), "morning", None, "owner")
    with pytest.raises(Refused, match="morning was made by owner"):
        await desk.call("cancel_schedule", id="morning")
    await desk.call("remind_user", **ROSES)
    assert "morning" not in (await desk.call("list_schedules")).text
    assert (await desk.call("list_schedules", agent="other")).text == "You have made none that is still to come."
    assert (await desk.call("cancel_schedule", id="sch_none")).text.startswith("There is none")


async def test_its_limits_are_its_own(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_module, "MOST_OF_AN_AGENT", 1)
    with pytest.raises(InvalidInput, match="expected 15 or more"):
        await desk.call("schedule_task", message="Look.", every_minutes=5)
    with pytest.raises(InvalidInput, match="found 0 of them"):
        await desk.call("schedule_task", message="Look.")
    await desk.call("remind_user", **ROSES)
    with pytest.raises(QueueFull, match="you have 1 schedules"):
        await desk.call("remind_user", "k2", **ROSES)
    await desk.call("remind_user", "k3", agent="other", **ROSES)
