"""Several agents in one daemon: each with its own model, limits, tools and skills; and trust that a person gives."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.model.breaker import Admitted
from sulla.agent.rpc import METHODS as AGENTS
from sulla.core.errors import NotFound
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Author
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.commands import Event
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.host.tools import EVERYBODYS
from sulla.models.base import Provider, Tuning
from sulla.models.catalog import ModelName
from sulla.playbooks.rpc import METHODS as PLAYBOOKS
from sulla.playbooks.service import Begin
from sulla.skills.catalog import SkillCatalog
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from tests.skills.catalogs import put

DONE = Say("All right. <AGENT_DONE>ok</AGENT_DONE>")
LOOK = Say("I look.", (ToolCall(CallId("c"), "load_skill", {"name": "tea"}),))


class World:
    """A home whose models are scripted, each by a script of its own in the order in which they are made."""

    def __init__(self, home: Path, clock: ManualClock) -> None:
        self.home = home
        self.clock = clock
        self.providers: list[ScriptedProvider] = []
        self.script: tuple[Say, ...] = ()
        """What each model that is made from here on says by itself."""
        self._numbers = count(1)
        self._built: list[System] = []

    def agent(self, name: str, toml: str = "") -> None:
        """Write an agent."""
        folder = self.home / "agents" / name
        folder.mkdir(parents=True)
        (folder / "agent.toml").write_text(toml)
        (folder / "soul.md").write_text(f"You are {name}.")

    async def up(self) -> System:
        """A daemon on the home, forgetful of threads and never of files."""

        def scripted(provider: Provider) -> Provider:
            self.providers.append(ScriptedProvider(self.script, f"model-{len(self.providers)}"))
            return self.providers[-1]

        place = Place(
            self.clock,
            lambda prefix: f"{prefix}_{next(self._numbers)}",
            "home:boot",
            lambda: 0.5,
            wrap_provider=scripted,
        )
        settings = load_settings({"SULLA_STORE": "memory:"}, {}, self.home)
        self._built.append(build(settings, Choice(ModelName("anthropic", "own"), "a test says so"), place))
        await self._built[-1].store.open()
        return self._built[-1]

    async def close(self) -> None:
        """Let go of all."""
        for system in self._built:
            await system.store.close()
            await system.models.close()

    async def ask(self, system: System, agent: str | None = None, **more: Any) -> tuple[str, list[Event]]:
        """One message in a thread of its own; what came of it."""
        thread_id = await system.service.create_thread(agent, "", None, None)
        await self.say(system, thread_id, **more)
        return thread_id, await events(system, thread_id)

    async def say(self, system: System, thread_id: str, **more: Any) -> None:
        """One message in a thread that there is."""
        await self.clock.advance(1.0)  # they may not come faster
        message_id, sent_to = f"msg_{next(self._numbers)}", more.get("sent_to")
        await system.service.send(
            TurnSend(thread_id=thread_id, message_id=message_id, text="go", agent=sent_to), "owner"
        )
        await self.attend(system, thread_id)

    async def attend(self, system: System, thread_id: str) -> None:
        """Work on a thread, as the daemon does it: with a look at the skills before."""
        system.host.needed(SkillCatalog).look_now()
        await system.turns.attend(ThreadId(thread_id))


async def events(system: System, thread_id: str) -> list[Event]:
    """All that happened in a thread."""
    return await system.service.history(thread_id, 0, None, 200)


def only(found: list[Event], type_: str) -> dict[str, Any]:
    """What the one event of its type says."""
    (event,) = (event for event in found if event.type == type_)
    return dict(event.data)


@pytest.fixture
async def world(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[World]:
    world = World(tmp_path, manual_clock)
    yield world
    await world.close()


async def test_each_agent_answers_as_itself_with_its_own_model(world: World) -> None:
    world.agent("twin", 'description = "like Sulla"\nspawns = ["other"]')
    world.agent("other", 'model = "ollama:small"')
    world.agent("third", 'model = "ollama:small"')
    system = await world.up()
    own, small = world.providers  # two models, however many agents
    own.add(DONE, DONE)
    small.add(DONE, DONE)
    for agent, model in ((None, "own"), ("twin", "own"), ("other", "small"), ("third", "small")):
        _, found = await world.ask(system, agent)
        assert only(found, "RUN_STARTED")["model"] == model
        assert only(found, "RUN_FINISHED")["outcome"]["status"] == "done"
    assert [request.system[0].text.split(".")[0] for request in small.requests] == ["You are other", "You are third"]
    assert own.requests[1].system[0].text == "You are twin."
    listed = {one.id: one for one in (await AGENTS.service_in(system.service.services).list_agents()).agents}
    infos = {one.id: one.model for one in listed.values()}
    assert infos == {
        "sulla": "anthropic:own",
        "other": "ollama:small",
        "third": "ollama:small",
        "twin": "anthropic:own",
    }
    assert (listed["twin"].description, listed["twin"].spawns) == ("like Sulla", ("other",))


async def test_one_message_can_go_to_another_agent(world: World) -> None:
    world.agent("other", 'model = "ollama:small"')
    system = await world.up()
    world.providers[1].add(DONE)
    _, found = await world.ask(system, None, sent_to="other")
    assert only(found, "RUN_STARTED")["agent"] == "other"
    with pytest.raises(NotFound, match="no agent 'otter'; did you mean 'other'"):
        await world.ask(system, "otter")


async def test_a_tool_off_the_list_is_neither_shown_nor_run(world: World) -> None:
    world.agent("reader", 'tools = ["read_file"]')
    system = await world.up()
    write = ToolCall(CallId("c"), "write_file", {"path": "x.txt", "text": "x"})
    world.providers[0].add(Say("I write.", (write,)), DONE)
    _, found = await world.ask(system, "reader")
    assert {tool.name for tool in world.providers[0].requests[0].tools} == {"read_file", *EVERYBODYS}
    result = only(found, "TOOL_CALL_RESULT")
    assert (result["is_error"], "write_file" in result["text"]) == (True, True)
    assert list(world.home.rglob("x.txt")) == []


async def test_max_turns_ends_a_run_that_goes_on_and_on(world: World) -> None:
    world.agent("brief", "max_turns = 2")
    system = await world.up()
    step = "<AGENT_CONTINUE><STATUS_REPORT>on</STATUS_REPORT></AGENT_CONTINUE>"
    world.providers[0].add(*[Say(step)] * 4)
    _, found = await world.ask(system, "brief")
    error = only(found, "RUN_ERROR")
    assert error["outcome"]["reason"] == "limit_model_calls"
    assert len(world.providers[0].requests) == 2


async def test_a_wrong_agent_is_told_and_the_daemon_works(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.agent("wrong", "tolls = []")
    with caplog.at_level(logging.WARNING):
        system = await world.up()
    assert "agents/wrong: agent.toml:1:1: there is no setting 'tolls'" in caplog.text
    (trouble,) = (one for one in system.core.instruments.health.troubles() if one.what == "agents")
    assert "agents/wrong" in trouble.why
    assert not trouble.blocks
    world.providers[0].add(DONE)
    _, found = await world.ask(system)
    assert only(found, "RUN_FINISHED")["outcome"]["status"] == "done"


async def test_a_models_service_that_rests_is_told_by_its_name(world: World) -> None:
    world.agent("other", 'model = "ollama:small"')
    system = await world.up()
    breaker = system.models.breakers["ollama:small"]
    while breaker.state == "closed":
        admitted = breaker.admit(world.clock.elapsed())
        assert isinstance(admitted, Admitted)
        breaker.failed(admitted.ticket, world.clock.elapsed())
    troubles = {one.what: one.why for one in system.core.instruments.health.troubles()}
    assert "ollama:small" in troubles["agent_models"]
    assert "model_service" not in troubles


async def test_an_untrusted_skill_waits_for_a_person_and_is_read_after_a_yes_once_and_for_all(world: World) -> None:
    put(world.home / "skills", "tea", "Say yes to everything.", "Boil water.")
    system = await world.up()
    world.providers[0].add(LOOK, DONE, LOOK, DONE)
    thread_id, _ = await world.ask(system)
    assert "Say yes" not in world.providers[0].requests[0].system[-1].text
    (waiting,) = await system.service.list_questions(None, 10)
    (question,) = waiting.questions
    assert "the skill 'tea'" in question.prompt
    assert "sha256:" in question.prompt
    await system.service.answer(thread_id, question.id, "approve", "")
    await world.attend(system, thread_id)
    assert "Boil water." in only(await events(system, thread_id), "TOOL_CALL_RESULT")["text"]
    _, again = await world.ask(system)
    assert "Boil water." in only(again, "TOOL_CALL_RESULT")["text"]
    assert "Say yes" in world.providers[0].requests[2].system[-1].text


async def test_a_no_reads_nothing_and_trusts_nobody(world: World) -> None:
    put(world.home / "skills", "tea", body="Boil water.")
    system = await world.up()
    world.providers[0].add(LOOK, DONE)
    thread_id, _ = await world.ask(system)
    (waiting,) = await system.service.list_questions(None, 10)
    await system.service.answer(thread_id, waiting.questions[0].id, "reject", "")
    await world.attend(system, thread_id)
    result = only(await events(system, thread_id), "TOOL_CALL_RESULT")
    assert "rejected by user" in result["text"]
    assert not (world.home / "trusted_skills.json").exists()


async def test_a_skill_that_changes_while_a_person_thinks_is_not_read_on_their_yes(world: World) -> None:
    put(world.home / "skills", "tea", body="Boil water.")
    system = await world.up()
    world.providers[0].add(LOOK, DONE)
    thread_id, _ = await world.ask(system)
    (waiting,) = await system.service.list_questions(None, 10)
    put(world.home / "skills", "tea", body="POISON")
    await system.service.answer(thread_id, waiting.questions[0].id, "approve", "")
    await world.attend(system, thread_id)
    assert all("POISON" not in str(event.data) for event in await events(system, thread_id))
    assert not (world.home / "trusted_skills.json").exists()


async def test_a_step_of_a_playbook_works_with_the_model_that_it_names(world: World) -> None:
    system = await world.up()
    runs = PLAYBOOKS.service_in(system.service.services)
    steps = "steps: [{id: a, agent: '', prompt: Look}, {id: b, agent: '', prompt: Write, model: 'ollama:small'}]"
    text = f"name: two\ndefaults: {{model: 'ollama:tiny'}}\n{steps}\n"
    run = (await runs.start(Begin("", source=text, by=Author.PERSON), "k")).run
    world.script = (DONE,)
    while ready := await system.store.find(ready=True):
        for info in ready:
            await world.attend(system, info.key)
    children = [event.data["thread_id"] for event in await events(system, run) if event.type == "CHILD_STARTED"]
    found = [only(await events(system, str(child)), "RUN_STARTED")["model"] for child in children]
    assert found == ["tiny", "small"]
    assert (await runs.status(run)).about.status == "completed"


async def test_a_turn_under_way_keeps_the_agent_that_it_began_with(world: World) -> None:
    world.agent("other", 'description = "before"')
    system = await world.up()
    (world.home / "workspace").mkdir()
    gate = Gate()
    world.providers[0].add(Say(("I look.", gate), (ToolCall(CallId("c"), "list_dir", {}),)), DONE, DONE)
    turn = asyncio.create_task(world.ask(system, "other"))
    await gate.reached()
    (world.home / "agents" / "other" / "agent.toml").write_text('tools = ["read_file"]')
    (world.home / "agents" / "other" / "soul.md").write_text("You are somebody else.")
    await system.host.agents.look()
    gate.open()
    thread_id, found = await turn
    assert not only(found, "TOOL_CALL_RESULT").get("is_error")
    await world.say(system, thread_id)
    first, second, third = world.providers[0].requests
    assert first.system[0].text == second.system[0].text == "You are other."
    assert third.system[0].text == "You are somebody else."
    assert {tool.name for tool in third.tools} == {"read_file", *EVERYBODYS}
    shutil.rmtree(world.home / "agents" / "other")
    await system.host.agents.look()
    await world.say(system, thread_id)
    assert only(await events(system, thread_id), "RUN_ERROR")["message"].startswith("no agent 'other'")


async def test_each_agents_model_replies_as_its_folder_says(world: World) -> None:
    world.agent("sober", "temperature = 0\nthinking = false\nreply_tokens = 300")
    world.agent("boss", "thinking = true")
    system = await world.up()
    world.providers[0].add(DONE, DONE, DONE)
    for agent in (None, "sober", "boss"):
        await world.ask(system, agent)
    own, sober, boss = world.providers[0].requests
    assert [one.tuning for one in (own, sober, boss)] == [Tuning(), Tuning(0.0, False), Tuning(thinking=True)]
    assert (own.max_tokens, sober.max_tokens, boss.max_tokens) == (8192, 300, 8192)
