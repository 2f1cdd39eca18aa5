"""Whether a run that is to begin may begin now: others of its playbook may have to end first (`concurrency`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.core.run import Run
from sulla.core.words import Author
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.machine.lane import SKIPPED, LanePlace, LaneVerdict, lane_key
from sulla.playbooks.machine.records import MESSAGE_CHARS, Fact, Failure, RunStarted, RunStopped
from sulla.playbooks.machine.scope import fill
from sulla.playbooks.records import PlaybookAsked, Played
from sulla.playbooks.run.history import TIMER
from sulla.playbooks.run.lanes import LOOK_S, Lanes
from sulla.playbooks.run.log import HEARD
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.records import Suspended
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

SHOWN: Final = 3
"""Runs that one is said to wait for."""


def lane_of(definition: Definition, facts: Sequence[Fact], scope: FrozenJson) -> str:
    """What a run has in common with those that it counts together with; empty where it counts with none.

    Args:
        definition: what it walks.
        facts: of the run, its beginning at least.
        scope: the names in ``run``.

    Raises:
        SullaError: its key cannot be worked out.
    """
    wanted = definition.concurrency
    started = next((fact for fact in facts if isinstance(fact, RunStarted)), None)
    if wanted is None or started is None:
        return ""
    value = None
    if wanted.key is not None:
        value = fill(wanted.key, evaluate, {"inputs": started.inputs, "run": scope})
    return lane_key(definition.name, value)


@dataclass(frozen=True, slots=True)
class Admission:
    """Lets a run begin, wait or end.

    Args:
        lanes: say whose turn it is.
        definition: what the run walks.
        state: the run's thread.
        run: the run.
        since_ms: when it was to begin, UTC milliseconds.
        by: whose words its order holds.
    """

    lanes: Lanes
    definition: Definition
    state: ThreadState
    run: Run
    since_ms: int
    by: Author

    @property
    def place(self) -> LanePlace:
        """The run, as a lane knows it."""
        return LanePlace(self.state.thread_id, self.run.id, self.since_ms)

    async def admit(
        self, begins: Sequence[Fact], facts: Sequence[Fact], scope: FrozenJson, *, known: bool, resumed: bool
    ) -> list[Fact] | None:
        """Ask for its turn.

        Args:
            begins: what it begins with if it may.
            facts: those, behind what there is of it already.
            scope: the names in ``run``.
            known: whether its log says already that it is open.
            resumed: whether a person has it go on after its end: then it is not told to end.

        Returns:
            What it begins with; with its end, if there is no place for it. None if it has to wait: its log says so.
        """
        wanted, now_ms = self.definition.concurrency, round(self.run.clock.now() * 1000)
        asked = {
            seq: control.fact
            for seq, control in self.state.inbox.controls.items()
            if isinstance(control.fact, PlaybookAsked)
        }
        cancels = [one.why for one in asked.values() if one.ask in ("cancel", "make_way")]
        if cancels:  # it ends before anything is done, whoever's turn it is
            return [*begins, RunStopped("cancelled", cancels[0][:MESSAGE_CHARS], now_ms, unbegun=True)]
        if wanted is None:
            return list(begins)
        try:
            lane = lane_of(self.definition, facts, scope)
        except SullaError as error:
            failure = Failure("permanent", "expression", f"concurrency: {error.message}"[:MESSAGE_CHARS])
            return [*begins, RunStopped("failed", failure.message, now_ms, failure, unbegun=True)]
        if not known:
            await self.run.journal.commit(Played("TAKEN_UP", tainted=self.by.tainted))
        verdict = await self.lanes.enter(lane, self.place, wanted, may_skip=not resumed)
        match verdict.what:
            case "go":
                return list(begins)
            case "skip":
                return [*begins, RunStopped("cancelled", _why_skipped(verdict, wanted.limit), now_ms, unbegun=True)]
        await self._wait(verdict, tuple(asked), now_ms)
        return None

    async def _wait(self, verdict: LaneVerdict, heard: Sequence[int], now_ms: int) -> None:
        play, behind = PLAYBOOK_RUN.of(self.state), verdict.behind[:SHOWN]
        told = [Played(HEARD, input_seq=seq) for seq in heard]
        if play is not None and play.behind != behind:
            told.append(Played("TAKEN_UP", detail={"behind": list(behind)}))
        look = Wait(TIMER, CallId(""), expires_ms=now_ms + round(LOOK_S * 1000))
        await self.run.journal.commit(*told, Suspended((look,)))


def _why_skipped(verdict: LaneVerdict, limit: int) -> str:
    others = ", ".join(verdict.behind[:SHOWN])
    return f"{SKIPPED}{others} went on, and {limit} may at a time"
