"""A daemon's memory, from one conversation to the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.rpc import METHODS as AGENTS
from sulla.core.errors import CorruptRecord, ProviderUnreachable, SettingsError, StoreUnavailable
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Text, ToolCall
from sulla.core.stamp import stamp
from sulla.core.words import Author, Words
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.memory.entities.graph import graph_of
from sulla.memory.fusion import WordSpread
from sulla.memory.memory import Memory, NoteAuthor
from sulla.memory.note import MemoryNote
from sulla.models.base import Provider
from sulla.models.catalog import ModelName
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from tests.memory.embedder import embed

DONE = "<AGENT_DONE>ok</AGENT_DONE>"
Opened = Callable[..., Any]


@asynccontextmanager
async def daemon(
    home: Path,
    clock: ManualClock,
    *script: Say,
    toml: str = "",
    boot: int = 1,
    wrap: Callable[[Provider], Provider] | None = None,
) -> AsyncIterator[System]:
    (home / "sulla.toml").write_text(toml)
    numbers = count(1)
    place = Place(
        clock,
        lambda prefix: f"{prefix}_{boot}_{next(numbers)}",
        f"home:boot{boot}",
        lambda: 0.5,
        wrap_provider=wrap or (lambda provider: ScriptedProvider(script)),
    )
    choice = Choice(ModelName("anthropic", "claude-x"), "a test says so")
    system = build(load_settings({}, {}, home), choice, place)
    await system.store.open()
    memory = system.core.built["memory"]
    if memory.open is not None:
        await memory.open()
    try:
        yield system
    finally:
        if memory.close is not None:
            await memory.close()
        await system.store.close()
        await system.models.close()


async def talk(system: System, thread_id: str, message_id: str, text: str) -> list[dict[str, Any]]:
    """One turn; the data of its RUN_STARTED events so far."""
    await system.service.send(TurnSend(thread_id=thread_id, message_id=message_id, text=text), "owner")
    await system.turns.attend(ThreadId(thread_id))
    events = await system.service.history(thread_id, 0, None, 500)
    return [dict(event.data) for event in events if event.type == "RUN_STARTED"]


async def later(system: System, clock: ManualClock, thread_id: str, message_id: str, text: str) -> dict[str, Any]:
    """One more turn, when messages are taken again; the data of its RUN_STARTED."""
    await clock.advance(1.0)
    return (await talk(system, thread_id, message_id, text))[-1]


async def remember(system: System, clock: ManualClock) -> None:
    """What the daemon does behind the turns."""
    working = asyncio.create_task(system.core.built["memory"].followers["memory"].catch_up())
    while not working.done():
        await clock.advance(0.01)
    await working


async def test_the_next_conversation_is_told_of_the_last_once_and_also_after_a_restart(
    tmp_path: Path, manual_clock: ManualClock
) -> None:
    async with daemon(tmp_path, manual_clock, *[Say(f"In the blue tin. {DONE}")] * 3) as system:
        first = await system.service.create_thread(None, "", None, None)
        (started,) = await talk(system, first, "m1", "Where is the tea?")
        assert "memory" not in started
        await remember(system, manual_clock)
        await manual_clock.advance(60.0)
        second = await system.service.create_thread(None, "", None, None)
        (started,) = await talk(system, second, "m2", "And the coffee?")
        assert 'asked "Where is the tea?"; done: "In the blue tin."' in started["memory"]
        await remember(system, manual_clock)
    async with daemon(tmp_path, manual_clock, Say(f"Yes. {DONE}"), boot=2) as system:
        await manual_clock.advance(60.0)
        again, more = await talk(system, second, "m3", "Sure?")
        assert again["memory"] == started["memory"]
        assert "memory" not in more
        state = await system.threads.load(ThreadId(second))
        assert state is not None
        assert [part.origin for part in state.context.transcript[0].parts if isinstance(part, Text)] == [
            "user",
            "memory",
            "operator",
        ]


async def test_a_later_message_brings_to_mind_what_it_is_about_once_and_also_after_a_restart(
    tmp_path: Path, manual_clock: ManualClock
) -> None:
    async with daemon(tmp_path, manual_clock, *[Say(f"Yes. {DONE}")] * 9) as system:
        memory = system.host.needed(Memory)
        thread_id = await system.service.create_thread(None, "", None, None)
        (first,) = await talk(system, thread_id, "m1", "Hello")
        assert "memory" not in first
        tea, kiln = Words("The tea is in the blue tin.", Author.AGENT), Words("The kiln takes six hours.", Author.AGENT)
        page = Words("The kiln explodes.")
        for number, fact in enumerate((tea, kiln, page)):
            await memory.remember(fact, NoteAuthor("sulla", "thr_elsewhere", "run", f"key{number}"))
        said = (await later(system, manual_clock, thread_id, "m2", "Where is the tea?"))["memory"]
        assert said.splitlines()[2:] == [
            f"- {stamp(round(manual_clock.now() * 1000))[:10]}: The tea is in the blue tin.",
            "</memory>",
        ]
        assert "memory" not in (await later(system, manual_clock, thread_id, "m3", "Is the tea in that tin?"))
        assert "memory" not in (await later(system, manual_clock, thread_id, "m4", "Thank you!"))
        assert "kiln takes" in (await later(system, manual_clock, thread_id, "m5", "And the kiln?"))["memory"]
        state = await system.threads.load(ThreadId(thread_id))
        assert state is not None
        before = list(state.context.transcript)
    async with daemon(tmp_path, manual_clock, *[Say(f"Yes. {DONE}")] * 2, boot=2) as system:
        state = await system.threads.load(ThreadId(thread_id))
        assert state is not None
        assert list(state.context.transcript) == before
        assert not state.context.tainted
        assert "memory" not in (await later(system, manual_clock, thread_id, "m6", "The kiln, how long?"))


async def test_it_can_be_left_at_the_first_message(tmp_path: Path, manual_clock: ManualClock) -> None:
    script = [Say(f"Yes. {DONE}")] * 2
    async with daemon(tmp_path, manual_clock, *script, toml="[memory]\nevery_turn = false\n") as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await talk(system, thread_id, "m1", "Hello")
        author = NoteAuthor("sulla", "thr_elsewhere", "run", "key")
        await system.host.needed(Memory).remember(Words("The tea is in the tin.", Author.AGENT), author)
        assert "memory" not in (await later(system, manual_clock, thread_id, "m2", "Where is the tea?"))


async def test_a_memory_that_hangs_holds_up_no_later_turn(
    tmp_path: Path, manual_clock: ManualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with daemon(tmp_path, manual_clock, *[Say(f"Yes. {DONE}")] * 2) as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await talk(system, thread_id, "m1", "Hello")

        async def spread(*_: object) -> WordSpread:
            raise StoreUnavailable("the disk is gone")

        monkeypatch.setattr(system.host.needed(Memory).index, "spread", spread)
        assert "memory" not in (await later(system, manual_clock, thread_id, "m2", "Where is the tea?"))
        assert "a turn goes on without what its agent remembers: the disk is gone" in caplog.text


async def test_a_deleted_conversation_is_forgotten(tmp_path: Path, manual_clock: ManualClock) -> None:
    async with daemon(tmp_path, manual_clock, Say(f"In the blue tin. {DONE}")) as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await talk(system, thread_id, "m1", "Where is the tea?")
        await remember(system, manual_clock)
        index = system.host.needed(Memory).index
        assert await index.count("sulla", "episode") == 1
        await system.service.delete_thread(thread_id)
        await remember(system, manual_clock)
        assert await index.count("sulla", "episode") == 0


async def test_a_memory_that_cannot_be_read_holds_up_no_turn_and_the_log_says_so(
    tmp_path: Path, manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with daemon(tmp_path, manual_clock, Say(f"Hello. {DONE}")) as system:
        await system.host.needed(Memory).index.close()
        thread_id = await system.service.create_thread(None, "", None, None)
        (started,) = await talk(system, thread_id, "m1", "Hi")
        assert "memory" not in started
        assert "a conversation begins without what its agent remembers" in caplog.text


async def test_memory_can_be_switched_off(tmp_path: Path, manual_clock: ManualClock) -> None:
    script = Say(f"Hello. {DONE}")
    async with daemon(tmp_path, manual_clock, script, toml="[memory]\nenabled = false\n") as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await talk(system, thread_id, "m1", "Hi")
        assert (await system.service.status())["memory"] == "off"
        assert not (tmp_path / "sulla.memory.db").exists()
        tools = (await AGENTS.service_in(system.service.services).list_tools()).tools
        off = {tool.name for tool in tools if "`memory.enabled`" in tool.missing}
        assert off == {"remember", "recall", "forget"}


async def test_a_note_that_cannot_be_read_holds_up_no_turn_either(
    tmp_path: Path, manual_clock: ManualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with daemon(tmp_path, manual_clock, Say(f"Hello. {DONE}")) as system:

        async def recent(*_: object) -> list[MemoryNote]:
            raise CorruptRecord("not a note of the memory")

        monkeypatch.setattr(system.host.needed(Memory).index, "recent", recent)
        thread_id = await system.service.create_thread(None, "", None, None)
        (started,) = await talk(system, thread_id, "m1", "Hi")
        assert "memory" not in started
        assert "remembers: not a note of the memory" in caplog.text


@pytest.mark.parametrize("named", ["anthropic:claude-x", "nomic", "ollama:"])
async def test_a_model_that_embeds_nothing_is_refused_at_the_start(
    tmp_path: Path, manual_clock: ManualClock, named: str
) -> None:
    with pytest.raises(SettingsError, match=r"memory\.embed"):
        async with daemon(tmp_path, manual_clock, toml=f'[memory]\nembed = "{named}"\n'):
            pass


class Service(ScriptedProvider):
    """Embeds as the tests' embedder does, unless it is away."""

    away = False
    asked = 0

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = 1.0) -> list[list[float]]:
        assert model == "nomic-embed-text"
        self.asked += 1
        if self.away:
            raise ProviderUnreachable("nobody is there")
        return await embed([text.partition(": ")[2] for text in texts])


