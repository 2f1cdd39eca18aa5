"""Records come back as they were written, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.limit import LimitHit
from sulla.core.message import Reasoning, Text, ToolCall, ToolResult
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
from sulla.store.values import Record
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin, decode, encode
from sulla.threads.log.family import Birth, ChildCancelled, ChildReported, ChildStarted, Report
from sulla.threads.log.forms import Form, fields_to_json
from sulla.threads.log.plays import AnswerGiven, Play, Question
from sulla.threads.log.records import RunPaused
from sulla.threads.log.spoken import BargedIn, Heard, Spoken
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import RunWaiting, Wait

RUN, MSG, CALL = RunId("run_1"), MessageId("msg_1"), CallId("call_1")
PARTS = (
    Text("héllo \u0000 \U0001f600"),
    Reasoning("because", {"type": "thinking", "signature": "x"}),
    Reasoning("", None),
    ToolCall(CALL, "read_file", {"path": "a", "deep": [1, {"b": None}]}),
    ToolResult(CALL, "out", True, "web"),
)
HIT = LimitHit("tokens", "run", "tokens", 500, 400, 101)
OUTCOME = f.Outcome("blocked", "r", "resp", "why", "needs", "", HIT, 7)
THREAD = ThreadId("thr_1")
BIRTH = Birth("c1", "cycle", THREAD, RUN, THREAD, 2, True, True, ("bash",), "offline", 500, 7, 60.0)
REPORT = Report("blocked", "r", "so far", "why", "needs", 900, 3, True, True, 4, "other", "tour", "why")
PLAY = Play("triage", "d1", "name: triage", 4, "schedule", THREAD, 500, 7)
QUESTION = Question(THREAD, "ask:a:1", "answer", "say it", {"type": "object"})
SPOKEN = Spoken("u1", "complete", 0.97, "sentence", 250, Heard(MSG, 41))
FACTS: list[Fact] = [
    f.ThreadCreated("sulla", "title", "proj", "chan", BIRTH, "playbook", PLAY),
    f.Input(MSG, "hi", "steer", "user", "other", QUESTION, True, SPOKEN),
    f.StopAsked(),
    f.ContinueAsked(),
    f.Answer("approval:1", "yes", "run_again", True, "user", REPORT, for_s=3600),
    f.Summary(12, "short", MSG, Usage(1, 2)),
    f.RunStarted(3, MSG, "sulla", "m", "ctx"),
    f.InputHandled(MSG, {"sanitized": True}, "clean"),
    f.InputsJoined((4, 5), (RUN,)),
    f.ModelStarted(CALL, MSG, 2, "abcd", 99, 7, "nudge"),
    f.ModelAbandoned(CALL, MSG, "crashed"),
    f.TextMessageEnd(CALL, MSG, "text", PARTS, 2, Usage(1, 2, 3, 4, 5), "tool_calls", OUTCOME, True, True, "x:y"),
    f.ToolCallStart(CALL, "write_file", {"path": "x"}, MSG, "idempotent"),
    f.ToolCallResult(CALL, "ok", True, "file"),
    f.Reminder(MSG, "nudge", "say it"),
    f.Suspended((Wait("approval:1", CALL, "may I?"),)),
    f.Resumed("answered", "approval:1", 9, 2),
    RunPaused("owner", "it orders pizza"),
    RunWaiting("left_alone", 30.0, CALL),
    f.Stopped(4),
    f.Continued(5),
    f.InputIgnored(6, "late"),
    f.RunFinished(RUN, OUTCOME, Usage(1), RunId("run_2")),
    f.RunError(RUN, "internal", "went wrong", True, OUTCOME, Usage(0, 1)),
    Notice("done", "high", "sulla", True),
    ThreadNamed("Trip to Rome", "owner"),
    AgentRouted("writer", "handoff", "sulla"),
    FlowStarted("multi", {"type": "agent", "agent_key": "cook"}, {"plan": "pro"}, {"plan": True}),
    FlowPartStarted(FlowPart("cook", "root", "sulla", tools=("read_file",), calls=(CallId("c1"),))),
    FlowMoved("root", "part", "cook", {"value": {"status": "done"}}),
    RouteTaken({"route": {"name": "tea", "kind": "default"}}, "no tea"),
    RouteBriefed("Have the person boil water."),
    RouteMoved("fixed", why="provider_transient"),
    RouteEnded("tea", "default", "model", "", "sulla", 7),
    ProcedureMoved("tea", "sha256:0", "completed", "leaves", "words", "water", ("it boils",)),
    ChildStarted("c1", ThreadId("thr_c"), "sulla", "spawn", RUN, "look it up"),
    ChildCancelled("c1"),
    ChildReported("c1", known=False),
    PlaybookAsked("pause", "lunch"),
    PlaybookBegan(THREAD, "triage", RUN),
    PlaybookEnded(THREAD, "triage", "completed", "all is well"),
    Played("STEP_STARTED", "a@1", {"attempt": 1}, 4, CALL, "once", 5, 6, True),
    BargedIn("u1", MSG),
    Overheard("u2", "uh-huh"),
    AnswerGiven("ask:a:1", known=False),
    EndTold(known=False),
    BeatStarted(5, "3 open tasks", "tour", "idle longest", "- tour", "- skill", "abc"),
    BeatSkipped(5, "idle", "nothing to do"),
    CycleStarted(1, "c1", "nobody"),
    CycleEnded(1, "c1", "blocked", 9, "said", "why", "needs", "tour", "because", 5, 6, True),
    BeatEnded("failed", 9, "limit_cycles", "said", "1 task done", 3, 4, 5, 6, 7),
]


def kept(fact: Fact, origin: Origin) -> Record:
    draft = encode(fact, origin)
    return Record(1, draft.kind, THREAD_SCHEMA.is_offer(fact), draft.body)


def test_every_kind_of_fact_is_covered_here() -> None:
    assert {type(fact) for fact in FACTS} == set(THREAD_SCHEMA.records.values())


def test_kinds_are_unique() -> None:
    kinds = [fact.kind for fact in FACTS]
    assert set(kinds) == set(THREAD_SCHEMA.records)
    assert len(THREAD_SCHEMA.records) == len({type(fact) for fact in FACTS})


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_a_fact_comes_back_as_it_was(fact: Fact) -> None:
    origin = Origin(1_234, RUN, "sulla", RunId("run_0"), 2)
    entry = THREAD_SCHEMA.decode(kept(fact, origin), "thr_1")
    assert entry.fact == fact
    assert entry.origin == origin


@pytest.mark.parametrize("cls", THREAD_SCHEMA.records.values(), ids=THREAD_SCHEMA.records.keys())
def test_a_field_that_an_older_record_lacks_gets_its_default(cls: type[Any]) -> None:
    fact = next(fact for fact in FACTS if type(fact) is cls)
    assert Form(cls).read(fields_to_json(fact)) == fact


@given(fact=st.sampled_from(FACTS), data=st.data())
def test_a_changed_byte_is_noticed(fact: Fact, data: st.DataObject) -> None:
    record = kept(fact, Origin(5, RUN))
    body = bytearray(record.body)
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(CorruptRecord, match="thr_1"):
        decode(Record(1, record.kind, record.offered, bytes(body)), "thr_1")


@given(cut=st.integers(0, 200))
def test_a_cut_record_is_noticed(cut: int) -> None:
    record = kept(FACTS[11], Origin(5, RUN))
    with pytest.raises(CorruptRecord):
        decode(Record(1, record.kind, record.offered, record.body[:cut]), "thr_1")


def test_a_record_under_another_kind_is_noticed() -> None:
    record = kept(f.StopAsked(), Origin(5))
    with pytest.raises(CorruptRecord, match="checksum"):
        decode(Record(1, "CONTINUE", True, record.body), "thr_1")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"input_seq": "3", "message_id": "m"}, "expected int"),
        ({"input_seq": True, "message_id": "m"}, "expected int"),
        ({"input_seq": 3}, "message_id"),
        ({"input_seq": 3, "message_id": "m", "more": 1}, "unknown field"),
        ([], "expected an object"),
    ],
)
def test_data_of_another_form_is_refused(data: object, what: str) -> None:
    with pytest.raises(CorruptRecord, match=what):
        Form(f.RunStarted).read(data)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(
    ("kind", "fields", "what"),
    [
        (f.Resumed, ("dreaming",), "RESUMED .* Resumed.reason: expected one of .*, found 'dreaming'"),
        (f.Reminder, (MSG, "season", 7), "REMINDER .* Reminder.text: expected str, found 7"),
    ],
)
def test_what_could_not_be_read_back_is_not_made_a_record(kind: Any, fields: tuple[object, ...], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        encode(kind(*fields), Origin(5))


def test_a_note_of_a_package_is_read_back_whatever_it_is_called() -> None:
    note = f.Reminder(MessageId("m"), "season", "basil")
    draft = encode(note, Origin(5))
    assert decode(Record(1, draft.kind, False, draft.body), "thr_1").fact == note


def test_a_kind_of_another_capability_passes_as_data() -> None:
    draft = encode(FACTS[2], Origin(5))
    entry = decode(Record(1, draft.kind, True, draft.body), "thr_1")
    assert entry.data == {}
    unknown = encode(_Foreign(), Origin(5))
    assert decode(Record(1, "BEAT_FIRED", False, unknown.body), "thr_1").fact is None


class _Foreign:
    kind = "BEAT_FIRED"

    def data(self) -> JsonObject:
        return {"slot": {"n": 1}}


def test_every_record_has_fields_that_can_be_read() -> None:
    assert all(
        form.readers.keys() == {one.name for one in fields(THREAD_SCHEMA.records[kind])}
        for kind, form in THREAD_SCHEMA.forms.items()
    )


def test_a_field_that_no_record_can_hold_is_refused_by_name() -> None:
    @dataclass(frozen=True)
    class Odd:
        when: complex

    with pytest.raises(TypeError, match="complex"):
        _ = Form(Odd).readers
