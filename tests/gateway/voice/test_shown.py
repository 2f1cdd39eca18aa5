"""What is still to come of what was said, in whichever order one hears of it; and the sink that ends with it."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.voice.shown import VoiceView
from sulla.gateway.voice.sink import VoiceSink

SPOKEN: JsonObject = {"message_id": "speech:u", "text": "so", "spoken": {"turn_id": "u", "reason": "final"}}


def event(type_: str, data: JsonObject, seq: int | None = 1, run_id: str | None = "run_1", depth: int = 0) -> Event:
    return Event("thr_1", seq, run_id, None, "sulla", depth, type_, 0, data)


ENDS = event("RUN_FINISHED", {"run_id": "run_1", "outcome": {"status": "done"}}, 3)


def test_a_turn_is_to_come_from_its_first_word_to_the_end_of_its_run() -> None:
    shown = VoiceView()
    quiet = [shown.quiet]
    shown.turn_begins("u")
    quiet.append(shown.quiet)
    assert shown.frame(event("INPUT", SPOKEN, 2)) == b""
    quiet.append(shown.quiet)
    assert json.loads(shown.frame(ENDS)) == {"type": "reply_end", "run_id": "run_1", "status": "done"}
    assert [*quiet, shown.quiet] == [True, False, False, True]


def happens(shown: VoiceView, step: int) -> None:
    """What becomes of one spoken turn, in pieces that come by different ways."""
    if step == 0:
        shown.turn_begins("u")
    elif step == 1:
        shown.run_begins("run_1")
    else:
        shown.frame(event("INPUT", SPOKEN, 2) if step == 2 else ENDS)


@pytest.mark.parametrize("order", [one for one in permutations(range(4)) if one.index(2) < one.index(3)], ids=str)
def test_the_answers_to_requests_may_come_before_or_behind_what_they_led_to(order: tuple[int, ...]) -> None:
    shown = VoiceView()
    for step in order:
        happens(shown, step)
    assert shown.quiet


@pytest.mark.parametrize(
    "last",
    [
        event("SPEECH_CANCELLED", {"turn_id": "u"}, None, None),
        event("OVERHEARD", {"turn_id": "u", "text": "uh-huh"}, 2, None),
    ],
)
def test_a_turn_that_becomes_no_message_is_not_waited_for(last: Event) -> None:
    shown = VoiceView()
    shown.turn_begins("u")
    shown.frame(last)
    assert shown.quiet


def test_a_turn_that_joins_another_ends_with_that_one() -> None:
    shown = VoiceView()
    shown.frame(event("INPUT", SPOKEN, 2))
    shown.frame(event("INPUT", {"message_id": "m", "text": "typed"}, 3, "run_2"))
    assert (
        shown.frame(event("RUN_FINISHED", {"run_id": "run_1", "outcome": {"status": "done"}, "joined": "run_2"}, 4))
        == b""
    )
    assert not shown.quiet
    failed: JsonObject = {"run_id": "run_2", "code": "model_down", "message": "away"}
    end = json.loads(shown.frame(event("RUN_ERROR", failed, 5, "run_2")))
    assert (end, shown.quiet) == ({"type": "reply_end", "status": "failed", **failed}, True)


@pytest.mark.parametrize(
    "other",
    [
        event("RUN_FINISHED", {"run_id": "run_child", "outcome": {}}, 3, "run_child", depth=1),
        event("TEXT_MESSAGE_CONTENT", {"message_id": "m", "offset": 0, "delta": "so"}, None),
        event("SUSPENDED", {"waits": [{"wait_id": "child:c"}, "nonsense", {}]}),
        event("SUSPENDED", {}),
        event("RUN_STARTED", {"input_seq": 1}),
    ],
)
def test_what_is_none_of_a_listeners_business_is_not_shown(other: Event) -> None:
    assert VoiceView().frame(other) == b""


def test_what_is_known_has_a_bound() -> None:
    shown = VoiceView()
    for number in range(10_000):
        shown.turn_begins(f"u{number}")
        shown.run_begins(f"run_{number}")
        shown.turn_ends(f"u{number}x")
    assert max(len(names) for names in (shown._turns, shown._runs, shown._over)) == 256


# ---------------------------------------------------------------------------------------------------------- the sink


class Out:
    """Takes as many frames as there is room for without waiting."""

    def __init__(self, server: int = 100) -> None:
        self.server = server
        self.said: list[str] = []

    def add(self, frame: bytes) -> bool:
        if len(self.said) >= self.server:
            return False
        self.said.append(json.loads(frame)["type"])
        return True

    async def put(self, frame: bytes) -> None:
        self.said.append(json.loads(frame)["type"])

    async def put_event(self, event: Event) -> None:
        raise AssertionError("events are frames by now")

    def add_event(self, event: Event) -> bool:
        raise AssertionError("events are frames by now")

    async def emptied(self) -> None:
        self.said.append("emptied")


def sink_of(out: Out, shown: VoiceView, *, leaving: bool) -> VoiceSink:
    return VoiceSink(shown.frame, lambda: leaving and shown.quiet, out, lambda: out.said.append("end"))


async def test_what_finds_no_room_comes_again_and_is_shown_once() -> None:
    out, partial = Out(server=1), event("SPEECH_PARTIAL", {"turn_id": "u", "text": "so", "chars": 2}, None, None)
    sink = sink_of(out, VoiceView(), leaving=False)
    assert [sink.add_event(partial), sink.add_event(partial)] == [True, False]
    await sink.put_event(partial)
    assert out.said == ["speech_partial", "speech_partial"]


async def test_the_last_thing_that_is_shown_is_sent_before_the_end() -> None:
    out, shown = Out(), VoiceView()
    shown.turn_begins("u")
    sink = sink_of(out, shown, leaving=True)
    await sink.put_event(event("INPUT", SPOKEN, 2))
    assert out.said == []
    await sink.put_event(ENDS)
    assert out.said == ["reply_end", "emptied", "end"]


async def test_it_ends_with_something_live_too() -> None:
    out, shown = Out(), VoiceView()
    shown.turn_begins("u")
    sink = sink_of(out, shown, leaving=True)
    dropped = event("SPEECH_CANCELLED", {"turn_id": "u"}, None, None)
    assert not sink.add_event(dropped), "closing has to be waited for"
    await sink.put_event(dropped)
    assert out.said == ["speech_cancelled", "emptied", "end"]
