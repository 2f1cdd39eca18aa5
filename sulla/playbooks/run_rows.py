"""Playbooks' runs as clients see them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from sulla.agent.approvals.approvals import REVIEW
from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict
from sulla.core.jsontypes import Json, replaced
from sulla.core.stamp import stamp
from sulla.playbooks.events import MOST_CHAINED
from sulla.playbooks.machine.counts import counts
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import (
    Fact,
    RunEnded,
    RunReopened,
    RunStarted,
    Spent,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.machine.rerun import kept
from sulla.playbooks.machine.result import seen
from sulla.playbooks.rpc_forms import PlayDetail, PlayRow, PlayStatus, StepRow
from sulla.playbooks.run.log import RunRecord
from sulla.playbooks.run.orders import begun_with, stands_for, successor_of
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.rpc.row import money_of
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.state import ThreadState

_ENDS: Final[Mapping[type, str]] = {
    StepCompleted: "completed",
    StepFailed: "failed",
    StepSkipped: "skipped",
    StepCancelled: "cancelled",
    StepRetry: "waiting",
}


_BY_OTHERS: Final = ("agent", "playbook")
"""Kinds of steps that are at work as long as somebody else works for them."""


def row_of(state: ThreadState) -> PlayRow | None:
    """A run in a line; None for a thread that is none.

    Args:
        state: its thread.
    """
    play = PLAYBOOK_RUN.of(state)
    if play is None:
        return None
    return PlayRow(
        state.thread_id,
        play.name,
        play.digest,
        status_of(state),
        play.trigger,
        play.thread,
        play.started_ms or state.identity.created_ms,
        play.ended_ms or None,
        play.steps,
        min(play.done, play.steps),  # a head of before counted each pass
        state.spending.tokens,
        money_of(state.spending.cost_micro, state.spending.tokens, ended=bool(play.ended_ms)),
        tuple(step.at for step in play.open),
        play.failure,
        state.identity.birth.parent if state.identity.birth is not None else "",
        play.chain,
        play.chain >= MOST_CHAINED,
        state.context.tainted,
        play.behind if state.run is not None else (),
        play.failed,
        play.skipped,
        play.cancelled,
        max(0, play.steps - sum(play.counts) - sum(counts(step.at) for step in play.open)),
    )


def status_of(state: ThreadState) -> PlayStatus:
    """How a run stands.

    Args:
        state: its thread.
    """
    play = PLAYBOOK_RUN.of(state)
    if play is None or (play.ended and state.inbox.waiting) or (play.behind and state.run is not None):
        return "queued"
    return "waiting" if play.status == "running" and state.suspended and not _has_others_work(state) else play.status


def goes_on(state: ThreadState) -> str:
    """What has a run go on that has not ended and is not paused, in words.

    Args:
        state: its thread.
    """
    waits = state.run.waits.values() if state.run is not None else ()
    if any(wait.is_for_people for wait in waits):
        return f"it goes on when what it asks is answered (`sulla flow show {state.thread_id}` says how)"
    return "it goes on by itself"


def refuse_unsure(state: ThreadState) -> None:
    """Do nothing if a copy of a run would call nothing of which this run does not know yet whether it took effect.

    Args:
        state: the run's thread.

    Raises:
        Conflict: such a call is at work, or was cut off, and only a person can say what came of it.
    """
    if (run := state.run) is None:
        return
    asked = next((wait for wait in run.waits.values() if wait.wait_id.startswith(REVIEW)), None)
    if asked is not None:
        named = ":".join(asked.wait_id.split(":")[:2])
        raise Conflict(
            f"the run {state.thread_id} was cut off while it called {asked.tool!r}, and nobody knows whether that took "
            "effect: a copy would call it again, unasked. Answer what the run asks first "
            f"(`sulla approvals answer {named} …`; `sulla flow show {state.thread_id}` shows it)"
        )
    held = {wait.call_id for wait in run.waits.values()}
    if any(effect == "once" and call_id not in held for call_id, effect in run.calls.intents.items()):
        raise Conflict(
            f"the run {state.thread_id} is making a call that takes effect each time, and a copy would make it again: "
            f"fork it when that step has ended (`sulla flow show {state.thread_id}`)"
        )


def _has_others_work(state: ThreadState) -> bool:
    """Whether agents or other playbooks work for it, which is work like its own."""
    return state.run is not None and any(map(is_child_wait, state.run.waits))


@dataclass(slots=True)
class _Rows:
    """Steps as they have come."""

    kinds: Mapping[str, str]
    shown: Mapping[str, str]
    """What is said of secrets, by what stands for them."""
    rows: dict[str, StepRow] = field(default_factory=dict)

    def take(self, fact: Fact) -> None:
        """One more fact."""
        at = getattr(fact, "at", "")
        row = self.rows.get(at)
        if isinstance(fact, StepStarted):
            kind = self.kinds.get(at.partition("@")[0], "")
            begun = row.started_ms if row is not None else fact.at_ms
            spent = Spent(row.tokens, row.cost_micro or 0) if row is not None else Spent()
            self.rows[at] = StepRow(
                at, kind, "running", fact.attempt, begun, None, None, "", "", *spent, _waits_for(kind, fact),
                replaced(dict(fact.given), self.shown) if fact.given else None,
            )  # fmt: skip
        elif type(fact) in _ENDS:
            at_ms: int = getattr(fact, "at_ms", 0)
            kind = self.kinds.get(at.partition("@")[0], "")
            row = row or StepRow(at, kind, "", 0, at_ms, None, None, "", "", 0, 0, "")
            self.rows[at] = self._ended(replace(row, status=_ENDS[type(fact)], ended_ms=at_ms), fact)

    def end(self, at_ms: int) -> None:
        """The run is over: so is what was at work, or was to be tried again.

        Args:
            at_ms: since when, UTC milliseconds.
        """
        for at, row in self.rows.items():
            if row.ended_ms is None or row.status == "waiting":
                self.rows[at] = replace(row, status="cancelled", ended_ms=at_ms, note="")

    def _ended(self, row: StepRow, fact: Fact) -> StepRow:
        spent = getattr(fact, "spent", Spent())
        cost_micro = (row.cost_micro or 0) + spent.cost_micro
        row = replace(row, tokens=row.tokens + spent.tokens, cost_micro=cost_micro, note="")
        match fact:
            case StepCompleted():
                result = seen(fact.result, fact.value) if row.kind == "tool" else None
                return replace(row, output=fact.value, route=fact.route, result=result)
            case StepFailed():
                return replace(row, error=f"{fact.failure.reason}: {fact.failure.message}")
            case StepRetry():
                return replace(
                    row,
                    error=f"{fact.failure.reason}: {fact.failure.message}",
                    note=f"tries again at {stamp(fact.due_ms)}",
                )
            case StepSkipped():
                return replace(row, note=fact.why)
            case _:
                return row


def detail_of(state: ThreadState, record: RunRecord) -> PlayDetail:
    """A run with all that has happened.

    Args:
        state: its thread.
        record: what its log says.
    """
    row = row_of(state)
    assert row is not None  # noqa: S101  - the caller has looked
    definition = begun_with(record.play) if record.play is not None else None
    plan = build(definition) if definition is not None else None
    kinds = {name: _kind(node.step.does) for name, node in plan.nodes.items()} if plan is not None else {}
    seal, secrets = record.order.seal if record.order is not None else "", definition.secrets if definition else ()
    rows = _Rows(kinds, {stands_for(seal, name): f"[secret {name}]" for name in secrets})
    inputs: Mapping[str, Json] = {}
    outputs: Mapping[str, Json] = {}
    forked_from = ""
    # An end by a transfer is none where nobody could take over.
    successor = successor_of(record.run_id) if row.status == "transferred" else ""
    for fact in kept(plan, record.facts) if plan is not None else record.facts:
        match fact:
            case RunStarted():
                inputs, forked_from = fact.inputs, fact.forked_from
            case RunEnded():
                outputs = fact.outputs
            case RunReopened():
                outputs = {}
            case _:
                rows.take(fact)
    if row.ended_ms is not None:
        rows.end(row.ended_ms)
    found = tuple(_priced(_with_wait(one, state)) for one in rows.rows.values())
    return PlayDetail(row, dict(inputs), dict(outputs), forked_from, found, None, successor)


def _kind(does: object) -> str:
    """What a file calls it."""
    return type(does).__name__.removesuffix("Step").lower()


def _waits_for(kind: str, begun: StepStarted) -> str:
    """What a step waits for from its beginning on; empty for nothing that it says itself."""
    match kind, begun.given:
        case "wait", {"until_ms": int() as until_ms}:
            return f"until {stamp(until_ms)}"
        case "human", {"question": str() as question}:
            return f"a person: {question}"
        case _:
            return ""


def _priced(row: StepRow) -> StepRow:
    """A step with its money, as far as that is known."""
    return replace(row, cost_micro=money_of(row.cost_micro or 0, row.tokens, ended=row.ended_ms is not None))


def _with_wait(row: StepRow, state: ThreadState) -> StepRow:
    """A step that is at work, or waits with all others."""
    if row.status != "running" or not state.suspended or (row.kind in _BY_OTHERS and _has_others_work(state)):
        return row
    return replace(row, status="waiting")
