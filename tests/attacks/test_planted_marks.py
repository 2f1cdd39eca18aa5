"""A mark in every text: whatever crosses a border with it arrives as somebody's words whom nobody trusts."""

from __future__ import annotations

import ast
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import product
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.agent.prompt import ActiveAgent
from sulla.agent.spec import SULLA
from sulla.agent.turn.ambient_context import AmbientContext, TurnContext
from sulla.agent.turn.turns import TurnDriver
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.message import Part, Text, ToolCall
from sulla.core.words import NO_WORDS, Author, Words, ours
from sulla.daemon.core import offline_core
from sulla.daemon.runtimes import sections_of
from sulla.daemon.settings.config import load_settings
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.heartbeat.beats import BeatState
from sulla.host.borders import BORDERS
from sulla.host.host import Built
from sulla.host.system import SystemClock
from sulla.memory.entities.statement import Statement, statement_from_json, statement_to_json
from sulla.memory.note import (
    MemoryNote,
    ReadPosition,
    note_from_json,
    note_to_json,
    progress_from_json,
    progress_to_json,
)
from sulla.models.base import PromptSection
from sulla.people import notices
from sulla.people.notices import NoticeKept
from sulla.playbooks.events import EVENTS, gives_events, happening
from sulla.playbooks.records import PlayState
from sulla.playbooks.run.orders import RunOrder, read_order
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.schedules.forms import from_json, to_json
from sulla.schedules.spec import MessageAction, ReminderAction
from sulla.store.memory import MemoryStore
from sulla.store.values import Record
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.family import Birth, Report
from sulla.threads.log.forms import Form, fields_to_json
from sulla.threads.log.plays import PLAYBOOK, OwedAnswer
from sulla.threads.log.provenance import MARKS, from_outside
from sulla.threads.log.records import Outcome, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.registry import Toolbox
from tests.attacks.test_borders import WAYS, thread_before
from tests.house.source import ROOT, python_files, syntax

MARK = "planted-here"
DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
NOW = Origin(1, run_id=RunId("run_1"))


def planted(hint: Any) -> Any:
    """A value of a type, with the mark in every text of it, however deep."""
    hint = getattr(hint, "__supertype__", hint)
    origin, args = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return filled(hint)  # type: ignore[arg-type]  # a class
    if hint is Part:
        return Text(MARK)
    if origin is tuple:
        return tuple(map(planted, args[:1] if args[1:] == (Ellipsis,) else args))
    if origin is Literal:
        return args[0]
    if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {MARK: MARK}
    if args:  # one of several
        return planted(next(arg for arg in args if arg is not NoneType))
    return {str: MARK, int: 1, float: 1.0, bool: False}.get(hint, MARK)


def filled(cls: type, **given: Any) -> Any:
    """One of a class, with the mark in every text and no way said in which it is not to be trusted."""
    hints = get_type_hints(cls, localns={"Json": str})
    values = {one.name: planted(hints[one.name]) for one in fields(cls) if one.name != "quoted"}
    clean = {"origin": "operator", "diagnostics": {}, "tainted": False}
    return cls(**(values | {name: value for name, value in clean.items() if name in values} | given))


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store of its own."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


def a_tool(name: str, says: Words) -> Tool:
    async def run(args: Any, context: ToolContext) -> Result:
        return Done(says)

    return Tool(name, "Says it.", {"type": "object"}, run, "pure", reach="inward")


def names_of(tmp_path: Any) -> list[str]:
    return sorted(offline_core(load_settings({}, {}, tmp_path / "home"), SystemClock()).host.tools.all())


async def test_the_result_of_every_tool_reaches_the_model_with_its_mark(store: MemoryStore, tmp_path: Any) -> None:
    names = names_of(tmp_path)
    assert len(names) > 20
    authors = (Author.OUTSIDE, Author.TAINTED_AGENT, Author.AGENT)
    for boot, (name, by) in enumerate(product(names, authors)):
        provider = ScriptedProvider([Say("", (ToolCall(CallId("a"), name, {}),)), DONE])
        world = World(store, provider, tools=(a_tool(name, Words(MARK, by)),), boot=boot)
        thread = await world.thread()
        await world.ask(thread, "go")
        (result,) = [one for one in await world.log(thread) if one.kind == "TOOL_CALL_RESULT"]
        assert (result.data["text"], from_outside(result.fact)) == (MARK, by.tainted), name
        state = await world.threads.load(thread)
        assert state is not None
        assert state.context.tainted == by.tainted, name


AROUND = {
    "active": (ActiveAgent(Words(MARK), Words(MARK), 1),),
    "environment": Words(MARK),
    "memory": Words(MARK),
    "jobs": (Words(MARK),),
}
"""What stands beside a message, by its field, from outside."""


