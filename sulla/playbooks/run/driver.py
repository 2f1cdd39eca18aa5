"""The walk of a playbook's run: what its machine decides is written down, done, and told to it again.

A fact is kept before what it says is done. Tools and models are waited for here; agents, people, other playbooks and
time are not: when nothing else is left the walk ends, and whoever holds the thread's log when an answer comes goes on.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Final

from sulla.core.errors import GraphError, LimitReached, TooLarge
from sulla.core.jsontypes import FrozenJson
from sulla.core.limit import LimitHit
from sulla.core.run import Run
from sulla.core.words import Author
from sulla.playbooks.definition import HumanStep, PlaybookStep, ToolStep
from sulla.playbooks.expression.values import is_heavy
from sulla.playbooks.machine.moves import AskPerson, AwaitTime, Complete, Decide, Fail, RunPlaybook, SetToWork
from sulla.playbooks.machine.records import (
    Fact,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.records import PlaybookAsked, Played
from sulla.playbooks.run import heard
from sulla.playbooks.run.history import RunHistory, StepAttempt
from sulla.playbooks.run.log import HEARD, noted, plus, written
from sulla.playbooks.run.steps import StepEffects
from sulla.playbooks.run.worker import RunWorker
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.inputs import ControlInput
from sulla.threads.log.plays import is_step_question
from sulla.threads.log.records import Answer, Suspended
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

LONGEST_S: Final = 60.0
"""How long a walk waits before it looks again by itself."""

MOST_AT_A_TIME: Final = 256
"""Facts of a machine that are taken at a time: loops within loops may come to a million before anybody has to wait."""
MOST_BYTES: Final = 8 * 1024 * 1024
"""What a step may be given, or give back."""
MOST_RECORDS: Final = 250_000
"""Records that a run may come to: all of them are read when it is taken up."""

_OVER: Final = (StepCompleted, StepFailed, StepSkipped, StepCancelled, StepRetry)
"""Facts after which nobody waits for a step's attempt any more."""


