"""Every text that enters a thread: its record says whose words it holds, or a table here says why it is trusted.

`sulla/host/borders.py` says over which borders words cross. What is added later stands in no table, and a test here
says so.
"""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import pytest

from sulla.capabilities import CAPABILITIES
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.message import UNTRUSTED
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.borders import BORDERS, Whose
from sulla.host.system import SystemClock
from sulla.playbooks.events import EVENTS
from sulla.skills.folders import SKILLS
from sulla.threads.log.codec import Origin
from sulla.threads.log.provenance import from_outside, taints_thread
from sulla.threads.log.records import Input, RunStarted, ThreadCreated
from sulla.threads.log.state import ThreadState
from tests.attacks.borders_page import PAGE, wanted
from tests.attacks.grammar import read_catalog
from tests.house.source import ROOT, nodes, python_files

MARK = "planted-here"
NOW = Origin(1, run_id=RunId("run_1"))
CATALOG = read_catalog()

PLAIN = {
    # the daemon's own words, names and stable words
    "ANSWER_GIVEN.wait_id": "an id",
    "BARGED_IN.turn_id": "an id",
    "BARGED_IN.message_id": "an id",
    "BEAT_SKIPPED.reason": "a stable word",
    "BEAT_SKIPPED.text": "a sentence of the daemon's about its own limits",
    "CHILD_CANCELLED.id": "an id",
    "AGENT_ROUTED.agent": "an id",
    "AGENT_ROUTED.before": "an id",
    "CHILD_REPORTED.id": "an id",
    "FLOW_PART_STARTED.part": "names of a flow and of its tools, and ids of calls",
    "FLOW_PART_STARTED.question": "a role's, by the word of the home's owner",
    "FLOW_STARTED.name": "the name of a flow, which its owner has written",
    "FLOW_STARTED.root": "a flow, by the word of the home's owner or of a client with the scope admin",
    "FLOW_STARTED.context": "of whoever sent the message; conditions read it, no model does",
    "FLOW_STARTED.flags": "switches",
    "FLOW_STARTED.agents": "agents that a client with the scope admin brings along",
    "FLOW_STARTED.fault": "the daemon's own words",
    "FLOW_MOVED.place": "a place in a flow",
    "FLOW_MOVED.name": "a name that stands in a flow",
    "FLOW_MOVED.value": "what a model gives; conditions read it, no model does",
    "FLOW_MOVED.failed": "the thread's own words; shown to people",
    "FLOW_MOVED.passed": "the thread's own words; shown to people",
    "FLOW_MOVED.values": "what models give in branches; conditions read it, no model does",
    "INPUTS_JOINED.run_ids": "ids",
    "INPUT_IGNORED.reason": "a stable word",
    "MODEL_ABANDONED.call_id": "an id",
    "MODEL_ABANDONED.message_id": "an id",
    "MODEL_ABANDONED.reason": "a stable word",
    "MODEL_STARTED.call_id": "an id",
    "MODEL_STARTED.message_id": "an id",
    "MODEL_STARTED.request_hash": "a digest",
    "PLAYBOOK_BEGAN.thread_id": "an id",
    "PLAYBOOK_BEGAN.name": "the name of a playbook, which its owner has written",
    "PLAYBOOK_BEGAN.run_id": "an id",
    "REMINDER.message_id": "an id",
    "REMINDER.reason": "a fixed word, or a package's",
    "REMINDER.text": "a sentence of the daemon's",
    "RESUMED.wait_id": "an id",
    "PROCEDURE_MOVED.name": "the name of a procedure, which its owner has allowed",
    "PROCEDURE_MOVED.digest": "a digest",
    "PROCEDURE_MOVED.step": "the id of a step, which stands in the procedure",
    "PROCEDURE_MOVED.of": "as step",
    "PROCEDURE_MOVED.items": "what the person said in words of their own; a message that may hold others' is not read",
    "PROCEDURE_MOVED.why": "a stable word",
    "ROUTE_BRIEFED.text": "a procedure, with what the person has named in it, as its section says",
    "ROUTE_ENDED.route": "the name of a route, which the home's owner has written",
    "ROUTE_ENDED.route_kind": "a fixed word",
    "ROUTE_ENDED.style": "the name of a skill, by the word of the home's owner",
    "ROUTE_ENDED.agent": "an id",
    "ROUTE_MOVED.plan": "as that of ROUTE_TAKEN",
    "ROUTE_MOVED.why": "a stable word, or what a tool says of its failure; shown to people",
    "ROUTE_TAKEN.plan": "a route, by the word of the home's owner; a gate finds no words but those that it names",
    "ROUTE_TAKEN.fault": "the daemon's own words",
    "ROUTE_TAKEN.behalf": "the id of an agent",
    "ROUTE_TAKEN.question": "the daemon's own words, with a step and what the person said to it",
    "RUN_WAITING.reason": "a stable word",
    "RUN_WAITING.call_id": "an id",
    "STOP.only": "an id",
    "RUN_WAITING.said": "what a service says of a failure; shown to people",
    # said by somebody with a token of this home
    "OVERHEARD.turn_id": "an id",
    "OVERHEARD.text": "what a person said aloud; no model is shown it",
    "PLAYBOOK_ASKED.why": "why a person wants it",
    "RUN_PAUSED.by": "the name of a person's token",
    "RUN_PAUSED.reason": "why a person wants it",
    # the model's words and what is made of them: the thread is mistrusted already by then, if they can be
    "BEAT_STARTED.why": "counts and names of projects; of mistrusted ones nothing but the folder is told",
    "BEAT_STARTED.focus": "the folder of a project",
    "BEAT_STARTED.focus_reason": "as why",
    "BEAT_STARTED.projects": "as why",
    "BEAT_STARTED.skills": "of skills that the owner trusts; of others their number",
    "BEAT_STARTED.before": "digests",
    "CHILD_STARTED.id": "an id",
    "CHILD_STARTED.thread_id": "an id",
    "CHILD_STARTED.agent": "the name of an agent",
    "CHILD_STARTED.run_id": "an id",
    "CHILD_STARTED.task": "the thread's own words to it; the child's birth says whether they can be trusted",
    "CYCLE_STARTED.child": "an id",
    "CYCLE_STARTED.agents": "names of agents and projects that are at work",
    "CYCLE_STARTED.projects": "as those of BEAT_STARTED",
    "RUN_ERROR.run_id": "an id",
    "RUN_ERROR.code": "a stable word",
    "RUN_ERROR.message": "what a service or the daemon says of a failure; shown to people",
    "RUN_ERROR.outcome": "the model's words",
    "RUN_FINISHED.run_id": "an id",
    "RUN_FINISHED.outcome": "the model's words",
    "RUN_FINISHED.joined": "an id",
    "SUMMARY.text": "made by a model of what stands in the thread",
    "SUMMARY.first_kept": "an id",
    "SUSPENDED.waits": "the tool's question with the model's arguments; shown to people",
    "THREAD_NAMED.title": "a person's, for lists; no model is told of it",
    "THREAD_NAMED.by": "the name of a token",
    "TOOL_CALL_START.call_id": "an id",
    "TOOL_CALL_START.name": "the name of a tool",
    "TOOL_CALL_START.args": "the model's words",
    "TOOL_CALL_START.message_id": "an id",
}
"""The texts of records that do not say for themselves whose words they hold, and why they need not."""

