from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound, QueueFull, StoreUnavailable
from sulla.schedules.forms import spec_to_json
from sulla.schedules.hours import parse_hours
from sulla.schedules.log import MOST_RECORDS
from sulla.schedules.records import ScheduleSet
from sulla.schedules.scheduler import BEGIN_S, HANDOVER_S
from sulla.schedules.service import PLAYBOOKS
from sulla.schedules.spec import At, Cron, MessageAction, Spec
from sulla.schedules.store import SWEEP_S
from sulla.schedules.stored_state import KIND, key_of
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from tests.schedules.town import SAY, House, every, opened


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await opened(clock)


@pytest.fixture
async def house(store: MemoryStore, clock: ManualClock) -> AsyncIterator[House]:
    async with House(store, clock).running() as house:
        yield house


async def test_a_period_fires_each_time_once(house: House, clock: ManualClock) -> None:
    await house.service.add(every(60), "s", None, "me")
    await clock.advance(600)
    assert len(house.begun("s")) == len(set(house.begun("s"))) == 10
    (info,) = await house.service.list("", 10)
    assert (info.fired, info.missed, info.status, info.why) == (10, 0, "active", "")
    assert info.next_ms[0] == round(clock.now() * 1000) + 60_000
    assert max(house.scheduler.lags_ms) == 0


async def test_who_only_follows_knows_all_and_fires_none(house: House, store: MemoryStore, clock: ManualClock) -> None:
    await house.service.add(every(60), "before", None, "me")
    gateway = House(store, clock, "home:2")
    following = asyncio.create_task(gateway.scheduler.follow())
    await clock.advance(SWEEP_S)
    assert gateway.scheduler.opened.is_set()
    await house.service.add(every(60), "after", None, "me")
    await clock.advance(600)
    assert [info.schedule for info in await gateway.service.list("", 10)] == ["after", "before"]
    assert (gateway.acts.total(), house.acts.total()) == (0, 20)
    following.cancel()


async def test_a_single_time_fires_once_and_is_over(house: House, clock: ManualClock) -> None:
    await house.service.add(Spec(At(round(clock.now() * 1000) + 5000), SAY), "s", None, "me")
    await clock.advance(4)
    assert house.begun("s") == []
    await clock.advance(100)
    assert len(house.begun("s")) == 1
    (info,) = await house.service.list("", 10)
    assert (info.status, info.next_ms) == ("over", ())


async def test_a_time_that_came_while_it_was_read_is_not_refused_and_fires_at_once(
    house: House, clock: ManualClock
) -> None:
    asked_ms = round(clock.now() * 1000)
    await clock.advance(3)
    await house.service.add(Spec(At(asked_ms + 2000), SAY, missed="once"), "s", None, "me", asked_ms)
    await clock.advance(0)
    assert len(house.begun("s")) == 1


async def test_what_was_fired_survives_a_restart_and_what_nobody_saw_is_recorded(
    store: MemoryStore, clock: ManualClock
) -> None:
    first = House(store, clock)
    async with first.running():
        await first.service.add(every(600), "skips", None, "me")
        await first.service.add(every(600, missed="once"), "makes-up", None, "me")
        await clock.advance(1200)
    await clock.advance(3600)
    second = House(store, clock, "home:2")
    async with second.running():
        await clock.advance(1)
        assert second.begun("skips")[:-1] == []  # the one that is due at this moment is not missed
        assert len(second.begun("makes-up")) == 1
        infos = {info.schedule: info for info in await second.service.list("", 10)}
    assert {name: info.missed for name, info in infos.items()} == {"skips": 5, "makes-up": 5}
    assert not set(first.begun("skips")) & set(second.begun("skips"))


async def test_a_pause_survives_a_restart_and_what_was_due_meanwhile_is_over(
    store: MemoryStore, clock: ManualClock
) -> None:
    first = House(store, clock)
    async with first.running():
        await first.service.add(every(60, missed="once"), "s", None, "me")
        assert (await first.service.pause("s", "me")).status == "paused"
    second = House(store, clock, "home:2")
    async with second.running():
        await clock.advance(600)
        assert second.begun("s") == []
        await second.service.resume("s", "me")
        await clock.advance(59)
        assert second.begun("s") == []
        await clock.advance(2)
        assert len(second.begun("s")) == 1


