"""Clients are told a schedule by the fields that make it anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict

import pytest

from sulla.access.principal import ALL_SCOPES, Principal, Scope
from sulla.core.redact import Redactor
from sulla.rpc.caller import Caller, Context
from sulla.schedules.fields import fields_of
from sulla.schedules.hours import parse_hours
from sulla.schedules.rpc import METHODS, ScheduleAdd, ScheduleList, ScheduleRows, spec_of
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import (
    At,
    BeatAction,
    Cron,
    Every,
    MessageAction,
    PlaybookAction,
    ReminderAction,
    Spec,
    ToolAction,
)
from sulla.testing.clock import ManualClock
from tests.schedules.town import House, opened

SECRET = "the-key-of-the-daemon"
NOW_MS = 1_800_000_000_000
TWICE_MS = 1_825_030_800_000  # Sunday 2027-10-31 02:00 for the second time, in Berlin

SPECS = [
    Spec(Every(90, jitter_s=5), MessageAction("hi"), "UTC", parse_hours("mon-fri 09:00-18:00")),
    Spec(Every(90), MessageAction("hi", thread="thr_1"), "UTC", title="T"),
    Spec(Cron("0 9 * * 1-5"), MessageAction("hi", agent="ada"), "Europe/Berlin", missed="once"),
    Spec(Cron("@daily"), ToolAction("read", {"n": [1], "o": {"a": None}}, "ada")),
    Spec(At(TWICE_MS), PlaybookAction("tea", {"for": "Ann"}), "Europe/Berlin", missed="skip"),
    Spec(At(TWICE_MS - 3_600_000), PlaybookAction("tea"), "Europe/Berlin", missed="once"),
    Spec(At(TWICE_MS + 7), MessageAction("hi"), "America/New_York", missed="once"),
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_fields_make_the_same_schedule_again(spec: Spec) -> None:
    fields = fields_of(spec)
    assert fields is not None
    assert spec_of(ScheduleAdd(**asdict(fields), title=spec.title), "Asia/Tokyo", NOW_MS) == spec


@pytest.mark.parametrize("action", [BeatAction("ada"), ReminderAction("Tea")])
def test_what_schedule_add_does_not_make_has_no_fields(action: BeatAction | ReminderAction) -> None:
    assert fields_of(Spec(Every(90), action)) is None


@pytest.fixture
async def house() -> AsyncIterator[House]:
    clock = ManualClock()
    store = await opened(clock)
    yield House(store, clock)
    await store.close()


async def listed(
    house: House, page_bytes: int, after: str | None = None, scopes: frozenset[Scope] = ALL_SCOPES
) -> ScheduleRows:
    (method,) = (row for row in METHODS.rows if row.name == "schedule.list")
    context = Context(Caller(Principal("ann", scopes), "", "ws", "s"), NOW_MS, page_bytes, lambda kind: kind)
    assert method.handler is not None
    found = await method.handler(house.service, ScheduleList(after=after, limit=2), context)
    assert isinstance(found, ScheduleRows)
    return found


async def test_a_page_ends_where_it_would_not_fit_and_has_one_at_the_least(house: House) -> None:
    for name in ("a", "b", "c"):
        await house.service.add(Spec(Cron("0 9 * * *"), MessageAction("x" * 500)), name, None, "ann", NOW_MS)
    whole = await listed(house, 100_000)
    assert ([row.schedule for row in whole.schedules], whole.next) == (["a", "b"], "b")
    assert [row.fields for row in whole.schedules] == [fields_of(Spec(Cron("0 9 * * *"), MessageAction("x" * 500)))] * 2
    first = await listed(house, 10)
    assert ([row.schedule for row in first.schedules], first.next) == (["a"], "a")
    last = await listed(house, 100_000, "b")
    assert ([row.schedule for row in last.schedules], last.next) == (["c"], None)
    none = await listed(house, 10, "c")
    assert (none.schedules, none.next) == ((), None)


async def test_who_may_only_read_is_not_shown_what_a_tool_or_a_playbook_is_given(house: House) -> None:
    await house.service.add(Spec(Cron("@daily"), ToolAction("http", {"key": "their-own-key"})), "a", None, "ann")
    (row,) = (await listed(house, 100_000, scopes=frozenset({"read"}))).schedules
    assert (row.action, row.fields) == ("tool http", None)
    (row,) = (await listed(house, 100_000, scopes=frozenset({"read", "write"}))).schedules
    assert row.fields is not None
    assert row.fields.args == {"key": "their-own-key"}


@pytest.mark.parametrize("action", [MessageAction(f"say {SECRET}"), ToolAction("http", {"headers": [{"key": SECRET}]})])
async def test_nobody_is_shown_a_secret_of_the_daemons_and_no_form_writes_back_what_stands_for_it(
    house: House, action: MessageAction | ToolAction
) -> None:
    house.service = ScheduleService(
        house.book, house.scheduler, ManualClock(), lambda kind: kind, house.check, redactor=Redactor([SECRET])
    )
    await house.service.add(Spec(Cron("@daily"), action, title=f"with {SECRET}"), "a", None, "ann")
    (row,) = (await listed(house, 100_000)).schedules
    assert row.fields is None
    assert SECRET not in repr(row)
