"""What a playbook's steps do outside: tools, agents, other playbooks, questions, words.

Each may be done again under the same ids, so a step that was cut off goes on without anything happening twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

from sulla.agent.calls.calls import Made, ToolCalls
from sulla.agent.limits.limits import Charge, RunLimits, bounds_of, check_used, set_aside
from sulla.agent.model.decider import Decided, Decider
from sulla.agent.model.pictures import shown_text
from sulla.agent.subagents.children import Children, ChildTask
from sulla.core.dataclass import dataclass
from sulla.core.errors import MessageIdReused, NotFound
from sulla.core.ids import MessageId, RunId, ThreadId, derived_id
from sulla.core.jsontypes import FrozenJson, replaced
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import Author, Words
from sulla.playbooks.catalog import StoredPlaybook
from sulla.playbooks.definition import Budget
from sulla.playbooks.machine.moves import AskAgent, AskModel, RunPlaybook, SetToWork
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.records import PlaybookAsked, Played
from sulla.playbooks.run.history import MoveId, RunHistory
from sulla.playbooks.run.orders import RunOrder, play_of
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.playbooks.thread_kind import chain_of
from sulla.threads.log.family import ChildCancelled, child_thread
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import Effect
from sulla.tools.builtin.notify import Urgency
from sulla.tools.policy import FiledCall

NOT_WANTED: Final = "the playbook around it does not wait for it any more"
"""Why a playbook within another one is cancelled."""

Tell = Callable[[ThreadId, RunId, str, Words, Urgency], Awaitable[None]]
"""Has people told something: in a thread, by a run, once under a key, and how soon somebody should look."""


class PlaybookSource(Protocol):
    """The playbooks that there are."""

    async def kept(self, name: str) -> StoredPlaybook:
        """One that can be run.

        Raises:
            NotFound: there is none of that name.
            InvalidInput: it has faults.
        """


class Successors(Protocol):
    """Begins the run that another one hands over to."""

    async def hand_over(self, state: ThreadState, name: str, inputs: FrozenJson) -> None:
        """Begin it; once for each run that hands over.

        Raises:
            SullaError: it cannot be.
        """


@dataclass(frozen=True, slots=True)
class StepEffects:
    """Does what steps do.

    Args:
        threads: where conversations are.
        wake: has a thread looked at soon.
        children: sets agents and other playbooks to work.
        calls: makes the calls of tools.
        decider: has a model choose.
        catalog: the playbooks that there are.
        successors: begins what is handed over to.
        tell: has people told something.
        secret: a secret by its name; None for one that the settings don't hold.
        limits: what any run may use.
    """

    threads: ThreadStore
    wake: Callable[[ThreadId], None]
    children: Children
    calls: ToolCalls
    decider: Decider
    catalog: PlaybookSource
    successors: Successors
    tell: Tell
    secret: Callable[[str], str | None]
    limits: RunLimits

    def share(self, state: ThreadState, ways: int) -> int:
        """How many tokens an agent is given: as many as those that are set to work with it, and one share stays.

        Args:
            state: the run's thread.
            ways: how many are set to work together.
        """
        left = bounds_of(self.limits, state).tokens - set_aside(state).tokens
        left -= state.run.spent.tokens if state.run is not None else 0
        return max(1, min(self.limits.tokens, left // (ways + 1)))

    # ------------------------------------------------------------------------------------------------------------ tools

    async def call(
        self, call: ToolCall, filed: FiledCall, by: Author, state: ThreadState, run: Run, *, fresh: bool
    ) -> Made:
        """Call a tool.

        Args:
            call: the call, with what stands for secrets in it.
            filed: what is known of it from the playbook.
            by: whose words its arguments hold.
            state: the run's thread.
            run: the run.
            fresh: whether its intent was written down just now.

        Raises:
            NotFound: a secret that it needs is not set.
        """
        secrets = {mark: self._secret(name) for mark, name in filed.secrets.items() if mark in str(call.args)}
        args = replaced(dict(call.args), secrets)

        def begins(effect: Effect) -> Played:
            return Played("CALL_STARTED", call_id=call.id, effect=effect)

        given = args if isinstance(args, dict) else {}
        return await self.calls.make(call, given, filed, by, state, run, begins, fresh=fresh)

    def _secret(self, name: str) -> str:
        value = self.secret(name)
        if value is None:
            raise NotFound(f"the secret {name!r} is not set: set it, and resume the run")
        return value

    # ----------------------------------------------------------------------------------------------------------- agents

    def child_of(self, place: MoveId) -> str:
        """The id of the run that works for a move."""
        return place.id("stp")

    async def work(
        self,
        child: str,
        at: str,
        wish: SetToWork,
        words: Words,
        budget: Budget,
        state: ThreadState,
        askers: tuple[str, ...],
    ) -> None:
        """Set an agent to work.

        Args:
            child: the id that it gets.
            at: for which step.
            wish: what it is to do.
            words: the same, and whose they are.
            budget: what it may use.
            state: the run's thread.
            askers: the agents that have begun the playbook.

        Raises:
            LimitReached: too little is left for it.
        """
        title = f"{state.identity.title}: {at}"
        of, agent = state.identity.project, wish.agent or state.identity.agent
        task = ChildTask(
            child, agent, words, "step", title, of, wish.tools, wish.model, memory=wish.memory, askers=askers
        )
        await self.children.start(_within(task, budget), state)

    async def sub(
        self,
        child: str,
        wish: RunPlaybook,
        at: str,
        budget: Budget,
        history: RunHistory,
        state: ThreadState,
        run: Run,
    ) -> None:
        """Run another playbook as a step.

        Args:
            child: the id that it gets.
            wish: which one.
            at: the address of the step.
            budget: what it may use.
            history: the run that it is a step of.
            state: that run's thread.
            run: that run.

        Raises:
            NotFound: there is none of that name.
            InvalidInput: it has faults, or its inputs are not what it asks for.
            LimitReached: too little is left for it.
        """
        if await self._has_begun(child, state):
            return  # whatever has become of its file since
        kept = await self.catalog.kept(wish.playbook)
        inputs = complete_inputs(kept.definition, wish.args)
        thread, chain = await self.conversation(state), chain_of(state)
        play = play_of(kept.definition, kept.source, "playbook", thread, chain=chain)
        seal, trust = derived_id("seal", history.seal, child), history.trust
        by, own = trust.whose(at, state.context.by), trust.gives_own(at, state.context.by)
        order = RunOrder("start", seal, inputs, stack=history.stack, by=by, begun=trust.begun_by, own=True)
        order = replace(order, inputs_own=own and by.tainted)
        words = Words(order.text(), by)
        task = ChildTask(child, run.agent, words, "step", kept.definition.name, state.identity.project, play=play)
        await self.children.start(_within(task, budget), state)

    async def _has_begun(self, child: str, state: ThreadState) -> bool:
        known = await self.threads.load(child_thread(child), messages=False) if child in state.links.children else None
        return known is not None and (known.run is not None or bool(known.inbox.waiting) or known.walk.cycle_complete)

    async def stop(self, child: str) -> None:
        """Nobody waits for an agent any more."""
        with suppress(NotFound):
            await self.children.cancel(child)

    async def leave(self, child: str, run: Run) -> None:
        """Nobody waits for another playbook any more: it ends, with what it does at its end. That may go on for longer
        than the run, whose end would stop it: so it is none of the run's children from then on.

        Args:
            child: the id of its run.
            run: the run that it is a step of.
        """
        with suppress(NotFound):
            await self.threads.tell(child_thread(child), PlaybookAsked("make_way", NOT_WANTED), f"leave:{child}")
            self.wake(child_thread(child))
        await run.journal.commit(ChildCancelled(child))

    async def decide(self, place: MoveId, wish: AskModel, again: str, state: ThreadState, run: Run) -> Decided:
        """Have a model choose.

        Raises:
            LimitReached: the run has used all that it may.
        """
        check_used(state, Charge(1), run.clock.now(), bounds_of(self.limits, state))
        return await self.decider.decide(
            wish.question,
            wish.choices,
            again=again,
            call_id=place.id("dec"),
            agent=run.agent,
            clock=run.clock,
            control=run.control,
        )

    # ---------------------------------------------------------------------------------------------------- conversations

    async def ask(self, place: MoveId, wish: AskAgent, state: ThreadState) -> None:
        """Ask the conversation's agent.

        Args:
            place: for which move.
            wish: what it is asked.
            state: the run's thread.
        """
        thread = await self.conversation(state)
        said = Input(
            MessageId(place.id("msg")),
            f"[The playbook {state.identity.title} asks, at its step {place.at}.]\n{wish.text}",
            origin="playbook",
            question=Question(state.thread_id, place.ask, wish.tool, wish.about, wish.schema),
            tainted=state.context.tainted,
            chain=chain_of(state),
        )
        with suppress(MessageIdReused):  # asked before a crash, and tainted since
            await self.threads.send(thread, said)
        self.wake(thread)

    async def say(self, place: MoveId, text: str, state: ThreadState, urgency: Urgency = "normal") -> None:
        """Tell the conversation."""
        words = Words(text, state.context.by)
        said = words.but(shown_text(words))
        await self.tell(await self.conversation(state), place.run_id, place.id("say"), said, urgency)

    async def conversation(self, state: ThreadState) -> ThreadId:
        """The conversation that hears of a run: the one that it was started from, or one of its own."""
        play = PLAYBOOK_RUN.of(state)
        if play is not None and play.thread:
            return play.thread
        created = ThreadCreated(state.identity.agent, state.identity.title, state.identity.project)
        return await self.threads.create(created, f"playbook:{state.thread_id}")


def _within(task: ChildTask, budget: Budget) -> ChildTask:
    return replace(task, tokens=budget.tokens or 0, cost_micro=budget.cost_micro, wall_s=budget.wall_s or 0.0)
