"""A calendar of what schedules and agents have done and will do."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.redact import Redactor
from sulla.daemon.console import calendar as module
from sulla.daemon.console.calendar import Calendar
from sulla.schedules.spec import BeatAction, Cron, MessageAction, Spec
from sulla.testing.clock import ManualClock
from tests.doubles.beats import MemoryBeats
from tests.schedules.town import House, opened

NOW_MS = 1_800_000_000_000
HOUR_MS = 3_600_000


@pytest.fixture
async def house() -> AsyncIterator[House]:
    clock = ManualClock()
    store = await opened(clock)
    yield House(store, clock)
    await store.close()


async def test_beats_stand_with_their_end_and_reason_and_what_will_be_as_due(house: House) -> None:
    await house.service.add(Spec(Cron("0 9 * * *"), MessageAction("What is on?")), "morning", None, "ann")
    await house.service.add(Spec(Cron("30 8 * * *"), BeatAction("sulla")), "wake", None, "ann")
    calendar = Calendar(house.service, MemoryBeats(), lambda: ["sulla"], Redactor())
    found = await calendar.list(NOW_MS - HOUR_MS, NOW_MS + 2 * HOUR_MS)
    assert [(row.kind, row.schedule, row.agent, row.what, row.why) for row in found.rows] == [
        ("beat", "heartbeat_sulla", "sulla", "done", "ticked one"),
        ("beat", "", "sulla", "skipped", "idle"),
        ("beat", "wake", "sulla", "due", ""),
        ("schedule", "morning", "", "due", ""),
    ]
    assert found.rows[0].thread_id == "thr_cycle"
    assert "What is on?" in found.rows[3].title
    assert not found.more


async def test_no_secret_of_the_daemons_is_shown(house: House) -> None:
    await house.service.add(Spec(Cron("0 9 * * *"), MessageAction("say the-key-of-the-daemon")), "morning", None, "ann")
    calendar = Calendar(house.service, MemoryBeats(), list, Redactor(["the-key-of-the-daemon"]))
    found = await calendar.list(NOW_MS, NOW_MS + 2 * HOUR_MS)
    assert [row.title for row in found.rows] == ["message to its own thread: say [redacted]"]


async def test_a_span_leaves_out_what_lies_beside_it(house: House) -> None:
    calendar = Calendar(house.service, MemoryBeats(), lambda: ["sulla"], Redactor())
    assert [row.what for row in (await calendar.list(NOW_MS + 1, NOW_MS + HOUR_MS)).rows] == ["skipped"]
    assert (await calendar.list(NOW_MS - HOUR_MS, NOW_MS)).rows == ()


async def test_more_than_is_shown_is_said(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    await house.service.add(Spec(Cron("* * * * *"), MessageAction("hi")), "often", None, "ann")
    found = await Calendar(house.service, MemoryBeats(), list, Redactor()).list(NOW_MS, NOW_MS + HOUR_MS)
    assert ([row.at_ms - NOW_MS for row in found.rows], found.more) == ([60_000, 120_000, 180_000], True)


async def test_wakes_are_looked_through_so_far_and_no_further(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAGE", 1)
    monkeypatch.setattr(module, "_MOST_PAGES", 1)
    found = await Calendar(house.service, MemoryBeats(), lambda: ["sulla"], Redactor()).list(
        NOW_MS - HOUR_MS, NOW_MS + HOUR_MS
    )
    assert ([row.what for row in found.rows], found.more) == (["skipped"], True)
