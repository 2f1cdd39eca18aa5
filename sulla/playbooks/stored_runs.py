"""What can be asked for about playbooks and their runs, done: keeps `PlaybookService`.

What reads a playbook is loaded when something is asked of one: at rest a daemon asks for its runs alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, MessageIdReused, NotFound, QueueFull
from sulla.core.ids import MakeId, MessageId, ThreadId, derived_id
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Origin
from sulla.core.words import Author, worst
from sulla.playbooks.catalog import CatalogEntry, PlaybookCatalog, StoredPlaybook
from sulla.playbooks.definition import Definition
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.rerun import address, refuse_unknown
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.playbook_rows import listed
from sulla.playbooks.records import PlaybookAsked, PlaybookBegan
from sulla.playbooks.rpc_forms import PlayBegun, PlaybookRow, PlaybookText, PlayDetail, PlayRow
from sulla.playbooks.run.load import load_run
from sulla.playbooks.run.log import RunRecord
from sulla.playbooks.run.orders import RunOrder, begun_with, key_of_successor, play_of, request_of
from sulla.playbooks.run_rows import detail_of, goes_on, refuse_unsure, row_of, status_of
from sulla.playbooks.service import Begin
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

MOST_QUEUED: Final = 1_000
"""Runs that may wait for their turn."""
MOST_WAITING: Final = 1_000
"""Runs that may wait for time, people and others: a schedule whose runs nobody answers ends there."""
MOST_HANDED_OVER: Final = 8
"""Times in a row that playbooks hand over to each other: each has limits of its own, and together they had none."""
MOST_FAULTS: Final = 500
"""Of a text that somebody has checked, that are told."""
_PAGE: Final = 200
_MAX_TOLD: Final = 5
_BY_PEOPLE: Final = ("manual", "chat", "project")
"""Triggers behind which a person stands: the policy takes such a run for theirs."""

_BY_FILES: Final = ("webhook", "event", "chat", "schedule")
"""Triggers with inputs that stand in a file, and not in what was asked."""


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Lists playbooks, begins their runs and steers them. A run is a thread; what is asked of it is offered to that.

    Args:
        threads: where runs are kept.
        catalog: the home's playbooks.
        clock: all time.
        make_id: for what nobody can guess.
        agents: gives the ids of those that there are, the home's own first.
        wake: has a thread looked at soon.
        queued: how many threads wait for their turn.
        most_waiting: runs that may wait for time, people and others at once.
    """

    threads: ThreadStore
    catalog: PlaybookCatalog
    clock: Clock
    make_id: MakeId
    agents: Callable[[], Sequence[str]]
    wake: Callable[[ThreadId], None]
    queued: Callable[[], int]
    most_waiting: int = MOST_WAITING

    # ------------------------------------------------------------------------------------------------------ playbooks

    async def list(self) -> Sequence[PlaybookRow]:
        """All that the home has."""
        await self.catalog.look()
        return [listed(one) for one in self.catalog.playbooks.values()]

    async def get(self, name: str, run: str = "") -> PlaybookText:
        """One of them, as it is now or as it was when a run of it began."""
        await self.catalog.look()
        found = await self._as_it_was(name, run) if run else self.catalog.find(name)
        return PlaybookText(listed(found), found.source)

    async def check(self, text: str, file: str) -> Sequence[str]:
        """What is wrong with a text."""
        await self.catalog.look()
        faults = (await asyncio.to_thread(self.catalog.check, text)).faults  # beside the event loop, as a look is
        told = [fault.told(file) for fault in faults[:MOST_FAULTS]]
        return told if len(faults) <= MOST_FAULTS else [*told, f"{file}: and {len(faults) - MOST_FAULTS} more"]

    async def kept(self, name: str) -> StoredPlaybook:
        """See `run.steps.PlaybookSource`."""
        await self.catalog.look()
        return self.catalog.get(name)

    # ----------------------------------------------------------------------------------------------------------- runs

    def run_of(self, key: str) -> str:
        """The id of the run that a key begins, or has begun."""
        return derived_id("thr", "request", request_of(key))

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Begin a run; the same key begins it once."""
        from sulla.playbooks.given import check_alone, refuse_instead, settled

        thread_id = ThreadId(self.run_of(key))
        if (before := await self._state(thread_id)) is not None and await self._is_ordered(before, begin):
            # Known already: whatever has become of the file since, and of the room for more.
            self.wake(thread_id)
            await self._tell_begun(thread_id, begin, before.identity.title)
            return PlayBegun(thread_id, False)
        kept = await self._kept(begin)
        inputs = complete_inputs(kept.definition, begin.inputs)
        if (begin.step or begin.outputs) and not begin.may_answer:
            refuse_instead(kept.definition, self._runnable, "beginning with a step or with outputs")
        if begin.step:
            check_alone(kept.definition, begin.step, begin.outputs)
        given = settled(kept.definition, begin.outputs, self.catalog.known)
        agents = self.agents()
        agent = begin.agent or agents[0]
        if agent not in agents:
            raise NotFound(f"no agent {agent!r} (known: {', '.join(agents)})")
        by = worst((begin.by, (await self._run(begin.made_by)).context.by)) if begin.made_by else begin.by
        if before is None:
            await self._check_room()
            if begin.thread and begin.trigger != "transfer":
                await self._check_thread(begin.thread)
            play = play_of(kept.definition, kept.source, begin.trigger, begin.thread, chain=begin.chain)
            created = ThreadCreated(agent, play.name, begin.project, graph=PLAYBOOK, play=play)
            await self.threads.create(created, request_of(key))
        seal, brought, own = self.make_id("seal"), begin.payload, not begin.source
        order = RunOrder("start", seal, inputs, brought, by=by, handed=begin.handed, request=begin.request, own=own)
        order = replace(order, begun=begin.begun, given=given, steps=(begin.step,) if begin.step else ())
        first = await self._order(thread_id, "start", order, _origin(begin))
        await self._tell_begun(thread_id, begin, kept.definition.name)
        return PlayBegun(thread_id, first)

    async def _check_room(self) -> None:
        """Do nothing if there is room for one more run.

        Raises:
            QueueFull: too many wait for their turn, or for time and people.
        """
        if self.queued() >= MOST_QUEUED:
            raise QueueFull(f"{MOST_QUEUED} runs wait for their turn already: try again later", retry_after_s=30.0)
        waiting, after, whole = 0, "", True
        while whole:
            page = await self.threads.list(status="suspended", after=after, limit=_PAGE)
            states = [state for _, state in page if state is not None and state.identity.birth is None]
            waiting += sum(PLAYBOOK_RUN.of(state) is not None for state in states)
            if waiting >= self.most_waiting:
                said = f"{self.most_waiting} runs of playbooks wait already: end some"
                raise QueueFull(f"{said} (`sulla flow runs --status waiting` lists them)", retry_after_s=600.0)
            whole, after = len(page) == _PAGE, page[-1][0].key if page else ""

    async def _is_ordered(self, before: ThreadState, begin: Begin) -> bool:
        """Whether a run was told to begin, with the same.

        Raises:
            MessageIdReused: with something else.
        """
        order = (await load_run(self.threads, before.thread_id)).order
        if order is None:
            return False
        had = order.inputs or {}
        # What the file gives it may give otherwise by now; the same event stays the same.
        same = begin.trigger in _BY_FILES or all(
            name in had and had[name] == value for name, value in begin.inputs.items()
        )
        if not same or order.payload != begin.payload or (not begin.source and before.identity.title != begin.playbook):
            what = "message id of this webhook" if begin.trigger == "webhook" else "key"
            raise MessageIdReused(f"the same {what} began another run, or one with other inputs: take a new one")
        return True

    async def _tell_begun(self, thread_id: ThreadId, begin: Begin, name: str) -> None:
        if begin.thread:
            with suppress(NotFound):  # whoever hands over may have outlived its conversation
                began = PlaybookBegan(thread_id, name, begin.run_id)
                await self.threads.tell(begin.thread, began, f"began:{thread_id}")

    async def hand_over(self, state: ThreadState, name: str, inputs: FrozenJson) -> None:
        """See `run.steps.Successors`."""
        play, run = PLAYBOOK_RUN.of(state), state.run
        if play is None or run is None:
            return
        order = (await load_run(self.threads, state.thread_id)).order
        handed = order.handed + 1 if order is not None else 1
        if handed > MOST_HANDED_OVER:
            raise InvalidInput(f"playbooks have handed over {MOST_HANDED_OVER} times since something started the first")
        begin = Begin(
            name,
            inputs,
            "transfer",
            "",
            play.thread,
            state.identity.agent,
            by=state.context.by,
            run_id=run.id,
            handed=handed,
            chain=play.chain,
            begun=(order.begun if order is not None else "") or play.trigger,
        )
        await self.start(begin, key_of_successor(run.id))

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        """Runs by id."""
        found: list[PlayRow] = []
        while len(found) < limit:
            page = await self.threads.list(after=after, limit=_PAGE)
            for _, state in page:
                row = row_of(state) if state is not None else None
                if row is not None and status in ("", row.status) and len(found) < limit:
                    found.append(row)
            if len(page) < _PAGE:
                break
            after = page[-1][0].key
        return found

    async def status(self, run: str) -> PlayDetail:
        """One run."""
        state = await self._run(run)
        return await asyncio.to_thread(detail_of, state, await load_run(self.threads, state.thread_id))

    async def cancel(self, run: str, why: str = "") -> None:
        """End it."""
        state = await self._run(run)
        if state.run is None and not state.inbox.waiting:
            raise Conflict(f"the run {run} has ended already: it was {_told(state)}")
        await self._ask(state, PlaybookAsked("cancel", why or "cancelled"))

    async def pause(self, run: str, why: str = "") -> None:
        """Begin no further step until it is resumed."""
        await self._ask(await self._going(run), PlaybookAsked("pause", why))

    async def step(self, run: str) -> None:
        """Begin what can be begun now, and pause again."""
        state = await self._going(run)
        if _told(state) != "paused":
            raise Conflict(f"the run {run} is not paused: pause it first")
        await self._ask(state, PlaybookAsked("step"))

    async def resume(
        self, run: str, steps: Sequence[str] = (), outputs: FrozenJson | None = None, *, may_answer: bool = False
    ) -> None:
        """Go on."""
        from sulla.playbooks.given import refuse_instead, refuse_past, settled

        state = await self._run(run)
        if state.run is not None or state.inbox.waiting:
            if steps or outputs:
                raise Conflict(f"the run {run} has not ended: only one that has ended is resumed from steps")
            if _told(state) != "paused":
                raise Conflict(f"the run {run} is {status_of(state)}, not paused: {goes_on(state)}")
            await self._ask(state, PlaybookAsked("resume"))
            return
        record = await load_run(self.threads, state.thread_id)
        definition = self._definition(record, steps)
        if outputs and not may_answer:
            refuse_instead(definition, self._runnable, "going on with outputs")
        elif steps and not may_answer:
            refuse_past(definition, self._runnable, "going on from a step", steps)
        given = settled(definition, outputs or {}, self.catalog.known)
        if _told(state) == "completed" and not steps and not given:
            raise Conflict(f"the run {run} was completed: name the step to go on from, or start another run")
        if both := sorted({address(at)[0] for at in steps} & given.keys()):
            raise InvalidInput(f"the step {both[0]!r} is to be done again, and what it comes to is said already")
        order = RunOrder("resume", steps=tuple(steps), by=Author.PERSON, given=given)
        await self._order(state.thread_id, self.make_id("again"), order, "operator")

    async def fork(
        self, run: str, steps: Sequence[str], inputs: FrozenJson | None, key: str, *, may_answer: bool = False
    ) -> PlayBegun:
        """Begin another run that has done part of this one."""
        from sulla.playbooks.given import refuse_instead, refuse_past

        state = await self._run(run)
        refuse_unsure(state)
        record = await load_run(self.threads, state.thread_id)
        if record.play is None or not steps:
            raise InvalidInput("steps: name at least one step to begin from")
        definition = self._definition(record, steps)
        if not may_answer:
            refuse_past(definition, self._runnable, "a copy of a run that begins at a step", steps)
        if inputs is not None and not may_answer:  # with others its steps may have gone another way
            refuse_instead(definition, self._runnable, "a copy of a run with other inputs", steps)
        if inputs is not None:
            inputs = complete_inputs(definition, inputs)
        info, _ = await self.threads.get(state.thread_id)
        play = play_of(definition, record.play.source, "manual", record.play.thread)
        created = ThreadCreated(state.identity.agent, play.name, graph=PLAYBOOK, play=play)
        thread_id = await self.threads.create(created, request_of(key))
        seal, by = self.make_id("seal"), state.context.by
        first = record.order or RunOrder("start", by=by)
        order = RunOrder("fork", seal, inputs, first.payload, (), tuple(steps), state.thread_id, info.last_seq, by=by)
        order = replace(order, request=first.request, own=first.own)
        return PlayBegun(thread_id, await self._order(thread_id, "start", order, "operator"))

    # -------------------------------------------------------------------------------------------------------- private

    async def _as_it_was(self, name: str, run: str) -> CatalogEntry:
        play = (await load_run(self.threads, (await self._run(run)).thread_id)).play
        if play is None or play.name != name:
            raise NotFound(f"the run {run[:80]!r} is none of the playbook {name!r}: `sulla flow runs` lists them")
        kept, definition = self.catalog.playbooks.get(name), begun_with(play)
        return CatalogEntry(name, kept.file if kept is not None else Path(), play.source, definition, definition)

    async def _kept(self, begin: Begin) -> StoredPlaybook:
        if not begin.source:
            return await self.kept(begin.playbook)
        await self.catalog.look()
        checked = await asyncio.to_thread(self.catalog.check, begin.source)
        if checked.definition is None:
            errors = [fault.told("playbook") for fault in checked.faults if fault.severity == "error"]
            raise InvalidInput(f"the playbook cannot be run: {'; '.join(errors[:_MAX_TOLD])}")
        return StoredPlaybook(begin.source, Path(), checked.definition)

    def _runnable(self, name: str) -> Definition | None:
        found = self.catalog.playbooks.get(name)
        return found.definition if found is not None else None

    def _definition(self, record: RunRecord, steps: Sequence[str]) -> Definition:
        """The playbook of a run, if it has the steps.

        Raises:
            NotFound: it has no such step, or no such pass.
            CorruptRecord: the run's playbook cannot be read.
            Conflict: it did one step alone.
        """
        play = record.play
        definition = begun_with(play) if play is not None else None
        if play is None or definition is None:
            raise CorruptRecord(f"{record.thread_id}: the playbook of this run cannot be read")
        if record.order is not None and record.order.do == "start" and record.order.steps:
            raise Conflict(f"this run did the step {record.order.steps[0]!r} alone: start it again")
        refuse_unknown(build(definition), record.facts, steps)
        return definition

    async def _order(self, thread_id: ThreadId, name: str, order: RunOrder, origin: Origin) -> bool:
        """Tell a run what to do, once under a name; whether it was not told before."""
        first = False
        with suppress(MessageIdReused):  # told before, with another seal: what was said first counts
            said = Input(MessageId(f"order:{name}"), order.text(), origin=origin, tainted=order.by.tainted)
            first = (await self.threads.send(thread_id, said)).first
        self.wake(thread_id)
        return first

    async def _ask(self, state: ThreadState, asked: PlaybookAsked) -> None:
        await self.threads.tell(state.thread_id, asked, self.make_id("req"))
        self.wake(state.thread_id)

    async def _check_thread(self, thread_id: ThreadId) -> None:
        """See whether a thread can hear of a run: whatever else works there takes no messages.

        Raises:
            NotFound: there is none of that id.
            InvalidInput: it is no conversation.
        """
        _, state = await self.threads.get(thread_id)
        if state is not None and (state.identity.graph or state.identity.birth is not None):
            what = state.identity.graph or "sub-agent"
            raise InvalidInput(f"thread_id: {thread_id} is no conversation but that of a {what}: name one, or none")

    async def _going(self, run: str) -> ThreadState:
        state = await self._run(run)
        if state.run is None and not state.inbox.waiting:
            raise Conflict(f"the run {run} has ended: it was {_told(state)}")
        if (play := PLAYBOOK_RUN.of(state)) is not None and play.behind:
            waits = ", ".join(play.behind)
            raise Conflict(f"the run {run} has not begun: it waits for its turn, behind {waits}. It can be cancelled")
        return state

    async def _run(self, run: str) -> ThreadState:
        state = await self._state(ThreadId(run))
        if state is None or PLAYBOOK_RUN.of(state) is None:
            raise NotFound(f"there is no run {run[:80]!r} of a playbook; `sulla flow runs` lists them")
        return state

    async def _state(self, thread_id: ThreadId) -> ThreadState | None:
        return await self.threads.load(thread_id, messages=False)


def _origin(begin: Begin) -> Origin:
    return "operator" if begin.trigger in _BY_PEOPLE or begin.attended else "playbook"


def _told(state: ThreadState) -> str:
    play = PLAYBOOK_RUN.of(state)
    return play.status if play is not None else "gone"
