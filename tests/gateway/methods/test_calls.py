from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES, Principal, Scope
from sulla.core.errors import Forbidden, NotFound, ShuttingDown, StoreUnavailable, SullaError, Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.gateway.methods.calls import Calls
from sulla.gateway.methods.heavy import HeavyCalls
from sulla.gateway.methods.observing import Asked, Done, Unobserved
from sulla.gateway.methods.system import SystemStatus
from sulla.gateway.methods.table import METHODS
from sulla.gateway.problems import STORE_AWAY
from sulla.gateway.wire import TurnSend
from sulla.rpc.caller import Caller
from sulla.rpc.form import Params
from sulla.rpc.limits import Limits
from sulla.rpc.method import Method
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.forms import check_form

KNOWN = {
    "thread_id": "thr_1",
    "message_id": "m1",
    "text": "hi",
    "id": "review:tool_1",
    "scopes": ["read"],
    "less": True,
    "project": "garden",
    "goal": "beds",
    "channel": "mail",
    "rule": "rule_1",
    "ids": ["ntc_1"],
    "events": [{"kind": "page", "text": "my diary"}],
    "schedule": "sch_1",
    "every_s": 60,
    "playbook": "brew",
    "run": "run_1",
    "steps": ["taste"],
    "utterance_id": "u",
    "seq": 0,
    "path": "notes/rome.md",
    "changes": "changes_1",
    "title": "Rome",
    "words": "trains",
    "begins": "thr_1",
    "files": {"soul.md": "my diary"},
    "digest": "sha256:0",
    "before_ms": 1_800_000_000_000,
    "entity": "Ana",
    "what": "lives in",
    "value": "Lund",
    "other": "Ana Berg",
    "named": ["st_1"],
    "since_ms": 1_800_000_000_000,
    "until_ms": 1_800_086_400_000,
    "at_seq": 2,
    "number": 1,
    "state": "completed",
    "code": "K7QM2XPD",
    "person": "ann",
}
OWNER = Principal("owner", ALL_SCOPES)
NAMES = {"token.create": "new", "token.revoke": "spare"}
KINDS = {"speech.chunk": "delta", "memory.notes": "fact"}
WANTED = [(name, row.scope) for name, row in METHODS.items() if row.scope is not None]


class Watching(Unobserved):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[Done] = []

    def done(self, done: Done) -> None:
        """One more."""
        self.told.append(done)


def asked(params: Params, principal: Principal = OWNER) -> Asked:
    return Asked(Caller(principal, "127.0.0.1", "ws", "ses_1"), "7", params)


def params_of(method: str) -> Params:
    model = METHODS[method].params
    known = {**KNOWN, "name": NAMES.get(method, ""), "kind": KINDS.get(method, "chat")}
    known |= {"flow": "default"} if method == "flow.get" else {}
    known |= {"agent": "reader"} if method.startswith(("agent.", "memory.")) else {}
    known |= {"channel": "home"} if method.startswith("channel.") else {}
    params: Params = model.model_validate({name: value for name, value in known.items() if name in model.model_fields})
    return params


def calls_of(commands: MemoryCommands, clock: ManualClock | None = None) -> tuple[Calls, Watching]:
    watching = Watching()
    tokens = MemoryTokens({"owner": ALL_SCOPES, "spare": ["read"]})
    return Calls(commands, tokens, Limits(), clock or ManualClock(), watching, lambda kind: f"{kind}_1"), watching


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"hello"}))
async def test_every_method_is_done_by_somebody_and_answered_in_its_form(method: str) -> None:
    commands = MemoryCommands()
    commands.make("thr_1")
    commands.notices.add("Tea is ready.")
    calls, watching = calls_of(commands)
    check_form(METHODS[method].result, await calls.perform(asked(params_of(method))))
    assert [(done.asked.method, done.code) for done in watching.told] == [(method, "ok")]


@pytest.mark.parametrize(("method", "scope"), WANTED)
async def test_a_token_without_the_scope_may_not_and_nothing_is_begun(method: str, scope: Scope) -> None:
    commands = MemoryCommands()
    calls, watching = calls_of(commands)
    others = Principal("others", ALL_SCOPES - {scope})
    with pytest.raises(Forbidden, match=f"'{method}' needs a token with the scope '{scope}'"):
        await calls.perform(asked(params_of(method), others))
    assert commands.calls == []
    assert [(done.asked.method, done.code) for done in watching.told] == [(method, "forbidden")]


