"""What a person reads of a thread."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.cli.thread.event_lines import shown
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.finding.title import ThreadNamed
from sulla.flows.slice import FlowMoved, FlowPart, FlowPartStarted, FlowStarted
from sulla.handoffs.slice import AgentRouted
from sulla.heartbeat.beats import BeatEnded, BeatSkipped, BeatStarted, CycleEnded, CycleStarted
from sulla.people.slice import Notice
from sulla.playbooks.records import EndTold, PlaybookAsked, PlaybookBegan, PlaybookEnded, Played
from sulla.procedures.slice import ProcedureMoved
from sulla.routes.slice import RouteBriefed, RouteEnded, RouteMoved, RouteTaken
from sulla.speech.slice import Overheard
from sulla.terminal.table import Paper
from sulla.threads.log.family import ChildCancelled, ChildReported, ChildStarted
from sulla.threads.log.plays import AnswerGiven, Play
from sulla.threads.log.records import (
    Answer,
    ContinueAsked,
    Continued,
    Input,
    InputHandled,
    InputIgnored,
    InputsJoined,
    ModelAbandoned,
    ModelStarted,
    Outcome,
    Reminder,
    Resumed,
    RunError,
    RunFinished,
    RunPaused,
    RunStarted,
    StopAsked,
    Stopped,
    Summary,
    Suspended,
    TextMessageEnd,
    ThreadCreated,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.log.spoken import BargedIn, Heard, Spoken
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import RunWaiting, Wait

M, C, R = MessageId("m"), CallId("c"), RunId("run_1")
HEAD = "#7 2027-01-15 08:00:00  "


def event(fact: Fact) -> dict[str, Any]:
    return {"seq": 7, "type": fact.kind, "agent": "sulla", "at": "2027-01-15T08:00:00.250Z", "data": fact.data()}


def lines(fact: Fact, paper: Paper | None = None) -> list[str]:
    return list(shown(event(fact), paper or Paper()))


WHY = "a file changes:" + "\\n+x" * 500 + f". (call {'a' * 16})"

TOLD: list[tuple[Fact, list[str]]] = [
    (ThreadCreated("sulla", "Rome", "rome"), [HEAD + "created for sulla, project rome", "    Rome"]),
    (ThreadCreated("sulla"), [HEAD + "created for sulla"]),
    (Input(M, "Hi\n\n  there"), [HEAD + "you", "    Hi", "", "      there"]),
    (
        Input(M, "Sum it up", quoted="Pay at once.\nyou"),
        [HEAD + "you", "    Sum it up", "", "    (quoted beside it:)", "    > Pay at once.", "    > you"],
    ),
    (Input(M, "done", origin="agent"), [HEAD + "agent", "    done"]),
    (Input(M, "and now", "steer", spoken=Spoken("u1", "silence")), [HEAD + "you, by voice (silence)", "    and now"]),
    (
        Input(M, "no", spoken=Spoken("u1", "final", heard=Heard(M, 7))),
        [HEAD + "you, by voice (final), over a reply of which 7 characters were heard", "    no"],
    ),
    (BargedIn("u1", M), ["    [somebody spoke over the reply]"]),
    (Overheard("u1", "uh-huh"), [HEAD + "overheard while it was speaking", "    uh-huh"]),
    (TextMessageEnd(C, M, "Hello."), [HEAD + "sulla", "    Hello."]),
    (TextMessageEnd(C, M, "Hel", cut=True), [HEAD + "sulla (cut off)", "    Hel"]),
    (TextMessageEnd(C, M, "Hel", stop="max_tokens"), [HEAD + "sulla (cut off at the reply's limit)", "    Hel"]),
    (TextMessageEnd(C, M, "", (ToolCall(C, "look", {}),)), []),
    (TextMessageEnd(C, M, "nudged", hidden=True), []),
    (ToolCallStart(C, "look", {"path": "ä"}, M), ['    · look {"path": "ä"}']),
    (ToolCallResult(C, "a.txt\nb.txt"), ["    → a.txt b.txt"]),
    (ToolCallResult(C, "no such file", is_error=True), ["    error: no such file"]),
    (ModelAbandoned(C, M, "crashed"), ["    [a reply broke off: crashed]"]),
    (Suspended((Wait("review:c", C, "Sent?"),)), ["    waits for review:c: Sent?"]),
    (
        Suspended((Wait("approval:c", C, f'May bash be called with {{"command": "ls"}}? Asked because {WHY}'),)),
        ["    waits for approval:c: bash: ls"],
    ),
    (Answer("review:c", "yes"), [HEAD + "answer to review:c (result)", "    yes"]),
    (Resumed("answered", "review:c", 7), ["    [goes on: answered]"]),
    (RunPaused("owner", "it orders\npizza"), ["    [paused by owner: it orders pizza]"]),
    (RunPaused("ci"), ["    [paused by ci]"]),
    (RunWaiting("provider_unreachable", 10.4), ["    [the model's service does not answer; again in 10 s]"]),
    (InputsJoined((3, 4), (R, R)), ["    [took along: 2 more]"]),
    (InputIgnored(3, "imported"), ["    [#3 was put away: imported]"]),
    (StopAsked(), ["    [somebody asked to stop]"]),
    (Stopped(3), ["    [stopped]"]),
    (ContinueAsked(), ["    [somebody asked to continue]"]),
    (Continued(3), ["    [continued]"]),
    (Summary(40, "They met."), [HEAD + "summary of all up to #40", "    They met."]),
    (Notice("Tea.", "high", "cook"), [HEAD + "note from cook, high urgency", "    Tea."]),
    (RunFinished(R, Outcome("done"), Usage(12, 5)), ["    = done [tokens: 12 in, 5 out]"]),
    (RunFinished(R, Outcome("done"), Usage(12, 5, 3, 1)), ["    = done [tokens: 12 in, 5 out, 4 cached]"]),
    (RunFinished(R, Outcome("cancelled", reason="stopped")), ["    = cancelled: stopped"]),
    (
        RunFinished(R, Outcome("blocked", blocker_reason="no key", unblock_requirements="the key")),
        ["    = blocked: no key: the key"],
    ),
    (RunFinished(R, Outcome("done"), joined=RunId("run_2")), ["    = taken along by run_2"]),
    (RunError(R, "internal", "it broke"), ["    = failed (internal): it broke"]),
    (ChildStarted("sub_1", ThreadId("thr_2"), "cook", "call", R, "tea"), ["    [sub-agent sub_1 (cook): tea]"]),
    (ChildCancelled("sub_1"), ["    [sub-agent sub_1 was told to end]"]),
    (AgentRouted("cook", "handoff", "sulla"), ["    [sulla hands over: cook has the conversation from here on]"]),
    (AgentRouted("sulla", "silence", "cook"), ["    [cook said nothing: sulla has the conversation from here on]"]),
    (FlowStarted("multi", {"type": "agent", "agent_key": "cook"}), ["    [walked by the flow multi]"]),
    (FlowStarted("", {}, fault="no flow 'x'"), ["    [cannot be walked: no flow 'x']"]),
    (FlowPartStarted(FlowPart("task_planning", "root", "sulla", shown=False)), ["    [part: task_planning]"]),
    (FlowMoved("root", "condition", "is_late", {"value": True}), ["    [is_late: yes]"]),
    (FlowMoved("root", "limit", "not_done", {"value": True}), ["    [not_done: yes, but its max_loops are used up]"]),
    (FlowMoved("root", "variable", "mode", {"value": "multi"}), ['    [mode: "multi"]']),
    (FlowMoved("root", "part", "plan", {"value": {"status": "x"}}), ['    [plan: {"status": "x"}]']),
    (FlowMoved("root", "part", "simple"), ["    [simple is over]"]),
    (FlowMoved("root", "part", "branches", failed="no key"), ["    [branches failed: no key]"]),
    (FlowMoved("root", "left", "multi"), ["    [the flow is left: something else answers]"]),
    (RouteTaken({"route": {"name": "chat", "kind": "default"}, "query": ""}), ["    [route chat (default)]"]),
    (
        RouteTaken({"route": {"name": "desk", "kind": "grounded"}, "gate": "money", "why": ["money back"]}),
        ["    [route desk (grounded) by the gate money: 'money back']"],
    ),
    (
        RouteTaken({"route": {"name": "desk", "kind": "grounded"}}, "no such agent"),
        ["    [the route desk (grounded) cannot be taken: no such agent]"],
    ),
    (RouteBriefed("Do this one step."), []),
    (RouteMoved("called"), []),
    (RouteMoved("made"), ["    [the call is made in the model's place]"]),
    (RouteMoved("fixed", why="provider_transient"), ["    [its fixed text is said: provider_transient]"]),
    (RouteEnded("desk", "grounded", "tool", "", "sulla", 7), []),
    (ProcedureMoved("walk", "sha256:1", "started", "stand"), ["    [procedure walk, stand: started]"]),
    (ProcedureMoved("walk", "sha256:1", "completed", "go", of="stand"), ["    [procedure walk, stand: completed]"]),
    (ChildReported("sub_1"), ["    [told to whoever asked for it]"]),
    (ChildReported("sub_1", known=False), ["    [nobody to tell]"]),
    (BeatStarted(1, "3 open tasks"), ["    [beat: 3 open tasks]"]),
    (BeatSkipped(1, "idle", "nothing to do"), ["    [no beat (idle): nothing to do]"]),
    (CycleStarted(2, "cyc_1"), ["    [cycle 2 begins]"]),
    (CycleEnded(2, "cyc_1", "done", 5, "tea is ready"), ["    [cycle 2 done: tea is ready]"]),
    (BeatEnded("done", 5, changed="tea: +1 done"), ["    [beat done; changed: tea: +1 done]"]),
    (BeatEnded("blocked", 5), ["    [beat blocked; changed: nothing]"]),
    (
        ThreadCreated("sulla", "Morning", play=Play("morning", "d1", "name: morning")),
        [HEAD + "created for sulla, playbook morning", "    Morning"],
    ),
    (PlaybookAsked("pause", "lunch"), ["    [somebody wants it to pause]"]),
    (PlaybookAsked("step"), ["    [somebody wants it to take one step]"]),
    (ThreadNamed("Trip to Rome", "owner"), ["    [named 'Trip to Rome']"]),
    (ThreadNamed(""), ["    [its name was taken back]"]),
    (PlaybookBegan(ThreadId("thr_3"), "morning", R), ["    [playbook morning begins: thr_3]"]),
    (
        PlaybookEnded(ThreadId("thr_3"), "morning", "completed", "All is well."),
        [HEAD + "playbook morning completed", "    All is well."],
    ),
    (Played("RUN_STARTED"), ["    [the run begins]"]),
    (Played("STEP_STARTED", "look@2"), ["    [look@2 begins]"]),
    (Played("STEP_COMPLETED", "kind", {"route": "sales"}), ["    [kind is done: sales]"]),
    (
        Played("STEP_FAILED", "look", {"failure": {"kind": "permanent", "reason": "tool", "message": "no\nnet"}}),
        ["    [look has failed: no net]"],
    ),
    (Played("STEP_SKIPPED", "mail", {"why": "kind went to support"}), ["    [mail is skipped: kind went to support]"]),
    (Played("RUN_ENDED", detail={"status": "completed", "outputs": {}}), ["    [the run has ended: completed]"]),
    (Played("HEARD", input_seq=4), []),
    (AnswerGiven("ask:1"), ["    [told to the playbook that asked]"]),
    (AnswerGiven("ask:1", known=False), ["    [nobody to tell]"]),
    (EndTold(), ["    [told to its conversation]"]),
    (EndTold(known=False), ["    [nobody to tell]"]),
    (RunStarted(2, M), []),
    (ModelStarted(C, M), []),
    (InputHandled(M), []),
    (Reminder(M, "nudge", "Say how it went."), []),
]


@pytest.mark.parametrize(("fact", "read"), TOLD)
def test_each_event_is_told_in_a_few_words_or_not_at_all(fact: Fact, read: list[str]) -> None:
    assert lines(fact) == read


def test_an_event_that_nobody_has_heard_of_is_passed_over() -> None:
    assert list(shown(event(Stopped(1)) | {"type": "NEW"}, Paper())) == []


def test_long_arguments_and_results_are_cut() -> None:
    assert len(lines(ToolCallStart(C, "look", {"path": "x" * 500}, M))[0]) < 150
    assert len(lines(ToolCallResult(C, "x" * 500))[0]) < 220


@pytest.mark.parametrize("hostile", ["\x1b[2J\x1b]52;c;eA==\x07", "\x9b2J", "a\rb", "a\x08b"])
def test_nothing_that_others_wrote_can_steer_the_terminal(hostile: str) -> None:
    facts: tuple[Fact, ...] = (
        ThreadCreated(hostile, hostile, hostile),
        Input(M, hostile, spoken=Spoken(hostile, hostile)),
        Overheard(hostile, hostile),
        Notice(hostile, agent=hostile),
        TextMessageEnd(C, M, hostile),
        ToolCallStart(C, hostile, {hostile: hostile}, M),
        ToolCallResult(C, hostile),
        Answer(hostile, hostile),
        PlaybookBegan(ThreadId(hostile), hostile),
        PlaybookEnded(ThreadId(hostile), hostile, hostile, hostile),
        Played("STEP_SKIPPED", hostile, {"why": hostile}),
        Suspended((Wait(hostile, C, hostile),)),
        RunFinished(R, Outcome("blocked", hostile, hostile, hostile, hostile, hostile)),
        RunError(R, hostile, hostile),
    )
    for fact in facts:
        assert all(line.isprintable() for line in lines(fact)), fact.kind


def test_what_others_wrote_cannot_pass_for_a_line_of_ours() -> None:
    forged = "fine\n#8 2027-01-15 08:00:00  you\n    Delete everything."
    told = lines(TextMessageEnd(C, M, forged))
    assert [line for line in told if not line.startswith(" ")] == [HEAD + "sulla"]


def test_for_every_fact_somebody_has_thought_about_what_to_tell() -> None:
    assert {fact.kind for fact, _ in TOLD} == set(THREAD_SCHEMA.records)


def test_names_stand_out_on_a_terminal() -> None:
    assert lines(Input(M, "Hi"), Paper(80, colour=True))[0] == f"\x1b[2m{HEAD.strip()}\x1b[0m  \x1b[1myou\x1b[0m"
