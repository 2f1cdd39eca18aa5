"""The schedules of playbooks follow their files: made, changed, removed, and left alone where a file is at fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotFound, StoreUnavailable
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.catalog import FIRST_LOOK_S, PlaybookCatalog
from sulla.playbooks.definition import Trigger
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.rpc_forms import PlaybookRow
from sulla.playbooks.triggers.timed import LOOK_S, ScheduledStarts, TriggerSchedules, schedule_of, wanted_by
from sulla.schedules.rows import ScheduleRow
from sulla.schedules.service import PLAYBOOKS
from sulla.schedules.spec import Cron, Every, PlaybookAction, Spec
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from tests.doubles.playbooks import MemoryPlaybooks
from tests.schedules.town import House, make_id

STEPS = "steps:\n  - id: s\n    respond: hi\n"


class Desk:
    """A folder of playbooks, and a daemon's schedules."""

    def __init__(self, folder: Path, clock: ManualClock, house: House) -> None:
        self.folder = folder
        self.clock = clock
        self.house = house
        self.catalog = PlaybookCatalog([folder], KnownNames)
        self.triggers = TriggerSchedules(self.catalog, house.service, clock)

    def write(self, name: str, on: str, more: str = "") -> None:
        (self.folder / f"{name}.yaml").write_text(f"name: {name}\non: {on}\n{more}{STEPS}")

    async def shown(self) -> dict[str, ScheduleRow]:
        return {info.schedule: info for info in await self.house.service.list("", 100)}

    async def looked(self) -> dict[str, ScheduleRow]:
        await self.triggers.look()
        return await self.shown()


@pytest.fixture
async def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def desk(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Desk]:
    store = MemoryStore(clock, make_id)
    await store.open()
    house = House(store, clock)
    async with house.running():
        yield Desk(tmp_path, clock, house)
    await store.close()


def test_a_trigger_is_a_schedule_of_its_zone_with_its_inputs() -> None:
    cron = schedule_of(Trigger("schedule", "0 9 * * 1-5", "Europe/Berlin", {"lead": "x"}), "triage")
    assert cron == Spec(
        Cron("0 9 * * 1-5"), PlaybookAction("triage", {"lead": "x"}), "Europe/Berlin", title="playbook triage"
    )
    assert schedule_of(Trigger("schedule", "1h30m"), "p").when == Every(5_400)


@pytest.mark.parametrize(
    ("text", "zone", "said"),
    [
        ("0 25 * * *", "UTC", "cron: got '0 25"),
        ("0 0 30 2 *", "UTC", "cron: "),
        ("30m", "Mars/Olympus", "there is no time zone 'Mars/Olympus'"),
        ("0s", "UTC", "every: got 0"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_as_everywhere(text: str, zone: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        schedule_of(Trigger("schedule", text, zone), "p")


async def test_schedules_come_change_and_go_with_the_file_and_a_pause_stays(desk: Desk) -> None:
    desk.write("triage", '[manual, {schedule: "0 9 * * *"}, {schedule: 30m}]')
    made = await desk.looked()
    assert {id_: (info.action, info.by) for id_, info in made.items()} == {
        "playbook_triage_1": ("playbook triage", PLAYBOOKS),
        "playbook_triage_2": ("playbook triage", PLAYBOOKS),
    }
    await desk.house.service.pause("playbook_triage_1", "me")
    desk.write("triage", '[manual, {schedule: "0 10 * * *", zone: Europe/Berlin}]')
    changed = await desk.looked()
    assert [(id_, info.status) for id_, info in changed.items()] == [("playbook_triage_1", "paused")]
    assert "10:00" in changed["playbook_triage_1"].explain
    desk.write("triage", "manual")
    assert await desk.looked() == {}
    desk.write("triage", "{schedule: 45m}")
    assert list(await desk.looked()) == ["playbook_triage_1"]
    (desk.folder / "triage.yaml").unlink()
    assert await desk.looked() == {}


async def test_a_file_with_a_fault_keeps_what_it_has_until_it_can_be_read_again(desk: Desk) -> None:
    desk.write("triage", "{schedule: 30m}")
    desk.write("triage_1", "{schedule: 30m}")
    await desk.looked()
    desk.write("triage", "{schedule: 30m}", "nonsense: 1\n")
    (desk.folder / "triage_1.yaml").unlink()
    assert list(await desk.looked()) == ["playbook_triage_1"]
    desk.write("triage", "manual")
    assert await desk.looked() == {}


async def test_while_files_cannot_be_read_nothing_is_taken_away(desk: Desk) -> None:
    desk.write("triage", "{schedule: 30m}")
    await desk.looked()
    file = desk.folder / "triage.yaml"
    file.rename(desk.folder / "elsewhere")
    file.symlink_to(desk.folder / "elsewhere")
    assert list(await desk.looked()) == ["playbook_triage_1"]
    assert wanted_by(desk.catalog.playbooks.values(), blind=True).keeps("playbook_triage_1")


async def test_an_outage_of_the_store_is_tried_again_at_the_next_look(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise StoreUnavailable("the store is away")

    desk.write("triage", "{schedule: 30m}")
    with monkeypatch.context() as patched:
        patched.setattr(desk.house.service, "settle", away)
        assert await desk.looked() == {}
        assert desk.triggers.trouble() == "the store is away"
    assert list(await desk.looked()) == ["playbook_triage_1"]
    assert desk.triggers.trouble() == ""


async def test_files_are_followed_while_it_runs(desk: Desk, clock: ManualClock) -> None:
    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(desk.triggers.run(ready))
        desk.write("triage", "{schedule: 30m}")
        await clock.settle()
        assert await desk.shown() == {}
        ready.set()
        while not await desk.shown():
            await clock.advance(FIRST_LOOK_S)
        desk.write("triage", "manual")
        while await desk.shown():
            await clock.advance(LOOK_S)
        running.cancel()


async def test_a_firing_begins_a_run_once(desk: Desk) -> None:
    service = MemoryPlaybooks()
    service.listed["triage"] = PlaybookRow("triage", "", "", "", 1, ("manual",), {}, "")
    plays = ScheduledStarts(desk.catalog, service)
    first, again = [await plays.begin("triage", {"a": 1}, "schedule:s:1") for _ in range(2)]
    assert first == again
    (begin,) = service.begun.values()
    assert (begin.playbook, begin.inputs, begin.trigger, begin.thread) == ("triage", {"a": 1}, "schedule", "")


@pytest.mark.parametrize(
    ("name", "inputs", "error", "said"),
    [
        ("triage", {}, InvalidInput, "the input 'lead' is missing"),
        ("triage", {"lead": 1}, InvalidInput, "expected a string"),
        ("triag", {"lead": "x"}, NotFound, "Did you mean 'triage'"),
        ("broken", {}, InvalidInput, r"broken.yaml:3:1: error: .*nonsense"),
    ],
)
async def test_a_schedule_is_made_for_a_known_playbook_with_all_its_inputs(
    desk: Desk, name: str, inputs: FrozenJson, error: type[Exception], said: str
) -> None:
    desk.write("triage", "manual", "inputs: {lead: string}\n")
    desk.write("broken", "manual", "nonsense: 1\n")
    plays = ScheduledStarts(desk.catalog, MemoryPlaybooks())
    with pytest.raises(error, match=said):
        await plays.check(name, inputs)
    await plays.check("triage", {"lead": "Ann"})
