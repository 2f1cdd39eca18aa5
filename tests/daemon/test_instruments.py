"""What the daemon measures of its gateway, and where its spans go."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sulla.access.principal import Principal
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.redact import Redactor
from sulla.daemon.instruments import Door, console, make_instruments
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.methods.observing import OK, Asked, Done
from sulla.gateway.wire import ThreadList
from sulla.host.place import Place
from sulla.models.catalog import parse_model
from sulla.rpc.caller import Caller
from sulla.telemetry.families import new_tally
from sulla.testing.clock import ManualClock
from sulla.threads.log.codec import Origin
from sulla.threads.log.records import Outcome, RunFinished, RunStarted
from sulla.threads.watching import CommittedFact
from sulla.work.base import Inspection
from tests.servers.wire import WireRequest, WireResponse, WireServer

CHOICE = Choice(parse_model("anthropic:claude"), "a test says so")
ASKED = Asked(Caller(Principal("owner", frozenset({"read"})), "127.0.0.1", "ws", "ses_1"), "1", ThreadList())


def _place() -> Place:
    return Place(ManualClock(), lambda prefix: f"{prefix}_1", "home:boot", lambda: 0.0, Redactor())


def _counts(door: Door, name: str) -> dict[tuple[str, ...], float]:
    return next(counts for family, counts in door.tally.counted() if family.name == name)


def test_requests_are_counted_by_what_came_of_them() -> None:
    door = Door(new_tally())
    door.done(Done(ASKED, OK, 0.2))
    door.done(Done(ASKED, OK, 0.3))
    door.done(Done(ASKED, "store_unavailable", 1.0))
    assert _counts(door, "sulla_gateway_requests") == {
        ("ws", "thread.list", "ok"): 2,
        ("ws", "thread.list", "store_unavailable"): 1,
    }
    spreads: dict[str, Any] = {family.name: spreads for family, spreads in door.tally.observed()}
    assert spreads["sulla_gateway_request_duration_seconds"]["thread.list",].sum_s == pytest.approx(1.5)


def test_no_address_is_among_the_figures_of_those_who_were_refused() -> None:
    door = Door(new_tally())
    door.refused("ws", "203.0.113.7", "unauthorized")
    door.refused("ws", "203.0.113.8", "unauthorized")
    assert _counts(door, "sulla_gateway_refusals") == {("ws", "unauthorized"): 2}


def test_connections_are_counted_now_and_in_all(tmp_path: Path) -> None:
    parts = make_instruments(load_settings({}, {}, tmp_path), CHOICE, _place(), ())
    for _ in range(3):
        parts.door.came("ws")
    parts.door.left("ws")
    shown = console(parts, lambda: Inspection(("a",), ("b", "c"), (), waiting=7), None, ())
    gauges = {gauge.name: gauge.values for gauge in shown.metrics_of.read().gauges}
    assert gauges["sulla_gateway_connections"] == {("ws",): 2}
    assert gauges["sulla_work_threads"] == {("running",): 1, ("failing",): 0}
    assert gauges["sulla_work_waiting"] == {(): 7}, "what the store says, and not what this one has heard of"
    assert gauges["sulla_work_workers"] == {}
    assert gauges["sulla_ready"] == {(): 1}
    assert _counts(parts.door, "sulla_gateway_connections_opened") == {("ws",): 3}


def test_a_gateway_tells_how_many_workers_live_also_if_that_is_none(tmp_path: Path) -> None:
    parts = make_instruments(load_settings({}, {}, tmp_path), CHOICE, _place(), ())
    shown = console(parts, lambda: Inspection((), (), (), waiting=3, workers=0), None, ())
    gauges = {gauge.name: gauge.values for gauge in shown.metrics_of.read().gauges}
    assert (gauges["sulla_work_workers"], gauges["sulla_work_waiting"]) == ({(): 0}, {(): 3})


async def test_spans_go_where_the_settings_say_and_leave_before_the_end(tmp_path: Path) -> None:
    got: list[WireRequest] = []

    async def collect(request: WireRequest, response: WireResponse) -> None:
        got.append(request)
        await response.whole(200, b"")

    async with WireServer(collect) as server:
        settings = load_settings({"SULLA_TELEMETRY__OTLP_ENDPOINT": f"{server.url}/v1/traces"}, {}, tmp_path)
        parts = make_instruments(settings, CHOICE, _place(), ())
        origin = Origin(0, RunId("run_1"), "sulla")
        started = RunStarted(2, MessageId("msg"), "sulla", "claude")
        parts.stream.kept(ThreadId("thr_1"), [CommittedFact(started, origin)])
        parts.stream.kept(ThreadId("thr_1"), [CommittedFact(RunFinished(RunId("run_1"), Outcome("done")), origin)])
        await asyncio.to_thread(parts.close)
    (request,) = got
    for said in (b"invoke_agent sulla", b"thr_1", b"run_1", b"anthropic", b"claude"):
        assert said in request.body