def told(world: World, field: str) -> TurnContext:
    """Has every turn told one planted thing."""

    async def memory(agent: str, message: str) -> Words:
        return AROUND["memory"] if field == "memory" else NO_WORDS  # type: ignore[return-value]  # words

    async def active(besides: object) -> Any:
        return AROUND["active"] if field == "active" else ()

    async def environment(thread_id: ThreadId) -> Words:
        return AROUND["environment"] if field == "environment" else NO_WORDS  # type: ignore[return-value]  # words

    def jobs(thread_id: ThreadId) -> Any:
        return AROUND["jobs"] if field == "jobs" else ()

    async def project(name: str) -> Any:
        return Words(MARK) if field == "project" else NO_WORDS

    return TurnContext(world.clock, memory, active, environment, jobs=jobs, project=project)


@pytest.mark.parametrize("field", [one.name for one in fields(AmbientContext)])
async def test_whatever_stands_beside_a_message_makes_its_turn_mistrusted(store: MemoryStore, field: str) -> None:
    world = World(store, ScriptedProvider([DONE]))
    family, limits = world.family.children, RunLimits()
    world.turns = TurnDriver(
        world.threads, store, world.clock, world.actors, limits, world.model.ledger, family, told(world, field)
    )
    thread = await world.threads.create(ThreadCreated("sulla", project="garden"))
    await world.ask(thread, "go")
    (started,) = [one for one in await world.log(thread) if one.kind == "RUN_STARTED"]
    assert MARK in str(started.data)
    assert from_outside(started.fact)
    state = await world.threads.load(thread)
    assert state is not None
    assert state.context.tainted


def test_a_section_of_the_prompt_that_does_not_say_that_it_is_the_owners_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bare = PromptSection("bare", MARK)  # type: ignore[arg-type]  # of a package that nobody has checked
    every = (PromptSection("ours", ours("fine")), PromptSection("theirs", Words(MARK)), bare)
    built = (Built(sections=lambda spec, box: every),)
    assert [one.name for one in sections_of(built, SULLA, Toolbox(()))] == ["ours"]
    assert "'theirs' is left out" in caplog.text
    assert "'bare' is left out" in caplog.text


@pytest.mark.parametrize("kind", sorted(THREAD_SCHEMA.records))
def test_a_mark_in_any_field_of_a_record_that_says_so_arrives_as_from_outside(kind: str) -> None:
    cls = THREAD_SCHEMA.records[kind]
    clean = filled(cls)
    assert not from_outside(clean)
    for name in {one.name for one in fields(cls)} & MARKS.keys():
        assert from_outside(replace(clean, **{name: WAYS[name]})), name
    for one in fields(cls):
        part = getattr(clean, one.name)
        if isinstance(part, Birth | Report):
            assert from_outside(replace(clean, **{one.name: replace(part, tainted=True)})), one.name


def events_of(fact: Any, *, tainted: bool, run: bool = False) -> Any:
    """The event that a record is, in a thread that may hold something from outside, or in a run that has failed."""
    state: ThreadState = thread_before("INPUT")
    state.context.tainted = tainted
    graph = "heartbeat" if fact.kind == "BEAT_ENDED" else PLAYBOOK if run else ""
    state.identity = replace(state.identity, graph=graph)
    if run:
        PLAYBOOK_RUN.put(state, PlayState("night", "0" * 64, status="failed"))
    assert gives_events(state)
    return happening(Entry(7, fact.kind, False, NOW, fact.data(), THREAD_SCHEMA.forms), state)


def test_every_event_is_mistrusted_with_its_thread_or_its_record() -> None:
    found = set()
    for kind, cls in THREAD_SCHEMA.records.items():
        for status in ("done", "blocked", "failed"):
            given: dict[str, Any] = {"joined": None} if kind == "RUN_FINISHED" else {}
            given |= {"outcome": Outcome(status, MARK, MARK, MARK, MARK)} if kind == "RUN_FINISHED" else {}
            fact = filled(cls, **given)
            for run in (False, True):
                if (event := events_of(fact, tainted=True, run=run)) is None:
                    continue
                found.add(event.type)
                assert MARK in str(event.payload), kind
                assert event.by.tainted, kind
                assert not events_of(fact, tainted=False, run=run).by.tainted, kind
                if hasattr(fact, "tainted"):
                    assert events_of(replace(fact, tainted=True), tainted=False, run=run).by.tainted, kind
    assert found == set(EVENTS)


def _in_a_record(cls: type) -> Callable[[Any], Any]:
    return lambda value: Form(cls).read(fields_to_json(value))


def _in_a_schedule(cls: type, value: object) -> Any:
    return from_json(cls, to_json(value), "an action")


def _notice(value: NoticeKept) -> Any:
    draft = notices.encode(value)
    return notices.decode(Record(1, draft.kind, False, draft.body), "notices:2026-11-23")


