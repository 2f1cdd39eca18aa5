"""What the streamed replies of all services have in common."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.errors import ProviderProtocol
from sulla.core.ids import CallId, MessageId
from sulla.core.message import Part, Text, ToolCall
from sulla.models.base import Completed, Delta, ReasoningDelta, Stop, TextDelta, TokenUsage
from sulla.models.wire.lines import LineReader
from sulla.models.wire.reply import Shown, StreamedReply

KINDS: dict[str, Shown] = {"say": TextDelta, "think": ReasoningDelta}


class Plain(StreamedReply):
    """One object a line: ``{"say": "Hi"}``, ``{"think": "Hm"}``, ``{"stop": "end", "calls": ["t1"]}``."""

    def __init__(self) -> None:
        super().__init__("m", LineReader())

    def _take(self, data: bytes) -> Completed | None:
        event = orjson.loads(data)
        if "stop" not in event:
            ((what, text),) = event.items()
            self._show(KINDS[what], text)
            return None
        said: tuple[Part, ...] = (Text(self._all(TextDelta)), Text(self._all(ReasoningDelta)))
        tools = tuple(ToolCall(CallId(call), "t", {}) for call in event.get("calls", ()))
        return self._whole(MessageId("m1"), said + tools, TokenUsage(), event["stop"])


def lines(*events: object) -> bytes:
    return b"".join(orjson.dumps(event) + b"\n" for event in events)


def read(*chunks: bytes) -> list[Delta]:
    reply = Plain()
    found = [delta for chunk in chunks for delta in reply.feed(chunk)]
    reply.end()
    return found


def completed(*events: object) -> Completed:
    last = read(lines(*events))[-1]
    assert isinstance(last, Completed)
    return last


STOP = {"stop": "end"}


def test_what_arrives_together_is_one_delta_and_keeps_its_order() -> None:
    events = ({"say": "a"}, {"say": "b"}, {"think": "c"}, {"say": ""}, {"think": "d"}, {"say": "e"}, STOP)
    *shown, last = read(lines(*events))
    assert shown == [TextDelta("ab"), ReasoningDelta("c"), ReasoningDelta("d"), TextDelta("e")]
    assert isinstance(last, Completed)
    assert [part.text for part in last.message.parts if isinstance(part, Text)] == ["abe", "cd"]


def test_what_arrives_apart_waits_for_nothing() -> None:
    shown = read(lines({"say": "a"}), lines({"say": "b"}), lines({"say": ""}), lines({"say": "c"}, STOP))[:-1]
    assert shown == [TextDelta("a"), TextDelta("b"), TextDelta("c")]


def test_the_whole_reply_is_given_once_and_what_follows_changes_nothing() -> None:
    reply = Plain()
    before = reply.completed
    (last,) = reply.feed(lines(STOP) + b"rubbish\n")
    assert isinstance(last, Completed)
    assert (before, reply.completed) == (False, True)
    assert reply.feed(b"rubbish\n" * 9) == []
    reply.end()


def test_a_stream_that_ends_before_its_reply_does_is_no_reply() -> None:
    with pytest.raises(ProviderProtocol, match="'m' ended before it was complete; nothing of it counts"):
        read(lines({"say": "a"}))


@pytest.mark.parametrize("event", [{"say": 7}, {"say": None}, {"sing": "a"}, [], 7, None])
def test_an_event_that_makes_no_sense_breaks_the_reply_and_is_told(event: object) -> None:
    with pytest.raises(ProviderProtocol, match="'m' holds an event that makes no sense: b'") as caught:
        read(lines({"say": "a"}, event, STOP))
    assert repr(orjson.dumps(event)) in caught.value.message


@pytest.mark.parametrize("stop", ["end", "tool_calls"])
def test_a_reply_with_calls_stops_to_make_them(stop: Stop) -> None:
    assert completed({"stop": stop, "calls": ["t1", "t2"]}).stop == "tool_calls"
    assert completed({"stop": "max_tokens", "calls": ["t1"]}).stop == "max_tokens"


def test_calls_and_the_reason_to_stop_go_together() -> None:
    with pytest.raises(ProviderProtocol, match="without naming one"):
        completed({"stop": "tool_calls"})
    with pytest.raises(ProviderProtocol, match="one tool call id twice"):
        completed({"stop": "end", "calls": ["t1", "t1"]})


def test_a_reply_without_an_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.models.wire.reply.MAX_REPLY_BYTES", 2000)
    reply, piece = Plain(), lines({"say": "abcdef"})
    for _ in range(2000 // len(piece)):
        assert reply.feed(piece) == [TextDelta("abcdef")]
    with pytest.raises(ProviderProtocol, match="longer than 2000 bytes"):
        reply.feed(piece)


def test_an_event_without_an_end_is_not_collected_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.models.wire.reply.MAX_EVENT_BYTES", 100)
    reply = Plain()
    assert reply.feed(b"x" * 100) == []
    with pytest.raises(ProviderProtocol, match="event of more than 100 bytes"):
        reply.feed(b"x")
