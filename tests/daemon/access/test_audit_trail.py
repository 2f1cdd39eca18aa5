from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sulla.access.audit import FILE, AuditLog
from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.redact import Redactor
from sulla.daemon.access.audit_trail import AuditTrail
from sulla.gateway.methods.observing import OK, Asked, Done
from sulla.gateway.methods.table import METHODS
from sulla.rpc.caller import Caller
from sulla.rpc.form import Params
from sulla.testing.clock import ManualClock

BOB = Principal("bob", ALL_SCOPES, "0011223344556677")
FIELDS = {
    "thread_id": "thr_1",
    "message_id": "m1",
    "text": "my diary",
    "title": "my diary",
    "id": "review:tool_1",
    "name": "ann",
    "scopes": ["read"],
    "project": "garden",
    "goal": "my diary",
    "channel": "mail",
    "remarks": "my diary",
    "plan": {"goal": "my diary"},
    "rule": "rule_1",
    "events": [{"kind": "page", "title": "my diary"}],
    "schedule": "sch_1",
    "playbook": "brew",
    "source": "my diary",
    "inputs": {"about": "my diary"},
    "run": "run_1",
    "steps": ["taste"],
    "ids": ["notice_1"],
    "utterance_id": "u1",
    "seq": 0,
    "before_ms": 1,
    "words": "trains",
    "path": "notes.md",
    "changes": "changes_1",
    "begins": "thr_1",
    "agent": "reader",
    "files": {"soul.md": "my diary"},
    "digest": "sha256:0",
    "entity": "my diary",
    "what": "my diary",
    "value": "my diary",
    "other": "my diary",
    "named": ["my diary"],
    "at_seq": 2,
    "number": 1,
    "state": "blocked",
    "code": "K7QM2XPD",
    "person": "ann",
    "why": "my diary",
}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def trail(tmp_path: Path, clock: ManualClock) -> AuditTrail:
    return AuditTrail(AuditLog(tmp_path, Redactor()), clock)


def lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / FILE
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def asked(method: str) -> Asked:
    model = METHODS[method].params
    kinds = {"speech.chunk": "delta", "memory.notes": "fact"}
    fields = FIELDS | {"kind": kinds.get(method, "chat")} | ({"flow": "default"} if method == "flow.get" else {})
    params: Params = model.model_validate({name: value for name, value in fields.items() if name in model.model_fields})
    return Asked(Caller(BOB, "192.0.2.1", "ws", "ses_1"), "7", params)


@pytest.mark.parametrize(
    "method",
    sorted(name for name, row in METHODS.items() if row.scope not in (None, "read") and name != "speech.chunk"),
)
def test_whatever_changes_something_is_written_down_with_who_did_it(
    trail: AuditTrail, tmp_path: Path, method: str
) -> None:
    trail.done(Done(asked(method), OK, 0.0123))
    (line,) = lines(tmp_path)
    about = line.pop("about")
    assert line == {
        "at": "2027-01-15T08:00:00.000Z",
        "token": "bob",
        "token_id": "0011223344556677",
        "address": "192.0.2.1",
        "way": "ws",
        "session": "ses_1",
        "request_id": "7",
        "method": method,
        "code": "ok",
        "took_ms": 12.3,
    }
    assert "diary" not in str(about)


@pytest.mark.parametrize("method", sorted(name for name, row in METHODS.items() if row.scope == "read"))
def test_reading_is_not_written_down_but_a_try_without_the_right_is(
    trail: AuditTrail, tmp_path: Path, method: str
) -> None:
    trail.done(Done(asked(method), OK, 0.0))
    trail.done(Done(asked(method), "not_found", 0.0))
    assert lines(tmp_path) == []
    trail.done(Done(asked(method), "forbidden", 0.0))
    trail.close()
    assert [line["code"] for line in lines(tmp_path)] == ["forbidden"]


def test_a_token_cannot_push_out_of_the_log_what_was_done_by_asking_for_what_it_may_not(
    trail: AuditTrail, tmp_path: Path
) -> None:
    for _ in range(1000):
        trail.done(Done(asked("turn.stop"), "forbidden", 0.0))
    trail.close()
    assert lines(tmp_path) == [
        {
            "at": "2027-01-15T08:00:00.000Z",
            "token": "bob",
            "token_id": "0011223344556677",
            "way": "ws",
            "address": "192.0.2.1",
            "method": "turn.stop",
            "code": "forbidden",
            "count": 1000,
        }
    ]


async def test_pieces_of_speech_are_summed_up_by_thread(trail: AuditTrail, tmp_path: Path, clock: ManualClock) -> None:
    task = asyncio.ensure_future(trail.run())
    await clock.settle()
    for _ in range(100):
        trail.done(Done(asked("speech.chunk"), OK, 0.001))
    trail.done(Done(asked("speech.chunk"), "store_unavailable", 0.001))
    assert [(line["code"], line["method"]) for line in lines(tmp_path)] == [("store_unavailable", "speech.chunk")]
    await clock.advance(10.0)
    assert lines(tmp_path)[1:] == [
        {
            "at": "2027-01-15T08:00:10.000Z",
            "token": "bob",
            "token_id": "0011223344556677",
            "way": "ws",
            "address": "192.0.2.1",
            "method": "speech.chunk",
            "about": {"thread_id": "thr_1"},
            "code": "ok",
            "count": 100,
        }
    ]
    assert "diary" not in (tmp_path / FILE).read_text()
    task.cancel()


async def test_refused_admissions_are_summed_up_each_second(
    trail: AuditTrail, tmp_path: Path, clock: ManualClock
) -> None:
    task = asyncio.ensure_future(trail.run())
    await clock.settle()
    for address in ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"):
        trail.refused("ws", address, "unauthorized")
    assert lines(tmp_path) == []
    await clock.advance(1.0)
    (line,) = lines(tmp_path)
    assert (line["method"], line["address"], line["code"], line["count"]) == (
        "admission",
        "192.0.2.1",
        "unauthorized",
        3,
    )
    task.cancel()


def test_what_was_not_written_yet_is_written_at_the_end(trail: AuditTrail, tmp_path: Path) -> None:
    trail.refused("rest", "192.0.2.1", "unauthorized")
    trail.close()
    assert [line["count"] for line in lines(tmp_path)] == [1]


def test_it_says_whether_it_can_write(tmp_path: Path, clock: ManualClock) -> None:
    trail = AuditTrail(AuditLog(tmp_path / "nowhere", Redactor()), clock)
    trail.done(Done(asked("turn.stop"), OK, 0.0))
    assert (trail.failing, trail.failed) == (True, 1)
