"""Schedules that are written and changed: what is shown before, what stays, and what is in a calendar."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.rpc.caller import Caller, Context
from sulla.schedules.rpc import METHODS, SchedulePreview, ScheduleTimes
from sulla.schedules.service import SETTINGS
from sulla.schedules.spec import At, Cron, Every, MessageAction, Spec
from sulla.testing.clock import ManualClock
from tests.schedules.town import House, opened

NOW_MS = 1_800_000_000_000  # Friday 2027-01-15 08:00 UTC
DAY_MS = 86_400_000


@pytest.fixture
async def house() -> AsyncIterator[House]:
    clock = ManualClock()
    store = await opened(clock)
    yield House(store, clock)
    await store.close()


async def previewed(house: House, **asked: Any) -> ScheduleTimes:
    (method,) = (row for row in METHODS.rows if row.name == "schedule.preview")
    context = Context(Caller(Principal("ann", ALL_SCOPES), "", "ws", "s"), NOW_MS, 1_000, lambda kind: kind)
    assert method.handler is not None
    found = await method.handler(house.service, SchedulePreview(**asked), context)
    assert isinstance(found, ScheduleTimes)
    return found


async def test_the_next_five_times_are_shown_and_nothing_is_kept(house: House) -> None:
    found = await previewed(house, cron="0 9 * * 1-5")
    assert [one - NOW_MS for one in found.next_ms] == [
        *(3_600_000, 3_600_000 + 3 * DAY_MS, 3_600_000 + 4 * DAY_MS, 3_600_000 + 5 * DAY_MS, 3_600_000 + 6 * DAY_MS),
    ]
    assert (found.explain.startswith("At 09:00"), found.fault, found.place) == (True, "", "")
    assert await house.service.list("", 10) == []


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"cron": "61 * * * *"}, "cron"),
        ({"at": "yesterday 9:00"}, "at"),
        ({"at": "2020-01-01T09:00"}, "at"),
        ({"every_s": 60, "active_hours": "noon"}, "active_hours"),
        ({"every_s": 60, "jitter_s": 90}, "jitter_s"),
        ({"every_s": 60, "cron": "* * * * *"}, ""),
        ({}, ""),
    ],
)
async def test_a_fault_is_told_with_its_field(house: House, asked: dict[str, Any], place: str) -> None:
    found = await previewed(house, **asked)
    assert found.fault
    assert (found.place, found.next_ms) == (place, ())


async def test_a_changed_schedule_keeps_what_has_happened_to_it(house: House) -> None:
    await house.service.add(Spec(Every(60), MessageAction("hi")), "tea", None, "ann")
    await house.service.pause("tea", "ann")
    row = await house.service.update(Spec(Cron("0 9 * * *"), MessageAction("ho"), title="Tea"), "tea", "bob", NOW_MS)
    assert (row.title, row.status, row.by) == ("Tea", "paused", "bob")
    assert [note.what for note in row.notes] == ["set", "paused", "set"]
    row = await house.service.resume("tea", "ann")
    assert row.next_ms[0] == NOW_MS + 3_600_000


async def test_the_same_again_changes_nothing_and_the_same_period_goes_on(house: House) -> None:
    await house.service.add(Spec(Every(60), MessageAction("hi")), "tea", None, "ann")
    await house.service.update(Spec(Every(60), MessageAction("hi")), "tea", "bob", NOW_MS + 30_000)
    (row,) = await house.service.list("", 10)
    assert len(row.notes) == 1
    row = await house.service.update(Spec(Every(60), MessageAction("ho")), "tea", "bob", NOW_MS + 30_000)
    assert row.next_ms[0] == NOW_MS + 60_000


async def test_words_that_nobody_trusts_stay_so_until_a_person_writes_others(house: House) -> None:
    await house.service.add(Spec(Every(60), MessageAction("hi", tainted=True)), "tea", None, "agent")
    assert (await house.service.update(Spec(Every(90), MessageAction("hi")), "tea", "bob", NOW_MS)).tainted
    assert not (await house.service.update(Spec(Every(90), MessageAction("ho")), "tea", "bob", NOW_MS)).tainted


async def test_what_cannot_be_changed_here_is_refused_and_nothing_is_kept(house: House) -> None:
    with pytest.raises(NotFound):
        await house.service.update(Spec(Every(60), MessageAction("hi")), "tea", "bob", NOW_MS)
    await house.service.settle({"own": Spec(Every(60, NOW_MS), MessageAction("hi"))})
    with pytest.raises(Conflict, match=SETTINGS):
        await house.service.update(Spec(Every(90), MessageAction("hi")), "own", "bob", NOW_MS)
    await house.service.add(Spec(Every(60), MessageAction("hi")), "tea", None, "ann")
    with pytest.raises(InvalidInput, match="that time is over"):
        await house.service.update(Spec(At(5), MessageAction("hi")), "tea", "bob", NOW_MS)
    rows = {row.schedule: row for row in await house.service.list("", 10)}
    assert {name: len(row.notes) for name, row in rows.items()} == {"own": 1, "tea": 1}


async def test_two_who_change_one_at_once_do_not_both_think_that_theirs_is_in_force(house: House) -> None:
    await house.service.add(Spec(Every(60), MessageAction("hi")), "tea", None, "ann")
    one = await house.book.get("tea")
    state = one.state
    await house.service.update(Spec(Every(90), MessageAction("hi")), "tea", "bob", NOW_MS)
    one.state = state  # a daemon that has not heard of it
    with pytest.raises(Conflict, match="others change"):
        await house.service.update(Spec(Every(120), MessageAction("hi")), "tea", "eve", NOW_MS)


async def test_a_calendar_has_what_was_and_what_will_be_by_time(house: House) -> None:
    await house.service.add(Spec(Cron("0 9 * * *"), MessageAction("hi"), title="Tea"), "tea", None, "ann")
    await house.service.add(Spec(Cron("30 8 * * *"), MessageAction("hi")), "post", None, "ann")
    await house.service.fire("post", "r1", "ann")
    found = house.service.between(NOW_MS - DAY_MS, NOW_MS + DAY_MS, 500)
    assert [(one.schedule, one.what) for one in found] == [("post", "fired"), ("post", "due"), ("tea", "due")]
    assert [one.at_ms - NOW_MS for one in found] == [0, 1_800_000, 3_600_000]
    assert found[2].title == "Tea"
    await house.service.pause("tea", "ann")
    assert [one.schedule for one in house.service.between(NOW_MS, NOW_MS + DAY_MS, 500)] == ["post", "post"]


async def test_a_calendar_holds_no_more_than_it_may_and_the_soonest_of_all(house: House) -> None:
    await house.service.add(Spec(Every(1), MessageAction("hi")), "often", None, "ann")
    await house.service.add(Spec(Every(30), MessageAction("hi")), "seldom", None, "ann")
    found = house.service.between(NOW_MS, NOW_MS + 365 * DAY_MS, 62)
    assert len(found) == 62
    assert [one.schedule for one in found].count("seldom") == 2