async def test_to_pause_and_resume_twice_is_to_do_it_once(house: House, clock: ManualClock) -> None:
    await house.service.add(every(60), "s", None, "me")
    for _ in range(3):
        await house.service.pause("s", "me")
        await house.service.pause("s", "me")
        assert (await house.service.resume("s", "me")).status == "active"
        await clock.advance(61)
    assert len(house.begun("s")) == 3


async def test_fire_now_is_done_once_however_often_it_is_asked_for(house: House, clock: ManualClock) -> None:
    await house.service.add(every(3600), "s", None, "me")
    await house.service.pause("s", "me")
    for _ in range(3):
        assert await house.service.fire("s", "once", "me") == "now:once"
    await house.service.fire("s", "again", "me")
    await clock.advance(1)
    assert house.begun("s") == ["now:again", "now:once"]


async def test_several_daemons_begin_each_firing_once(store: MemoryStore, clock: ManualClock) -> None:
    houses = [House(store, clock, f"home{number}:1") for number in range(3)]
    async with houses[0].running(), houses[1].running(), houses[2].running():
        for number in range(5):
            await houses[0].service.add(every(60), f"s{number}", None, "me")
        await clock.advance(1200)
        total = sum((house.acts for house in houses), start=type(houses[0].acts)())
        assert len(total) == 100
        assert set(total.values()) == {1}


async def test_what_a_daemon_fired_and_could_not_begin_another_one_begins(
    store: MemoryStore, clock: ManualClock
) -> None:
    dying, other = House(store, clock, "home1:1"), House(store, clock, "home2:1")
    dying.goes = asyncio.Event()  # it never comes back
    async with dying.running():
        await dying.service.add(every(3600), "s", None, "me")
        await clock.advance(3600)
    async with other.running():
        await clock.advance(HANDOVER_S + 1)
        assert len(other.begun("s")) == 1


async def test_what_cannot_be_begun_now_is_tried_again_and_given_up_in_the_end(
    house: House, clock: ManualClock
) -> None:
    house.trouble = QueueFull("full")
    await house.service.add(every(3600), "s", None, "me")
    await clock.advance(3600 + BEGIN_S / 2)
    tries = len(house.begun("s"))
    assert tries > 3
    await clock.advance(BEGIN_S)
    (info,) = await house.service.list("", 10)
    assert (info.failed, info.why) == (1, "the last one failed")
    assert info.notes[-1].said == "full"
    before = len(house.begun("s"))
    house.trouble = None
    await clock.advance(3600)
    assert len(house.begun("s")) == before  # put off by a period
    await clock.advance(3600)
    (info,) = await house.service.list("", 10)
    assert (len(house.begun("s")), info.why) == (before + 1, "")


async def test_a_defect_in_what_is_done_is_a_failure_and_the_others_go_on(house: House, clock: ManualClock) -> None:
    house.defect = "bad"
    for name in ("good", "bad"):
        await house.service.add(every(60), name, None, "me")
    await clock.advance(61)
    infos = {info.schedule: info for info in await house.service.list("", 10)}
    assert (infos["bad"].failed, infos["good"].failed, len(house.begun("good"))) == (1, 0, 1)
    assert "its log has more" in infos["bad"].notes[-1].said


async def test_one_of_a_zone_that_this_machine_does_not_know_is_shown_and_the_others_fire(
    house: House, clock: ManualClock
) -> None:
    unknown = Spec(Cron("@hourly"), SAY, "Mars/Olympus")
    await house.book.create("bad", ScheduleSet(spec_to_json(unknown), "me", 1), b"")
    house.scheduler.look_at("bad")
    await house.service.add(every(60), "good", None, "me")
    await clock.advance(61)
    infos = {info.schedule: info for info in await house.service.list("", 10)}
    assert (infos["bad"].status, len(house.begun("good"))) == ("unreadable", 1)
    assert "Mars/Olympus" in infos["bad"].why


