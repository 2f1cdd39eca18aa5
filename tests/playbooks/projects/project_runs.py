"""Runs of projects on the machine alone: each step comes to what the test says, when it says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sulla.core.errors import InvalidInput, NotFound, StoreUnavailable
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.records import Failure, StepCancelled, StepCompleted, StepFailed, StepStarted
from sulla.playbooks.rpc_forms import PlayBegun, PlayDetail, PlayRow, PlayStatus, StepRow
from sulla.playbooks.service import Begin
from tests.playbooks.machine.play import BROKEN

_AT_MS = 1_800_000_000_000


class MachineRuns:
    """Begins and knows runs, as `PlaybookService` does.

    Attributes:
        begun: what the runs were begun with, by id.
        books: the runs.
        is_away: whether the store does not answer.
        tainted: whether what comes of runs may repeat what nobody trusts.
    """

    def __init__(self) -> None:
        self.begun: dict[str, Begin] = {}
        self.books: dict[str, Playbook] = {}
        self.is_away = self.tainted = False
        self._keys: dict[str, str] = {}
        self._facts: dict[str, list[object]] = {}

    def run_of(self, key: str) -> str:
        return self._keys.get(key, "thr_0")

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        if key in self._keys:
            return PlayBegun(self._keys[key], first=False)
        run = self._keys[key] = f"thr_{len(self._keys) + 1}"
        self.begun[run] = begin
        self.books[run] = book = Playbook(_checked(begin.source), evaluate)
        self._facts[run] = [*book.start(begin.inputs, _AT_MS + len(self._keys)), *book.next()]
        return PlayBegun(run, first=True)

    def ends(self, run: str, at: str, value: object = None) -> None:
        """A step ends: with a value, or with a failure that is not repeated."""
        book = self.books[run]
        done = book.fail(at, value) if isinstance(value, Failure) else book.complete(at, value)  # type: ignore[arg-type]  # JSON, as the test says
        self._facts[run] += [*done, *book.next()]

    def breaks(self, run: str, at: str) -> None:
        """A step fails."""
        self.ends(run, at, BROKEN)

    def cancel(self, run: str) -> None:
        """A run is stopped."""
        book = self.books[run]
        self._facts[run] += [*book.cancel(), *book.next()]

    async def status(self, run: str) -> PlayDetail:
        self._look()
        if run not in self.books:
            raise NotFound(f"there is no run {run!r}")
        ended = self.books[run].ended
        outputs = ended.outputs if ended is not None else {}
        return PlayDetail(self._row(run), dict(self.begun[run].inputs), dict(outputs), "", tuple(self._rows(run)), None)

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        self._look()
        return [self._row(run) for run in sorted(self.books) if run > after][:limit]

    def _look(self) -> None:
        if self.is_away:
            raise StoreUnavailable("the store is away")

    def _row(self, run: str) -> PlayRow:
        book, begin = self.books[run], self.begun[run]
        status: PlayStatus = book.ended.status if book.ended is not None else "running"
        failure = book.ended.failure.message if book.ended is not None and book.ended.failure is not None else ""
        name, number = book.plan.definition.name, int(run.removeprefix("thr_"))
        open_ = tuple(step.at for step in book.open)
        ended_ms = _AT_MS + number if book.ended is not None else None
        at_ms = _AT_MS + number
        ends = (0, 0, 0, 0, open_, failure, "", 0, False, self.tainted)
        return PlayRow(run, name, "d", status, begin.trigger, "", at_ms, ended_ms, *ends)

    def _rows(self, run: str) -> list[StepRow]:
        found: dict[str, StepRow] = {}
        for fact in self._facts[run]:
            if isinstance(fact, StepStarted):
                found[fact.at] = _step(fact.at, "running", fact.attempt)
            elif isinstance(fact, StepCompleted):
                found[fact.at] = _step(fact.at, "completed", 1)
            elif isinstance(fact, StepCancelled):
                found[fact.at] = replace(found[fact.at], status="cancelled")
            elif isinstance(fact, StepFailed):
                tries = found[fact.at].tries if fact.at in found else 0
                found[fact.at] = _step(fact.at, "failed", tries, fact.failure.message)
        return list(found.values())


def _step(at: str, status: str, tries: int, error: str = "") -> StepRow:
    return StepRow(at, "agent", status, tries, None, None, None, "", error, 0, 0, "")


def _checked(source: str) -> Definition:
    checked = check_playbook(source)
    if checked.definition is None:
        raise InvalidInput("; ".join(fault.told("source") for fault in checked.faults))
    return checked.definition
