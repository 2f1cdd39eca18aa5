"""Requests about heartbeats: times and money in the form of the wire, and pages that follow each other."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.core.errors import NotFound
from sulla.heartbeat import rpc_forms as wire
from sulla.heartbeat.rpc import METHODS
from sulla.rpc.form import Params
from tests.doubles.beats import MemoryBeats
from tests.gateway.asking import ask


async def asked(params: Params, service: MemoryBeats | None = None) -> Any:
    return await ask(METHODS, service or MemoryBeats(), params)


async def test_money_is_in_units_and_times_are_stamps() -> None:
    (row,) = (await asked(wire.HeartbeatStatus()))["heartbeats"]
    assert (row["enabled"], row["next"]) == (True, "2027-01-15T08:30:00.000Z")
    assert [(one["cost"], one["cost_limit"]) for one in row["budgets"]] == [(0.0003, None), (0.0003, 5.0)]
    assert (row["beat"]["cost"], row["beat"]["duration_s"], row["last"]["fired"]) == (0.0003, 9.0, False)


async def test_what_is_paused_is_woken_at_no_time() -> None:
    service = MemoryBeats()
    (row,) = (await asked(wire.HeartbeatPause(), service))["heartbeats"]
    assert (row["enabled"], row["next"], row["schedules"][0]["why"]) == (False, None, "paused")
    (row,) = (await asked(wire.HeartbeatResume(agent="sulla"), service))["heartbeats"]
    assert row["enabled"]


async def test_a_page_says_where_the_next_one_begins() -> None:
    first = await asked(wire.HeartbeatLog(limit=1))
    second = await asked(wire.HeartbeatLog(limit=1, before=first["next"]))
    assert [tick["status"] for page in (first, second) for tick in page["ticks"]] == ["skipped", "done"]
    assert second["next"] is None


async def test_a_beat_is_begun_for_the_project_that_is_named() -> None:
    service = MemoryBeats()
    begun = await asked(wire.HeartbeatTrigger(project="garden", request_id="r1"), service)
    assert (service.triggered, begun["run_id"]) == (["garden"], "run_r1")


async def test_an_agent_that_there_is_not_is_not_found() -> None:
    with pytest.raises(NotFound, match="known: sulla"):
        await asked(wire.HeartbeatStatus(agent="sula"))