async def test_failures_in_a_row_stretch_the_period_and_a_success_ends_that(house: House, clock: ManualClock) -> None:
    await house.service.add(every(600), "s", None, "me")
    slot = ""
    for expected_s in (600, 1200, 2400, 4800):
        await clock.advance(expected_s - 1)
        before = house.begun("s")
        await clock.advance(1)
        (slot,) = set(house.begun("s")) - set(before)
        await house.scheduler.report("s", slot, "it broke")
        await clock.settle()
    await house.scheduler.report("s", slot, "said twice")
    await clock.advance(9600)
    (slot,) = {max(house.begun("s"))}
    await house.scheduler.report("s", slot, "")
    before = house.begun("s")
    await clock.advance(1200)
    assert len(house.begun("s")) == len(before) + 2


async def test_a_log_is_carried_on_and_nothing_fires_twice(store: MemoryStore, clock: ManualClock) -> None:
    first, other = House(store, clock, "home1:1"), House(store, clock, "home2:1")
    async with first.running(), other.running():
        await first.service.add(every(60), "s", None, "me")
        await clock.advance(60 * 200)
        slots = sorted(first.begun("s") + other.begun("s"))
        assert len(slots) == len(set(slots)) == 200
        (info,) = await store.find(kind=KIND)
        assert info.last_seq <= MOST_RECORDS + 2
        assert info.key not in (key_of("s", 1), key_of("s", 2))
        assert (await other.service.list("", 10))[0].fired == 200


async def test_a_changed_schedule_is_followed_by_other_daemons(store: MemoryStore, clock: ManualClock) -> None:
    first, other = House(store, clock, "home1:1"), House(store, clock, "home2:1")
    async with first.running(), other.running():
        await first.service.settle({"s": every(600)})
        await clock.advance(1)
        await other.service.settle({"s": every(60)})
        await clock.advance(120)
        assert len(first.begun("s") + other.begun("s")) == 2
        await other.service.pause("s", "me")
        await first.service.settle({"s": every(30)})
        await clock.advance(600)
        assert len(first.begun("s") + other.begun("s")) == 2
        await first.service.settle({})
        await clock.advance(60)
        assert list(await other.service.list("", 10)) == []
        assert await store.find(kind=KIND) == []


async def test_settings_and_playbooks_settle_their_own_and_what_is_unclear_stays(house: House) -> None:
    await house.service.settle({"beat": every(600)})
    await house.service.settle({"playbook_a_1": every(60), "playbook_b_1": every(60)}, PLAYBOOKS)
    await house.service.pause("playbook_b_1", "me")
    await house.service.add(every(60), "mine", None, "me")
    await house.service.settle({}, PLAYBOOKS, lambda schedule_id: schedule_id == "playbook_b_1")
    assert [info.schedule for info in await house.service.list("", 10)] == ["beat", "mine", "playbook_b_1"]
    await house.service.settle({"playbook_b_1": every(90)}, PLAYBOOKS)
    await house.service.settle({})
    kept = {info.schedule: (info.status, info.by, info.explain) for info in await house.service.list("", 10)}
    assert kept["playbook_b_1"] == ("paused", PLAYBOOKS, "Every 1m30s")
    assert sorted(kept) == ["mine", "playbook_b_1"]


async def test_a_removed_schedule_can_be_made_again(house: House, store: MemoryStore, clock: ManualClock) -> None:
    await house.service.add(every(60), "s", None, "me")
    with pytest.raises(Conflict, match="already"):
        await house.service.add(every(61), "s", None, "me")
    await house.service.remove("s", "me")
    with pytest.raises(NotFound, match="no schedule 's'"):
        await house.service.remove("s", "me")
    await house.service.add(every(30), "s", None, "me")
    await clock.advance(120)
    assert len(house.begun("s")) == 4
    assert len(await store.find(kind=KIND)) == 1


