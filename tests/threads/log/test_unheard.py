"""What a model is told of its own words is what the person had heard of them."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import Message, Origin, Reasoning, Text, ToolCall, ToolResult
from sulla.threads.log import codec
from sulla.threads.log import records as f
from sulla.threads.log.fold import apply_decision
from sulla.threads.log.fold_offer import apply_offer
from sulla.threads.log.spoken import Heard, Spoken
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.unheard import MARK, leave_out_unheard

CALL = ToolCall(CallId("c1"), "look", {})
FIRST = MessageId("a1")


def measure(message: Message) -> int:
    return len(message.text) + 1


def user(text: str, *, origin: Origin = "user", hidden: bool = False) -> Message:
    return Message(MessageId(f"u-{text}"), "user", (Text(text, origin),), hidden)


def agent(number: int, *parts: str | ToolCall | Reasoning, hidden: bool = False) -> Message:
    found = tuple(Text(part, "agent") if isinstance(part, str) else part for part in parts)
    return Message(MessageId(f"a{number}"), "assistant", found, hidden)


def result() -> Message:
    return Message(MessageId("r1"), "tool", (ToolResult(CALL.id, "seen"),))


def after(chars: int, *messages: Message, reply: str = "a1") -> list[Message]:
    script = Transcript(measure)
    for message in messages:
        script.push(message)
    _ = script.tokens  # so that what was measured before is measured anew
    leave_out_unheard(script, Heard(MessageId(reply), chars))
    once = list(script)
    assert script.tokens == sum(map(measure, once))
    leave_out_unheard(script, Heard(MessageId(reply), chars))
    assert list(script) == once
    return once


def test_a_reply_is_cut_where_it_was_heard() -> None:
    assert after(5, user("hi"), agent(1, "Hello there.")) == [user("hi"), agent(1, "Hello")]


def test_code_points_are_counted_not_bytes_or_units() -> None:
    assert after(3, agent(1, "a\U0001f600\u0301b"))[0].text == "a\U0001f600\u0301"


@pytest.mark.parametrize("chars", [12, 13, 10**9])
def test_what_was_heard_to_its_end_stays(chars: int) -> None:
    assert after(chars, agent(1, "Hello there.")) == [agent(1, "Hello there.")]


@pytest.mark.parametrize(("text", "chars"), [("Hello", 0), ("  Hello", 2), ("\n\nHello", 1)])
def test_a_reply_of_which_nothing_was_heard_is_none(text: str, chars: int) -> None:
    assert after(chars, user("hi"), agent(1, Reasoning("well"), text)) == [user("hi")]


def test_calls_stay_with_their_results_and_their_thoughts() -> None:
    thought = Reasoning("I look", {"signature": "x"})
    kept = after(0, user("hi"), agent(1, thought, "I will look.", CALL), result())
    assert kept == [user("hi"), agent(1, thought, CALL), result()]


def test_thoughts_without_calls_go_with_the_words_that_were_cut() -> None:
    assert after(2, agent(1, Reasoning("well"), "Hello")) == [agent(1, "He")]


def test_what_was_said_behind_it_was_not_heard_either() -> None:
    kept = after(3, user("hi"), agent(1, "Let me look.", CALL), result(), agent(2, "It is blue."))
    assert kept == [user("hi"), agent(1, "Let", CALL), result()]


def test_what_came_after_other_words_of_the_person_was() -> None:
    messages = (agent(1, "Hello there."), user("typed"), agent(2, "So it is."))
    assert after(5, *messages) == [agent(1, "Hello"), *messages[1:]]


def test_words_of_nobody_do_not_count_as_the_persons() -> None:
    go_on, nudge = user("go on", origin="operator"), user("say it", origin="operator", hidden=True)
    kept = after(2, agent(1, "Hello."), go_on, agent(2, "As I said."), nudge, agent(3, "ok", hidden=True))
    assert kept == [agent(1, "He"), go_on, nudge, agent(3, "ok", hidden=True)]


def test_a_reply_that_is_not_here_cuts_nothing() -> None:
    messages = [user("hi"), agent(1, "Hello there.")]
    assert after(0, *messages, reply="summed up") == messages
    assert after(0, reply="a1") == []
    assert after(0, *messages, reply="u-hi") == messages


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_of_several_the_least_counts(chars: list[int]) -> None:
    script = Transcript(measure)
    script.push(agent(1, "Hello there."))
    for count in chars:
        leave_out_unheard(script, Heard(FIRST, count))
    assert [message.text for message in script] == (["Hello there."[: min(chars)]] if min(chars) else [])


# ------------------------------------------------------------------------------------------------------- the fold


class Log:
    """A log in the making; it is folded in twice, so that offers may be known before or after they count."""

    def __init__(self) -> None:
        self.state = ThreadState(ThreadId("thr"), ModelContext(Transcript(measure)))
        self.seq = 0

    def add(self, *facts: f.ThreadFact) -> None:
        for fact in facts:
            self.seq += 1
            origin = codec.Origin(self.seq, RunId(f"run_{self.seq}"))
            if isinstance(fact, get_args(f.Offer)):
                apply_offer(self.state, fact, self.seq, origin)
            else:
                apply_decision(self.state, fact, origin)

    @property
    def told(self) -> list[tuple[str, ...]]:
        """The messages, by the texts of their parts."""
        return [
            tuple(getattr(part, "text", "·") for part in message.parts) for message in self.state.context.transcript
        ]


def spoken(message_id: str, text: str, chars: int, reply: str = "a1", mode: f.Mode = "steer") -> f.Input:
    return f.Input(
        MessageId(message_id), text, mode, spoken=Spoken("u1", "final", heard=Heard(MessageId(reply), chars))
    )


def reply(number: int, text: str, *calls: ToolCall) -> tuple[f.ModelStarted, f.TextMessageEnd]:
    call, message = CallId(f"m{number}"), MessageId(f"a{number}")
    return f.ModelStarted(call, message), f.TextMessageEnd(call, message, text, calls)


def ended(run: int) -> f.RunFinished:
    return f.RunFinished(RunId(f"run_{run}"), f.Outcome("done"))


def test_a_spoken_turn_cuts_the_reply_when_it_is_taken_up() -> None:
    log = Log()
    log.add(f.Input(MessageId("i1"), "hi"), f.RunStarted(1, MessageId("i1")), *reply(1, "Hello there."), ended(1))
    log.add(spoken("i2", "wait", 5))
    assert log.told == [("hi",), ("Hello there.",)]
    log.add(f.RunStarted(6, MessageId("i2"), known_seq=6), f.InputHandled(MessageId("i2"), {}, "wait!"))
    assert log.told == [("hi",), ("Hello",), ("wait!", MARK.text)]


def test_one_that_joins_the_run_cuts_it_too() -> None:
    log = Log()
    log.add(f.Input(MessageId("i1"), "hi"), f.RunStarted(1, MessageId("i1")), *reply(1, "Let me look.", CALL))
    log.add(f.ToolCallStart(CALL.id, "look", {}, FIRST), spoken("i2", "wait", 3), f.ToolCallResult(CALL.id, "seen"))
    log.add(f.InputsJoined((6,), (RunId("run_6"),)))
    assert log.told == [("hi",), ("Let", "·"), ("seen",), ("wait", MARK.text)]
    assert not log.state.context.transcript.unanswered


def test_what_somebody_waits_to_say_cuts_it_before_an_earlier_message_is_answered() -> None:
    log = Log()
    log.add(f.Input(MessageId("i1"), "hi"), f.RunStarted(1, MessageId("i1")), *reply(1, "Hello there."))
    log.add(f.Input(MessageId("i2"), "typed"), spoken("i3", "wait", 5), ended(1))
    log.add(f.RunStarted(5, MessageId("i2"), known_seq=6), *reply(2, "Yes?"), ended(5))
    assert log.told == [("hi",), ("Hello",), ("typed",), ("Yes?",)]
    log.add(f.RunStarted(6, MessageId("i3"), known_seq=6))
    assert log.told == [("hi",), ("Hello",), ("typed",), ("Yes?",), ("wait", MARK.text)]


def test_a_typed_turn_is_told_nothing_of_it() -> None:
    log = Log()
    log.add(f.Input(MessageId("i1"), "hi"), f.RunStarted(1, MessageId("i1")), *reply(1, "Hello there."), ended(1))
    log.add(f.Input(MessageId("i2"), "more", spoken=Spoken("u1", "final")), f.RunStarted(6, MessageId("i2")))
    assert log.told == [("hi",), ("Hello there.",), ("more",)]
