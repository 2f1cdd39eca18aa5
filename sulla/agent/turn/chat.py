"""What an agent asks its model, and how the answers are written down."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Literal

from sulla.agent.approvals.questions import answer_tool, ask_again, asked_section, fault_of, outcome_of, results_of
from sulla.agent.ending import CALLED_INSTEAD, NO_WORDS, has_answered, has_worked
from sulla.agent.limits.limits import RunLimits, narrowed, reply_cut
from sulla.agent.model.model import Model, ModelReply
from sulla.agent.model.pictures import shown_text
from sulla.agent.model.reminders import CUT_OFF, REAL_CALLS
from sulla.agent.model.request import Purpose, ReplyRequest
from sulla.agent.model.token_estimator import Fitted
from sulla.agent.packaged import PromptOf, prompted
from sulla.agent.part import PartOf, whole_turn
from sulla.agent.prompt import Surroundings, sections
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.offers import chosen
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, MessageId, ThreadId, derived_id
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall
from sulla.core.run import Run
from sulla.core.words import Author, Words
from sulla.definitions.agent_file import allows
from sulla.models.base import Completed, PromptSection, ToolSpec
from sulla.models.catalog import ModelName
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Outcome, Reminder, TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState, tools_given
from sulla.tools.base import Effect

_LOAD_SKILL: Final = "load_skill"
"""The tool without which an agent that a turn brings along is told of no skills, nor of whatever else is known."""


def nobody_leads(state: ThreadState) -> tuple[PromptSection, ...]:
    """The agent works for the person alone."""
    return ()


def nothing_withheld(state: ThreadState) -> Collection[str]:
    """It is told of all that it has."""
    return ()


@dataclass(frozen=True, slots=True)
class AgentChat:
    """An agent's model, and what it is told it can use."""

    model: Model
    spec: AgentSpec
    tools: tuple[ToolSpec, ...]
    effect_of: Callable[[ToolCall], Effect]
    """What repeating a tool would do; `once` for a name that no tool has."""
    limits: RunLimits
    surroundings: Surroundings
    summarize: Callable[[ThreadId], bool]
    """Asks for a summary, to be made beside the turn; whether that is under way now because of it."""
    known: Callable[[], tuple[PromptSection, ...]] = tuple
    """What stands at the end of the prompt: the same until somebody changes what the daemon knows, e.g. a skill."""
    offer: Callable[[Iterable[ToolCall]], tuple[ToolSpec, ...]] | None = None
    """What the model is told of in a conversation with these calls; None for `tools`, always."""
    led: Callable[[ThreadState], tuple[PromptSection, ...]] = nobody_leads
    """What the agent is told of whoever it works for in a conversation, before all else."""
    withheld: Callable[[ThreadState], Collection[str]] = nothing_withheld
    """Tools that the model is not told of in a conversation."""
    prompt: PromptOf | None = None
    """Makes the agent's base prompt anew for each call; None for that of `spec`."""
    part: PartOf = whole_turn
    """Under which conditions it speaks for now."""

    async def reply(self, state: ThreadState, run: Run) -> bool:
        """Ask for a reply, show it as it comes, and note what it said and wants done.

        A reply without tool calls is only *noted*: it becomes durable together with what follows from it. One with
        calls is kept before any of them runs. One that was cut off at its limit goes on once in a run.

        Returns:
            Whether there is one; False if the daemon is to stop first.

        Raises:
            LimitReached: the call does not fit a limit and was not made; or the reply was cut off once more, and is
                noted.
            ProviderError: the model's service failed; nothing of the reply counts.
        """
        ask = self._ask(state)
        said = await self.model.ask(state, run, ask, narrowed(self.limits, state.identity.birth))
        if said is None:
            return False
        if said.evicted:
            self.summarize(state.thread_id)
        message_id = said.started.message_id
        parts, text_at = _beside_text(said.completed.message, message_id)
        calls, tainted = [part for part in parts if isinstance(part, ToolCall)], _quotes(parts)
        wordless = self.part(state).wordless
        if ask.force or any(call.name in wordless for call in calls):
            said, parts, text_at = _without_words(said), tuple(calls), 0
        cut = not calls and said.wrapper is None and said.completed.stop == "max_tokens" and not ask.force
        again: tuple[Reminder, ...] = ()
        if cut or (said.wrote_call and not calls):
            again = _tell_once(state, *(("cut", CUT_OFF) if cut else ("calls", REAL_CALLS)))
            if again and not cut:  # it answers anew: nobody is told the same twice
                said = _without_words(said)
        reply = TextMessageEnd(
            said.started.call_id,
            message_id,
            said.text,
            parts,
            text_at,
            said.usage,
            said.completed.stop,
            None if calls else self._outcome(said if not again else replace(said, wrapper=None), state, run),
            hidden=ask.purpose != "reply",
            stand_in=_stand_in(said.completed),
            tainted=tainted,
        )
        if calls:
            await run.journal.commit(
                reply, *(ToolCallStart(c.id, c.name, c.args, message_id, self.effect_of(c)) for c in calls)
            )
        else:
            run.journal.note(reply, *again)
            if cut and not again:
                raise reply_cut(ask.max_tokens, said.usage.output_tokens)
        return True

    async def nudge(self, state: ThreadState, run: Run) -> bool:
        """Ask for the wrapper alone; any tool call in the answer is not made, and its words are shown where the agent
        has told people nothing since its last tool.

        Returns:
            Whether it was answered; False if the daemon is to stop first.

        Raises:
            LimitReached: the call does not fit a limit.
            ProviderError: the model's service failed.
        """
        tokens, tuning = self._nudge_tokens(state), self.spec.tuning
        ask = ReplyRequest(self._prompt(state), self._told(state), tokens, "nudge", tuning=tuning)
        said = await self.model.ask(state, run, ask, narrowed(self.limits, state.identity.birth))
        if said is None:
            return False
        silent, outcome = not has_answered(state), self._outcome(said, state, run)
        if outcome.status == "in_progress" and said.completed.message.calls:
            outcome = replace(outcome, reason=CALLED_INSTEAD)
        text = said.text.strip() or (outcome.response or "" if outcome.status == "done" else "")
        words = [self._late_words(said, text, outcome, state)] if silent and text else []
        run.journal.note(_nudged(said, outcome, "" if words else said.text), *words)
        return True

    def _late_words(self, said: ModelReply, text: str, outcome: Outcome, state: ThreadState) -> TextMessageEnd:
        """What the answer to a nudge says to people, who have been told nothing: a message of its own, because what is
        asked beside the turn is shown to nobody."""
        asked = said.started.message_id
        return TextMessageEnd(
            CallId(derived_id("late", asked)),
            MessageId(derived_id("msg", asked, "late")),
            text,
            outcome=outcome,
            hidden=not self.part(state).shown,
            stand_in=_stand_in(said.completed),
            tainted=_quotes(said.completed.message.parts),
        )

    async def answer(self, question: Question, state: ThreadState, run: Run) -> bool:
        """Ask for the answer to a playbook's question, and note what came.

        The reply is not shown, and none of its calls is made. All that follows from it is noted beside it, so that it
        becomes durable in one step: the run has its outcome, or the model is told to answer once more.

        Returns:
            Whether there is a reply; False if the daemon is to stop first.

        Raises:
            LimitReached: the call does not fit a limit; it was not made.
            ProviderError: the model's service failed; nothing of the reply counts.
        """
        open_run = state.run
        said = await self.model.ask(state, run, self._ask(state), narrowed(self.limits, state.identity.birth))
        if said is None or open_run is None:
            return False
        message_id, last = said.started.message_id, state.newest.nudged
        parts, text_at = _beside_text(said.completed.message, message_id)
        calls = [part for part in parts if isinstance(part, ToolCall)]
        fault = fault_of(question, calls)
        outcome = outcome_of(fault, last=last, now_ms=round(run.clock.now() * 1000))
        run.journal.note(
            TextMessageEnd(
                said.started.call_id,
                message_id,
                said.text,
                parts,
                text_at,
                said.usage,
                said.completed.stop,
                outcome,
                hidden=True,
                stand_in=_stand_in(said.completed),
            ),
            *(
                ToolCallStart(call.id, call.name, call.args, message_id, "pure", refused=call.name != question.tool)
                for call in calls
            ),
            *results_of(question, calls, fault),
            *((ask_again(question, open_run, fault),) if outcome is None else ()),
        )
        return True

    async def check_room(self, state: ThreadState, run: Run, more: Sequence[str]) -> None:
        """See whether the model could be asked for a reply now.

        Args:
            state: the thread, with the run open.
            run: the run.
            more: texts that would be said before it.

        Raises:
            LimitReached: it could not.
        """
        await self.model.check_room(state, run, self._ask(state), narrowed(self.limits, state.identity.birth), more)

    async def fit(self, state: ThreadState) -> Fitted:
        """Forget what of the conversation the model will not be shown any more.

        Raises:
            LimitReached: not even the newest message fits.
        """
        return await self.model.fit(state, self._ask(state), narrowed(self.limits, state.identity.birth))

    def _ask(self, state: ThreadState) -> ReplyRequest:
        reply_tokens, tuning = self.model.estimator.reply_tokens(self.limits), self.spec.tuning
        if state.run is not None and (question := state.run.asked.question) is not None:
            prompt = (*(one for one in self._prompt(state) if one.name != "wrappers"), asked_section(question))
            tools, certain = (answer_tool(question),), self.part(state).certain
            return ReplyRequest(prompt, tools, reply_tokens, "answer", question.tool, tuning, certain)
        part = self.part(state)
        purpose: Purpose = "reply" if part.shown and not part.force else "held"
        prompt, told = self._prompt(state), self._told(state)
        return ReplyRequest(prompt, told, reply_tokens, purpose, part.force, tuning, part.certain)

    def _nudge_tokens(self, state: ThreadState) -> int:
        """The most that the wrapper may have: a model that has just thought will think again, and needs room for it."""
        said = (one for one in reversed(state.context.transcript) if one.role == "assistant" and not one.hidden)
        thinks = any(isinstance(part, Reasoning) for one in islice(said, 1) for part in one.parts)
        room = self.model.estimator.reply_tokens(self.limits)
        return room if thinks else min(room, self.limits.nudge_tokens)

    @property
    def _native(self) -> tuple[ToolSpec, ...]:
        """Tools that the model's service runs itself, as far as the agent may use them; each goes before one of ours
        that has its name."""
        return tuple(tool for tool in self.model.estimator.info.native if allows(self.spec.tools, tool.name))

    def _told(self, state: ThreadState) -> tuple[ToolSpec, ...]:
        tools = self.tools
        if self.offer is not None:
            tools = self.offer(call for message in state.context.transcript for call in message.calls)
        if native := self._native:
            names = {tool.name for tool in native}
            tools = (*(tool for tool in tools if tool.name not in names), *native)
        part = self.part(state)
        tools, allowed = (*tools, *part.tells) if part.tells else tools, [tools_given(state), part.tools]
        if part.force:
            allowed.append((part.force,))
        return chosen(tools, [some for some in allowed if some is not None], (*self.withheld(state), *part.without))

    def _prompt(self, state: ThreadState) -> tuple[PromptSection, ...]:
        spec = self.spec
        part = self.part(state)
        if part.prompt:
            spec = replace(spec, prompt=part.prompt, directives="")
        elif self.prompt is not None:
            spec = replace(spec, prompt=prompted(spec, self.prompt, state))
        stranger = part.prompt and part.tools is not None and _LOAD_SKILL not in part.tools
        known = () if stranger else self.known()
        return (*self.led(state), *sections(spec, self.surroundings), *known, *part.sections)

    def _unwrapped(self, text: str, state: ThreadState) -> tuple[Literal["done", "in_progress"], str]:
        """How far the agent is by a reply that does not say so itself, and the reason: an empty one is no answer, and
        done only where a tool has done the work."""
        if self.part(state).plain:
            return "done", ""
        if self.spec.completion != "plain":
            return "in_progress", ""
        if text.strip():
            return "done", ""
        return ("done", NO_WORDS) if has_worked(state) else ("in_progress", "")

    def _outcome(self, said: ModelReply, state: ThreadState, run: Run) -> Outcome:
        now_ms = round(run.clock.now() * 1000)
        if (wrapper := said.wrapper) is None:
            status, reason = self._unwrapped(said.text, state)
            return Outcome(status, reason=reason, updated_at_ms=now_ms)

        def show(text: str | None) -> str:
            return shown_text(Words(text or "", Author.OUTSIDE if self._native else state.context.by))

        return Outcome(
            wrapper.status,
            show(wrapper.status_report),
            show(wrapper.response),
            show(wrapper.blocker_reason),
            show(wrapper.unblock_requirements),
            updated_at_ms=now_ms,
        )


