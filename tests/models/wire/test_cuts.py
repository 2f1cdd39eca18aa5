"""Twenty recorded streams, cut at every byte: nothing final, wrong or partial comes of a part of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import pytest

from sulla.core.errors import ProviderError, ProviderProtocol
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Reasoning, ToolCall
from sulla.models.anthropic.reply import AnthropicReply
from sulla.models.base import Completed, Delta, ReasoningDelta, TextDelta
from sulla.models.ollama.wire import OllamaReply
from sulla.models.openai.chat import ChatReply
from sulla.models.openai.responses import ResponsesReply
from tests.kits.deltas import joined
from tests.servers import anthropic_stream, ollama_server, openai_stream
from tests.servers.playing import Event
from tests.servers.script import Failure, Reply, ToolUse

Assembler = AnthropicReply | OllamaReply | ChatReply | ResponsesReply
Events = Callable[[Reply, JsonObject, str], Iterator[Event]]

TEXT = Reply("Grüße, «ça va»? 🙂", pieces=5)
TOOLS = Reply(
    "Let me see.", tools=(ToolUse("read_file", {"path": 'ä {"b"}.txt', "n": [1, {}]}), ToolUse("now", {})), pieces=2
)
THINKING = Reply("Noon.", 'First, the sun.\nThen \\ the "shadow".', (ToolUse("get_time_date", {"timezone": "UTC"}),))
MALFORMED = Reply("I will.", tools=(ToolUse("write_file", {}, '{"path": "a", "content": "b'),))
FAILING = Reply("Half a wor", "Hm.", broken="error")

SERVICES: dict[str, tuple[Callable[[], Assembler], Events, Callable[[Failure], bytes]]] = {
    "anthropic": (lambda: AnthropicReply("m"), anthropic_stream.events, anthropic_stream.error_event),
    "chat": (lambda: ChatReply("m", _ids()), openai_stream.chat_events, openai_stream.error_event),
    "responses": (lambda: ResponsesReply("m", _ids()), openai_stream.responses_events, openai_stream.error_event),
    "ollama": (
        lambda: OllamaReply("m", _ids()),
        lambda reply, body, identity: ollama_server.lines(reply, body),
        lambda failure: b'{"error":"it failed"}\n',
    ),
}
RECORDED = {"text": TEXT, "tools": TOOLS, "thinking": THINKING, "malformed": MALFORMED, "failing": FAILING}
"""What each service says: five streams of each of the four forms."""


def _ids() -> Callable[[str], str]:
    numbers = count(1)
    return lambda prefix: f"{prefix}_{next(numbers)}"


@dataclass(frozen=True)
class Stream:
    make: Callable[[], Assembler]
    data: bytes
    said: Reply


def _stream(service: str, what: str) -> Stream:
    make, events, error = SERVICES[service]
    said = RECORDED[what]
    if said.broken:
        said = Reply(said.text, said.thinking, broken=error(Failure(500, message="it failed")).decode())
    return Stream(make, b"".join(event.data for event in events(said, {"model": "m", "messages": []}, "7f")), said)


ALL = [pytest.param(_stream(service, what), id=f"{service}-{what}") for service in SERVICES for what in RECORDED]
GOOD = ("text", "tools", "thinking")
WHOLE = [pytest.param(_stream(service, what), id=f"{service}-{what}") for service in SERVICES for what in GOOD]


def test_there_are_twenty() -> None:
    assert len(ALL) == 20


def _read(stream: Stream, *pieces: bytes) -> list[Delta]:
    reply = stream.make()
    found = [delta for piece in pieces for delta in reply.feed(piece)]
    reply.end()
    return found


def _is_said(message: Message, said: Reply) -> None:
    assert message.text == said.text
    assert "".join(part.text for part in message.parts if isinstance(part, Reasoning)) == said.thinking
    calls = [(part.name, dict(part.args)) for part in message.parts if isinstance(part, ToolCall)]
    assert calls == [(tool.name, tool.args) for tool in said.tools]


@pytest.mark.parametrize("stream", ALL)
def test_a_stream_that_ends_after_any_byte_gives_its_whole_reply_or_none(stream: Stream) -> None:
    """Byte by byte: the state after each is that of a stream which ended there, and `end` changes nothing in it."""
    reply = stream.make()
    shown = thought = ""
    last: Completed | None = None
    for place in range(len(stream.data)):
        try:
            deltas = reply.feed(stream.data[place : place + 1])
        except ProviderError:
            assert stream.said.broken or any(tool.raw for tool in stream.said.tools)
            return
        for delta in deltas:
            assert last is None, "nothing follows the whole reply"
            if isinstance(delta, Completed):
                last = delta
            elif isinstance(delta, TextDelta):
                shown += delta.text
            elif isinstance(delta, ReasoningDelta):
                thought += delta.text
        assert stream.said.text.startswith(shown)
        assert stream.said.thinking.startswith(thought)
        if last is None:
            with pytest.raises(ProviderProtocol, match="before it was complete"):
                reply.end()
        else:
            _is_said(last.message, stream.said)
            assert (shown, thought) == (stream.said.text, stream.said.thinking)
            assert not stream.data[place + 1 :].strip(), "only blank lines are missing"
    assert last is not None


@pytest.mark.parametrize("stream", WHOLE)
def test_where_a_stream_is_cut_in_two_makes_no_difference(stream: Stream) -> None:
    whole = _read(stream, stream.data)
    assert whole == joined(whole), "what arrives together is one delta"
    for place in range(0, len(stream.data), 11):
        assert joined(_read(stream, stream.data[:place], stream.data[place:])) == whole


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("what", ["malformed", "failing"])
def test_neither_malformed_arguments_nor_a_failure_complete_anything(service: str, what: str) -> None:
    stream = _stream(service, what)
    with pytest.raises(ProviderError):
        _read(stream, stream.data)
