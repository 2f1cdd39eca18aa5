"""What this process does for the steps of a playbook's run, side by side: calls of tools and models, and setting others
to work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable
from dataclasses import field
from types import TracebackType
from typing import Final, Protocol, Self

from sulla.agent.calls.calls import Made
from sulla.agent.calls.guard import CallDenied
from sulla.agent.model.retry import classify
from sulla.core.dataclass import dataclass
from sulla.core.errors import Aborted, LimitReached, StaleLease, StoreUnavailable, SullaError
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import Author, Words
from sulla.playbooks.definition import Budget, PlaybookStep, ToolStep
from sulla.playbooks.machine.failures import ASKED_ALREADY
from sulla.playbooks.machine.moves import AskAgent, AskModel, CallTool, Move, RunPlaybook, SetToWork, TellThread
from sulla.playbooks.machine.records import Fact, Failure, Spent
from sulla.playbooks.machine.result import kept
from sulla.playbooks.records import Played
from sulla.playbooks.run.history import RunHistory, StepAttempt
from sulla.playbooks.run.steps import StepEffects
from sulla.threads.log.family import is_child_wait, wait_of
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.tools.base import Done, Effect, Waiting
from sulla.tools.policy import FiledCall, effect_of

_FATAL: Final = (Aborted, StaleLease, StoreUnavailable)
"""What ends the walk, and is no step's failure."""


class RunListener(Protocol):
    """Who wants to know what comes of it."""

    def then(self, job: StepAttempt, what: Callable[[], None]) -> None:
        """Have something done in its turn, unless nobody waits for the attempt any more."""

    def stir(self) -> None:
        """Look again."""

    def wait_for(self, job: StepAttempt, wait: Wait) -> None:
        """Have an attempt wait for an answer."""

    def again(self, job: StepAttempt) -> None:
        """Have an attempt's next move made."""

    def take(self, facts: Iterable[Fact], by: Author, *, first: Played | None = None, seq: int = 0) -> None:
        """Have facts of the machine written down."""