async def test_a_store_that_is_away_is_told_with_its_address_to_those_alone_who_run_the_daemon() -> None:
    async def away() -> JsonObject:
        raise StoreUnavailable("the store postgresql://sulla@host/db: start the server", retry_after_s=1)

    calls, watching = calls_of(MemoryCommands())
    with pytest.raises(StoreUnavailable, match="postgresql://sulla@host/db"):
        await calls.perform(asked(SystemStatus()), do=away)
    with pytest.raises(StoreUnavailable) as told:
        await calls.perform(asked(SystemStatus(), Principal("others", ALL_SCOPES - {"admin"})), do=away)
    assert told.value.message == STORE_AWAY
    assert [done.code for done in watching.told] == ["store_unavailable"] * 2


async def test_a_request_whose_connection_ends_is_told_as_given_up() -> None:
    commands = MemoryCommands()
    commands.gates["status"] = asyncio.Event()
    calls, watching = calls_of(commands)
    asking: asyncio.Task[Any] = asyncio.ensure_future(calls.perform(asked(SystemStatus())))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait((asking,))
    assert [done.code for done in watching.told] == ["given_up"]


async def test_heavy_requests_are_worked_at_one_by_one_and_no_token_waits_for_all_of_another_one_s() -> None:
    heavy, at_work, most, done = HeavyCalls(), 0, 0, list[str]()

    async def ask(name: str) -> None:
        nonlocal at_work, most
        async with heavy.turn(name):
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1
            done.append(name)

    asking = [asyncio.ensure_future(ask(name)) for name in ("ann", "ann", "ann", "ann", "ben")]
    await asyncio.sleep(0)
    asking[1].cancel()  # one that waits gives its place back
    await asyncio.wait(asking)
    assert (most, done) == (1, ["ann", "ben", "ann", "ann"])


async def test_what_tries_a_playbook_out_is_heavy_and_beside_it_the_kill_switch_is_not_waited_for() -> None:
    assert {name for name, row in METHODS.items() if row.heavy} == {
        "workflow.check",
        "workflow.dry_run",
        "workflow.test",
    }
    calls, watching = calls_of(MemoryCommands())
    held, begun = asyncio.Event(), 0

    async def slow() -> JsonObject:
        nonlocal begun
        begun += 1
        await held.wait()
        return {"faults": []}

    row = METHODS["workflow.check"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(row), "answer", lambda self, *given: slow() if self.heavy else _answer(self, *given))
        checks = [asyncio.ensure_future(calls.perform(asked(params_of("workflow.check")))) for _ in range(32)]
        await asyncio.sleep(0)
        await calls.perform(asked(params_of("system.pause")))
        assert begun == 1
        held.set()
        await asyncio.wait(checks)
    assert [done.code for done in watching.told] == ["ok"] * 33


_answer = Method.answer


async def test_a_defect_is_an_answer_without_details() -> None:
    calls, _ = calls_of(MemoryCommands())

    async def breaks() -> JsonObject:
        raise ZeroDivisionError("a secret detail")

    with pytest.raises(SullaError, match="went wrong inside the daemon") as found:
        await calls.perform(asked(SystemStatus()), do=breaks)
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
    assert said.about == {
        "thread_id": "thr_1",
        "message_id": "m1",
        "mode": "queue",
        "said_chars": 0,
        "from_model": False,
        "unattended": False,
    }
    assert said.scope == "write"
    seen = asked(params_of("environment.report"))
    assert seen.about == {"thread_id": "thr_1"}


@pytest.mark.parametrize("method", sorted(name for name, row in METHODS.items() if row.needs != "nothing"))
async def test_what_needs_the_store_or_new_work_is_not_begun_without(method: str) -> None:
    commands = MemoryCommands()
    commands.failures[METHODS[method].needs] = Unavailable("not now")
    calls, watching = calls_of(commands)
    with pytest.raises(Unavailable, match="not now"):
        await calls.perform(asked(params_of(method)))
    assert commands.calls == []
    assert [(done.asked.method, done.code) for done in watching.told] == [(method, "unavailable")]


async def test_speech_is_taken_as_long_as_clients_are_served_and_can_be_looked_at_even_then() -> None:
    commands = MemoryCommands()
    commands.make("thr_1")
    calls, _ = calls_of(commands)
    taken = await calls.perform(asked(params_of("speech.chunk")))
    assert taken["turn_id"] == "u"
    commands.failures["open"] = ShuttingDown("stopping")
    for method in ("speech.chunk", "speech.flush", "speech.cancel"):
        with pytest.raises(ShuttingDown):
            await calls.perform(asked(params_of(method)))
    assert (await calls.perform(asked(params_of("speech.status"))))["content"] == "hi"
    assert len(commands.speech.chunks) == 1
