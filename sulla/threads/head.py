"""A thread's checkpoint: everything of the fold but the messages, small enough to be written with every append.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import orjson

from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.store.sealing import seal, unseal
from sulla.store.values import Head, Status
from sulla.threads.log.forms import reader, to_json
from sulla.threads.log.kept import KeptForm, numbers_of
from sulla.threads.log.records import Outcome
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.next_task import Idle, next_task

THREAD_KIND = "thread"
WHY_CHARS: Final = 500
"""Of why the newest run failed, in a checkpoint; all of it is in the log."""
_NUMBER: Final[Callable[[Json], Any]] = reader(int)


_FORM: Final = KeptForm(ThreadState, dropped=("had_tool_calls", "active_agents"))


def status_of(state: ThreadState) -> Status:
    """What the store should know: is there anything to do for this thread?"""
    # Also what was looked at and not dealt with, e.g. an answer that came as the daemon was about to stop.
    if not isinstance(next_task(state), Idle):
        return "open"
    return "suspended" if state.suspended else "idle"


def to_head(schema: ThreadSchema, state: ThreadState, claimed: int, epoch: int, due_ms: int | None = None) -> Head:
    """The checkpoint of a state that knows the log's inputs up to `claimed`, written under the lease `epoch`.

    Args:
        schema: what threads hold.
        state: the thread.
        claimed: up to which record its inputs are folded in.
        epoch: the lease.
        due_ms: when somebody should look at the thread though nothing happens, UTC milliseconds.
    """
    kept = _FORM.write(state)
    if state.run is None and not _is_owed(state):
        # Once the run has ended its words are in the log: repeating them would double every later write. Why one failed
        # is told where no log is read, such as in notices.
        kept["outcome"] = to_json(_brief(state.newest.outcome))
    found: JsonObject = {name: number for name, number in (("claimed", claimed), ("epoch", epoch)) if number}
    for name, value in kept.items():
        found.update(schema.slices_to_json(state) if name == "slices" else {name: value})
    return Head(
        THREAD_KIND,
        status_of(state),
        state.identity.agent,
        due_ms,
        state.inbox.consumed,
        seal("HEAD", orjson.dumps(found)),
    )


@dataclass(frozen=True, slots=True)
class LogReferences:
    """What a head only names and the log has."""

    epoch: int = 0
    """The lease under which the head was written."""
    claimed: int = 0
    """Inputs up to here are known to the head; later ones are not."""
    pending: tuple[int, ...] = ()
    """The numbers of known inputs that still wait."""
    reports: tuple[int, ...] = ()
    """Those of what children have reported to the open run."""


def from_head(schema: ThreadSchema, thread_id: ThreadId, head: Head) -> tuple[ThreadState, LogReferences]:
    """The state that `to_head` was given, without messages.

    Args:
        schema: what threads hold.
        thread_id: whose it is.
        head: what was kept.

    Returns:
        The state, and what has to be read from the log.

    Raises:
        CorruptRecord: the checkpoint is not what was written.
    """
    state = schema.new(thread_id)
    state.inbox.consumed = head.consumed
    if not head.body:
        return state, LogReferences()
    try:
        kept: Json = orjson.loads(unseal("HEAD", head.body, f"{thread_id} head"))
    except orjson.JSONDecodeError as error:
        raise CorruptRecord(f"{thread_id} head: not JSON: {error}") from None
    if not isinstance(kept, dict):
        raise CorruptRecord(f"{thread_id} head: expected an object, found {type(kept).__name__}")
    rest = schema.slices_from_json(kept, state)
    epoch, claimed = (_NUMBER(rest.pop(name, 0)) for name in ("epoch", "claimed"))
    _FORM.put(state, rest)
    state.kind = schema.kind_of(state)
    if state.run is not None:
        state.walk.waiting_for_user = state.run.resting if state.kind.waits_while_working else bool(state.run.waits)
    pending = (*numbers_of(rest, "waiting"), *numbers_of(rest, "controls"))
    return state, LogReferences(epoch, claimed, pending, numbers_of(rest.get("run"), "reports"))


def _is_owed(state: ThreadState) -> bool:
    """Whether somebody waits to be told what came of it."""
    return state.owes_report or bool(state.end_heard_by)


def _brief(outcome: Outcome) -> Outcome:
    why = cut(outcome.status_report, WHY_CHARS) if outcome.status == "failed" else ""
    return Outcome(status=outcome.status, status_report=why, reason=outcome.reason, updated_at_ms=outcome.updated_at_ms)
