"""What a capability brings to threads is kept, folded and read like what was always there, and never by two of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.threads.head import from_head, to_head
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import Birth
from sulla.threads.log.forms import Fielded
from sulla.threads.log.kind import CHILD, CONVERSATION, ThreadKind
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.schema import Slice, ThreadSchema
from sulla.threads.log.state import ThreadState

THREAD, RUN = ThreadId("thr"), RunId("run_1")


@dataclass(frozen=True, slots=True)
class Asked(Fielded):
    kind: ClassVar[str] = "TEA_ASKED"
    cups: int


@dataclass(frozen=True, slots=True)
class Brewed(Fielded):
    kind: ClassVar[str] = "TEA_BREWED"
    cups: int


@dataclass(frozen=True, slots=True)
class Pour(RunRequest):
    kind: ClassVar[str] = "TEA_POUR"
    refusal: ClassVar[str] = "there is no tea"


@dataclass(frozen=True, slots=True)
class Tea(Fielded):
    wanted: int = 0
    brewed: int = 0
    last_seq: int = -1


@dataclass(frozen=True, slots=True)
class Smelled(Fielded):
    kind: ClassVar[str] = "TEA_SMELLED"


def fold(state: ThreadState, tea: Tea | None, fact: Asked | Brewed | Smelled, seq: int, origin: Origin) -> Tea | None:
    tea = tea or Tea()
    if isinstance(fact, Smelled):
        return None
    if isinstance(fact, Asked):
        return replace(tea, wanted=tea.wanted + fact.cups, last_seq=seq)
    state.context.tainted = True
    return replace(tea, brewed=tea.brewed + fact.cups, last_seq=seq)


TEA = Slice("tea", Tea, fold, offered=(Asked, Pour), decided=(Brewed, Smelled), beside=(Smelled,))
TEA_THREAD: ThreadKind[ThreadState] = ThreadKind("tea", graph="tea", recall="nothing")


def weightless(message: Any) -> int:
    return 0


SCHEMA = ThreadSchema(weightless, (TEA,), (TEA_THREAD,))


def opened(graph: str = "", birth: Birth | None = None) -> ThreadState:
    state = SCHEMA.new(THREAD)
    SCHEMA.offer(state, f.ThreadCreated("sulla", graph=graph, birth=birth), 1, Origin(1))
    return state


def working() -> ThreadState:
    state = opened()
    SCHEMA.offer(state, f.Input(MessageId("m"), "tea?"), 2, Origin(2, RUN))
    SCHEMA.decide(state, f.RunStarted(2, MessageId("m")), Origin(3, RUN))
    return state


def test_a_slice_folds_what_is_offered_and_what_is_decided() -> None:
    state = working()
    assert TEA.of(state) is None
    SCHEMA.offer(state, Asked(2), 4, Origin(4))
    assert TEA.of(state) == Tea(2, 0, 4)
    SCHEMA.decide(state, Brewed(1), Origin(5, RUN))
    assert TEA.of(state) == Tea(2, 1, 0)
    assert state.context.tainted


def test_a_decision_of_a_slice_is_progress_of_the_open_run() -> None:
    state = working()
    SCHEMA.decide(state, Brewed(1), Origin(50, RUN))
    assert state.run is not None
    assert (state.updated_ms, state.run.course.touched_ms) == (50, 50)
    SCHEMA.offer(state, Asked(2), 4, Origin(60))
    assert (state.updated_ms, state.run.course.touched_ms) == (50, 50)


def test_a_decision_beside_the_run_is_none_and_one_that_changes_nothing_leaves_no_trace() -> None:
    state = working()
    SCHEMA.decide(state, Smelled(), Origin(50, RUN))
    assert state.run is not None
    assert (state.updated_ms, state.run.course.touched_ms) == (50, 3)
    assert TEA.of(state) is None


def test_an_order_of_a_slice_waits_for_its_run_and_is_not_folded_by_it() -> None:
    state = working()
    assert SCHEMA.is_offer(Pour())
    SCHEMA.offer(state, Pour(), 4, Origin(4))
    assert state.inbox.controls[4].fact == Pour()
    assert TEA.of(state) is None


def test_a_kind_keeps_what_its_threads_begin_with() -> None:
    def steep(state: ThreadState, created: f.ThreadCreated) -> None:
        TEA.put(state, Tea(wanted=len(created.title)))

    kind: ThreadKind[ThreadState] = ThreadKind("pot", graph="pot", on_created=steep)
    state = ThreadSchema(weightless, (TEA,), (kind,)).new(THREAD)
    ThreadSchema(weightless, (TEA,), (kind,)).offer(state, f.ThreadCreated("sulla", "four", graph="pot"), 1, Origin(1))
    assert TEA.of(state) == Tea(4)


def test_a_slice_goes_through_the_head() -> None:
    state = working()
    SCHEMA.decide(state, Brewed(3), Origin(5, RUN))
    head = to_head(SCHEMA, state, 4, 1)
    again, _ = from_head(SCHEMA, THREAD, head)
    assert TEA.of(again) == Tea(0, 3, 0)
    assert b'"tea":{"brewed":3,"last_seq":0}' in head.body


def test_a_head_without_the_slice_holds_nothing_of_it() -> None:
    state = working()
    head = to_head(SCHEMA, state, 4, 1)
    assert head == to_head(ThreadSchema(weightless), state, 4, 1)
    assert TEA.of(from_head(SCHEMA, THREAD, head)[0]) is None


def test_a_head_with_a_slice_that_is_not_known_is_refused() -> None:
    state = working()
    SCHEMA.decide(state, Brewed(3), Origin(5, RUN))
    with pytest.raises(CorruptRecord, match="unknown field 'tea'"):
        from_head(ThreadSchema(weightless), THREAD, to_head(SCHEMA, state, 4, 1))


def test_records_of_slices_are_told_apart_like_those_of_the_core() -> None:
    assert SCHEMA.is_offer(Asked(1))
    assert not SCHEMA.is_decision(Asked(1))
    assert SCHEMA.is_decision(Brewed(1))
    assert not SCHEMA.is_offer(Brewed(1))
    assert SCHEMA.is_offer(f.StopAsked())
    assert SCHEMA.is_decision(f.Stopped(1))
    assert not ThreadSchema(weightless).is_offer(Asked(1))
    assert {"TEA_ASKED", "STOP"} <= SCHEMA.offered
    assert "TEA_BREWED" not in SCHEMA.offered
    assert SCHEMA.records["TEA_BREWED"] is Brewed


def test_the_kind_follows_from_the_first_record() -> None:
    birth = Birth("c1", "call", THREAD, RUN, THREAD, 1)
    assert opened().kind is CONVERSATION
    assert opened("call").kind is CONVERSATION
    assert opened(birth=birth).kind is CHILD
    assert opened("tea").kind is TEA_THREAD
    assert opened("tea", birth).kind is TEA_THREAD
    assert from_head(SCHEMA, THREAD, to_head(SCHEMA, opened("tea"), 1, 1))[0].kind is TEA_THREAD


@pytest.mark.parametrize(
    "make",
    [
        lambda: ThreadSchema(weightless, (TEA, Slice("other", Tea, fold, decided=(Brewed,)))),
        lambda: ThreadSchema(weightless, (Slice("stops", Tea, fold, offered=(f.StopAsked,)),)),
        lambda: ThreadSchema(weightless, (Slice("twice", Tea, fold, offered=(Asked,), decided=(Asked,)),)),
        lambda: ThreadSchema(weightless, (TEA, Slice("tea", Tea, fold))),
        lambda: ThreadSchema(weightless, (), (TEA_THREAD, TEA_THREAD)),
        lambda: ThreadSchema(weightless, (), (ThreadKind("all"),)),
    ],
    ids=["two slices", "a slice and the core", "one slice twice", "a name twice", "a graph twice", "no graph"],
)
def test_what_belongs_to_two_is_refused_when_the_schema_is_made(make: Callable[[], ThreadSchema]) -> None:
    with pytest.raises(ValueError, match=r"owner already|of its own"):
        make()