STAYING = {
    "CallContext": "what the policy is asked, and forgets",
    "Entity": "what statements of the memory come to, folded anew",
    "EntityRow": "what is known of somebody, for a client",
    "FileTouch": "what a call touches, while it is made",
    "FoundRow": "what was found, for a client",
    "KnownRow": "what is known of somebody, for a client",
    "LiveRow": "what goes on in a thread, for a client",
    "ModelContext": "the switch of a thread itself",
    "NoteRow": "what is remembered, for a client",
    "NoticeInfo": "a notice that was read again",
    "NoticeRow": "a notice, for a client",
    "OpenQuestion": "a question that was read again",
    "PlayRow": "a run of a playbook, for a client",
    "RecentRow": "a conversation, for a client",
    "RunRecord": "a run of a playbook that was read again",
    "SafetyExplained": "a conversation, for a client",
    "ScheduleRow": "a schedule that was read again",
    "ThreadEntry": "a conversation that was read again, for a client",
    "WaitingInput": "an INPUT that was read again",
    "_OpenEpisode": "an episode that is not over",
    "_Turn": "a turn of a schedule's, until people are told of it",
}
"""Classes with a mark that cross no border, and why."""

UNTRIED = {
    "changes": {"what commands have changed"},  # tests/changes/cli
    "agent": {"questions", "what the look at a message found"},  # tests/agent/model/test_pictures.py, tests/agent/input
    "playbooks": {"what calls and answers came to"},  # tests/playbooks/run
    "channels": {"what people write, forward and send there"},  # tests/channels
    "browser": {"what pages say, once their scripts have run", "pictures of pages"},  # tests/browser
    "schedules": {"reminders, and what came of a schedule", "what agents have made of them"},  # tests/schedules
}
"""Words that nobody trusts and that no scenario plants; each is tried elsewhere."""

