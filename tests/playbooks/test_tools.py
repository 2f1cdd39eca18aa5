"""An agent starts a playbook, and its turn is over; who may start what, and how often."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Origin, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.playbooks.rpc_forms import PlayBegun, PlaybookRow
from sulla.playbooks.service import Begin
from sulla.playbooks.tools import Starts, may_start, playbook_line, playbook_tools
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Input, Outcome, RunFinished, ThreadCreated
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.playbooks import MemoryPlaybooks

ENDED = "All right. <AGENT_DONE>ok</AGENT_DONE>"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_1")
    await store.open()
    yield store
    await store.close()


def playbook(name: str, *on: str, trouble: str = "", inputs: FrozenJson | None = None) -> PlaybookRow:
    return PlaybookRow(name, f"Does {name}.", "d", f"{name}.yaml", 1, on, dict(inputs or {}), trouble)


def run(name: str, call: str = "c1", **inputs: Json) -> ToolCall:
    args: dict[str, Json] = {"playbook": name} | ({"inputs": dict(inputs)} if inputs else {})
    return ToolCall(CallId(call), "run_playbook", args)


async def look(context: ToolContext) -> Result:
    """Look at something."""
    return Done(ours("seen"))


class Home:
    """An agent that has the tools, and playbooks that nobody works on."""

    def __init__(self, store: MemoryStore, *said: Step, office: MemoryPlaybooks | None = None) -> None:
        self.office = office if office is not None else MemoryPlaybooks()
        self.provider = ScriptedProvider(list(said))
        tools: tuple[Tool, ...] = (
            *playbook_tools(lambda: Starts(self.office, self.world.threads)),
            *sub_agent_tools(lambda: self.world.family),
            define(look, effect="pure"),
        )
        self.world = World(store, self.provider, tools=tools)
        for one in (
            playbook("triage", "manual", "chat a new lead"),
            playbook("nightly", "schedule 0 3 * * *"),
            playbook("rounds", "heartbeat"),
        ):
            self.office.listed[one.playbook] = one

    @property
    def begun(self) -> Sequence[Begin]:
        return list(self.office.begun.values())

    async def ask(self, text: str = "go", *, origin: Origin = "user", thread: ThreadId | None = None) -> ThreadId:
        """Have one message worked on."""
        thread = thread if thread is not None else await self.world.thread()
        await self.world.threads.send(thread, Input(MessageId(f"msg-{text}"), text, origin=origin))
        await self.world.work()
        return thread

    async def results(self, thread: ThreadId) -> list[str]:
        state = await self.world.threads.load(thread)
        assert state is not None
        return [
            part.text for message in state.context.transcript for part in message.parts if isinstance(part, ToolResult)
        ]

    async def outcome(self, thread: ThreadId) -> Outcome:
        last = (await self.world.log(thread))[-1].fact
        assert isinstance(last, RunFinished)
        return last.outcome


async def test_a_started_playbook_ends_the_turn_without_another_model_call(store: MemoryStore) -> None:
    home = Home(store, Say("I'll start it.", (run("triage", lead="Ann"),)))
    thread = await home.ask()
    assert len(home.provider.requests) == 1
    assert (await home.outcome(thread)).status == "done"
    (id_,) = home.office.begun
    state = await home.world.threads.load(thread)
    assert state is not None
    assert state.context.transcript[-1].text == f"Playbook triage runs: {id_}. You will be told what comes of it."
    begin = home.office.begun[id_]
    assert (begin.playbook, begin.inputs, begin.trigger) == ("triage", {"lead": "Ann"}, "agent")
    assert (begin.thread, begin.agent, begin.by.tainted) == (thread, "sulla", False)
    assert begin.attended
    assert begin.run_id == (await home.world.log(thread))[-1].origin.run_id


async def test_it_takes_over_also_beside_other_calls(store: MemoryStore) -> None:
    home = Home(store, Say("", (ToolCall(CallId("c0"), "look", {}), run("triage"))))
    thread = await home.ask()
    assert len(home.provider.requests) == 1
    assert (await home.outcome(thread)).status == "done"
    assert (await home.results(thread))[0] == "seen"


async def test_one_that_could_not_be_started_takes_nothing_over(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("triagge"),)), ENDED)
    thread = await home.ask()
    assert len(home.provider.requests) == 2
    assert await home.results(thread) == ["no playbook 'triagge'"]
    assert home.begun == []


async def test_the_same_call_begins_one_run_and_another_call_another(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("triage", "c1"),)), Say("", (run("triage", "c2"),)))
    thread = await home.ask("one")
    await home.ask("two", thread=thread)
    assert len(home.begun) == 2


async def test_wrong_inputs_are_told_to_the_model_in_the_offices_words(store: MemoryStore) -> None:
    class Strict(MemoryPlaybooks):
        async def start(self, begin: Begin, key: str) -> PlayBegun:
            raise InvalidInput("the input 'lead' is missing; expected a string")

    home = Home(store, Say("", (run("triage"),)), ENDED, office=Strict())
    thread = await home.ask()
    assert await home.results(thread) == ["the input 'lead' is missing; expected a string"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nightly", "You may not start nightly: its `on` says schedule 0 3 * * *; an agent needs `manual` or `chat`."),
        ("rounds", "You may not start rounds: its `on` says heartbeat; an agent needs `manual` or `chat`."),
        ("broken", "the playbook 'broken' cannot be run: broken.yaml:3:1: error: no steps"),
    ],
)
async def test_what_an_agent_may_not_start_is_told_with_the_reason(store: MemoryStore, name: str, said: str) -> None:
    home = Home(store, Say("", (run(name),)), ENDED)
    home.office.listed["broken"] = playbook("broken", "manual", trouble="broken.yaml:3:1: error: no steps")
    thread = await home.ask()
    assert await home.results(thread) == [said]
    assert home.begun == []


async def test_who_is_told_the_end_of_a_playbook_starts_no_other_one(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("triage"),)), ENDED)
    thread = await home.ask(origin="playbook")
    assert await home.results(thread) == [
        "This turn only tells what came of a playbook: tell the person, who can ask for another one."
    ]
    assert home.begun == []


async def test_a_step_of_a_playbook_starts_none(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("triage"),)), ENDED)
    root = await home.world.threads.create(ThreadCreated("sulla", graph=PLAYBOOK))
    step = Birth("s1", "step", root, RunId("run_1"), root, 1)
    child = await home.ask(thread=await home.world.threads.create(ThreadCreated("sulla", birth=step)))
    (said,) = await home.results(child)
    assert said.startswith("You work on a step of a playbook")
    assert home.begun == []


async def test_a_sub_agent_starts_one_for_the_conversation_that_it_works_for(store: MemoryStore) -> None:
    spawn = ToolCall(CallId("s1"), "spawn_sub_agent", {"task": "start it"})
    home = Home(store, Say("", (spawn,)), Say("", (run("triage"),)), ENDED)
    thread = await home.ask()
    assert [(begin.thread, begin.run_id) for begin in home.begun] == [(thread, "")]
    assert "Playbook triage runs: " in (await home.results(thread))[0]


async def test_at_a_beat_only_what_says_heartbeat_is_started_and_once_for_each_beat(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("triage"),)), Say("", (run("rounds", "c2"), run("rounds", "c3"))))
    thread = await home.ask("wake", origin="beat")
    assert (await home.results(thread))[0] == (
        "You may not start triage: its `on` says manual, chat a new lead; an agent needs `heartbeat`, and nobody is "
        "here who asked."
    )
    assert [(begin.playbook, begin.trigger, begin.attended) for begin in home.begun] == [("rounds", "heartbeat", False)]


async def test_at_a_beat_the_same_one_with_other_inputs_is_refused(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("rounds", "c1", of="a"), run("rounds", "c2", of="b"))))
    thread = await home.ask("wake", origin="beat")
    assert (await home.results(thread))[1] == "rounds was started already, with other inputs: once is enough."
    assert len(home.begun) == 1


async def test_the_next_beat_starts_it_again(store: MemoryStore) -> None:
    home = Home(store, Say("", (run("rounds"),)), Say("", (run("rounds", "c2"),)))
    thread = await home.ask("one", origin="beat")
    await home.ask("two", origin="beat", thread=thread)
    assert len(home.begun) == 2


async def test_the_list_holds_what_can_be_started_here_and_what_is_wrong_with_it(store: MemoryStore) -> None:
    home = Home(store, Say("", (ToolCall(CallId("c1"), "list_playbooks", {}),)), ENDED)
    del home.office.listed["brew"]
    home.office.listed["broken"] = playbook("broken", "manual", trouble="no steps")
    about: FrozenJson = {
        "lead": {"type": "string", "required": True, "default": None, "description": "Who it is."},
        "urgent": {"type": "boolean", "required": False, "default": False, "description": ""},
        "plan": {"type": "string", "required": True, "description": "", "choices": ["free", "paid"]},
    }
    home.office.listed["triage"] = playbook("triage", "manual", "chat a new lead", inputs=about)
    thread = await home.ask()
    (said,) = await home.results(thread)
    good, bad = said.splitlines()
    about_it = "Does triage. For messages about: a new lead."
    told = 'lead (string; Who it is.), urgent (boolean, may be left out), plan (one of "free", "paid")'
    assert good == f"- triage: {about_it} Inputs: {told}."
    assert bad == "- broken cannot be run: no steps"


async def test_an_empty_list_says_so(store: MemoryStore) -> None:
    home = Home(store, Say("", (ToolCall(CallId("c1"), "list_playbooks", {}),)), ENDED)
    home.office.listed.clear()
    assert await home.results(await home.ask()) == ["There is no playbook that you can start here."]


@pytest.mark.parametrize(
    ("on", "attended", "alone"),
    [
        (("manual",), True, False),
        (("chat a new lead",), True, False),
        (("heartbeat",), False, True),
        (("schedule 30m", "webhook key", "event run.failed"), False, False),
        ((), False, False),
        (("manual", "heartbeat"), True, True),
    ],
)
def test_who_may_start_what(on: tuple[str, ...], attended: bool, alone: bool) -> None:
    assert may_start(on, unattended=False) is attended
    assert may_start(on, unattended=True) is alone


def test_a_long_description_is_cut_in_its_line() -> None:
    assert len(playbook_line(playbook("x" * 1_000))) < 1_500
    assert "\n" not in playbook_line(PlaybookRow("a", "one\ntwo", "", "", 1, ("manual",), {}, ""))
