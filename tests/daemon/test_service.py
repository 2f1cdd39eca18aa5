"""What clients may ask of the daemon, over a store in memory. The wiring is the real one."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest

from sulla.agent.rpc import METHODS as AGENTS
from sulla.core.errors import Busy, CorruptRecord, InvalidInput, NotFound, ShuttingDown
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import UNTRUSTED
from sulla.core.words import Author
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.service import Service
from sulla.daemon.settings.config import load_settings
from sulla.daemon.stores import store_source
from sulla.gateway.commands import Advanced, Over, Signal
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.models.catalog import ModelName
from sulla.rpc.form import SaidAgain
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.family import Birth
from sulla.threads.log.forms import Fielded
from sulla.threads.log.records import Input, RunStarted, Suspended, ThreadCreated
from sulla.threads.log.schema import Slice, ThreadSchema
from sulla.threads.log.waits import Wait
from sulla.threads.store import ThreadStore
from sulla.tools.shell.jobs import MAX_JOB_S
from sulla.tools.shell.process import Program
from tests.tools.contexts import context_in

Ask = Callable[[], Awaitable[object]]

OFFLINE = Choice(ModelName("offline"), "nothing is configured")


@pytest.fixture
async def system(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[System]:
    """Everything that a daemon is built of; nobody works."""
    numbers = count(1)
    settings = load_settings({"SULLA_STORE": "memory:"}, {}, tmp_path)
    place = Place(
        manual_clock,
        lambda prefix: f"{prefix}_{next(numbers)}",
        "home:boot",
        lambda: 0.5,
        wrap_provider=lambda provider: ScriptedProvider(),
    )
    system = build(settings, OFFLINE, place)
    await system.store.open()
    yield system
    await system.store.close()


@pytest.fixture
def service(system: System) -> Service:
    """Its side of the door."""
    return system.service


@dataclass(frozen=True, slots=True)
class Brewed(Fielded):
    """A record of a capability."""

    kind: ClassVar[str] = "TEA_BREWED"
    cups: int = 1


@dataclass(frozen=True, slots=True)
class Tea(Fielded):
    """What its records add up to."""

    cups: int = 0


async def test_a_thread_belongs_to_the_homes_own_agent_unless_told_otherwise(service: Service) -> None:
    thread_id = await service.create_thread(None, "A title", None, None)
    (event,) = await service.history(thread_id, 0, None, 10)
    assert (event.type, event.data["agent"], event.data["title"]) == ("THREAD_CREATED", "sulla", "A title")
    assert [info.thread_id for info in await service.list_threads(None, 10)] == [thread_id]


async def test_a_row_says_how_many_messages_wait(system: System, service: Service) -> None:
    thread_id = await service.create_thread(None, "A title", None, None)
    assert (await service.get_thread(thread_id)).waiting == 0
    for number in (1, 2):
        await system.threads.send(ThreadId(thread_id), Input(MessageId(f"m{number}"), "hello"))
    assert (await service.get_thread(thread_id)).waiting == 2
    assert [row.waiting for row in await service.list_threads(None, 10)] == [2]


async def test_agents_and_tools_are_told_as_they_are(service: Service) -> None:
    (agent,) = (await AGENTS.service_in(service.services).list_agents()).agents
    tools = (await AGENTS.service_in(service.services).list_tools()).tools
    assert (agent.id, agent.completion, agent.model) == ("sulla", "wrapper", "offline")
    assert agent.tools == tuple(tool.name for tool in tools if not tool.missing) == tuple(sorted(agent.tools))
    read = next(tool for tool in tools if tool.name == "read_file")
    assert (read.effect, read.parameters["type"]) == ("pure", "object")
    assert json.loads(json.dumps(read.parameters)) == read.parameters


async def test_the_same_request_makes_one_thread(service: Service) -> None:
    made = {await service.create_thread(None, "", None, "req_1") for _ in range(2)}
    assert len(made) == 1


async def test_a_thread_tells_the_channel_that_it_was_begun_on(service: Service) -> None:
    thread_id = await service.create_thread(None, "", None, "req_1", "sulla-desktop")
    assert (await service.get_thread(thread_id)).channel == "sulla-desktop"
    assert await service.create_thread(None, "", None, "req_1", "workbench") == thread_id
    assert [info.channel for info in await service.list_threads(None, 10)] == ["sulla-desktop"]


async def test_a_message_to_a_thread_that_cannot_be_read_is_refused_and_the_list_says_so(
    system: System, service: Service
) -> None:
    thread_id = await service.create_thread(None, "", None, "another daemon's")
    gone = Slice("tea", Tea, lambda state, kept, fact, seq, origin: Tea(fact.cups), decided=(Brewed,))
    threads = ThreadStore(
        system.store, ManualClock(), str, "home:before", ThreadSchema(lambda message: 1, (gone,)), ThreadLimits()
    )
    session = await threads.attend(ThreadId(thread_id))
    assert session is not None
    await session.commit(Brewed(2))
    await session.release()
    with pytest.raises(CorruptRecord, match="its record 2 is a TEA_BREWED, which no capability here knows"):
        await service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="hi"), "owner")
    assert await service.last_seq(thread_id) == 2
    assert (await service.get_thread(thread_id)).status == "unreadable"
    assert [row.status for row in await service.list_threads(None, 10)] == ["unreadable"]


async def test_a_message_waits_under_the_run_that_a_re_send_gets_too(service: Service) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    first, second = [
        await service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="hi"), "owner") for _ in range(2)
    ]
    assert first == second
    (_, event) = await service.history(thread_id, 0, None, 10)
    assert (event.type, event.seq, event.run_id) == ("INPUT", first.seq, first.run_id)
    assert await service.last_seq(thread_id) == first.seq


@pytest.mark.parametrize("from_model", [True, False])
async def test_what_a_clients_model_says_taints_a_conversation_and_a_persons_words_do_not(
    service: Service, system: System, from_model: bool
) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    message = TurnSend(thread_id=thread_id, message_id="msg_1", text="fetch the page", from_model=from_model)
    await service.send(message, "owner")
    (_, event) = await service.history(thread_id, 0, None, 10)
    assert event.data.get("tainted", False) is from_model


async def test_a_message_that_is_said_again_in_a_copy_keeps_where_its_words_came_from(service: Service) -> None:
    first, copy = [await service.create_thread(None, "", None, None) for _ in range(2)]
    told = TurnSend(thread_id=first, message_id="msg_1", text="fetch it", from_model=True, quoted="a mail")
    seq = (await service.send(told, "owner")).seq
    again = SaidAgain(thread_id=first, seq=seq)
    await service.send(TurnSend(thread_id=copy, message_id="msg_2", text="fetch it, please", again=again), "owner")
    (_, event) = await service.history(copy, 0, None, 10)
    assert (event.data["tainted"], event.data["quoted"]) == (True, "a mail")
    none = TurnSend(thread_id=copy, message_id="msg_3", text="x", again=SaidAgain(thread_id=first, seq=1))
    with pytest.raises(InvalidInput, match=r"record 1 of 'thr_\w+' is no message"):
        await service.send(none, "owner")


async def test_what_nobody_has_written_is_from_outside_and_starts_a_turn_that_no_person_started(
    service: Service, system: System
) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    message = TurnSend(thread_id=thread_id, message_id="msg_1", text="the dentist, at ten", unattended=True)
    await service.send(message, "owner")
    (_, event) = await service.history(thread_id, 0, None, 10)
    assert event.data["origin"] in UNTRUSTED
    assert event.data["origin"] not in ("user", "operator")


@pytest.mark.parametrize(
    ("agent", "hint"), [("sula", r"no agent 'sula'; did you mean 'sulla'\?"), ("x", r"no agent 'x' \(known: sulla\)")]
)
async def test_an_unknown_agent_is_refused_with_the_nearest_name(service: Service, agent: str, hint: str) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    with pytest.raises(NotFound, match=hint):
        await service.create_thread(agent, "", None, None)
    with pytest.raises(NotFound, match=hint):
        await service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="hi", agent=agent), "owner")
    assert await service.last_seq(thread_id) == 1


async def test_an_unknown_thread_is_called_a_thread_whatever_is_asked_of_it(service: Service) -> None:
    asked: list[Ask] = [
        lambda: service.send(TurnSend(thread_id="thr_x", message_id="msg_1", text="hi"), "owner"),
        lambda: service.stop("thr_x", None),
        lambda: service.resume_turns("thr_x", None),
        lambda: service.answer("thr_x", "answer:1", "result", "yes"),
        lambda: service.history("thr_x", 0, None, 10),
        lambda: service.last_seq("thr_x"),
        lambda: service.delete_thread("thr_x"),
    ]
    for ask in asked:
        with pytest.raises(NotFound, match=r"^no thread 'thr_x': create one with thread\.create, or list them"):
            await ask()
    assert await service.list_threads(None, 10) == []


async def test_a_daemon_that_stops_takes_nothing_new_and_can_still_be_read(service: Service) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    service.refuse_new_work()
    refused: list[Ask] = [
        lambda: service.create_thread(None, "", None, None),
        lambda: service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="hi"), "owner"),
        lambda: service.resume_turns(thread_id, None),
        lambda: service.answer(thread_id, "approval:1", "result", "yes"),
    ]
    for ask in refused:
        with pytest.raises(ShuttingDown, match="try again when it is back") as raised:
            await ask()
        assert raised.value.retryable
        assert raised.value.retry_after_s == 2.0
    assert len(await service.history(thread_id, 0, None, 10)) == 1
    assert (await service.status())["stopping"] is True


async def test_whoever_listens_hears_that_the_log_went_on(service: Service) -> None:
    thread_id = await service.create_thread(None, "", None, None)
    heard: list[Signal] = []
    async with service.listen(thread_id, heard.append):
        sent = await service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="hi"), "owner")
        assert heard == [Advanced(sent.seq, await service.history(thread_id, sent.seq - 1, None, 10))]
    assert heard[1:] == [Over(), Over()]  # of the wake-ups, and of what is shown live


async def test_status_tells_where_all_is_and_that_nothing_runs(service: Service, tmp_path: Path) -> None:
    status = await service.status()
    assert status["home"] == str(tmp_path)
    assert status["workspace"] == str(tmp_path / "workspace")
    assert status["store"] == "memory: (SULLA_STORE or store.url)"
    assert (status["model"], status["offline"]) == ("offline", True)
    assert "ANTHROPIC_API_KEY" in str(status["how_to"])
    assert (status["running"], status["queued"], status["failing"], status["stopping"]) == (0, 0, [], False)


def test_where_things_are_kept_is_told_as_a_whole_path_with_its_source(tmp_path: Path) -> None:
    def told(**environ: str) -> str:
        return store_source(load_settings(environ, {}, tmp_path))

    assert told() == f"sqlite:///{tmp_path}/sulla.db (the default)"
    assert told(SULLA_STORE="sqlite:///kept.db") == f"sqlite:///{tmp_path}/kept.db (SULLA_STORE or store.url)"
    assert told(SULLA_STORE="sqlite:////srv/kept.db") == "sqlite:////srv/kept.db (SULLA_STORE or store.url)"


async def test_with_a_thread_the_jobs_of_its_sub_agents_are_ended_and_no_others(
    system: System, service: Service, tmp_path: Path
) -> None:
    top, other = [ThreadId(await service.create_thread(None, "", None, key)) for key in ("req_1", "req_2")]
    at, family = top, [top]
    for depth in (1, 2):
        birth = Birth(f"s{depth}", "spawn", at, RunId("run_1"), top, depth)
        family.append(at := await system.threads.create(ThreadCreated("sulla", birth=birth)))
    jobs = system.core.tools.jobs
    running = asyncio.ensure_future(jobs.run())
    await asyncio.sleep(0)
    began = [jobs.new(thread, "sleep 100", Author.OPERATOR) for thread in (other, *family)]
    for job in began:
        jobs.start(Program(("sleep", "100"), tmp_path, os.environ), job, context_in(tmp_path), timeout_s=MAX_JOB_S)
    await service.delete_thread(top)
    assert [job.over.is_set() for job in began] == [False, True, True, True]
    running.cancel()
    await asyncio.wait((running,))


async def test_with_a_thread_those_of_its_sub_agents_are_removed_and_no_others(
    system: System, service: Service
) -> None:
    top, other = [ThreadId(await service.create_thread(None, "", None, key)) for key in ("req_1", "req_2")]
    at, below = top, []
    for depth in (1, 2):
        birth = Birth(f"s{depth}", "spawn", at, RunId("run_1"), top, depth)
        below.append(at := await system.threads.create(ThreadCreated("sulla", birth=birth)))
    far = await system.threads.create(ThreadCreated("sulla", birth=Birth("s3", "spawn", other, RunId("r"), other, 1)))
    await service.delete_thread(top)
    there = {info.key for info, _ in await system.threads.list()}
    assert there.isdisjoint((top, *below))
    assert {other, far} <= there


async def test_a_thread_is_not_removed_while_its_turn_waits_for_others(system: System, service: Service) -> None:
    thread = ThreadId(await service.create_thread(None, "", None, "req_1"))
    await system.threads.send(thread, Input(MessageId("m1"), "hello"))
    session = await system.threads.attend(thread)
    assert session is not None
    (item,) = session.state.runnable
    started = RunStarted(item.seq, item.message_id, "sulla", "", "", item.seq)
    await session.commit(started, Suspended((Wait("child:s1", CallId("c")),)))
    await session.release()
    with pytest.raises(Busy, match="waits for others"):
        await service.delete_thread(thread)
    assert await system.threads.load(thread) is not None