async def test_with_an_embedding_model_other_words_are_enough_and_without_its_service_words_have_to_do(
    tmp_path: Path, manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    service = Service([Say(f"Yes. {DONE}")] * 9)
    toml = '[memory]\nembed = "ollama:nomic-embed-text"\nembed_telling = 0.4\n'
    async with daemon(tmp_path, manual_clock, toml=toml, wrap=lambda _: service) as system:
        memory = system.host.needed(Memory)
        author = NoteAuthor("sulla", "thr_elsewhere", "run", "key")
        await memory.remember(Words("Our doctor is Halloran.", Author.AGENT), author)
        placing = asyncio.create_task(system.core.built["memory"].tasks["memory_vectors"]())
        while not await memory.index.vectors.signed("sulla", 0, 5):
            await manual_clock.advance(0.1)
        assert (await system.service.status())["memory_vectors"] in ("up to date", "behind")
        assert [hit.note.text for hit in await memory.recall("sulla", "physician")] == ["Our doctor is Halloran."]
        thread_id = await system.service.create_thread(None, "", None, None)
        (first,) = await talk(system, thread_id, "m1", "Which physician do we go to?")
        assert "Halloran" in first["memory"]
        service.away = True
        for _ in range(2):
            assert await memory.recall("sulla", "physician") == []
            assert len(await memory.recall("sulla", "doctor")) == 1
        said = [record.message for record in caplog.records if "by words alone" in record.message]
        assert said == ["the memory is searched by words alone for now: nobody is there"]
        service.away = False
        await manual_clock.advance(600.0)  # the service was left alone meanwhile
        assert len(await memory.recall("sulla", "physician")) == 1
        assert "the memory is searched by meaning again" in caplog.text
        placing.cancel()
        await asyncio.gather(placing, return_exceptions=True)
    assert system.core.ledger.used(manual_clock.now()).tokens > 0


async def test_an_agent_without_a_memory_is_told_nothing_and_nothing_of_its_turns_is_kept(
    tmp_path: Path, manual_clock: ManualClock
) -> None:
    folder = tmp_path / "agents" / "desk"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text("memory = false\n")
    async with daemon(tmp_path, manual_clock, *[Say(f"Hello. {DONE}")] * 2) as system:
        for message_id, message in (("m1", "My card ends 4242"), ("m2", "Who was here before?")):
            thread_id = await system.service.create_thread("desk", "", None, None)
            (started,) = await talk(system, thread_id, message_id, message)
            assert "memory" not in started
            await remember(system, manual_clock)
        index = system.host.needed(Memory).index
        assert await index.count("desk", "episode") == 0
        specs = {spec.id: spec for spec in system.host.agents.team.specs}
        ours = {"remember", "recall", "forget"}
        assert ours.isdisjoint(system.host.tools.now(specs["desk"]).names)
        assert ours <= {*system.host.tools.now(specs["sulla"]).names}


DRAWN: JsonObject = {
    "entities": [
        {"name": "Halloran", "kind": "person", "aliases": []},
        {"name": "Lund", "kind": "place", "aliases": []},
    ],
    "facts": [{"of": "Halloran", "what": "is", "is": "our doctor", "turns": [1]}],
    "relations": [{"of": "Halloran", "what": "works in", "to": "Lund", "turns": [1]}],
}


async def drawn(system: System, clock: ManualClock) -> dict[str, list[str]]:
    """What the daemon draws behind the turns, until it has kept something: facts by name."""
    statements = system.host.needed(Memory).index.statements
    working = asyncio.create_task(system.core.built["memory"].tasks["memory_entities"]())
    while not (kept := await statements.since("sulla", 0, 50)):
        await clock.advance(0.5)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    entities = graph_of(one.statement for one in kept).entities.values()
    return {one.name: [known.value for known in (*one.facts, *one.relations)] for one in entities}


async def test_entities_are_drawn_behind_the_turns_by_the_agents_model_and_charged_to_its_day(
    tmp_path: Path, manual_clock: ManualClock
) -> None:
    said = f"Halloran is our doctor, in Lund. {DONE}"
    call = ToolCall(CallId("c1"), "entities", DRAWN)
    provider = ScriptedProvider([Say(said), Say("", (call,))])
    toml = "[memory]\nentities = true\nentities_every = 1\n"
    async with daemon(tmp_path, manual_clock, toml=toml, wrap=lambda _: provider) as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await talk(system, thread_id, "m1", "Who is our doctor?")
        await remember(system, manual_clock)
        before = system.core.ledger.used(manual_clock.now()).tokens
        assert await drawn(system, manual_clock) == {"Halloran": ["our doctor", "Lund"], "Lund": ["Halloran"]}
        assert system.core.ledger.used(manual_clock.now()).tokens > before
        asked = provider.requests[-1]
        assert (asked.force, [one.name for one in asked.tools]) == ("entities", ["entities"])
        assert (await system.service.status())["memory_entities"] in ("up to date", "behind")
        assert len(provider.requests) == 2
        await system.service.delete_thread(thread_id)
        await remember(system, manual_clock)
        assert await system.host.needed(Memory).index.statements.since("sulla", 0, 50) == []


async def test_nothing_is_drawn_unless_it_is_asked_for(tmp_path: Path, manual_clock: ManualClock) -> None:
    async with daemon(tmp_path, manual_clock, Say(f"Hello. {DONE}")) as system:
        assert "memory_entities" not in system.core.built["memory"].tasks
        assert (await system.service.status())["memory_entities"] == "off"
