from __future__ import annotations

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.schedules.hours import parse_hours
from sulla.schedules.rpc import METHODS, ScheduleAdd, ScheduleList, SchedulePause, ScheduleRemove, spec_of
from sulla.schedules.spec import At, Cron, Every, MessageAction, PlaybookAction, Spec, ToolAction
from tests.doubles.schedules import MemorySchedules
from tests.gateway.asking import ask

HI = MessageAction("hi")
PHONE = Principal("phone", ALL_SCOPES)


@pytest.mark.parametrize(
    ("asked", "spec"),
    [
        ({"every_s": 60, "message": "hi"}, Spec(Every(60), HI)),
        (
            {"every_s": 60, "jitter_s": 5, "message": "hi", "missed": "once"},
            Spec(Every(60, jitter_s=5), HI, missed="once"),
        ),
        ({"cron": "@daily", "zone": "Europe/Berlin", "message": "hi"}, Spec(Cron("@daily"), HI, "Europe/Berlin")),
        (
            {"at": "2027-01-15T09:00", "zone": "Europe/Berlin", "message": "hi", "thread_id": "t"},
            Spec(At(1_800_000_000_000), MessageAction("hi", "t"), "Europe/Berlin", missed="once"),
        ),
        (
            {"every_s": 60, "active_hours": "mon 09:00-10:00", "tool": "bash", "args": {"a": 1}, "title": "T"},
            Spec(Every(60), ToolAction("bash", {"a": 1}), hours=parse_hours("mon 09:00-10:00"), title="T"),
        ),
        ({"every_s": 60, "playbook": "p", "inputs": {"x": []}}, Spec(Every(60), PlaybookAction("p", {"x": []}))),
    ],
)
def test_what_is_asked_for_becomes_a_schedule(asked: JsonObject, spec: Spec) -> None:
    assert spec_of(ScheduleAdd.model_validate(asked), "UTC", 1_799_000_000_000) == spec


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"message": "hi"}, "one of every_s, cron and at, found 0"),
        ({"every_s": 60, "cron": "@daily", "message": "hi"}, "found 2"),
        ({"every_s": 60}, "one of message, tool and playbook, found 0"),
        ({"every_s": 60, "message": "hi", "tool": "bash"}, "found 2"),
        ({"cron": "@daily", "jitter_s": 5, "message": "hi"}, "jitter_s: only"),
        ({"every_s": 60, "message": "hi", "thread_id": "t", "agent": "a"}, "agent: the thread has one"),
        ({"at": "soon", "message": "hi"}, "at: got 'soon'"),
        ({"at": "2027-01-01T00:00", "zone": "Nowhere", "message": "hi"}, "there is no time zone 'Nowhere'"),
        ({"every_s": 60, "active_hours": "days", "message": "hi"}, "active hours: got 'days'"),
    ],
)
def test_what_says_too_much_or_too_little_is_refused_in_words(asked: JsonObject, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        spec_of(ScheduleAdd.model_validate(asked), "UTC", 1_799_000_000_000)
    assert said in refused.value.message


async def test_pages_lead_to_each_schedule_once() -> None:
    service = MemorySchedules()
    await ask(METHODS, service, ScheduleRemove(schedule="sch_1"))
    for name in "abcde":
        await ask(METHODS, service, ScheduleAdd(schedule=name, every_s=60, message="hi"))
    found: list[object] = []
    after: str | None = None
    while True:
        page = await ask(METHODS, service, ScheduleList(after=after, limit=2))
        rows, after = page["schedules"], page["next"]
        assert isinstance(rows, list)
        found += [row["schedule"] for row in rows if isinstance(row, dict)]
        if after is None:
            break
    assert found == list("abcde")


async def test_it_is_known_who_asked() -> None:
    service = MemorySchedules()
    row = await ask(METHODS, service, ScheduleAdd(schedule="s", every_s=60, message="hi"), PHONE)
    assert row["by"] == "phone"
    assert (await ask(METHODS, service, SchedulePause(schedule="s"), PHONE))["status"] == "paused"
