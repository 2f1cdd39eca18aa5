"""What is seen of a conversation, event by event."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.terminal.chat.pieces import Piece, args_line, folded, last_messages, shown_tail
from sulla.terminal.chat.view import View

Event = dict[str, Any]


def event(type_: str, run_id: str = "run_1", at: str = "2027-01-15T08:00:00.000Z", **data: Any) -> Event:
    return {"type": type_, "run_id": run_id, "at": at, "data": data, "thread_id": "thr_1", "seq": 7}


STARTED = event("RUN_STARTED", input_seq=1, message_id="m")
MODEL = event("MODEL_STARTED", call_id="c", message_id="msg")
TEXT = event("TEXT_MESSAGE_CONTENT", message_id="msg", offset=0, delta="a")
USED = "0 tokens in, 0 out, 0 s"
TOOL = event("TOOL_CALL_START", call_id="t", name="bash", args={"command": "ls"})


def ended(**outcome: str) -> Event:
    return event("RUN_FINISHED", outcome=outcome)


def texts(view: View, *events: Event) -> list[str]:
    """What is printed for events, in their order."""
    return [piece.text for one in events for piece in view.take(one, 0.0)]


@pytest.mark.parametrize(
    ("events", "doing"),
    [
        ([], ""),
        ([STARTED], "begins 5 s · Ctrl-C stops"),
        ([STARTED, MODEL], "the model thinks 5 s · Ctrl-C stops"),
        ([STARTED, MODEL, TEXT], "the model writes 5 s · Ctrl-C stops"),
        ([STARTED, {**MODEL, "data": {"purpose": "nudge"}}],
         "the model is asked whether that is all 5 s · Ctrl-C stops"),
        ([STARTED, TOOL], "bash ls runs 5 s · Ctrl-C stops"),
        ([STARTED, TOOL, {**TOOL, "data": {**TOOL["data"], "call_id": "u"}}], "2 tools run 5 s · Ctrl-C stops"),
        ([STARTED, event("SUSPENDED", waits=[{"wait_id": "approval:x"}])], "waits for your answer 5 s · Ctrl-C stops"),
        ([STARTED, event("SUSPENDED", waits=[{"wait_id": "child:x"}])], "waits for sub-agents 5 s · Ctrl-C stops"),
        ([STARTED, event("RUN_WAITING", reason="provider_unreachable", wait_s=30.0)],
         "again in 25 s · Ctrl-C stops · the model's service does not answer"),
        ([STARTED, TOOL, event("RUN_WAITING", reason="tool_failed", wait_s=30.0, call_id=TOOL["data"]["call_id"])],
         "again in 25 s · Ctrl-C stops · bash ls failed"),
        ([STARTED, MODEL, event("RUN_WAITING", "run_child", reason="left_alone", wait_s=30.0)],
         "the model thinks 5 s · Ctrl-C stops"),
        ([STARTED, event("INPUT", "run_2", message_id="n", text="x")], "begins 5 s · 1 message waits · Ctrl-C stops"),
        ([STARTED, event("RUN_PAUSED", by="owner")], "all work is paused 5 s · Ctrl-C stops"),
        ([STARTED, event("RUN_FINISHED", run_id_="", outcome={"status": "done"})], ""),
    ],
)  # fmt: skip
def test_what_is_done_and_for_how_long(events: list[Event], doing: str) -> None:
    view = View()
    for one in events:
        view.take(one, 10.0)
    assert view.doing(15.0) == doing


def test_a_turns_end_says_what_it_used_and_how_long_it_took() -> None:
    view, usage = View(), {"input_tokens": 4000, "cache_read_tokens": 600, "output_tokens": 100, "cost_micro": 12_300}
    end = event("RUN_FINISHED", at="2027-01-15T08:00:12.000Z", outcome={"status": "done"}, usage=usage)
    assert texts(view, STARTED, end) == ["[done: 4,600 tokens in, 100 out, 0.0123 in money, 12 s]"]
    assert (view.used.turns, view.used.tokens_in, view.running) == (1, 4600, "")


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (ended(status="cancelled", reason="stopped"), [f"[stopped: {USED}]"]),
        (event("RUN_FINISHED", outcome={"status": "cancelled", "reason": "stopped"}, counted=4_400),
         ["[stopped: about 4,400 tokens (an estimate), 0 s]"]),
        (event("RUN_FINISHED", outcome={"status": "done"}, usage={"input_tokens": 10, "output_tokens": 5}, counted=15),
         ["[done: 10 tokens in, 5 out, 0 s]"]),
        (event("RUN_FINISHED", outcome={"status": "done"}, usage={"input_tokens": 10, "output_tokens": 5}, counted=90),
         ["[done: 10 tokens in, 5 out, 90 counted in all, 0 s]"]),
        (ended(status="blocked", blocker_reason="no key", unblock_requirements="a key"),
         ["blocked: no key", "needed: a key", f"[blocked: {USED}]"]),
        (event("RUN_ERROR", code="x", message="broken"), ["failed (x): broken", f"[failed: {USED}]"]),
        (event("RUN_FINISHED", joined="run_9", outcome={}), []),
    ],
)  # fmt: skip
def test_how_a_turn_ends_is_said(end: Event, said: list[str]) -> None:
    assert texts(View(), STARTED, end) == said


def test_an_answer_is_printed_block_by_block_and_the_rest_of_it_stands_below() -> None:
    view = View()
    pieces = view.take(event("TEXT_MESSAGE_CONTENT", message_id="m", offset=0, delta="one\n\ntwo\n\nthr"), 0.0)
    assert pieces == [Piece("answer", "one\n\n")]
    assert view.tail == "two\n\nthr"
    assert texts(view, event("TEXT_MESSAGE_END", message_id="m", text="one\n\ntwo\n\nthree")) == [
        "",
        "two\n\n",
        "",
        "three\n",
    ]
    assert view.tail == ""


def test_a_tools_result_is_one_line() -> None:
    result = event("TOOL_CALL_RESULT", call_id="t", text="a\n\nb\n")
    assert View().take(result, 0.0) == [Piece("fold", "· a call → 2 lines: a")]
    assert texts(View(), TOOL, result) == ["· bash ls → 2 lines: a"]
    assert folded("\x1b[2Jx", is_error=True) == "failed: [2Jx"
    assert folded("", is_error=False) == "→ nothing"
    assert folded("[notes.txt: lines 1-1 of 1]\nhello", is_error=False) == "→ hello"
    assert folded("[notes.txt: lines 1-2 of 2]\nhello\nthere", is_error=False) == "→ 2 lines: hello"
    assert folded("[. is empty]", is_error=False) == "→ [. is empty]"
    assert args_line({"a": 1, "b": "x"}) == '{"a": 1, "b": "x"}'


def test_of_branches_of_a_flow_who_works_is_told_and_not_what_hidden_parts_said() -> None:
    call = event("TOOL_CALL_START", call_id="t", name="run_branches", args={"branches": [0], "agents": ["plan"]})
    result = event("TOOL_CALL_RESULT", call_id="t", text='[plan; session_id flow_1]\n{"status": "start_execution"}')
    assert texts(View(), call, result) == ["· side by side: plan"]


@pytest.mark.parametrize(
    ("text", "more"),
    [("The turn was stopped before this call had a result.", ", without what its branches used"), ("[plan]", "")],
)
def test_a_turn_that_was_stopped_in_its_branches_does_not_say_that_these_used_nothing(text: str, more: str) -> None:
    call = event("TOOL_CALL_START", call_id="t", name="run_branches", args={"branches": [0], "agents": ["plan"]})
    result = event("TOOL_CALL_RESULT", call_id="t", text=text)
    told = texts(View(), STARTED, call, result, ended(status="cancelled", reason="stopped"))
    assert told == ["· side by side: plan", f"[stopped: {USED.replace(', 0 s', '')}{more}, 0 s]"]


def test_a_message_from_here_is_not_shown_again_and_anothers_is() -> None:
    view = View(own={"mine"})
    assert texts(view, event("INPUT", "run_1", message_id="mine", text="x")) == []
    assert texts(view, event("INPUT", "run_2", message_id="n", text="y")) == ["you, elsewhere> y"]
    assert texts(view, event("INPUT", "run_3", message_id="p", text="z", origin="playbook")) == ["playbook> z"]


def test_of_a_long_message_that_was_not_typed_here_the_beginning_is_shown_and_how_to_see_it_all() -> None:
    see = "`sulla thread show thr_1 --after 6 --limit 1` shows all of it"
    long = "\n".join(f"line {number}" for number in range(3_000))
    asked = event("INPUT", message_id="n", text=long)
    answered = event("TEXT_MESSAGE_END", message_id="a", text="x" * 9_000)
    first = "\n".join(f"line {number}" for number in range(20))
    assert [piece.text for piece in last_messages([asked, answered])] == [
        f"you> {first}",
        f"… 2,980 more lines: {see}",
        "x" * 4_000,
        f"… 5,000 more characters: {see}",
    ]
    assert texts(View(), asked) == [f"you, elsewhere> {first}", f"… 2,980 more lines: {see}"]


def test_what_a_stop_holds_back_is_counted_until_it_goes_on_or_is_dropped() -> None:
    view = View()
    waits = event("INPUT", "run_2", message_id="n", text="x")
    for one, held in (
        (waits, 0),
        (event("STOPPED"), 1),
        (event("RUN_FINISHED", "run_2", outcome={"status": "cancelled", "reason": "dropped"}), 0),
        (waits, 0),
        (event("STOPPED"), 1),
        (event("INPUT", "run_3", message_id="o", text="y"), 0),
    ):
        view.take(one, 0.0)
        assert view.held == held


def test_a_crash_is_told_in_one_line() -> None:
    abandoned = event("MODEL_ABANDONED", message_id="msg", reason="crashed")
    resumed = event("RESUMED", reason="crashed")
    line = "[that answer broke off (crashed); it begins anew]"
    assert texts(View(), STARTED, MODEL, TEXT, abandoned, resumed)[1:] == [line]
    assert texts(View(), STARTED, MODEL, abandoned, resumed) == ["[goes on: crashed]"], "nothing was shown of it"


def test_a_message_that_interrupts_says_how_many_come_first() -> None:
    view = View()
    view.take(STARTED, 0.0)
    view.take(event("INPUT", "run_2", message_id="n", text="steered", mode="steer"), 0.0)
    assert (
        view.sent("run_3", "interrupt")[0].text
        == "[the message ends the answer that comes; 1 that waits already comes first]"
    )


@pytest.mark.parametrize(("mode", "says"), [("queue", "waits behind"), ("steer", "joins"), ("interrupt", "ends the")])
def test_a_message_that_does_not_begin_at_once_says_so(mode: str, says: str) -> None:
    view = View()
    assert view.sent("run_1", mode) == []
    view.take(STARTED, 0.0)
    assert view.sent("run_1", mode) == []
    assert says in view.sent("run_2", mode)[0].text


def test_a_retry_is_said_with_its_reason_and_how_to_stop() -> None:
    retry = event("RUN_WAITING", reason="provider_transient", wait_s=10.4)
    assert texts(View(), STARTED, retry) == [
        "[the model's service is overloaded or broke off; again in 10 s; Ctrl-C stops]"
    ]
    assert texts(View(), STARTED, event("MODEL_ABANDONED", message_id="msg", reason="crashed")) == []


def test_a_stop_says_how_many_messages_are_held() -> None:
    view = View()
    texts(view, STARTED, event("INPUT", "run_2", message_id="n", text="y"))
    assert texts(view, event("STOPPED", input_seq=3)) == [
        "[1 message is held; your next one lets it go on, and /stop all drops it]"
    ]


def test_a_message_that_is_dropped_is_said_to_be() -> None:
    view = View()
    outcome = {"status": "cancelled", "reason": "dropped"}
    assert texts(view, STARTED, event("INPUT", "run_2", message_id="n", text="y"))
    assert texts(view, event("RUN_FINISHED", "run_2", outcome=outcome)) == ["[a message that waited is dropped]"]
    assert not view.queued


def test_the_last_messages_of_a_conversation() -> None:
    events = [event("INPUT", message_id=str(number), text=str(number)) for number in range(9)]
    events.append(event("TEXT_MESSAGE_END", message_id="a", text="answer"))
    events.append(event("TEXT_MESSAGE_END", message_id="b", text="no", hidden=True))
    assert [piece.text for piece in last_messages(events, 3)] == ["you> 7", "you> 8", "answer"]
    assert [piece.text for piece in last_messages(events, 1)] == ["answer"]
    events.append(event("RUN_FINISHED", run_id_="", outcome={"status": "cancelled", "reason": "stopped"}))
    assert [piece.text for piece in last_messages(events, 2)] == ["you> 8", "answer", "[stopped]"]


def test_the_end_of_an_answer_fits_its_rows() -> None:
    assert shown_tail("one two three\nfour\n", 2, 8) == ["three", "four"]
    assert shown_tail(" \n", 2, 8) == []


def test_who_opens_a_conversation_sees_what_was_said_and_what_came_to_nothing() -> None:
    events = [
        event("INPUT", message_id="m", text="hello"),
        event("TEXT_MESSAGE_END", message_id="a", text="Hi."),
        event("TEXT_MESSAGE_END", message_id="b", text="<done>", hidden=True),
        event("INPUT", message_id="n", text="more"),
        event("RUN_ERROR", code="provider_error", message="it\nbroke"),
    ]
    pieces = [(piece.tone, piece.text) for piece in last_messages(events)]
    assert pieces == [
        ("strong", "you> hello"),
        ("answer", "Hi."),
        ("strong", "you> more"),
        ("faint", "[failed (provider_error): it broke]"),
    ]


def test_words_that_are_taken_back_are_not_printed_and_that_is_told() -> None:
    view = View()
    told = texts(
        view,
        STARTED,
        MODEL,
        event("TEXT_MESSAGE_CONTENT", message_id="msg", offset=0, delta="It costs $777."),
        event("TEXT_MESSAGE_END", message_id="msg", call_id="c", text=""),
        event("TEXT_MESSAGE_END", message_id="new", call_id="d", text="[1] It costs $5."),
    )
    assert told == ["[that does not count: the answer begins anew]", "[1] It costs $5.\n"]
