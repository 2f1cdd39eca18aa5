"""A conversation as the original desktop client is told of it."""

from __future__ import annotations

import pytest

from sulla.gateway.dialects.hub.frames import COMPLETE, Conversation, HubEvent
from tests.gateway.dialects.events import Log, full_turn
from tests.gateway.dialects.test_one_reading import CALLS, TEXT


def conversation(*, may_answer: bool = True, streaming: bool = False) -> Conversation:
    return Conversation("thr_1", "thread_7", may_answer=may_answer, streaming=streaming)


def told(log: Log, view: Conversation | None = None) -> list[HubEvent]:
    view = view or conversation()
    return [one for event in log.events for one in view.take(event)]


def said(frames: list[HubEvent], kind: str = "progress") -> list[object]:
    return [one.data["content"] for one in frames if one.type == "assistant_message" and one.data["kind"] == kind]


@pytest.mark.parametrize("streaming", [False, True])
def test_the_same_turn_says_the_same_as_in_every_dialect(streaming: bool) -> None:
    frames = told(full_turn(), conversation(streaming=streaming))
    assert "\n\n".join(map(str, said(frames))) == TEXT
    calls = [one.data for one in frames if one.type == "progress" and one.data["phase"] == "tool_call"]
    assert [(call["toolName"], call["args"]) for call in calls] == CALLS
    assert {one.data.get("thread_id", one.data.get("threadId")) for one in frames} == {"thread_7"}
    (question,) = said(frames, "tool_approval")
    assert str(question).startswith("The agent asks:\n\n    May I post this?")
    ends = [one.data["waitingForUser"] for one in frames if one.data.get("content") == COMPLETE]
    assert ends == [True, False]
    assert frames[-1].data["content"] == COMPLETE


def test_pieces_are_shown_when_there_is_enough_news_and_always_whole() -> None:
    log, text = Log(), "word " * 400
    log.kept("RUN_STARTED")
    log.kept("MODEL_STARTED", message_id="a")
    for offset in range(0, len(text), 5):
        log.live("TEXT_MESSAGE_CONTENT", message_id="a", offset=offset, delta=text[offset : offset + 5])
    frames = told(log, conversation(streaming=True))
    shown = [str(one) for one in said(frames, "streaming")]
    assert 10 < len(shown) < 60
    assert all(text.startswith(one) for one in shown)
    assert sum(map(len, shown)) < 12 * len(text)
    assert not any(one.kept for one in frames)
    assert told(log) == []


def test_what_a_turn_waits_for_is_told() -> None:
    log = Log()
    log.kept("RUN_STARTED")
    log.kept("RUN_WAITING", reason="provider_unreachable", wait_s=10.4)
    assert said(told(log), "notice") == ["[the model's service does not answer; again in 10 s]"]


def test_who_gets_the_conversation_is_told() -> None:
    log = Log()
    log.kept("RUN_STARTED")
    log.kept("AGENT_ROUTED", agent="cook", by="handoff", before="sulla")
    assert said(told(log), "notice") == ["[sulla hands over: cook has the conversation from here on]"]


def failed(**data: object) -> list[HubEvent]:
    log = Log()
    log.kept("RUN_STARTED")
    log.kept("RUN_ERROR", run_id="run_1", outcome={"status": "failed"}, **data)
    return told(log)


@pytest.mark.parametrize(
    ("code", "reason"), [("provider_transient", "error"), ("limit_reached", "max_loops"), ("internal", "error")]
)
def test_a_turn_that_fails_says_why_and_ends(code: str, reason: str) -> None:
    error, end = failed(code=code, message="it broke", retryable=True)
    assert error.data["content"] == "Agent error: it broke"
    assert (error.data["kind"], error.data["code"], error.data["retryable"]) == ("agent_error", code, True)
    assert end.data["stopReason"] == reason


def ended(**outcome: object) -> list[HubEvent]:
    log = Log()
    log.kept("RUN_STARTED")
    log.kept("RUN_FINISHED", run_id="run_1", outcome=outcome)
    return told(log)


def test_what_blocks_it_is_said_and_waits_for_somebody() -> None:
    words, end = ended(status="blocked", blocker_reason="no key", unblock_requirements="give me one")
    assert words.data["content"] == "no key\ngive me one"
    assert (end.data["waitingForUser"], end.data["stopReason"]) == (True, None)


def test_a_result_is_said_if_nothing_else_was() -> None:
    assert ended(status="done", response="It is 7.")[0].data["content"] == "It is 7."


def test_a_stop_says_that_it_was_one() -> None:
    words, end = ended(status="cancelled", reason="stopped")
    assert (words.type, words.data["content"]) == ("system_message", "Execution stopped.")
    assert end.data["stopReason"] == "aborted"


def test_a_stop_before_the_turn_began_ends_the_waiting_once() -> None:
    view, log = conversation(), Log()
    log.kept("INPUT", message_id="m1", text="hello")
    log.kept("STOPPED", None, input_seq=2)
    log.kept("STOPPED", None, input_seq=3)
    (end,) = told(log, view)
    assert (end.data["content"], end.data["stopReason"]) == (COMPLETE, "aborted")


def test_a_message_that_joined_another_turn_ends_with_that() -> None:
    log = Log()
    log.kept("RUN_STARTED")
    log.kept("RUN_FINISHED", run_id="run_2", joined="run_1", outcome={})
    assert told(log) == []


def test_how_long_it_took_and_what_it_cost_is_told() -> None:
    view, usage = conversation(), {"input_tokens": 5, "output_tokens": 2}
    log = Log()
    began = log.kept("RUN_STARTED")
    ended = log.kept("RUN_FINISHED", run_id="run_1", outcome={"status": "done"}, usage=usage)
    view.take(began)
    frames = view.take(ended._replace(at_ms=began.at_ms + 2500))
    assert frames[0].data == {
        "tokens_used": 7,
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "time_spent": 2500,
        "threadId": "thread_7",
        "nodeId": "agent",
    }


def test_questions_are_shown_one_after_the_other() -> None:
    view, log = conversation(), Log()
    log.kept("RUN_STARTED")
    log.kept(
        "SUSPENDED", waits=[{"wait_id": "approval:1", "prompt": "One?"}, {"wait_id": "answer:2", "prompt": "Two?"}]
    )
    frames = told(log, view)
    assert [str(one).split("\n")[2] for one in said(frames, "tool_approval")] == ["    One?"]
    unseen = view.questions.answerable
    assert unseen is None  # nobody knows yet that the client has it
    view.questions.shown = "approval:1"
    first = view.questions.answerable
    assert first is not None
    (second, end) = view.answered(first)
    assert (second.data["kind"], second.data["approvalId"]) == ("tool_question", "answer:2")
    assert end.data["waitingForUser"]
    log.kept("RESUMED", reason="answered")
    view.take(log.events[-1])
    assert view.questions.answerable is None


def test_who_may_not_answer_is_told_who_may() -> None:
    log = Log()
    log.kept("SUSPENDED", waits=[{"wait_id": "approval:1", "prompt": "One?"}])
    (question, _) = told(log, conversation(may_answer=False))
    assert "whose token may approve" in str(question.data["content"])
