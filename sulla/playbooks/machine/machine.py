"""A run of a playbook, decided step by step (design §10). Pure: it never awaits and never reads a clock.

A driver takes turns with it: it asks for what is `next`, writes those facts down, does what they say, and tells how
that went with `complete`, `fail` and `decide`, the time with `tick`; each answers with further facts to write down. A
fact is written before what it says is done. What there is to do:

- `StepStarted`: do the step, as its kind says, with what the fact gives; a wait needs nothing but `tick`.
- `StepReasked`: ask the model again, with the reason.
- `StepCancelled`, `StepSkipped` of one at work, and each fact of `tick` that names a step: whatever is done for that
  step is to be stopped.
- `RunEnded` that is `transferred`: begin the playbook that takes over.

The facts are all there is to a run. After a crash `replay` makes the same machine of them; attempts that were begun and
have not ended are then in `open`, and whether one may be done again its driver knows.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable
from heapq import heappop
from typing import Final

from sulla.core.errors import Conflict
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import MAX_BRANCHES, Budget, Definition
from sulla.playbooks.machine.begin import Beginner
from sulla.playbooks.machine.ends import answered, failed, is_wanted, left_behind, left_of, over, reached
from sulla.playbooks.machine.needs import end_of
from sulla.playbooks.machine.plan import Plan, build
from sulla.playbooks.machine.records import (
    IN_FINALLY,
    MESSAGE_CHARS,
    NOTHING,
    Fact,
    Failure,
    RunClosing,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    Spent,
    StepCancelled,
    StepCompleted,
    StepGoesOn,
    StepHeld,
    StepStarted,
)
from sulla.playbooks.machine.rerun import kept
from sulla.playbooks.machine.run import MachineRun
from sulla.playbooks.machine.run_scope import outputs_of, seen
from sulla.playbooks.machine.scope import Evaluate, Scope
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.machine.state import COMPLETED, PENDING, RUNNING, WAITING, StepSpot

_made: Final = tuple.__new__
"""Makes a fact in half the time that its class takes, where every step needs one."""


class Playbook:
    """One run.

    Args:
        plan: what is walked; a definition is made ready first.
        evaluate: works expressions out.
        names: what expressions may use besides ``inputs``, ``steps``, ``loop`` and the item: ``run``, ``secrets``. What
            it gives as secrets is written into facts, so it has to be what stands for them and never the secrets
            themselves.
        at_once: how many steps run side by side, or fewer if the playbook says so; those that only wait don't count.
    """

    def __init__(
        self, plan: Plan | Definition, evaluate: Evaluate, *, names: Scope | None = None, at_once: int = MAX_BRANCHES
    ) -> None:
        self.plan = plan if isinstance(plan, Plan) else build(plan)
        self._evaluate = evaluate
        self._names = names or {}
        self._at_once = min(at_once, self.plan.definition.at_once or at_once)
        self._run = MachineRun(self.plan)
        self._beginner = Beginner(self._run, evaluate, self._names)
        self._held: deque[StepSpot] = deque()
        budget = self.plan.definition.budget
        self._has_budget = budget.tokens is not None or budget.cost_micro is not None

    # ------------------------------------------------------------------------------------------------- begin and resume

    def start(
        self, inputs: FrozenJson, now_ms: int, *, stack: tuple[str, ...] = (), forked_from: str = "", only: str = ""
    ) -> list[Fact]:
        """Begin a run.

        Args:
            inputs: what it is started with; defaults are filled in.
            now_ms: UTC milliseconds.
            stack: the playbooks that it runs within, outermost first.
            forked_from: the run that it was forked from.
            only: the one step that is done; empty for all of them. See `given.alone` for the others.

        Raises:
            InvalidInput: the inputs are not what the playbook asks for.
        """
        definition = self.plan.definition
        complete = complete_inputs(definition, inputs)
        return self._note(RunStarted(definition.name, definition.digest, complete, now_ms, stack, forked_from, only))

    def replay(self, facts: Iterable[Fact]) -> None:
        """Take the facts of a run, as they were written.

        Raises:
            Conflict: they are of another definition.
            CorruptRecord: they do not fit each other.
        """
        run = self._run
        for number, fact in enumerate(kept(self.plan, facts)):
            if isinstance(fact, RunStarted) and fact.digest != self.plan.definition.digest:
                raise Conflict(
                    f"the run is bound to version {fact.digest[:12]} of {fact.playbook!r}, and this is"
                    f" {self.plan.definition.digest[:12]}: resume it with the version that it began with, or fork it"
                )
            run.now_ms = max(run.now_ms, fact.at_ms)
            run.apply(fact, f"fact {number} of the run")

    # ----------------------------------------------------------------------------------------------- what is to be done

    def next(self, most: int = sys.maxsize) -> list[Fact]:
        """All that can be done now; nothing twice. Empty while there is nothing to do but wait.

        Args:
            most: about how many facts at a time; whether there are more, `has_more` says.
        """
        run = self._run
        out: list[Fact] = []
        if run.halted or self._has_budget:
            self._look_at_limits(out)
            if run.halted:
                return out
        due, held, at_once, now_ms, busy = run.due, self._held, self._at_once, run.now_ms, run.busy
        while due or (held and busy < at_once):
            spot = held.popleft() if held and busy < at_once else due.popleft()
            # What `MachineRun.begin` does for most steps, without the calls: they are a tenth of what a step costs.
            node = spot.node
            if (given := node.given) is not None and busy < at_once and not (spot.status or spot.unmet or run.careful):
                spot.attempt = attempt = spot.attempt + 1
                spot.begun = fact = _made(StepStarted, (spot.at, attempt, given, now_ms))
                spot.status = RUNNING
                busy += 1
                out.append(fact)
            else:
                run.busy = busy
                self._look_at(spot, out)
                busy = run.busy
                if len(out) >= most:  # looked at here alone: above, only so many begin as may be at work
                    break
        run.busy = busy
        if run.is_over:
            self._note(self._over(), out)
            if run.course.ended is None:
                out += self.next(most)
        return out

    @property
    def has_more(self) -> bool:
        """Whether `next` stopped before it was through."""
        run = self._run
        return not run.halted and bool(run.due or (self._held and run.busy < self._at_once))

    def _look_at(self, spot: StepSpot, out: list[Fact]) -> None:
        run = self._run
        if spot.status == RUNNING and spot.inside is not None:
            while (fact := self._beginner.go_on(spot)) is not None:
                self._note(fact, out)
                if spot.status != RUNNING:
                    break
        elif spot.status == PENDING or (spot.status == WAITING and spot.past.due_ms <= run.now_ms):
            if spot.node.takes_place and run.busy >= self._at_once:
                self._held.append(spot)
            else:
                self._note(self._beginner.begin(spot), out)
                if spot.node.quota > 0 and spot.status == COMPLETED:
                    for fact in list(left_behind(run, spot)):
                        self._note(fact, out)

    def _look_at_limits(self, out: list[Fact]) -> None:
        run, budget = self._run, self.plan.definition.budget
        if run.course.ended is not None:
            return
        used_up = over(budget, run.spent.tokens, run.spent.cost_micro)
        if used_up and run.course.stopped is None and run.course.closing is None:
            said = f"the run has used {run.spent.tokens} tokens and {run.spent.cost_micro} millionths of money"
            failure = Failure("permanent", used_up, said)
            self._note(RunStopped("failed", used_up, run.now_ms, failure), out)
        stopped = run.course.stopped
        if stopped is not None:
            for spot in run.at_work():
                self._note(StepCancelled(spot.at, run.now_ms), out)
            if run.course.closing is None and self._closes(stopped.status, unbegun=stopped.unbegun):
                self._note(RunClosing(stopped.status, run.now_ms, stopped.failure, stopped.unbegun), out)
            else:
                self._note(RunEnded(stopped.status, {}, run.now_ms, stopped.failure), out)

    def _over(self) -> RunClosing | RunEnded:
        """What follows when all steps have ended: what is done at the end, or the end."""
        course, now_ms = self._run.course, self._run.now_ms
        if (closing := course.closing) is None:
            ended = self._end()
            return RunClosing(ended.status, now_ms, ended.failure) if self._closes(ended.status) else ended
        if closing.status in ("failed", "cancelled"):
            return RunEnded(closing.status, {}, now_ms, closing.failure)
        if (failure := course.failure) is None:
            return self._end()
        said = f"{IN_FINALLY}{failure.message}"[:MESSAGE_CHARS]
        return RunEnded("failed", {}, now_ms, failure._replace(message=said))

    def _closes(self, status: str, *, unbegun: bool = False) -> bool:
        """Whether there is anything to do at the end; never where one step alone was done."""
        started = self._run.course.started
        return bool(self.plan.closing_blocks(status, unbegun=unbegun)) and (started is None or not started.only)

    def _end(self) -> RunEnded:
        run, root = self._run, self._run.root
        assert root is not None  # noqa: S101  - the caller has looked
        failure = end_of(root)
        if failure is not None:
            return RunEnded("failed", {}, run.now_ms, failure)
        transfer = run.course.transfer
        if transfer is not None:
            to, args = transfer["playbook"], transfer["args"]
            return RunEnded("transferred", args if isinstance(args, dict) else {}, run.now_ms, None, str(to))
        if run.course.started is not None and (only := run.course.started.only):
            return RunEnded("completed", {only: run.spots[only].value}, run.now_ms)
        outputs, failure = outputs_of(run, root, self._names, self._evaluate)
        return RunEnded("failed" if failure else "completed", outputs, run.now_ms, failure)

    # ------------------------------------------------------------------------------------------------ what has happened

    def complete(
        self, at: str, value: Json = None, spent: Spent = NOTHING, result: FrozenJson | None = None
    ) -> list[Fact]:
        """A step's work is done.

        Args:
            at: its address. Whoever comes late, after the step or the run has ended, changes nothing.
            value: its output. Where an answer was asked for, that; see `decide`.
            spent: what the attempt used.
            result: what a tool gave as values, as `result.kept` makes it.
        """
        run = self._run
        spot = run.spots.get(at)
        if spot is None or spot.status != RUNNING or not spot.node.direct:
            return self.decide(at, value, spent)
        fact = _made(StepCompleted, (at, value, "", run.now_ms, spent, result))
        if spent is not NOTHING or result is not None:
            return self._note(fact)
        spot.value = value
        run.finish(spot)
        return [fact]

    def fail(
        self, at: str, failure: Failure, *, repeatable: bool = True, asked_s: float = 0.0, spent: Spent = NOTHING
    ) -> list[Fact]:
        """An attempt has failed: there is another one, or the step has failed.

        Args:
            at: its address.
            failure: why.
            repeatable: whether it may be done again at all; False for a tool declared ``once``.
            asked_s: how long the other side wants to be left alone, in seconds: the next attempt waits no shorter.
            spent: what it used.
        """
        spot = self._run.spots.get(at)
        if spot is None or spot.status != RUNNING or not spot.node.outward:
            return []
        return self._note(failed(self._run, spot, failure, repeatable=repeatable, asked_s=asked_s, spent=spent))

    def decide(self, at: str, answer: Json, spent: Spent = NOTHING) -> list[Fact]:
        """An answer has come: of a model by a forced tool call, or of a person.

        A model that answers anything else than one of the names is asked once more, told why; then the router's default
        is taken or the step fails.

        Raises:
            InvalidInput: a person's answer is none of those allowed; the question stays open.
        """
        spot = self._run.spots.get(at)
        if spot is None or spot.status != RUNNING or not spot.node.outward or spot.node.direct:
            return []
        return self._note(answered(self._run, spot, answer, spent))

    def hold(self, at: str) -> list[Fact]:
        """A person is asked about what a step does: until they answer, its times and those of what it lies in stand
        still. Nothing where none of them has any, or they are asked already.
        """
        run = self._run
        spot = run.spots.get(at)
        if spot is None or spot.status != RUNNING or run.deadlines.is_held(at):
            return []
        return self._note(StepHeld(at, run.now_ms)) if [*run.timed_around(spot)] else []

    def let_go_on(self, at: str) -> list[Fact]:
        """They have answered, or need not any more."""
        return self._note(StepGoesOn(at, self._run.now_ms)) if self._run.deadlines.is_held(at) else []

    def tick(self, now_ms: int) -> list[Fact]:
        """It is later: waits end, attempts that took too long fail, questions expire.

        Args:
            now_ms: UTC milliseconds. A clock that went back does not take anything back.
        """
        run = self._run
        out: list[Fact] = []
        run.now_ms = max(run.now_ms, now_ms)
        while run.deadlines and run.deadlines[0].due_ms <= run.now_ms:
            deadline = heappop(run.deadlines)
            if is_wanted(run, deadline):
                for fact in reached(run, deadline):
                    self._note(fact, out)
        return out

    # ---------------------------------------------------------------------------------------------- what people ask for

    def cancel(self, why: str = "", *, spares_end: bool = False) -> list[Fact]:
        """End the run: what runs is stopped by what is `next`, and nothing more is begun.

        Args:
            why: what is said of it.
            spares_end: whether what it does at its end goes on, where it is at that already.
        """
        run, course = self._run, self._run.course
        if course.ended is not None or course.stopped is not None or (spares_end and course.closing is not None):
            return []
        unbegun = all(spot.status == PENDING for spot in run.spots.values())
        return self._note(RunStopped("cancelled", why[:MESSAGE_CHARS], run.now_ms, unbegun=unbegun))

    def pause(self, why: str = "") -> list[Fact]:
        """Begin nothing more until it is resumed. What runs goes on to its end, and time goes on."""
        course = self._run.course
        if course.ended is not None or course.paused:
            return []
        return self._note(RunPaused(why[:MESSAGE_CHARS], self._run.now_ms))

    def resume(self) -> list[Fact]:
        """Go on after a pause."""
        return self._note(RunResumed(self._run.now_ms)) if self._run.course.paused else []

    # ---------------------------------------------------------------------------------------------------- how it stands

    @property
    def due_ms(self) -> int | None:
        """When `tick` has something to do, UTC milliseconds; None if it is not before something else happens."""
        deadlines = self._run.deadlines
        while deadlines and not is_wanted(self._run, deadlines[0]):
            heappop(deadlines)
        return deadlines[0].due_ms if deadlines else None

    @property
    def ended(self) -> RunEnded | None:
        """How it ended; None while it has not."""
        return self._run.course.ended

    @property
    def paused(self) -> bool:
        """Whether it is paused."""
        return self._run.course.paused

    @property
    def open(self) -> list[StepStarted]:
        """The attempts that were begun and have not ended, as they were begun."""
        return [spot.begun for spot in self._run.at_work() if spot.begun is not None]

    @property
    def spent(self) -> Spent:
        """What all of its steps used."""
        return self._run.spent

    def look(self, at: str) -> dict[str, Json] | None:
        """How a step stands, as an expression would see it; None for one that is not there yet, or that was of an
        earlier pass.
        """
        spot = self._run.spots.get(at)
        return seen(spot) if spot is not None else None

    def allowance(self, at: str) -> Budget:
        """What an attempt of a step may still use: the less of what is left to the step and to the run."""
        return left_of(self._run, self._run.spots[at])

    def asked_again(self, at: str) -> str:
        """Why a model has been asked a second time; empty if it has not."""
        spot = self._run.spots.get(at)
        return spot.past.reasked if spot is not None else ""

    def _note(self, fact: Fact, out: list[Fact] | None = None) -> list[Fact]:
        self._run.apply(fact)
        if out is None:
            return [fact]
        out.append(fact)
        return out
