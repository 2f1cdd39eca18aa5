from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import Origin as MessageOrigin
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.heartbeat.beats import BeatEnded
from sulla.playbooks.events import EVENTS, TEXT_CHARS, depth_of, event_key, gives_events, happening, is_playbooks_turn
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.family import Birth
from sulla.threads.log.records import Input, Outcome, RunError, RunFinished, Suspended
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait

RUN = RunId("run_1")


def state(graph: str = "", *, child: bool = False) -> ThreadState:
    birth = Birth("sub", "call", ThreadId("thr_0"), RUN, ThreadId("thr_0"), 1) if child else None
    identity = ThreadIdentity(agent="sulla", title="A talk", project="garden", graph=graph, birth=birth)
    return ThreadState(ThreadId("thr_1"), ModelContext(Transcript(lambda message: 1)), identity)


def entry(fact: Fact) -> Entry:
    return Entry(7, fact.kind, False, Origin(1_800_000_000_000, RUN), fact.data(), THREAD_SCHEMA.forms)


def finished(status: str, **more: str) -> RunFinished:
    return RunFinished(RUN, Outcome(status, **more))  # type: ignore[arg-type]  # any status


@pytest.mark.parametrize(
    ("fact", "graph", "type_"),
    [
        (finished("done"), "", "run.finished"),
        (finished("blocked"), "", "run.blocked"),
        (finished("failed"), "", "run.failed"),
        (RunError(RUN, "no_outcome", "it broke", outcome=Outcome("failed")), "", "run.failed"),
        (Suspended((Wait("approval:1", CallId("c"), "May I?"),)), "", "run.waiting"),
        (BeatEnded("done", 1), "heartbeat", "heartbeat.ended"),
        (finished("cancelled"), "", ""),
        (finished("continue"), "", ""),
        (RunFinished(RUN, Outcome("done"), joined=RunId("run_2")), "", ""),
        (Suspended((Wait("child:1", CallId("c")), Wait("time:1", CallId("")), Wait("ask:1", CallId("")))), "", ""),
        (finished("done"), "heartbeat", ""),
        (finished("done"), "playbook", ""),
        (RunError(RUN, "x", "it broke"), "playbook", ""),
        (finished("done"), "call", ""),
    ],
)
def test_which_records_are_events(fact: Fact, graph: str, type_: str) -> None:
    found = happening(entry(fact), state(graph))
    assert (found.type if found is not None else "") == type_
    assert found is None or found.type in EVENTS


@pytest.mark.parametrize(
    ("fact", "thread", "tainted"),
    [
        (BeatEnded("done", 1, tainted=False), False, False),
        (BeatEnded("done", 1, tainted=True), False, True),
        (BeatEnded("done", 1, tainted=False), True, True),
        (BeatEnded("done", 1), False, True),
    ],
    ids=["a clean beat", "a tainted beat", "a tainted thread", "a beat that does not say"],
)
def test_the_end_of_a_beat_is_trusted_only_if_it_and_its_thread_say_so(
    fact: BeatEnded, thread: bool, tainted: bool
) -> None:
    # What a tainted beat leaves is forgotten with its end, so that its thread is clean when the event is read.
    beats = state("heartbeat")
    beats.context.tainted = thread
    found = happening(entry(fact), beats)
    assert found is not None
    assert found.by.tainted == tainted


def test_what_works_for_others_gives_none() -> None:
    assert happening(entry(finished("done")), state(child=True)) is None
    assert not gives_events(state(child=True))
    assert not gives_events(state("playbook"))
    assert gives_events(state("heartbeat"))


def test_the_payload_says_where_when_and_what() -> None:
    found = happening(entry(finished("blocked", blocker_reason="no key", unblock_requirements="a key")), state())
    assert found is not None
    assert found.payload == {
        "event": "run.blocked",
        "thread": "thr_1",
        "title": "A talk",
        "agent": "sulla",
        "project": "garden",
        "run": "run_1",
        "at": "2027-01-15T08:00:00.000Z",
        "status": "blocked",
        "reason": "",
        "text": "no key",
        "needs": "a key",
    }
    assert (found.seq, found.at_ms) == (7, 1_800_000_000_000)


def test_a_question_is_told_with_what_answers_it_and_a_long_text_is_cut() -> None:
    wait = Wait("approval:1", CallId("c"), "x" * 10_000, tool="bash")
    found = happening(entry(Suspended((wait, Wait("child:1", CallId("d"))))), state())
    assert found is not None
    assert found.payload["questions"] == [{"wait_id": "approval:1", "text": "x" * TEXT_CHARS, "tool": "bash"}]


@pytest.mark.parametrize(
    ("said", "playbooks", "depth"),
    [
        ([("user", 0)], False, 0),
        ([("beat", 0)], False, 0),
        ([("playbook", 0)], True, 0),
        ([("playbook", 2)], True, 2),
        ([("user", 2)], False, 2),
        ([("playbook", 2), ("user", 0)], False, 0),
        ([("playbook", 1), ("playbook", 2)], True, 1),
    ],
)
def test_whose_turn_it_is_and_how_deep_follows_from_what_was_said(
    said: list[tuple[MessageOrigin, int]], playbooks: bool, depth: int
) -> None:
    messages = [Input(MessageId("m"), "hello", origin=origin, chain=chain) for origin, chain in said]
    assert (is_playbooks_turn(messages), depth_of(messages)) == (playbooks, depth)


def test_the_key_names_the_event_for_ever() -> None:
    assert event_key(ThreadId("thr_1"), 5, 7, "p") == "event:thr_1:5:7:p"


def test_the_page_has_each_event() -> None:
    page = (Path(__file__).parents[2] / "docs" / "playbooks.md").read_text(encoding="utf-8")
    table = page.partition("| event | when |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [f"| `{type_}` | {when} |" for type_, when in EVENTS.items()]
