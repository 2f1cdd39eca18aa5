"""Running a reply's tool calls: side by side where the tools allow it, each result kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from sulla.agent.approvals.approvals import review
from sulla.agent.calls.file_marks import FileTouch
from sulla.agent.calls.guard import CallAllowed, CallDenied, CallGuard
from sulla.agent.calls.repeats import ENDS_AT, RepeatRefused, RepeatsEnd, repeated
from sulla.agent.calls.taint import is_unattended
from sulla.agent.model.loop import RunCalls, newest_calls
from sulla.agent.model.pictures import shown_text
from sulla.agent.model.retry import FailureClass, RetryWait, next_try
from sulla.agent.part import PartOf, whole_turn
from sulla.agent.pause import pause
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError, LimitReached, SullaError, foremost
from sulla.core.event import Fact, Progress
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.core.limit import LimitHit
from sulla.core.message import UNTRUSTED, ToolCall
from sulla.core.run import Run
from sulla.core.waiting import TOOL_FAILED
from sulla.core.words import Author, Words, agent
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import Suspended, ToolCallResult, ToolCallStart
from sulla.threads.log.state import ThreadState, tools_given
from sulla.threads.log.waits import RunWaiting, Wait
from sulla.tools.base import Done, Effect, Result, ToolContext, Waiting
from sulla.tools.call import MAX_STEP_BYTES, mend, run_call
from sulla.tools.overflow import where
from sulla.tools.policy import FiledCall, effect_of, shown_args
from sulla.tools.registry import Toolbox

MOST_AT_ONCE: Final = 8
"""Calls of one reply that run side by side; a reply may have as many as a model likes, and each may start a program."""


Made = Result | CallDenied | Wait | None
"""What one call came to, why it was not made, or what has to be waited for."""

ToldOfWaits = Callable[[ThreadState, Sequence[Wait]], Awaitable[None]]


async def nobody_is_told(state: ThreadState, waits: Sequence[Wait]) -> None:
    """Where nobody but the thread itself is told what it waits for."""


MOST_TOLD: Final = 10
"""Names of files that a result lists."""


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """What an agent's calls run on."""

    toolbox: Toolbox
    workspace: Path
    jitter: Callable[[], float]
    """A random number from 0 to 1 at each call."""
    guard: CallGuard = field(default_factory=CallGuard)
    """Says which of them may be made."""
    told: ToldOfWaits = nobody_is_told
    """Hears what a run is about to wait for; again after a crash in between."""
    part: PartOf = whole_turn
    """Says which of them the part of the turn may use that is under way."""

    async def run(self, todo: RunCalls, state: ThreadState, run: Run, fresh: frozenset[CallId]) -> None:
        """Run calls that have no result yet and write down what they come to; suspend the run if some have to wait.

        Those that hand the conversation over are left for the next time if there are others.

        Args:
            todo: the calls, in the model's order.
            state: the thread, with the run open.
            run: the run.
            fresh: calls whose intent was written down just now. Any other one may have run before a crash: it is run
                again only if its tool says that this does no harm, or a person allows it (design §4.6).
        """
        first = tuple(call for call in todo.calls if not self._hands_over(call))
        await self._allowed(state)._run(replace(todo, calls=first or todo.calls), state, run, fresh)

    async def make(
        self,
        call: ToolCall,
        args: FrozenJson,
        filed: FiledCall,
        by: Author,
        state: ThreadState,
        run: Run,
        begins: Callable[[Effect], Fact],
        *,
        fresh: bool,
    ) -> Made:
        """Make one call that no model asked for: a playbook's.

        Args:
            call: the call, as it is judged and written down.
            args: its arguments as the tool gets them: with secrets in the place of what stands for them.
            filed: what is known of it from the playbook.
            by: whose words they hold.
            state: the thread, with the run open.
            run: the run.
            begins: the record of its beginning, from what a repeat would do.
            fresh: whether its intent was written down just now; see `run`.

        Returns:
            What it came to, why it is not made, or what has to be waited for; None if the daemon is to stop before
                another attempt.
        """
        open_run = state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: a call without an open run")
        if not fresh and _may_have_run(call, open_run):
            return self._review(call, state, run, filed)
        context = replace(self._context(call, state, run), by=by, whole_bytes=MAX_STEP_BYTES)
        match await self.guard.authorize(call, self.toolbox, context, state, run, filed):
            case CallAllowed() as cleared:
                if cleared.permit is not None and cleared.permit.always:
                    await self.guard.allow(cleared.permit, run.agent, state)
                if cleared.permit is not None or call.id in open_run.calls.granted:
                    # Used up before the call is made: after a crash a person is asked again.
                    await run.journal.commit(begins(_effect_of(call, open_run)))
                sent = replace(call, args=args)
                # One attempt: when there is another one its playbook says.
                return await self._outcome(sent, cleared.context, run, again=False)
            case CallDenied() | Wait() as decision:
                return decision

    def _review(self, call: ToolCall, state: ThreadState, run: Run, filed: FiledCall | None = None) -> Wait:
        """What a person is asked of a call that was cut off, without what its tool hides."""
        names = filed.shown if filed is not None else {}
        args = shown_args(self.toolbox.get(call.name), call.args, self._context(call, state, run), names)
        return review(replace(call, args=args), state.run.course.cuts if state.run is not None else 0)

    def _allowed(self, state: ThreadState) -> ToolCalls:
        """With the tools alone that whoever asked for this run allowed, and that its part may use."""
        box, part = self.toolbox, self.part(state)
        forced = (part.force,) if part.force else None
        for tools in (tools_given(state), part.tools, forced):
            box = box if tools is None else box.only(tools)
        if part.without:
            box = box.only([tool.name for tool in box if tool.name not in part.without])
        return self if box is self.toolbox else replace(self, toolbox=box)

    async def _run(self, todo: RunCalls, state: ThreadState, run: Run, fresh: frozenset[CallId]) -> None:
        open_run = state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: calls without an open run")
        waits: list[Wait] = []
        runnable: dict[CallId, ToolContext] = {}
        again = repeated(state.context.transcript, lambda name: self.toolbox.get(name) is not None)
        again = {**again, **self._beside_first(state)}
        for call in todo.calls:
            if call.id in again:
                await self._refuse(call, again[call.id], run)
                continue
            if call.id not in fresh and _may_have_run(call, open_run):
                waits.append(self._review(call, state, run))
                continue
            decision = await self.guard.authorize(call, self.toolbox, self._context(call, state, run), state, run)
            match decision:
                case CallAllowed(context):
                    await self._begin_again(call, decision, todo, state, run)
                    runnable[call.id] = context
                case CallDenied(text):
                    await run.journal.commit(ToolCallResult(call.id, text, is_error=True, failure="denied"))
                case Wait():
                    waits.append(decision)
        for together, group in groupby([call for call in todo.calls if call.id in runnable], self._may_share):
            some = list(group)
            waits += await (self._side_by_side(some, runnable, run) if together else self._in_turn(some, runnable, run))
        if waits:
            await self.told(state, waits)
            # Also those that waited before: an answer may come for any of them.
            await run.journal.commit(Suspended((*open_run.waits.values(), *waits)))

    def _context(self, call: ToolCall, state: ThreadState, run: Run) -> ToolContext:
        # What is still to come of the others of its reply, e.g. of one that is asked about, may be from outside.
        others = state.context.transcript.unanswered.values()
        unknown = self._hands_over(call) and not all(map(self._hands_over, others))
        return ToolContext(
            run.thread_id,
            run.id,
            call.id,
            f"{run.id}:{call.id}",
            self.workspace,
            run.clock,
            run.control,
            lambda note: run.emit(Progress(call.id, self.guard.redactor.json(note))),
            agent(tainted=state.context.tainted or unknown),
            run.agent,
            state.identity.project,
            is_unattended(state),
            redact=self.guard.redactor.text,
        )

    async def _begin_again(
        self, call: ToolCall, cleared: CallAllowed, todo: RunCalls, state: ThreadState, run: Run
    ) -> None:
        """Use up the permission that a call is made on, before it is made: after a crash a person is asked again."""
        permit, open_run = cleared.permit, state.run
        if open_run is None or (permit is None and call.id not in open_run.calls.granted):
            return
        if permit is not None and permit.always:
            await self.guard.allow(permit, run.agent, state)
        effect = _effect_of(call, open_run)
        await run.journal.commit(ToolCallStart(call.id, call.name, call.args, todo.message_id, effect))

    async def _refuse(self, call: ToolCall, verdict: RepeatRefused | RepeatsEnd, run: Run) -> None:
        if isinstance(verdict, RepeatsEnd):
            hit = LimitHit("repeating", "run", "repeats", ENDS_AT - 1, verdict.times)
            raise LimitReached("repeating", verdict.message, hit)
        await run.journal.commit(ToolCallResult(call.id, verdict.hint, is_error=True))

    def _beside_first(self, state: ThreadState) -> Mapping[CallId, RepeatRefused]:
        """The calls of the newest reply that are not made because another one came first (`Tool.hands_over`)."""
        newest = newest_calls(state.context.transcript)
        calls = [*filter(self._hands_over, newest[0].calls)] if newest is not None else []
        said = f"Not made: this reply has called `{calls[0].name}` before it, which alone counts." if calls else ""
        return {call.id: RepeatRefused(said, len(calls)) for call in calls[1:]}

    def _hands_over(self, call: ToolCall) -> bool:
        tool = self.toolbox.get(call.name)
        return tool is not None and tool.hands_over

    def _may_share(self, call: ToolCall) -> bool:
        tool = self.toolbox.get(call.name)
        return tool is not None and tool.parallel

    async def _in_turn(self, calls: Sequence[ToolCall], contexts: Mapping[CallId, ToolContext], run: Run) -> list[Wait]:
        return [wait for call in calls for wait in await self._one(call, contexts[call.id], run)]

    async def _side_by_side(
        self, calls: Sequence[ToolCall], contexts: Mapping[CallId, ToolContext], run: Run
    ) -> list[Wait]:
        places = asyncio.Semaphore(MOST_AT_ONCE)

        async def one(call: ToolCall) -> Sequence[Wait]:
            async with places:
                return await self._one(call, contexts[call.id], run)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(call)) for call in calls]
        except BaseExceptionGroup as failures:
            raise foremost(failures) from None
        return [wait for task in tasks for wait in task.result()]

    async def _one(self, call: ToolCall, context: ToolContext, run: Run) -> Sequence[Wait]:
        match await self._outcome(call, context, run):
            case Done(words, is_error, origin, held=held):
                fact = ToolCallResult(call.id, words.text, is_error, origin, words.tainted, held=held)
                await run.journal.commit(fact)
            case Waiting(wait_id, prompt, also):
                return [Wait(name, call.id, prompt) for name in (wait_id, *also)]
        return ()

    async def _outcome(self, call: ToolCall, context: ToolContext, run: Run, *, again: bool = True) -> Result | None:
        """What a call comes to, with everything in it that may be shown and is to be known."""
        tool = self.toolbox.get(call.name)
        touch = (
            await self.guard.files.before(tool, mend(self.toolbox, call).args, context)
            if tool is not None
            else FileTouch()
        )
        files = self.guard.files
        context = replace(context, over=partial(self._over, touch), origins=files.origins(self.workspace))
        try:
            result = await self._attempts(call, context, run, again=again)
        except BaseException:
            with suppress(SullaError):  # if it cannot be said what was written until now, the mark from before stays
                await context.over()
            raise
        by = Author.OPERATOR
        if isinstance(result, Done):
            outside = result.origin in UNTRUSTED or (not result.nothing_read and await files.tainted(touch))
            by = Author.OUTSIDE if outside else result.words.by
            touch = FileTouch() if result.goes_on else touch
        rest = self.workspace / where(call.id) if by.tainted else None
        obeyed = await files.after(touch, rest)
        match result:
            case Done(words):  # what the log never holds, no reader of it can let out
                told = _told_of(obeyed) if by.tainted else ""
                text = f"{words.text}\n\n[{told}]" if told else words.text
                data = self.guard.redactor.json(dict(result.data)) if result.data and context.whole_bytes else None
                cut = self.guard.redactor.text(result.cut)
                return replace(
                    result,
                    words=Words(self.guard.redactor.text(text), by),
                    data=data if isinstance(data, dict) else None,
                    cut=cut,
                )
            case Waiting(_, prompt):
                return replace(result, prompt=shown_text(Words(self.guard.redactor.text(prompt))))
        return None

    async def _over(self, touch: FileTouch) -> str:
        """Mark what a job has written; see `ToolContext.over`."""
        return _told_of(await self.guard.files.after(touch, None))

    async def _attempts(self, call: ToolCall, context: ToolContext, run: Run, *, again: bool) -> Result | None:
        """Run a call, and again if what was in its way may pass and a repeat does no harm (seed 001).

        Returns:
            None if the daemon is to stop before the next attempt: who takes the run up again makes it.
        """
        tool = self.toolbox.get(call.name)
        failures: list[FailureClass] = []
        while True:
            run.control.check()  # right before it: the process may have stood still since the intent was kept
            result = await run_call(self.toolbox, call, context)
            if not isinstance(result, Done) or not result.passing or not again:
                return result
            failures.append("tool_error")
            after = next_try(
                failures,
                remaining_s=run.deadline_s - run.clock.elapsed(),
                jitter=self.jitter(),
                retry_after_s=result.retry_after_s,
                safe_to_repeat=effect_of(tool, call.args) != "once",
            )
            if not isinstance(after, RetryWait):
                return result
            context.progress(f"failed, tried again in {after.seconds:.0f} s: {result.text[:200]}")
            if not await pause(run, RunWaiting(TOOL_FAILED, after.seconds, call.id)):
                return None


def _told_of(obeyed: Sequence[str]) -> str:
    """What is said of files that a command made or changed and that programs of the owner run; empty for none."""
    if not obeyed:
        return ""
    named = ", ".join(repr(path[:200]) for path in sorted(obeyed)[:MOST_TOLD])
    more = f" and {len(obeyed) - MOST_TOLD} more" if len(obeyed) > MOST_TOLD else ""
    return (
        "This command made or changed what programs of the person run or obey outside the sandbox: "
        f"{named}{more}. They are marked as untrusted. Tell the person to look at them before running anything there."
    )


def _may_have_run(call: ToolCall, run: OpenRun) -> bool:
    """Whether a call whose intent is from before may have taken effect, and a repeat would do harm."""
    allowed = call.id in run.calls.granted or call.id in run.calls.permits
    return run.calls.intents.get(call.id, "once") == "once" and not allowed


def _effect_of(call: ToolCall, run: OpenRun) -> Effect:
    word = run.calls.intents.get(call.id, "once")
    return "pure" if word == "pure" else "idempotent" if word == "idempotent" else "once"