async def test_the_same_request_makes_the_same_schedule(house: House, clock: ManualClock) -> None:
    one = await house.service.add(every(60), None, "r", "me")
    await clock.advance(5)
    assert (await house.service.add(every(60), None, "r", "me")).schedule == one.schedule
    assert len(await house.service.list("", 10)) == 1


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (every(0), "every: got 0 seconds"),
        (Spec(At(1), SAY), "at: that time is over"),
        (Spec(Cron("0 9 * *"), SAY), "Wrong number of fields"),
        (Spec(Cron("0 0 30 2 *"), SAY), "no day ever fits"),
        (Spec(Cron("@reboot"), SAY), "@daily"),
        (Spec(Cron("0 9 * * *"), SAY, "Mars/Olympus"), "there is no time zone 'Mars/Olympus'"),
        (Spec(Cron("0 9 * * *"), SAY, hours=parse_hours("10:00-11:00")), "it would never fire: At 09:00 every day"),
        (Spec(Cron("0 9 * * *"), MessageAction("")), "message: expected 1 to"),
    ],
)
async def test_what_cannot_be_is_refused_in_words(house: House, spec: Spec, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await house.service.add(spec, "s", None, "me")
    assert said in refused.value.message
    assert list(await house.service.list("", 10)) == []


async def test_a_clock_that_is_set_and_a_machine_that_slept_are_noticed(house: House, clock: ManualClock) -> None:
    await house.service.add(every(3600), "s", None, "me")
    clock.jump(3600)
    await clock.advance(1)
    assert len(house.begun("s")) == 1
    clock.jump(-3600)
    await clock.advance(3600)
    assert len(house.begun("s")) == 1
    await clock.advance(3600)
    assert len(house.begun("s")) == 2


async def test_one_that_cannot_be_read_is_shown_and_the_others_fire(
    house: House, store: MemoryStore, clock: ManualClock
) -> None:
    await house.service.add(every(60), "good", None, "me")
    await house.service.add(every(60), "bad", None, "me")
    await store.offer(key_of("bad", 1), "x", Draft("SCHEDULE_FIRED", b"nonsense"), digest=b"", wakes=False)
    await clock.advance(SWEEP_S + 0.1)
    infos = {info.schedule: info for info in await house.service.list("", 10)}
    assert infos["bad"].status == "unreadable"
    assert "record 2" in infos["bad"].why
    await clock.advance(120)
    assert len(house.begun("good")) == 2
    assert house.begun("bad") == []


async def test_a_store_that_was_away_costs_nothing_but_time(store: MemoryStore, clock: ManualClock) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away:
            raise StoreUnavailable("away")

    house = House(FaultyStore(store, plan), clock)
    async with house.running():
        await house.service.add(every(60), "s", None, "me")
        away = True
        await clock.advance(100)
        assert house.begun("s") == []
        away = False
        await clock.advance(81)
        assert len(house.begun("s")) == 3


async def test_while_all_work_is_paused_nothing_becomes_due_and_its_policy_says_what_is_made_up_for(
    store: MemoryStore, clock: ManualClock
) -> None:
    held = False
    async with House(store, clock, held=lambda: held).running() as house:
        await house.service.add(every(600), "skips", None, "me")
        await house.service.add(every(600, missed="once"), "makes-up", None, "me")
        await house.service.add(Spec(At(round(clock.now() * 1000) + 900_000), SAY, missed="once"), "single", None, "me")
        await clock.advance(600)
        assert [len(house.begun(name)) for name in ("skips", "makes-up", "single")] == [1, 1, 0]
        held = True
        await clock.advance(3300)
        await house.service.fire("skips", "by hand", "me")
        await clock.settle()
        assert house.begun("skips")[-1] == "now:by hand"  # what somebody asks for is taken
        assert [len(house.begun(name)) for name in ("skips", "makes-up", "single")] == [2, 1, 0]
        held = False
        await clock.advance(2)
        assert [len(house.begun(name)) for name in ("skips", "makes-up", "single")] == [2, 2, 1]
        infos = {info.schedule: info for info in await house.service.list("", 10)}
        assert (infos["skips"].missed, infos["single"].status) == (5, "over")
        await clock.advance(600)
        assert len(house.begun("skips")) == 3


async def test_a_pause_of_less_than_a_minute_makes_nothing_missed(store: MemoryStore, clock: ManualClock) -> None:
    held = False
    async with House(store, clock, held=lambda: held).running() as house:
        await house.service.add(every(600), "s", None, "me")
        await clock.advance(590)
        held = True
        await clock.advance(30)
        assert house.begun("s") == []
        held = False
        await clock.advance(1)
        (info,) = await house.service.list("", 10)
        assert (len(house.begun("s")), info.missed) == (1, 0)
