"""The agent node: one agent at work, until it has said its last word for now, has to wait, or reaches a limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from sulla.agent.calls.calls import ToolCalls
from sulla.agent.ending import has_worked, said_nothing
from sulla.agent.input.screening import own_words
from sulla.agent.model.loop import (
    AwaitAnswers,
    CallModel,
    Finished,
    GivenReply,
    RunCalls,
    direct_reply,
    next_action,
    taken_over,
)
from sulla.agent.model.pictures import shown_text
from sulla.agent.model.reminders import CONTINUE, EMPTY, NUDGE
from sulla.agent.turn.chat import AgentChat
from sulla.agent.turn.steering import join_steering
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.run import Run
from sulla.core.words import Words
from sulla.graph.decision import Continue, Decision, Next
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Outcome, Reminder, TextMessageEnd
from sulla.threads.log.state import ThreadState

Opened = str | tuple[Fact, ...]
"""A reply, or what is to be noted in its place: a call, or who speaks from here on. Empty to have the agent answer."""

Opening = Callable[[ThreadState, Run], Awaitable[Opened]]
"""What may answer a person's message in the agent's place, e.g. by starting a playbook: asked before the model is, with
the message as the newest one, where all of it is a person's own words (`screening.own_words`). Asked again after a
crash, it has to do and say the same.
"""


async def nobody_else(state: ThreadState, run: Run) -> Opened:
    """The agent answers."""
    return ""


HandOver = Callable[[ThreadState, Run], tuple[Fact, ...]]
"""Says, behind results and at the end of a reply, what is to be noted where a call has handed the conversation to
another agent, or the one that has it said nothing: nothing where neither is so. Pure."""


def nobody_takes_over(state: ThreadState, run: Run) -> tuple[Fact, ...]:
    """The agent goes on."""
    return ()


@dataclass(frozen=True, slots=True)
class AgentNode:
    """Calls the model and its tools in turns. What to do next is read off the conversation, so it can begin
    anywhere.
    """

    chat: AgentChat
    calls: ToolCalls
    opening: Opening = nobody_else
    hand_over: HandOver = nobody_takes_over

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Work until the reply has no tool call left; `Continue` when asked to drain, so that the walk stops here."""
        open_run = state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: the agent node runs without an open run")
        if open_run.asked.question is not None:
            return await self._answer(open_run.asked.question, state, run)
        decision = await self._remind(state, run, open_run)
        return decision if decision is not None else await self._turns(state, run, open_run)

    async def _turns(self, state: ThreadState, run: Run, open_run: OpenRun) -> Decision:
        fresh = frozenset(run.fresh)
        run.fresh.clear()
        while True:
            run.control.check()
            action = next_action(state.context.transcript, open_run)
            match action:
                case Finished() | CallModel(after_tools=True) if facts := self.hand_over(state, run):
                    run.journal.note(*facts)
                    return Next()
                case Finished() | AwaitAnswers():
                    return Next()
                case _ if run.control.draining:
                    return Continue()
                case CallModel(after_tools):
                    known = set(open_run.calls.intents)
                    if await (self._boundary(state, run) if after_tools else self._opened(state, run, open_run)):
                        if open_run.agent not in ("", run.agent):
                            return Next()
                        fresh = frozenset(open_run.calls.intents.keys() - known)
                        continue
                    if not await self.chat.reply(state, run):
                        return Continue()
                    fresh = frozenset(open_run.calls.intents.keys() - known)
                case RunCalls():
                    await self.calls.run(action, state, run, fresh)
                case _:
                    assert_never(action)

    async def _answer(self, question: Question, state: ThreadState, run: Run) -> Decision:
        """Answer a playbook's question, which is all that happens in such a run: what steers waits for its own."""
        while state.newest.outcome.status == "in_progress":
            run.control.check()
            if run.control.draining or not await self.chat.answer(question, state, run):
                return Continue()
        return Next()

    async def _opened(self, state: ThreadState, run: Run, open_run: OpenRun) -> bool:
        """Whether something else than the model takes up a person's message, once for each."""
        handed = state.walk.lead not in ("", open_run.agent)  # by it to this agent, which answers
        opens = self.chat.part(state).opens
        if open_run.model.begun or handed or not opens or not own_words(state) or state.is_child:
            return False
        opened = await self.opening(state, run)
        if isinstance(opened, str):
            if opened:
                reply_with(GivenReply(open_run.message.id, opened), state, run)
        else:
            await run.journal.commit(*opened)
        return bool(opened)

    async def _boundary(self, state: ThreadState, run: Run) -> bool:
        """Between results and the next reply: let messages join; whether that reply is there already."""
        over = taken_over(state.context.transcript, self._takes_over)
        if over is not None:  # what waits has a run of its own
            reply_with(over, state, run)
            return True
        if not state.steering:
            return self._reply_directly(state, run)
        # Only if the model will be asked: a message that joins must be seen.
        await self.chat.check_room(state, run, [item.text for item in state.steering])
        await join_steering(state, run)
        return False

    def _reply_directly(self, state: ThreadState, run: Run) -> bool:
        """Have results that are meant for the person end the reply; whether there are any."""
        direct = direct_reply(state.context.transcript, self._is_direct)
        if direct is not None:
            reply_with(direct, state, run)
        return direct is not None

    def _is_direct(self, name: str) -> bool:
        tool = self.calls.toolbox.get(name)
        return tool is not None and tool.return_direct

    def _takes_over(self, name: str) -> bool:
        tool = self.calls.toolbox.get(name)
        return tool is not None and tool.takes_over

    async def _remind(self, state: ThreadState, run: Run, open_run: OpenRun) -> Decision | None:
        """On a loop-back, end the conversation in the user's role, so that no model is called with its own text last.

        Returns:
            How the walk goes on; None if the model is to be asked for a reply.
        """
        if state.newest.nudging:  # a crash came between the nudge and its answer
            return await self._nudge(state, run)
        if not isinstance(next_action(state.context.transcript, open_run), Finished):
            return None
        count = str(open_run.model.begun)
        if state.newest.outcome.status == "continue":
            run.journal.note(Reminder(MessageId(derived_id("rem", open_run.id, count)), "continue", CONTINUE))
            return None
        if state.newest.outcome.status == "in_progress" and not state.newest.nudged:
            if said_nothing(state) and not has_worked(state):  # there is nothing to ask about but the answer itself
                run.journal.note(Reminder(MessageId(derived_id("rem", open_run.id, count)), "empty", EMPTY))
                return None
            run.journal.note(Reminder(MessageId(derived_id("rem", open_run.id, count)), "nudge", NUDGE))
            return await self._nudge(state, run)
        return Next()

    async def _nudge(self, state: ThreadState, run: Run) -> Decision:
        return Next() if await self.chat.nudge(state, run) else Continue()


def reply_with(reply: GivenReply, state: ThreadState, run: Run) -> None:
    """Note a reply that no model has written, which ends the turn.

    Args:
        reply: the reply.
        state: the thread.
        run: the run.
    """
    run.journal.note(given_fact(reply, state, run))


def given_fact(reply: GivenReply, state: ThreadState, run: Run) -> TextMessageEnd:
    """What is to be noted of a reply that no model has written.

    Args:
        reply: the reply.
        state: the thread.
        run: the run.
    """
    asked = reply.asked
    call_id, message_id = CallId(derived_id("direct", asked)), MessageId(derived_id("msg", asked, "direct"))
    outcome = Outcome("done", updated_at_ms=round(run.clock.now() * 1000))
    text = shown_text(Words(reply.text, state.context.by))
    return TextMessageEnd(call_id, message_id, text, outcome=outcome, tainted=reply.outside)
