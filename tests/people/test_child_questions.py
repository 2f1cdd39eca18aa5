"""What a sub-agent asks is told where somebody waits for it: in the log, and in each dialect that streams."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.ids import CallId
from sulla.gateway.commands import Event
from sulla.gateway.dialects.abi.frames import AbiStream
from sulla.gateway.dialects.agui.frames import AguiFrames, AguiTranscript
from sulla.gateway.dialects.hub.frames import Conversation
from sulla.gateway.dialects.mcp.projection import McpProjection
from sulla.gateway.dialects.openai.frames import Chunks, CompletionReply
from sulla.gateway.dialects.projection import Projection
from sulla.gateway.dialects.snippbot.frames import SnippbotFrames
from sulla.gateway.dialects.steps import ChildAsks
from sulla.people.child_questions import ChildQuestions
from sulla.people.slice import Notice
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.log.waits import Wait
from tests.agent.subagents.test_children import calls, home_of, spawn
from tests.gateway.dialects.agui.test_frames import RUN

ASKED = Wait("approval:call_1:d1:0", CallId("call_1"), "May bash be called with {}?", "d1")
WORDS = "The sub-agent sulla asks: May bash be called with {}? It is answered where questions are"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def test_whoever_waits_for_a_sub_agent_is_told_once_what_it_asks(store: MemoryStore) -> None:
    home = home_of(store, calls(spawn("a", "look")))
    world = home.world
    thread = await world.thread()
    await world.ask(thread, "go")
    child = await world.threads.load(await home.child(thread))
    parent = await world.threads.load(thread)
    assert child is not None
    assert parent is not None
    tell = ChildQuestions(world.threads)
    for _ in range(2):  # the second time behind a crash
        await tell(child, (ASKED, Wait("child:c9", CallId("call_2"))))
    await tell(parent, (ASKED,))  # its own questions are asked there as they are
    (told,) = [entry for entry in await world.log(thread) if isinstance(entry.fact, Notice)]
    assert parent.run is not None
    assert told.origin.run_id == parent.run.id
    assert isinstance(told.fact, Notice)
    assert told.fact.wait_id == ASKED.wait_id
    assert told.fact.text.startswith(WORDS)


STREAMS: tuple[Projection, ...] = (
    Chunks(CompletionReply("c1", "sulla", 0, "thr_1", may_answer=True)),
    AbiStream("thr_1", may_answer=True),
    AguiFrames(RUN, AguiTranscript(())),
    McpProjection(),
    SnippbotFrames("s1", "thr_1", "run_1"),
)


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: type(stream).__name__)
def test_each_dialect_that_streams_passes_the_words_on(stream: Projection) -> None:
    shown = stream.show(ChildAsks(WORDS))
    assert WORDS.encode() in shown
    if not isinstance(stream, McpProjection):  # which tells it to a program, and not as Markdown
        assert any(before + WORDS.encode() in shown for before in (rb"\n\n    ", b"\ndata:     "))


def test_the_desktop_client_is_told_it_to_the_letter() -> None:
    told, asked = (
        Conversation("thr_1", "c1", may_answer=True, streaming=False).take(
            Event("thr_1", 3, "run_1", None, "sulla", 0, "NOTICE", 0, {"text": WORDS, "wait_id": wait_id})
        )
        for wait_id in ("", ASKED.wait_id)
    )
    assert [one.data["content"] for one in told] == [WORDS]
    assert str(asked[0].data["content"]).endswith(f"\n\n    {WORDS}")
