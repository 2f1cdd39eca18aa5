"""A log told as a conversation."""

from __future__ import annotations

from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.message import ToolCall
from sulla.store.values import Record
from sulla.threads.conversation import MAX_RESULT_CHARS, ConversationReader, LogMessage
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin, decode, encode
from sulla.threads.log.spoken import Heard, Spoken


def entry(seq: int, fact: f.ThreadFact, run_id: str = "r") -> Entry:
    draft = encode(fact, Origin(1_000, RunId(run_id)))
    return decode(Record(seq, draft.kind, isinstance(fact, f.Input), draft.body), "t")


def tell(*facts: f.ThreadFact) -> list[LogMessage]:
    listener = ConversationReader()
    said = [one for seq, fact in enumerate(facts, 1) for one in listener.hear(entry(seq, fact))]
    return [*said, *listener.rest()]


def reply(number: int, text: str, *calls: ToolCall, hidden: bool = False) -> f.TextMessageEnd:
    return f.TextMessageEnd(CallId(f"c{number}"), MessageId(f"m{number}"), text, calls, hidden=hidden)


def test_who_said_what_in_the_order_in_which_it_was_taken_up() -> None:
    look = ToolCall(CallId("k"), "look", {"where": "here"})
    said = tell(
        f.Input(MessageId("i1"), "first"),
        f.Input(MessageId("i2"), "second"),
        f.RunStarted(1, MessageId("i1")),
        f.InputHandled(MessageId("i1"), {"sanitized": True}, "the first"),
        reply(1, "Looking.", look),
        f.ToolCallResult(CallId("k"), "x" * 1_000),
        f.InputsJoined((2,), (RunId("r2"),)),
        reply(2, "Found."),
    )
    assert [(one.seq, one.who, one.border) for one in said] == [
        (3, "user", True),
        (5, "agent", True),
        (6, "tool", False),
        (7, "user", False),
        (8, "agent", True),
    ]
    assert said[0].text == "the first"
    assert said[1].text == 'Looking.\n[called look {"where":"here"}]'
    assert len(said[2].text) < MAX_RESULT_CHARS + 10
    assert said[3].text == "second"


def test_a_reply_is_told_as_far_as_it_was_heard() -> None:
    look = ToolCall(CallId("k"), "look", {})
    for chars, *told in ((5, "Hello"), (0,), (99, "Hello there.")):
        spoken = Spoken("u1", "final", heard=Heard(MessageId("m1"), chars))
        said = tell(
            f.Input(MessageId("i1"), "hi"),
            f.RunStarted(1, MessageId("i1")),
            reply(1, "Hello there."),
            f.Input(MessageId("i2"), "wait", spoken=spoken),
            f.RunStarted(4, MessageId("i2")),
        )
        assert [one.text for one in said if one.text] == ["hi", *told, "wait"]
    joined = tell(
        f.Input(MessageId("i1"), "hi"),
        f.RunStarted(1, MessageId("i1")),
        reply(1, "Let me look.", look),
        f.Input(MessageId("i2"), "wait", spoken=Spoken("u1", "final", heard=Heard(MessageId("m1"), 3))),
        f.InputsJoined((4,), (RunId("r2"),)),
    )
    assert joined[1].text == "Let\n[called look {}]"


def test_what_the_transcript_leaves_out_is_no_place_to_begin() -> None:
    said = tell(
        f.Input(MessageId("i"), "hi"), f.RunStarted(1, MessageId("i")), reply(1, ""), reply(2, "ok", hidden=True)
    )
    assert [one.border for one in said] == [True, False, False]


def test_an_input_that_was_offered_before_the_first_record_is_missed_by_name() -> None:
    listener = ConversationReader()
    started = entry(9, f.RunStarted(4, MessageId("i")))
    assert listener.missing(started) == (4,)
    assert list(listener.hear(entry(4, f.Input(MessageId("i"), "hi")))) == []
    assert listener.missing(started) == ()
