"""A message that has a phrase of its agent's goes where the phrase leads, and every other one to the agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.spec import AgentSpec
from sulla.core.ids import MessageId, ThreadId
from sulla.core.words import Words, ours
from sulla.definitions.intents import Intent
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import Answer, Input, TextMessageEnd
from sulla.threads.log.spoken import Heard, Spoken
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.handoffs.team import TeamWorld, call
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

MESSAGES = [
    line.replace("\\n", "\n").rstrip("\n").partition(" | ")[::2]
    for line in (Path(__file__).parent / "messages.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
PHRASES = {
    "gardener": (
        *("water the roses", "die Rosen gießen", "gieß die Rosen", "arroser les roses", "regar las rosas"),
        *("annaffiare le rose", "regar as rosas", "de rozen water geven", "полить розы", "podlać róże"),
        *("vattna rosorna", "浇玫瑰"),
    ),
    "clock": ("what time is it", "wie spät ist es", "quelle heure est-il", "qué hora es"),
    "week": ("plan my week", "plane meine Woche"),
    "hours": ("opening hours", "Öffnungszeiten", "horaires d'ouverture"),
}
INTENTS = (
    Intent(PHRASES["gardener"], "agent", "gardener"),
    Intent(PHRASES["clock"], "tool", "clock", {"zone": "Rome"}),
    Intent(PHRASES["week"], "playbook", "week", {"days": 7}),
    Intent(PHRASES["hours"], "text", "From nine to five."),
)
OVER_A_REPLY = Spoken("u", "final", heard=Heard(MessageId("reply"), 3))
SPECS = (
    AgentSpec("sulla", "Sulla", "You are Sulla.", "plain", hands_to=("gardener", "tutor"), intents=INTENTS),
    AgentSpec(
        "gardener",
        "Gardener",
        "You garden.",
        "plain",
        intents=(Intent(("water the roses",), "agent", "tutor"), Intent(("plan my week",), "text", "Mow on Monday.")),
    ),
    AgentSpec("tutor", "Tutor", "You teach.", "plain"),
)


def clock_tool(told: list[str]) -> Tool:
    async def clock(context: ToolContext, *, zone: str) -> Result:
        """Tell the time.

        Args:
            zone: Where.
        """
        told.append(f"{context.agent} {zone}")
        return Done(ours(f"Noon in {zone}."))

    return define(clock, effect="idempotent", reach="inward")


def page_tool() -> Tool:
    async def page(context: ToolContext) -> Result:
        """Read a page."""
        return Done(Words("water the roses"), origin="web")

    return define(page, effect="pure", reach="inward")


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


def world_of(store: Any, *said: Say | str, boot: int = 1, told: list[str] | None = None) -> TeamWorld:
    tools = (clock_tool(told if told is not None else []), page_tool())
    return TeamWorld(store, ScriptedProvider(list(said)), tools, specs=SPECS, boot=boot)


async def replies(world: TeamWorld, thread: ThreadId) -> list[str]:
    return [entry.fact.text for entry in await world.log(thread) if isinstance(entry.fact, TextMessageEnd)]


async def went(world: TeamWorld, thread: ThreadId, told: list[str]) -> str:
    """Where the newest message of a conversation went, in the table's words."""
    if world.asked:
        return "+".join(sorted(name for name in PHRASES for one in PHRASES[name] if one in world.asked[0]))
    if routed := await world.routed(thread):
        return {"intent": "", "mention": "@"}[routed[0][1]] + routed[0][0]
    found = ["clock"] * len(told) + [name for name, _ in world.begun]
    return "".join(found + (["hours"] if "From nine to five." in await replies(world, thread) else [])) or "-"


def test_the_table_has_more_than_200_messages() -> None:
    assert len({text for _, text in MESSAGES}) > 200


