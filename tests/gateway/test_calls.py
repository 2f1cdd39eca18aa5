from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.errors import NotFound, SullaError, Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.gateway import Asked, Caller, Done, Limits, Principal, Unobserved
from sulla.gateway.calls import Calls
from sulla.gateway.wire import METHODS, SystemStatus, TurnSend, Wire
from sulla.testing.clock import ManualClock
from sulla.testing.commands import MemoryCommands

KNOWN = {"thread_id": "thr_1", "message_id": "m1", "text": "hi", "id": "review:tool_1"}
CALLER = Caller(Principal("owner", frozenset({"read", "write"})), "127.0.0.1", "ws", "ses_1")


class Watching(Unobserved):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[Done] = []

    def done(self, done: Done) -> None:
        """One more."""
        self.told.append(done)


def asked(params: Wire) -> Asked:
    return Asked(CALLER, "7", params)


def calls_of(commands: MemoryCommands, clock: ManualClock | None = None) -> tuple[Calls, Watching]:
    watching = Watching()
    return Calls(commands, Limits(), clock or ManualClock(), watching), watching


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"hello", "events.subscribe", "events.unsubscribe"}))
async def test_every_method_is_done_by_somebody_and_answered_in_its_form(method: str) -> None:
    commands = MemoryCommands()
    commands.make("thr_1")
    calls, watching = calls_of(commands)
    model = METHODS[method].params
    params = model.model_validate({name: value for name, value in KNOWN.items() if name in model.model_fields})
    METHODS[method].result.model_validate(await calls.perform(asked(params)))
    assert [(done.asked.method, done.code) for done in watching.told] == [(method, "ok")]


async def test_a_defect_is_an_answer_without_details() -> None:
    calls, _ = calls_of(MemoryCommands())

    async def breaks() -> JsonObject:
        raise ZeroDivisionError("a secret detail")

    with pytest.raises(SullaError, match="went wrong inside the daemon") as found:
        await calls.answer(asked(SystemStatus()), breaks())
    assert found.value.code == "internal"
    assert "secret" not in found.value.message


@pytest.mark.parametrize(
    ("failure", "code"), [(NotFound("no such thread"), "not_found"), (Unavailable("away"), "unavailable")]
)
async def test_a_refusal_is_told_with_its_code(failure: SullaError, code: str) -> None:
    commands = MemoryCommands()
    commands.failures["status"] = failure
    calls, watching = calls_of(commands)
    with pytest.raises(type(failure)):
        await calls.perform(asked(SystemStatus()))
    assert [done.code for done in watching.told] == [code]


async def test_what_takes_too_long_is_answered_and_told_as_unavailable() -> None:
    commands, clock = MemoryCommands(), ManualClock()
    commands.gates["status"] = asyncio.Event()
    calls, watching = calls_of(commands, clock)
    asking: asyncio.Task[Any] = asyncio.ensure_future(calls.perform(asked(SystemStatus())))
    await clock.advance(Limits().call_s + 1)
    with pytest.raises(Unavailable, match="ask again with the same id"):
        await asking
    assert [(done.code, done.took_s) for done in watching.told] == [("unavailable", Limits().call_s)]


def test_what_is_told_of_a_request_holds_nobodys_words() -> None:
    said = asked(TurnSend(thread_id="thr_1", message_id="m1", text="my diary"))
    assert said.about == {"thread_id": "thr_1", "message_id": "m1", "mode": "queue"}
    assert said.scope == "write"