class RunDriver:
    """One walk.

    Args:
        history: the run.
        effects: do what steps do.
        state: the run's thread.
        run: the run.
    """

    def __init__(self, history: RunHistory, effects: StepEffects, state: ThreadState, run: Run) -> None:
        self._history = history
        self._machine = history.machine
        self._state = state
        self._run = run
        self._out: list[Played] = []
        self._moving: deque[StepAttempt] = deque()
        """Attempts whose next move is to be made."""
        self._happened: list[tuple[int, Callable[[], None]]] = []
        """What is to be done in its turn, and when it came about, in UTC milliseconds."""
        self._more = False
        """Whether the machine may have more to say."""
        self._news = asyncio.Event()
        self._worker = RunWorker(history, effects, state, run, self)

    async def go(self) -> bool:
        """Walk until the run is over, or there is nothing to do but wait.

        Returns:
            False if it was left because the daemon is to stop.
        """
        self._run.control.on_wake(self._news.set)
        self._moving.extend(job for job in self._history.jobs.values() if job.wait is None)
        async with self._worker:
            while True:
                self._run.control.check()
                await self._look()
                await self._keep()
                draining = self._run.control.draining
                if self._machine.ended is not None:
                    return True
                if draining:  # a call that is written down as begun is made: else nobody would know whether it was
                    self._moving = deque(job for job in self._moving if job.fresh)
                if self._moving:
                    self._move()
                elif self._more:
                    pass  # others had their turn, as it was written down
                elif not self._happened and not self._worker.busy:
                    await (self._ask() if draining else self._rest())
                    return not draining
                elif not self._happened:
                    await self._pause()

    # --------------------------------------------------------------------------------------------- what the worker says

    def then(self, job: StepAttempt, what: Callable[[], None]) -> None:
        """Have something done in its turn, unless nobody waits for the attempt any more."""

        def do() -> None:
            if self._history.jobs.get(job.begun.at) is job:
                what()

        self._happened.append((self._now_ms(), do))
        self._news.set()

    def stir(self) -> None:
        """Look again."""
        self._news.set()

    def again(self, job: StepAttempt) -> None:
        """Have an attempt's next move made."""
        self._moving.append(job)

    def wait_for(self, job: StepAttempt, wait: Wait) -> None:
        """Have an attempt wait for an answer. A person's takes none of its time, but for a step that is a question."""
        job.wait = wait
        if wait.prompt and wait.is_for_people and not isinstance(self._history.does(job.begun.at), HumanStep):
            self.take(self._machine.hold(job.begun.at), Author.OPERATOR)

    def take(self, facts: Iterable[Fact], by: Author, *, first: Played | None = None, seq: int = 0) -> None:
        """Have facts of the machine written down, and begin or end what they say.

        Args:
            facts: the facts.
            by: whose words they hold, beside those that the run's thread holds already.
            first: what is written before them.
            seq: the input that they take up.
        """
        found = [first] if first is not None else []
        found += [self._begun(fact) if isinstance(fact, StepStarted) else self._other(fact) for fact in facts]
        if seq or by.tainted:
            found = found or [Played(HEARD)]
            found[0] = replace(found[0], input_seq=seq, tainted=by.tainted)
        self._out += found

    # --------------------------------------------------------------------------------------------------------- the loop

    async def _look(self) -> None:
        """Take in all that is new, each at the time at which it came about, and have the machine decide.

        So what was answered in time counts, however late it is heard, and backoff is counted from an attempt's own end.
        """
        self._settle()
        controls = sorted(self._state.inbox.controls.items())
        news, self._happened = self._happened, []
        news += [(control.at_ms, partial(self._hear, seq, control)) for seq, control in controls]
        for at_ms, take_in in sorted(news, key=itemgetter(0)):
            self.take(self._machine.tick(at_ms), Author.OPERATOR)
            take_in()
            self._settle()
        self._expire()
        self.take(self._machine.tick(self._now_ms()), Author.OPERATOR)
        self._more = False
        if not self._run.control.draining:
            # What a step has just come to counts: the next one may be made of it.
            self._history.heavy = self._history.heavy or is_heavy(fact.detail for fact in self._out)
            if self._history.heavy:
                facts = await asyncio.to_thread(self._machine.next, MOST_AT_A_TIME)
            else:
                facts = self._machine.next(MOST_AT_A_TIME)
            self.take(facts, Author.OPERATOR)
            self._more = self._machine.has_more

    async def _keep(self) -> None:
        if self._out:
            out, self._out = self._out, []
            _refuse_large(out)
            self._history.trust.note(out)
            self._history.records += len(out)
            if self._history.records > MOST_RECORDS:
                used = self._history.records - len(out)
                hit = LimitHit("records", "run", "steps", MOST_RECORDS, used, len(out))
                text = f"the run has come to {MOST_RECORDS} records, the most that it may: have it do less, or in parts"
                raise LimitReached("limit_records", text, hit)
            await self._run.journal.commit(*out)

    async def _rest(self) -> None:
        waits = self._history.waits()
        if not waits and not self._machine.paused:
            title = self._state.identity.title
            raise GraphError(f"the playbook {title!r} has not ended, and there is nothing that it waits for")
        await self._run.journal.commit(Suspended(waits))

    async def _ask(self) -> None:
        """Have people told what they are asked while other steps are at work."""
        waits, run = self._history.waits(), self._state.run
        if run is not None and _asked(waits) != _asked(run.waits.values()):
            await self._run.journal.commit(Suspended(waits, resting=False))

    async def _pause(self) -> None:
        """Wait until something happens."""
        await self._ask()
        due_ms, now_ms = self._machine.due_ms, self._now_ms()
        wait_s = LONGEST_S if due_ms is None else min(LONGEST_S, max(0.0, (due_ms - now_ms) / 1000))
        try:
            async with self._run.clock.timeout(wait_s):
                await self._news.wait()
        except TimeoutError:
            pass  # it is time to look
        self._news.clear()

    def _now_ms(self) -> int:
        return round(self._run.clock.now() * 1000)

    # -------------------------------------------------------------------------------------------------------- its facts

    def _begun(self, fact: StepStarted) -> Played:
        if not self._machine.plan.nodes[fact.at.partition("@")[0]].outward:
            return written(fact)  # a loop, or branches: what is in them is begun by itself
        job = self._history.jobs[fact.at] = StepAttempt(fact)
        self._moving.append(job)
        call = self._history.call(job) if isinstance(self._history.does(fact.at), ToolStep) else None
        if call is None:
            return written(fact)
        job.fresh = True
        return written(fact, call_id=call.id, effect=self._worker.effect(call))

    def _other(self, fact: Fact) -> Played:
        if isinstance(fact, StepReasked):
            self._moving.append(self._history.jobs[fact.at])
        job = self._history.jobs.pop(fact.at, None) if isinstance(fact, _OVER) else None
        if job is None:
            return written(fact)
        self._worker.drop(job)
        call, run = self._history.call(job), self._state.run
        begun = call is not None and (job.fresh or (run is not None and call.id in run.calls.intents))
        return written(fact, call_id=call.id if call is not None and begun else "")

    def _settle(self) -> None:
        """Tell the machine of attempts that have come to their end by what was answered."""
        for job in list(self._moving):
            at = job.begun.at
            if self._history.jobs.get(at) is not job or job.busy or not job.notes:
                continue
            match self._history.move(job):
                case Complete(value):
                    self.take(self._machine.complete(at, value, job.spent), Author.OPERATOR)
                case Decide(answer):
                    self.take(self._machine.decide(at, answer, job.spent), Author.OPERATOR)
                case Fail(failure):
                    self.take(self._machine.fail(at, failure, spent=job.spent), Author.OPERATOR)
                case _:
                    pass  # there is more to do for it

    def _move(self) -> None:
        jobs = [job for job in self._moving if self._history.jobs.get(job.begun.at) is job and not job.busy]
        self._moving.clear()
        moves = [(job, self._history.move(job)) for job in jobs]
        ways = sum(isinstance(move, SetToWork | RunPlaybook) for _, move in moves)
        for job, move in moves:
            match move:
                case AskPerson():
                    self.wait_for(job, self._history.question(job, move))
                case AwaitTime():
                    pass  # time ends it
                case _:
                    self._worker.start(job, move, ways)

    # ---------------------------------------------------------------------------------------------------------- answers

    def _hear(self, seq: int, control: ControlInput) -> None:
        """Take up what was answered, or what people want of the run."""
        match control.fact:
            case PlaybookAsked() as asked:
                self._asked(asked, seq)
            case Answer() as answer:
                job = self._history.waiting_for(answer.wait_id)
                if job is not None and job.wait is not None:
                    self._answered(job, job.wait, answer, seq, control.at_ms)
            case _:
                pass  # a stop ends the walk from outside

    def _asked(self, asked: PlaybookAsked, seq: int) -> None:
        machine = self._machine
        match asked.ask:
            case "pause":
                self.take(machine.pause(asked.why), Author.PERSON, seq=seq)
            case "resume":
                self.take(machine.resume(), Author.PERSON, seq=seq)
            case "cancel" | "make_way":
                facts = machine.cancel(asked.why, spares_end=asked.ask == "make_way")
                self.take(facts, Author.PERSON, seq=seq)
            case "look":
                self.take((), Author.PERSON, seq=seq)  # it has its turn already
            case "step":
                facts = [*machine.resume(), *machine.next(MOST_AT_A_TIME), *machine.pause(asked.why or "one step")]
                self.take(facts, Author.PERSON, seq=seq)

    def _answered(self, job: StepAttempt, wait: Wait, answer: Answer, seq: int, at_ms: int) -> None:
        if is_step_question(wait.wait_id) and 0 < wait.expires_ms < at_ms:
            self.take((), Author.OPERATOR, seq=seq)  # too late: its time ends it
            return
        self._let_go_on(job)
        if wait.call_id:
            what = heard.heard_of_call(wait, answer, at_ms)
        elif is_step_question(wait.wait_id):
            what = heard.heard_of_person(answer)
        elif not is_child_wait(wait.wait_id):
            what = heard.heard_of_agent(answer)
        elif isinstance(does := self._history.does(job.begun.at), PlaybookStep):
            what = heard.heard_of_play(answer, does.playbook)
        else:
            what = heard.heard_of_work(answer)
        self._take_heard(job, wait, what, seq)

    def _expire(self) -> None:
        """Nobody said in time whether a call may be made: that is a no."""
        for job in list(self._history.jobs.values()):
            wait = job.wait
            if wait is not None and wait.call_id and 0 < wait.expires_ms <= self._now_ms():
                self._let_go_on(job)
                self._take_heard(job, wait, heard.heard_of_call(wait, None, self._now_ms()), 0)

    def _let_go_on(self, job: StepAttempt) -> None:
        job.wait = None
        self.take(self._machine.let_go_on(job.begun.at), Author.OPERATOR)

    def _take_heard(self, job: StepAttempt, wait: Wait, what: heard.Heard, seq: int) -> None:
        at = job.begun.at
        match what:
            case heard.MoveDone(note, by, spent):
                job.notes.append(note)
                job.spent = plus(job.spent, spent)
                self._out.append(noted(at, note, spent, by, input_seq=seq))
                self._moving.append(job)
            case heard.StepDone(value, by, spent):
                self.take(self._machine.complete(at, value, plus(job.spent, spent)), by, seq=seq)
            case heard.AttemptFailed(failure, by, spent):
                # Another playbook has tried again by itself what could be: as a whole only where its author says so.
                node = self._machine.plan.nodes[at.partition("@")[0]]
                repeatable = node.step.retry is not None or not isinstance(node.step.does, PlaybookStep)
                facts = self._machine.fail(at, failure, repeatable=repeatable, spent=plus(job.spent, spent))
                self.take(facts, by, seq=seq)
            case heard.CallApproved() | heard.CallRepeated():
                if isinstance(what, heard.CallApproved):
                    self._history.trust.allowed[at] = (wait.call_id, wait.digest)
                self._out.append(_ruled(at, wait, what, seq))
                self._moving.append(job)


def _asked(waits: Iterable[Wait]) -> set[str]:
    """Those that people answer."""
    return {wait.wait_id for wait in waits if wait.prompt}


def _refuse_large(facts: Iterable[Played]) -> None:
    """Fail before a write that no store would take: what is folded in must be what is kept."""
    for fact in facts:
        size = len(json.dumps(dict(fact.detail), default=str, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MOST_BYTES:
            whose = f"the step {fact.at!r}" if fact.at else "the run"
            raise TooLarge(
                f"{whose} is given, or gives back, {size} bytes ({fact.what}); at most {MOST_BYTES} are kept"
            )


def _ruled(at: str, wait: Wait, what: heard.CallApproved | heard.CallRepeated, seq: int) -> Played:
    """What a person has said of a call, as it is kept."""
    if isinstance(what, heard.CallRepeated):
        return Played("CALL_AGAIN", at, {}, seq, wait.call_id)
    permit: FrozenJson = {
        "digest": wait.digest,
        "wait_id": wait.wait_id,
        "tool": wait.tool,
        "target": wait.target,
        "always": what.always,
        **({"for_s": what.for_s} if what.for_s else {}),
    }
    return Played("CALL_ALLOWED", at, permit, seq, wait.call_id)
