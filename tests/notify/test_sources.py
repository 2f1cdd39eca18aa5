"""What goes out says what it is of, and cannot pass for more than words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.notify.sources import MAX_CHARS, of_notice, of_thread, plain
from sulla.people.notices import NoticeInfo
from sulla.threads.log.family import Birth, wait_of
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.records import Outcome
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait

NOTICE = NoticeInfo("ntc_1", "thr_1", "run_1", "sulla", "done", "high", False, 7, 1, "d", {})


def thread(**identity: object) -> ThreadState:
    context = ModelContext(Transcript(lambda message: 1))
    return ThreadState(ThreadId("thr_1"), context, ThreadIdentity(agent="sulla", **identity))  # type: ignore[arg-type]  # as each test says


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (thread(), "notice"),
        (thread(graph="heartbeat"), "beat"),
        (thread(graph="playbook"), "playbook"),
        (thread(title="schedule sch_1"), "schedule"),
        (None, "notice"),
    ],
)
def test_a_notice_is_of_the_kind_of_its_thread(state: ThreadState | None, kind: str) -> None:
    news = of_notice(NOTICE, state)
    assert (news.id, news.kind, news.matter, news.level) == ("ntc_1", kind, f"{kind}:thr_1", "high")
    assert news.title.endswith(" of sulla")


def test_a_turn_that_failed_is_told_once_it_is_over_and_of_conversations_alone() -> None:
    state = thread()
    state.newest = replace(state.newest, outcome=Outcome("failed", "no model", updated_at_ms=5))
    (news,) = of_thread(state)
    assert (news.kind, news.id) == ("failed", "failed:thr_1:5")
    assert news.text == "no model\n\nsulla thread show thr_1"
    state.identity = replace(state.identity, graph="playbook")
    assert list(of_thread(state)) == []  # that tells of its failure itself
    whose = (ThreadId("thr_0"), RunId("run_0"), ThreadId("thr_0"))
    state.identity = replace(state.identity, graph="", birth=Birth("sub_1", "call", *whose, 1))
    assert list(of_thread(state)) == []


@pytest.mark.parametrize(
    ("graph", "wait_id", "is_asked"),
    [
        ("", "approval:call_1:0", True),
        ("", "review:call_1:0", True),
        ("", "answer:run_1:call_1:1", True),
        ("", wait_of("sub_1"), False),
        ("", wait_of("task_1"), False),
        ("heartbeat", wait_of("cyc_1"), False),
        ("playbook", wait_of("stp_1"), False),
        ("playbook", "ask:ask_1", False),
        ("playbook", "time:next", False),
        ("playbook", "human:ask_1", True),
        ("playbook", "answer:ask_1", True),
        ("playbook", "approval:call_1:0", True),
    ],
    ids=[
        "a call that needs a yes",
        "a call of which nobody knows whether it took effect",
        "an agent's question",
        "a sub-agent is at work",
        "a task of a flow is at work",
        "a beat's cycle is at work",
        "an agent works at a playbook's step",
        "a playbook asks a conversation's agent",
        "a playbook waits for a time",
        "a playbook wants a yes",
        "a playbook wants words",
        "a call of a playbook's step needs a yes",
    ],
)
def test_what_waits_for_a_person_is_a_question_and_what_waits_for_others_or_for_time_is_none(
    graph: str, wait_id: str, is_asked: bool
) -> None:
    state = thread(graph=graph)
    state.run = OpenRun(RunId("run_1"), RunMessage(1, MessageId("msg_1"), "user", 0), RunCourse(0, 0), "sulla")
    state.run.waits = {wait_id: Wait(wait_id, CallId("call_1"), "cycle 1 is at work")}
    assert [(news.kind, news.id) for news in of_thread(state)] == [("approval", f"wait:thr_1:{wait_id}")] * is_asked


def test_a_question_says_who_asks_it() -> None:
    for state, whose in (
        (thread(graph="playbook", title="invoices"), "the playbook invoices, of sulla"),
        (thread(title="Notes"), "sulla"),
    ):
        state.run = OpenRun(RunId("run_1"), RunMessage(1, MessageId("msg_1"), "user", 0), RunCourse(0, 0), "sulla")
        state.run.waits = {"answer:ask_1": Wait("answer:ask_1", CallId("call_1"), "Say why.")}
        assert [news.text for news in of_thread(state)] == [f"Say why.\n\nAsked by: {whose}\nAnswer: sulla approvals"]


@pytest.mark.parametrize(
    ("text", "tainted", "shown"),
    [
        ("![x](http://eve/?secret)", True, "! [x](http://eve/?secret)"),
        ("<img src=http://eve>", True, "< img src=http://eve>"),
        ("see http://example.org", True, "see http://example.org"),
        ("a\x1b[31mb\x00c\nd\u202e", False, "a [31mb c\nd"),
    ],
)
def test_no_pictures_and_no_control_characters_go_out(text: str, tainted: bool, shown: str) -> None:
    assert plain(text, tainted=tainted) == shown


def test_what_is_too_long_says_that_it_was_cut() -> None:
    assert plain("x" * (MAX_CHARS + 1), tainted=False).endswith("… (cut; the rest is in the conversation)")