WAYS_OVER = {way: border for border in BORDERS for way in border.by}


def _holds_text(hint: Any) -> bool:
    hint = getattr(hint, "__supertype__", hint)
    if is_dataclass(hint):
        return any(map(_holds_text, get_type_hints(hint, localns={"Json": object}).values()))
    return hint in (str, object) or (get_origin(hint) is not Literal and any(map(_holds_text, get_args(hint))))


def an_instance(cls: type) -> Any:
    """One of a class, with the mark in each text that it has to have."""
    hints = get_type_hints(cls, localns={"Json": object})
    given: dict[str, Any] = {}
    for one in fields(cls):
        hint = hints[one.name]
        if getattr(hint, "__supertype__", hint) is str:
            given[one.name] = MARK
        elif is_dataclass(hint):
            given[one.name] = an_instance(hint)  # type: ignore[arg-type]  # a class
        elif hint is int:
            given[one.name] = 1
        elif get_origin(hint) is Literal:
            given[one.name] = get_args(hint)[0]
    return cls(**{name: value for name, value in given.items() if name != "quoted"})


MARKED = sorted(kind for kind, cls in THREAD_SCHEMA.records.items() if cls.provenance in ("marked", "beside"))
WAYS = {"tainted": True, "origin": "web", "quoted": MARK, "diagnostics": {"injection": 1}}
"""How a record says that nobody trusts its words, by the field."""


def mistrusted(kind: str) -> list[tuple[str, Any]]:
    """A record of a kind, once in each way in which it can say that nobody trusts it."""
    cls = THREAD_SCHEMA.records[kind]
    clean, hints = an_instance(cls), get_type_hints(cls, localns={"Json": object})
    found = [(name, replace(clean, **{name: WAYS[name]})) for name in hints if name in WAYS]
    for name, hint in hints.items():
        for each in (hint, *get_args(hint)):
            if is_dataclass(each) and "tainted" in {one.name for one in fields(each)}:
                part = replace(an_instance(each), tainted=True)  # type: ignore[arg-type]  # a class
                found.append((f"{name}.tainted", replace(clean, **{name: part})))
    return found


def test_every_text_of_a_record_that_does_not_say_whose_words_it_holds_is_in_the_table() -> None:
    found = {
        f"{kind}.{name}"
        for kind, cls in THREAD_SCHEMA.records.items()
        if cls.provenance not in ("marked", "beside")
        for name, hint in get_type_hints(cls, localns={"Json": object}).items()
        if get_origin(hint) is not ClassVar and _holds_text(hint)
    }
    assert found == PLAIN.keys()


@pytest.mark.parametrize("kind", MARKED)
def test_a_record_that_can_say_so_has_a_way_and_each_way_makes_its_reader_mistrust_it(kind: str) -> None:
    ways = mistrusted(kind)
    assert ways
    for name, record in ways:
        assert from_outside(record), name
        assert taints_thread(record) == (type(record).provenance == "marked"), name