STORED: dict[type, Callable[[Any], Any]] = {
    **{cls: _in_a_record(cls) for cls in (Birth, Report, OwedAnswer, BeatState)},
    MemoryNote: lambda value: note_from_json(note_to_json(value)),
    Statement: lambda value: statement_from_json(statement_to_json(value)),
    ReadPosition: lambda value: progress_from_json(progress_to_json(value)),
    NoticeKept: _notice,
    **{cls: partial(_in_a_schedule, cls) for cls in (MessageAction, ReminderAction)},
}
"""How each is written, and read again."""


@pytest.mark.parametrize("cls", STORED, ids=lambda cls: cls.__name__)
def test_what_is_stored_with_a_mark_is_read_with_it(cls: type) -> None:
    given = {"kind": "fact"} if cls is MemoryNote else {}
    for tainted in (True, False):
        value = filled(cls, **(given | {"tainted": tainted}))
        back = STORED[cls](value)
        assert (back, back.tainted) == (value, tainted)


def test_an_order_is_stored_with_its_author() -> None:
    for by in Author:
        order = RunOrder("start", MARK, {MARK: MARK}, MARK, by=by)
        assert read_order(order.text()).by.tainted == by.tainted


@pytest.mark.parametrize("tainted", ["true", "false", None])
def test_a_note_that_does_not_say_whose_it_is_is_from_outside(tainted: str | None) -> None:
    said = {
        "id": "n",
        "kind": "fact",
        "scope": "",
        "text": MARK,
        "at_ms": 1,
        "agent": "",
        "thread_id": "",
        "run_id": "",
    }
    note = note_from_json(json.dumps(said | {"tools": []} | ({"tainted": tainted == "true"} if tainted else {})))
    assert note.by.tainted == (tainted != "false")


def test_the_forms_that_are_tried_are_those_of_the_table() -> None:
    forms = {way.removeprefix("form:") for border in BORDERS for way in border.by if way.startswith("form:")}
    assert forms == {cls.__name__ for cls in STORED} | {"RunOrder"}


SAYING = {
    ("agent/ending.py", "ToolCallResult"): "the daemon's own words",
    ("agent/turn/chat.py", "TextMessageEnd"): "the answer to a playbook's question, for which no such tool is offered",
    ("agent/calls/call_node.py", "TextMessageEnd"): "a call, in no words",
    ("intents/opening.py", "TextMessageEnd"): "a call of the owner's, in no words",
    ("flows/parts.py", "TextMessageEnd"): "calls of a flow's, in no words",
    ("flows/node.py", "TextMessageEnd"): "what was said in the same thread before, of which its state knows",
    ("routes/turn.py", "TextMessageEnd"): "a call of the owner's, in no words",
    ("agent/calls/calls.py", "ToolCallResult"): "the daemon's own words, of calls that are not made",
    ("agent/approvals/questions.py", "ToolCallResult"): "the daemon's own words",
    ("channels/run/answers.py", "Answer"): "a person's own: what is forwarded or cited answers nothing",
    ("daemon/intake.py", "Answer"): "a person's yes, to other questions that it answers as well",
    ("daemon/models/rehearsal.py", "Input"): "the daemon's own words",
    ("daemon/service.py", "Answer"): "a person's; agents have no token that may answer",
    ("heartbeat/node.py", "Report"): "the daemon's own words",
    ("playbooks/run/admission.py", "Played"): "ids, and who began the run says whose words it holds",
    ("playbooks/run/driver.py", "Played"): "ids, and what the thread holds already",
    ("playbooks/run/log.py", "Played"): "a fact of the machine; whoever has it written says whose words it holds",
    ("playbooks/run/steps.py", "Played"): "ids",
    ("playbooks/run/worker.py", "Played"): "ids, and the name of a model",
    ("speech/sessions/delivery.py", "Input"): "what a person has said aloud",
    ("testing/world.py", "Input"): "a person's, in tests",
    ("threads/leaving.py", "OwedAnswer"): "the daemon's own words",
}
"""Where a record is made that could say whose words it holds, and does not: whose they are."""


def test_who_makes_a_record_says_whose_words_it_holds() -> None:
    classes = (*THREAD_SCHEMA.records.values(), Birth, Report, OwedAnswer)
    marked = {
        cls.__name__: names for cls in classes if {"tainted", "origin"} & {*(names := [f.name for f in fields(cls)])}
    }
    homes = {cls.__name__: cls.__module__ for cls in classes}
    silent = set()
    for path in python_files("sulla"):
        tree = syntax(path)
        known = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if node.module == homes.get(alias.name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in node.args):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            said = {word.arg for word in node.keywords} | set(marked.get(name, ())[: len(node.args)])
            if name in marked and (name in known or isinstance(node.func, ast.Attribute)) and not said & MARKS.keys():
                silent.add((path.relative_to(ROOT / "sulla").as_posix(), name))
    assert silent == SAYING.keys()