@dataclass(slots=True)
class RunWorker:
    """Does it. Nothing goes on when the context is left.

    Args:
        history: the run.
        effects: do what steps do.
        state: the run's thread.
        run: the run.
        listener: is told what comes of it, in its turn.
    """

    history: RunHistory
    effects: StepEffects
    state: ThreadState
    run: Run
    listener: RunListener
    _group: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _tasks: dict[asyncio.Task[None], StepAttempt | None] = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        """Begin."""
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End whatever is still at work, and wait for that."""
        for task, job in self._tasks.items():
            if job is not None or error is not None:
                task.cancel()
        await self._group.__aexit__(kind, error, trace)

    @property
    def busy(self) -> bool:
        """Whether anything is at work."""
        return bool(self._tasks)

    def effect(self, call: ToolCall) -> Effect:
        """What repeating a call would do."""
        return effect_of(self.effects.calls.toolbox.get(call.name), call.args)

    def start(self, job: StepAttempt, move: Move, ways: int) -> None:
        """Begin a move.

        Args:
            job: for which attempt.
            move: what to do.
            ways: how many agents and playbooks are set to work together with it.
        """
        job.busy = True
        self._start(self._do(job, move, ways), job)

    def drop(self, job: StepAttempt) -> None:
        """Nobody waits for an attempt any more: end what is done for it, here and elsewhere."""
        ending = [task for task, whose in self._tasks.items() if whose is job and not task.done()]
        for task in ending:
            task.cancel()
        is_play = isinstance(self.history.does(job.begun.at), PlaybookStep)
        begins = isinstance(self.history.move(job), SetToWork | RunPlaybook)
        child = self.effects.child_of(self.history.place(job)) if begins else ""
        if job.wait is not None and is_child_wait(job.wait.wait_id):
            child = job.wait.wait_id.partition(":")[2]
        # It may have been set to work before a crash, or be just now.
        if child and (ending or job.wait is not None or child in self.state.links.children):
            self._start(self._stop(child, ending, is_play=is_play), None)

    # --------------------------------------------------------------------------------------------------------- one move

    def _start(self, work: Coroutine[object, object, None], job: StepAttempt | None) -> None:
        task = self._group.create_task(work)
        self._tasks[task] = job
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self.listener.stir()

    async def _stop(self, child: str, beginning: Collection[asyncio.Task[None]], *, is_play: bool) -> None:
        if beginning:
            await asyncio.wait(beginning)
        await (self.effects.leave(child, self.run) if is_play else self.effects.stop(child))

    async def _do(self, job: StepAttempt, move: Move, ways: int) -> None:
        try:
            then = await self._done(job, move, ways)
        except _FATAL:
            raise
        except SullaError as error:
            then = self._failed(job, error)

        def over() -> None:
            job.busy = False
            then()

        self.listener.then(job, over)

    async def _done(self, job: StepAttempt, move: Move, ways: int) -> Callable[[], None]:
        """Do it.

        Returns:
            What takes in what came of it.
        """
        place = self.history.place(job)
        match move:
            case CallTool():
                return await self._call(job)
            case AskModel():
                return await self._choose(job, move)
            case SetToWork():
                child = self.effects.child_of(place)
                if not self._is_answered(wait_of(child)):
                    words = Words(move.text, self._whose(job))
                    budget = self._budget(job, ways)
                    askers = self.history.trust.askers(self.state.identity.agent)
                    await self.effects.work(child, place.at, move, words, budget, self.state, askers)
                return lambda: self._wait_for(job, wait_of(child))
            case RunPlaybook():
                child = self.effects.child_of(place)
                if not self._is_answered(wait_of(child)):
                    budget = self._budget(job, ways)
                    await self.effects.sub(child, move, job.begun.at, budget, self.history, self.state, self.run)
                return lambda: self._wait_for(job, wait_of(child))
            case AskAgent():
                if not self._is_answered(place.ask):
                    await self.effects.ask(place, move, self.state)
                return lambda: self._wait_for(job, place.ask)
            case TellThread(text):
                await self.effects.say(place, text, self.state)
                said, by = Played("RESPONDED", place.at), self._whose(job)
                return lambda: self.listener.take(self.history.machine.complete(place.at, text), by, first=said)
        raise TypeError(f"{move!r} is nothing that is done here")

    def _whose(self, job: StepAttempt, *, reads: bool = False) -> Author:
        """Whose words an attempt works with."""
        return self.history.trust.whose(job.begun.at, self.state.context.by, reads=reads)

    def _failed(self, job: StepAttempt, error: SullaError) -> Callable[[], None]:
        reason = error.reason if isinstance(error, LimitReached) else error.code
        failure = Failure(classify(error), reason, error.message)
        return lambda: self.listener.take(
            self.history.machine.fail(job.begun.at, failure, spent=job.spent), Author.OPERATOR
        )

    def _budget(self, job: StepAttempt, ways: int) -> Budget:
        left, share = self.history.machine.allowance(job.begun.at), self.effects.share(self.state, ways)
        tokens = share if left.tokens is None else min(share, left.tokens)
        return Budget(max(1, tokens), left.cost_micro, left.wall_s)

    def _is_answered(self, wait_id: str) -> bool:
        """Whether there is an answer to what was asked before a crash: whoever gave it may be gone by now."""
        return any(isinstance(c.fact, Answer) and c.fact.wait_id == wait_id for c in self.state.inbox.controls.values())

    def _wait_for(self, job: StepAttempt, wait_id: str) -> None:
        job.wait = Wait(wait_id, CallId(""))

    async def _choose(self, job: StepAttempt, move: AskModel) -> Callable[[], None]:
        at, machine = job.begun.at, self.history.machine
        decided = await self.effects.decide(
            self.history.place(job), move, machine.asked_again(at), self.state, self.run
        )
        spent, by = Spent(decided.tokens, decided.cost_micro), self._whose(job)
        told = Played("DECIDED", at, {"model": decided.model}, tokens=spent.tokens, cost_micro=spent.cost_micro)
        return lambda: self.listener.take(machine.decide(at, decided.answer, spent), by, first=told)

    # ------------------------------------------------------------------------------------------------------------ tools

    async def _call(self, job: StepAttempt) -> Callable[[], None]:
        call, run = self.history.call(job), self.state.run
        if call is None or run is None:
            raise TypeError(f"{job.begun.at!r} makes no call")
        if call.id not in run.calls.intents:
            # Somebody was asked first, so it is called later than its step began.
            begun = Played("CALL_STARTED", job.begun.at, call_id=call.id, effect=self.effect(call))
            self.history.records += 1
            await self.run.journal.commit(begun)
            job.fresh = True
        fresh, job.fresh = job.fresh, False
        reads, trust = self.effect(call) == "pure", self.history.trust
        by = self._whose(job, reads=reads)
        approved = trust.allowed.get(job.begun.at)
        outside = trust.told(job.begun.at, reads=reads) if by.tainted else ""
        filed = FiledCall(trust.named(job.begun.at), self.history.marks, approved, outside)
        made = await self.effects.call(call, filed, by, self.state, self.run, fresh=fresh)
        return lambda: self._made(job, call, made)

    def _made(self, job: StepAttempt, call: ToolCall, made: Made) -> None:
        if isinstance(made, Done | CallDenied):  # nobody has to be asked any more who was asked before a crash
            self.listener.take(self.history.machine.let_go_on(job.begun.at), Author.OPERATOR)
        match made:
            case Done():
                self._called(job, call, made)
            case Wait():
                self.listener.wait_for(job, made)
            case CallDenied(text, is_asked):
                no, asked = Failure("permanent", "refused", text), Failure("human_rejected", ASKED_ALREADY, text)
                self.listener.take(self.history.machine.fail(job.begun.at, asked if is_asked else no), Author.OPERATOR)
            case Waiting(_, _, also) if also:
                said = f"{call.name} waits for several at once, which a step cannot: have branches do so"
                failure = Failure("permanent", "tool", said)
                self.listener.take(self.history.machine.fail(job.begun.at, failure), Author.OPERATOR)
            case Waiting(wait_id, prompt):
                self.listener.wait_for(job, Wait(wait_id, call.id, prompt))
            case None:
                pass  # the daemon is to stop: who takes the run up again makes it

    def _called(self, job: StepAttempt, call: ToolCall, done: Done) -> None:
        at, machine = job.begun.at, self.history.machine
        does = self.history.does(at)
        may_cut = isinstance(does, ToolStep) and does.may_cut
        if not done.is_error and (may_cut or not done.cut):
            result = kept(done.data, done.text, truncated=bool(done.cut))
            return self.listener.take(machine.complete(at, done.text, job.spent, result), done.words.by)
        if not done.is_error:
            said = (
                f"{call.name} did not give all of its result: {done.cut}; `cut: allow` at the step takes what there is"
            )
            failure = Failure("permanent", "cut", said)
        elif done.refused:
            failure = Failure("permanent", "refused", done.text)
        else:
            failure = Failure("transient" if done.passing else "tool_error", "tool", done.text)
        again, asked_s = self.effect(call) != "once", done.retry_after_s or 0.0
        facts = machine.fail(at, failure, repeatable=again, asked_s=asked_s, spent=job.spent)
        return self.listener.take(facts, done.words.by)
