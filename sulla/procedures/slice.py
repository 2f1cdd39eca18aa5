"""Which procedure a person is led through, and how far: what is kept of it in a thread, and how it changes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json
from sulla.procedures.definition import MOST_ITEMS, MOST_STEPS
from sulla.procedures.verdicts import ITEM_CHARS
from sulla.threads.log.codec import Origin
from sulla.threads.log.forms import Fielded, fields_to_json, form_of
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState

MOST_KEPT: Final = 2 * MOST_ITEMS
"""Items of one step; what comes after them is passed over."""

Status = Literal["active", "paused", "aside", "done", "left"]
What = Literal["started", "completed", "held", "stuck", "resumed", "preserved", "set_aside", "finished", "left"]
By = Literal["words", "judge", "caller"]
"""Who says so: the person's words by themselves, a model that judged them, or what runs the procedure."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What a person has named in a step, or the answer that completed it."""

    step: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProcedureMoved(Fielded):
    """Something has happened to a procedure. Its items are a person's own words; all else are names and numbers."""

    kind: ClassVar[str] = "PROCEDURE_MOVED"
    provenance: ClassVar[Provenance] = "person"
    name: str
    digest: str
    """Of what the procedure's file says by now."""
    what: What
    step: str
    """Where it stands from here on."""
    by: By = "caller"
    of: str = ""
    """The step that the items belong to, and that a reply was read for; empty where none was."""
    items: tuple[str, ...] = ()
    """What the reply has added."""
    why: str = ""
    """A word for people and figures: such as what has taken the turn."""


@dataclass(frozen=True, slots=True)
class ProcedureState:
    """The newest procedure of a conversation."""

    name: str
    digest: str
    status: Status
    step: str
    items: tuple[Collected, ...] = ()
    """What was collected, step by step."""
    stuck_count: int = 0
    """How often the person was stuck in this step."""
    replies: int = 0
    """How many replies were read."""

    @property
    def is_open(self) -> bool:
        """Whether it can go on where it stands."""
        return self.status in ("active", "paused", "aside")

    @property
    def is_aside(self) -> bool:
        """Whether it waits until the person asks for it: what they say meanwhile is no reply to a step."""
        return self.status == "aside"

    def items_of(self, step: str) -> tuple[str, ...]:
        """What was collected in a step.

        Args:
            step: its id.
        """
        return next((one.items for one in self.items if one.step == step), ())

    def to_json(self) -> Json:
        """As a record or a head keeps it."""
        return fields_to_json(self)


def state_from_json(value: Json) -> ProcedureState:
    """The state that `ProcedureState.to_json` made `value` from.

    Args:
        value: the JSON.

    Raises:
        CorruptRecord: it is none.
    """
    return form_of(ProcedureState).read(value)


def after(kept: ProcedureState | None, moved: ProcedureMoved) -> ProcedureState:
    """How a procedure stands when something has happened to it.

    Args:
        kept: what was before; None for nothing.
        moved: what has happened.

    Raises:
        CorruptRecord: it has happened to a procedure that is not open.
    """
    if moved.what == "started":
        return ProcedureState(moved.name, moved.digest, "active", moved.step)
    if kept is None or kept.name != moved.name or not kept.is_open:
        raise CorruptRecord(f"{moved.kind} of {moved.name!r}, which is not open")
    status: Status = _STATUS.get(moved.what, "active")
    stuck = 0 if moved.step != kept.step else kept.stuck_count + (moved.what == "stuck")
    return replace(
        kept,
        digest=moved.digest,
        status=status,
        step=moved.step,
        items=_with(kept.items, moved.of, moved.items),
        stuck_count=stuck,
        replies=kept.replies + (moved.of != ""),
    )


_STATUS: Final[dict[What, Status]] = {"preserved": "paused", "set_aside": "aside", "finished": "done", "left": "left"}


def _with(kept: tuple[Collected, ...], step: str, more: Iterable[str]) -> tuple[Collected, ...]:
    before = next((one.items for one in kept if one.step == step), ())
    known = {one.casefold() for one in before}
    new = [one[:ITEM_CHARS] for one in more if one.casefold() not in known]
    if not new:
        return kept
    there = Collected(step, (*before, *new)[:MOST_KEPT])
    if not before:
        return (*kept, there)[-MOST_STEPS:]
    return tuple(there if one.step == step else one for one in kept)


def _fold(
    state: ThreadState, kept: ProcedureState | None, record: ProcedureMoved, seq: int, origin: Origin
) -> ProcedureState:
    try:
        return after(kept, record)
    except CorruptRecord as error:
        raise CorruptRecord(f"{state.thread_id}: {error.message}") from None


PROCEDURES: Final = Slice("procedure", ProcedureState, _fold, decided=(ProcedureMoved,))
"""The newest procedure of a thread."""


def open_procedure(state: ThreadState) -> ProcedureState | None:
    """The procedure that the person of a thread is being led through; None for none.

    Args:
        state: the thread.
    """
    kept = PROCEDURES.of(state)
    return kept if kept is not None and kept.is_open else None
