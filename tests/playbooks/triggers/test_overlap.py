"""Schedules whose playbooks take longer than their period: as many runs go on at a time as the playbook says, and what
becomes of the others is what it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sulla.core.ids import ThreadId
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.machine.records import RunEnded, RunStarted
from sulla.playbooks.rpc_forms import PlayRow
from sulla.playbooks.stored_runs import StoredRuns
from sulla.playbooks.triggers.timed import ScheduledStarts, TriggerSchedules
from sulla.schedules.records import Fired
from sulla.schedules.scheduler import StartedAction
from sulla.schedules.spec import PlaybookAction
from sulla.schedules.state import ScheduleState
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from tests.doubles.play_world import PlayWorld
from tests.schedules.town import House, make_id, opened

SCHEDULES = 20
MINUTES = 7
WORK_S = 270
STEP_S = 30.0


class Rule(NamedTuple):
    """What a playbook says of its runs, and what comes of them."""

    concurrency: str
    at_once: int
    """So many go on side by side at the most."""
    completed: int
    """So many come to their end; the others are cancelled."""


RULES = (
    Rule("concurrency: {limit: 1}", 1, MINUTES),
    Rule("concurrency: {when_full: skip}", 1, 2),
    Rule("concurrency: {when_full: cancel_old}", 1, 1),
    Rule("concurrency: {limit: 3, when_full: cancel_old}", 3, 3),
)


class PlayingHouse(House):
    """Whose firings begin playbooks."""

    starts: ScheduledStarts
    beginning = 0
    """Firings that begin a run just now."""

    async def act(self, state: ScheduleState, fired: Fired) -> StartedAction:
        action = state.spec.action
        assert isinstance(action, PlaybookAction)
        key = f"schedule:{state.id}:{fired.slot}"
        self.beginning += 1
        try:
            return StartedAction(await self.starts.begin(action.name, action.inputs, key))
        finally:
            self.beginning -= 1


class Town:
    """A home with schedules that begin playbooks, each due every minute and at work for four and a half; as many go by
    each rule.
    """

    def __init__(self, folder: Path, house: PlayingHouse, world: PlayWorld, clock: ManualClock) -> None:
        self.folder, self.house, self.world, self.clock = folder, house, world, clock
        self.catalog = PlaybookCatalog([folder], KnownNames)
        self.runs = StoredRuns(
            world.threads, self.catalog, clock, make_id, lambda: ("sulla",), lambda _: None, lambda: 0
        )
        self.starts = ScheduledStarts(self.catalog, self.runs)
        self.triggers = TriggerSchedules(self.catalog, house.service, clock)
        house.starts = self.starts

    async def live(self) -> dict[str, list[PlayRow]]:
        """Let the schedules fire for some minutes, then let all end; each playbook's runs, the oldest first."""
        for number in range(SCHEDULES):
            concurrency = RULES[number % len(RULES)].concurrency
            text = f"name: p{number}\non: {{schedule: 1m}}\n{concurrency}\nsteps: [{{id: s, wait: {WORK_S}s}}]\n"
            (self.folder / f"p{number}.yaml").write_text(text)
        await self.triggers.look()
        for _ in range(round(MINUTES * 60 / STEP_S) + 1):
            await self.pass_time(STEP_S)
        for number in range(SCHEDULES):
            (self.folder / f"p{number}.yaml").unlink()
        await self.triggers.look()
        for _ in range(2 * MINUTES):
            await self.pass_time(WORK_S / 2)
        found: dict[str, list[PlayRow]] = {}
        for row in await self.runs.runs(limit=10_000):
            found.setdefault(row.playbook, []).append(row)
        return {name: sorted(rows, key=lambda row: row.started_ms) for name, rows in found.items()}

    async def pass_time(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        while self.house.beginning:  # files are read beside the event loop
            await self.clock.settle()
        await self.world.work()

    async def most_at_once(self, rows: list[PlayRow]) -> int:
        """How many of them went on side by side at the most."""
        moments: list[tuple[int, int]] = []
        for row in rows:
            facts = (await self.world.record(ThreadId(row.run))).facts
            moments += [(fact.at_ms, 1) for fact in facts if isinstance(fact, RunStarted)]
            moments += [(fact.at_ms, -1) for fact in facts if isinstance(fact, RunEnded)]
        at_work, most = 0, 0
        for _, more in sorted(moments):
            at_work += more
            most = max(most, at_work)
        return most


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    clock = ManualClock()
    store = await opened(clock)
    house = PlayingHouse(store, clock)
    async with house.running():
        yield Town(tmp_path, house, PlayWorld(store, ScriptedProvider(), {}, clock=clock), clock)
    await store.close()


async def test_twenty_schedules_obey_what_their_playbooks_say(town: Town) -> None:
    found = await town.live()
    assert len(found) == SCHEDULES
    for number in range(SCHEDULES):
        rows, rule = found[f"p{number}"], RULES[number % len(RULES)]
        assert len(rows) == MINUTES, rule
        assert await town.most_at_once(rows) <= rule.at_once, rule
        ends = Counter(row.status for row in rows)
        assert ends == +Counter({"completed": rule.completed, "cancelled": MINUTES - rule.completed}), rule