ENTERING = [
    kind
    for kind in MARKED
    if THREAD_SCHEMA.records[kind].provenance == "marked" and kind not in ("ANSWER", "BEAT_ENDED")
]
"""Records that make their thread mistrusted. What an answer does needs a run that waits for it
(tests/threads/log/test_fold_answer.py), and the end of a beat says of itself what is carried on (tests/heartbeat)."""


def thread_before(kind: str) -> ThreadState:
    """A thread that a record of a kind can enter."""
    state = THREAD_SCHEMA.new(ThreadId("thr_1"))
    if kind != "THREAD_CREATED":
        THREAD_SCHEMA.offer(state, ThreadCreated("sulla"), 1, NOW)
    if kind not in ("THREAD_CREATED", "INPUT", "RUN_STARTED"):
        THREAD_SCHEMA.offer(state, Input(MessageId(MARK), "hi"), 2, NOW)
        THREAD_SCHEMA.decide(state, RunStarted(2, MessageId(MARK)), NOW)
    elif kind == "RUN_STARTED":
        THREAD_SCHEMA.offer(state, Input(MessageId(MARK), "hi"), 1, NOW)
    return state


@pytest.mark.parametrize("kind", ENTERING)
def test_a_thread_that_takes_such_a_record_up_is_mistrusted_from_then_on(kind: str) -> None:
    for name, record in mistrusted(kind):
        state = thread_before(kind)
        assert not state.context.tainted
        if kind in THREAD_SCHEMA.offered:
            THREAD_SCHEMA.offer(state, record, 2, NOW)
        else:
            THREAD_SCHEMA.decide(state, record, NOW)
        if kind == "INPUT":  # it waits for its run
            THREAD_SCHEMA.decide(state, RunStarted(2, MessageId(MARK)), NOW)
        assert state.context.tainted, name


@pytest.mark.parametrize("origin", sorted(UNTRUSTED))
def test_every_origin_that_nobody_trusts_makes_a_result_mistrusted(origin: str) -> None:
    result = an_instance(THREAD_SCHEMA.records["TOOL_CALL_RESULT"])
    assert not from_outside(replace(result, origin="tool"))
    assert from_outside(replace(result, origin=origin))


def _classes_with_a_mark() -> set[str]:
    return {
        node.name
        for path in python_files("sulla")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.target.id == "tainted"
    }


def _sections() -> set[str]:
    """Of the system prompt, that capabilities bring: each names its own where it makes it."""
    made = {
        ast.unparse(node.args[0])
        for path in python_files("sulla")
        if path.relative_to(ROOT / "sulla").parts[0] in CAPABILITIES
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "PromptSection"
    }
    return {SKILLS if name == "SKILLS" else ast.literal_eval(name) for name in made}


def test_whatever_words_cross_as_stands_in_the_table_and_nothing_else(tmp_path: Path) -> None:
    core = offline_core(load_settings({}, {}, tmp_path / "home"), SystemClock())
    records = {cls.__name__: kind for kind, cls in THREAD_SCHEMA.records.items()}
    stored = _classes_with_a_mark() - records.keys() - STAYING.keys() | {"RunOrder"}  # which names an author
    assert WAYS_OVER.keys() == {
        *core.host.tools.all(),
        *MARKED,
        *EVENTS,
        *(f"section:{name}" for name in _sections()),
        *(f"form:{name}" for name in stored),
    }


def test_every_capability_has_a_row_and_every_place_a_scenario() -> None:
    assert set(CAPABILITIES) <= {border.of for border in BORDERS}
    places = {one.place for one in CATALOG.scenarios}
    for border in BORDERS:
        assert border.whose in get_args(Whose), border
        assert set(border.places) <= places, border
        tried = border.places or border.words in UNTRIED.get(border.of, ())
        assert tried or border.whose not in ("outside", "files", "kept"), border


def test_a_tool_that_reads_files_has_their_marks(tmp_path: Path) -> None:
    every = offline_core(load_settings({}, {}, tmp_path / "home"), SystemClock()).host.tools.all()
    assert {name for name, tool in every.items() if tool.files != "none"} == {
        name for name in every if WAYS_OVER[name].whose == "files"
    }


def test_the_page_shows_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == wanted(page), "run `python -m tests.attacks.borders_page`"