def _without_words(said: ModelReply) -> ModelReply:
    """A reply that had to be a call: what it says beside is not kept, so nobody reads it, the model neither."""
    return replace(said, text="", wrapper=None, wrote_call=False)


def _nudged(said: ModelReply, outcome: Outcome, text: str) -> TextMessageEnd:
    return TextMessageEnd(
        said.started.call_id,
        said.started.message_id,
        text if said.wrapper is None else "",
        usage=said.usage,
        stop=said.completed.stop,
        outcome=outcome,
        hidden=True,
        stand_in=_stand_in(said.completed),
        tainted=_quotes(said.completed.message.parts),
    )


def _quotes(parts: Iterable[Part]) -> bool:
    """Whether the service has used tools of its own, so that the reply may repeat what these have found."""
    return any(isinstance(part, Reasoning) and part.quoted for part in parts)


def _tell_once(state: ThreadState, name: str, text: str) -> tuple[Reminder, ...]:
    """What a model is told that has to go on with its reply; nothing if this run has told it so."""
    if state.run is None:
        return ()
    reminder = Reminder(MessageId(derived_id("rem", state.run.id, name)), "continue", text)
    told = any(message.id == reminder.message_id for message in reversed(state.context.transcript))
    return () if told else (reminder,)


def _stand_in(completed: Completed) -> str:
    other = completed.stand_in
    return "" if other is None else f"{ModelName(other.provider, other.model)} for {other.instead_of}: {other.reason}"


def _beside_text(message: Message, message_id: MessageId) -> tuple[tuple[Part, ...], int]:
    """What a reply holds beside its text, in its order, and how much of that comes before the text."""
    parts: list[Part] = []
    text_at: int | None = None
    for part in message.parts:
        match part:
            case Text():
                # Behind what the service's own tools found, because it speaks of that.
                text_at = len(parts) if text_at is None or _quotes(parts) else text_at
            case ToolCall():
                # The provider's own ids may come twice in a thread; these cannot.
                call_id = CallId(derived_id("tool", message_id, str(len(parts))))
                parts.append(ToolCall(call_id, part.name, part.args))
            case _:
                parts.append(part)
    return tuple(parts), text_at or 0