async def test_an_intent_to_a_playbook_that_cannot_be_started_is_passed_over_and_told(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    spec = AgentSpec("sulla", "Sulla", "You.", "plain", intents=(Intent(("plan my week",), "playbook", "wek"),))
    world = TeamWorld(store, ScriptedProvider(["I plan."]), specs=(spec,))
    thread = await world.thread()
    await world.ask(thread, "plan my week")
    assert world.begun == []
    assert await replies(world, thread) == ["I plan."]
    assert "the intent 'plan my week' of the agent 'sulla' is passed over: there is no playbook 'wek'." in caplog.text


async def test_no_message_goes_where_a_person_would_not_expect_it(store: MemoryStore) -> None:
    wrong, missed = list[str](), list[str]()
    for number, (expected, text) in enumerate(MESSAGES):
        told = list[str]()
        world = world_of(store, "So be it.", boot=number, told=told)
        thread = await world.thread()
        await world.ask(thread, text)
        found = await went(world, thread, told)
        wanted = "+".join(sorted(expected.rstrip("?").split("+"))).replace("@sulla", "-")
        if found == "-" != wanted:
            missed += [] if expected.endswith("?") else [text]
        elif found != wanted:
            wrong.append(f"{text!r} went to {found}, not to {wanted}")
    assert (wrong, missed) == ([], [])


async def test_an_agent_has_the_conversation_from_then_on_and_looks_up_nothing_for_the_same_message(
    store: MemoryStore,
) -> None:
    world = world_of(store, "Watered.", "I do.")
    thread = await world.thread()
    await world.ask(thread, "please water the roses")
    await world.ask(thread, "and do you prune them?")
    assert await world.speaker(thread) == ["gardener", "gardener"]
    assert await world.routed(thread) == [("gardener", "intent")]


async def test_whoever_has_the_conversation_goes_by_its_own_intents(store: MemoryStore) -> None:
    world = world_of(store, "Watered.")
    thread = await world.thread()
    await world.ask(thread, "water the roses")
    await world.ask(thread, "plan my week")
    assert (await replies(world, thread))[-1] == "Mow on Monday."
    assert world.begun == []


async def test_a_tool_is_called_in_the_models_place_and_the_model_tells_of_it(store: MemoryStore) -> None:
    told = list[str]()
    world = world_of(store, "It is noon.", told=told)
    thread = await world.thread()
    await world.ask(thread, "what time is it?")
    assert told == ["sulla Rome"]
    assert await replies(world, thread) == ["", "It is noon."]
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    (request,) = provider.requests
    assert [message.role for message in request.messages] == ["user", "assistant", "tool"]


async def test_a_playbook_starts_with_what_the_intent_gives(store: MemoryStore) -> None:
    world = world_of(store)
    thread = await world.thread()
    await world.ask(thread, "plan my week")
    assert world.begun == [("week", {"days": 7})]
    assert await replies(world, thread) == ["Playbook week runs."]


@pytest.mark.parametrize(("choice", "begun"), [("plan my week", 1), ("NONE", 0), ("", 0), ("week", 0)])
async def test_of_several_the_model_chooses_one_or_none(store: MemoryStore, choice: str, begun: int) -> None:
    world = world_of(store, "Neither.")
    world.choice = choice
    thread = await world.thread()
    await world.ask(thread, "plan my week and water the roses")
    assert sorted(world.asked[0]) == ["NONE", "plan my week", "water the roses"]
    assert len(world.begun) == begun
    assert await world.routed(thread) == []


@pytest.mark.parametrize(
    "given",
    [
        Input(MessageId("m"), "water the roses", tainted=True),
        Input(MessageId("m"), "water the roses", origin="web"),
        Input(MessageId("m"), "what does it say?", quoted="water the roses"),
        Input(MessageId("m"), "water the roses", quoted="a page that may end where it likes"),
        Input(MessageId("m"), "@gardener hello", quoted="a page that may end where it likes"),
        Input(MessageId("m"), "water the roses", spoken=OVER_A_REPLY),
        Input(MessageId("m"), "@gardener hello", spoken=OVER_A_REPLY),
        Input(MessageId("m"), "An application: water the roses.\n\nHello.", said_chars=6),
        Input(MessageId("m"), "An application: @gardener\n\nHello.", said_chars=6),
        Input(MessageId("m"), "An application.\n\nwater the roses\u200b", said_chars=16),
        Input(MessageId("m"), "water the roses", agent="tutor"),
    ],
    ids=[
        *("from outside", "that nobody wrote", "quoted beside it", "with something quoted", "named beside a quotation"),
        *("over a reply", "named over a reply", "by an application", "named by an application"),
        *("where nobody knows where it begins", "sent to one agent"),
    ],
)
async def test_what_a_person_does_not_say_to_whoever_has_the_conversation_is_looked_up_nowhere(
    store: MemoryStore, given: Input
) -> None:
    world = world_of(store, "So be it.")
    thread = await world.thread()
    await world.threads.send(thread, given)
    await world.turns.attend(thread)
    assert await world.routed(thread) == []
    assert world.asked == []


@pytest.mark.parametrize("text", ["water the roses", "@gardener hello"])
async def test_what_a_person_says_below_an_applications_words_leads_where_it_does_alone(
    store: MemoryStore, text: str
) -> None:
    world = world_of(store, "So be it.")
    thread = await world.thread()
    await world.threads.send(thread, Input(MessageId("m"), f"Plan my week.\n\n{text}", said_chars=len(text)))
    await world.turns.attend(thread)
    assert [agent for agent, _ in await world.routed(thread)] == ["gardener"]
    assert world.asked == []


async def test_a_page_with_a_phrase_leads_nowhere(store: MemoryStore) -> None:
    world = world_of(store, Say("", (call(1, "page"),)), "It says so.", "Yes.")
    thread = await world.thread()
    await world.ask(thread, "what does the page say?")
    await world.ask(thread, "really?")
    assert await world.routed(thread) == []


async def test_a_call_of_an_intent_is_asked_about_behind_a_page_as_any_call(store: MemoryStore) -> None:
    ran = list[str]()

    async def clock(context: ToolContext, *, zone: str) -> Result:
        """Set the time.

        Args:
            zone: Where.
        """
        ran.append(zone)
        return Done(ours("set"))

    outward = define(clock, effect="once", reach="outward")
    reads = Say("", (call(1, "page"),))
    world = TeamWorld(store, ScriptedProvider([reads, "So.", "Not then."]), (outward, page_tool()), specs=SPECS)
    thread = await world.thread()
    await world.ask(thread, "what does the page say?")
    await world.ask(thread, "what time is it?")
    _, state = await world.threads.get(thread)
    assert state is not None
    assert state.run is not None
    [wait] = state.run.waits.values()
    assert ran == []
    await world.threads.answer(thread, Answer(wait.wait_id, "", "reject"))
    await world.turns.attend(thread)
    assert ran == []
    assert (await replies(world, thread))[-1] == "Not then."


@pytest.mark.parametrize("at", range(1, 5))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("text", ["water the roses", "what time is it?", "opening hours?"])
async def test_after_a_death_at_any_write_a_message_has_gone_the_same_way_once(
    store: MemoryStore, text: str, at: int, after: bool
) -> None:
    told = list[str]()
    thread = await (first := world_of(store, boot=1)).thread()
    await first.send(thread, text)
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await world_of(mortal, "So be it.", boot=2, told=told).turns.attend(thread)
    except* Killed:
        assert mortal.dead
    later = world_of(store, "So be it.", boot=3, told=told)
    await later.turns.attend(thread)
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    assert await later.routed(thread) == ([("gardener", "intent")] if "water" in text else [])
    assert len(set(told)) == ("time" in text)
    expected = ["", "So be it."] if "time" in text else ["From nine to five."] if "hours" in text else ["So be it."]
    assert await replies(later, thread) == expected
