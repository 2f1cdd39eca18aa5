"""A playbook's home that dies at any change of what it keeps, and is opened again; people do what they are asked."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import ChatRequest, Delta
from sulla.playbooks.machine.records import RunEnded, StepCompleted
from sulla.playbooks.records import PlaybookEnded, Played
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import CHANGES, Killed, is_kill
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.store import Touch
from sulla.testing.tools import EffectLedger, ledger_tools
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Answer, Input
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.crash_cases import Case, name_of
from tests.simulation.history import History, Kept, ThreadHistory, breaches

REPLIES: dict[str, JsonObject] = {
    "choose": {},
    "reply": {"reply": "fine"},
    "review_before": {"verdict": "go_with_notes", "notes": "mind it"},
    "check_call": {"verdict": "confirm"},
}
CHOICES = {"(kind)": "other", "(sure)": "yes"}
ANSWERS = {"Which?": "blue", "How many?": "7", "Which one?": "that one"}
MONTH_S = 31 * 86_400.0
MOST_TURNS = 60
MOST_ROUNDS = 1_000
OUTAGE_S = 40.0


class Thinker:
    """Says the same whatever came before: each reply follows from the request alone."""

    name = "model"

    def __init__(self) -> None:
        self.asked: list[str] = []
        """For each request, the mark in brackets of what it is about."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        said = [message.text for message in request.messages if message.role == "user"][-1]
        marks = re.findall(r"\((\w+)\) ", said)
        self.asked.append(marks[0] if marks else "")
        async for delta in ScriptedProvider([self._say(request, said)]).stream(request):
            yield delta

    async def close(self) -> None: ...

    def _say(self, request: ChatRequest, said: str) -> Say:
        tool = request.forced
        if tool is None:
            text = '{"facts": ["tall"]}' if "(look)" in said else "good" if "better" in said else "poor"
            return Say(f"{text}\n<AGENT_DONE>\n<STATUS_REPORT>{text}</STATUS_REPORT>\n</AGENT_DONE>")
        args = REPLIES.get(tool.name, {})
        if tool.name == "choose":
            args = {"choice": next(choice for mark, choice in CHOICES.items() if mark in said)}
        elif tool.name == "review_after":
            good = "The result:\ngood" in said
            args = {"verdict": "approve" if good else "retry", "notes": "do it better"}
        return Say("", (ToolCall(CallId("c"), tool.name, args),))


def tools_of(ledger: EffectLedger) -> tuple[Tool, ...]:
    async def look_up(context: ToolContext, *, what: str) -> Result:
        """Look something up.

        Args:
            what: what.
        """
        return Done(ours(f"read {what}"))

    async def send_out(context: ToolContext, *, what: str) -> Result:
        """Send something to somebody.

        Args:
            what: what.
        """
        ledger.write("send_out", what, context)
        return Done(ours(f"noted {what}"))

    return (
        *ledger_tools(ledger),
        define(look_up, effect="pure", reach="inward"),
        define(send_out, effect="once", reach="outward"),
    )


class Outage:
    """A store is away for longer than a lease lasts, from its n-th change on.

    Args:
        clock: all time.
        nth: the change, counted from 1.
        after: whether it keeps meanwhile what it is told, and nobody gets to know.
    """

    def __init__(self, clock: ManualClock, nth: int, *, after: bool) -> None:
        self._clock = clock
        self._left = nth
        self._phase = "after" if after else "before"
        self._until = 0.0

    @property
    def came(self) -> bool:
        return self._left <= 0

    @property
    def lasts(self) -> bool:
        return self.came and self._clock.elapsed() < self._until

    async def __call__(self, touch: Touch) -> None:
        if touch.method not in CHANGES or touch.phase != self._phase:
            return
        self._left -= 1
        if self._left == 0:
            self._until = self._clock.elapsed() + OUTAGE_S
        if self.lasts:
            raise StoreUnavailable("the line is cut")


class Town:
    """One store over all deaths, with what is outside of it: effects, people, a model's service, what was said."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.clock = ManualClock()
        self.store = MemoryStore(self.clock, lambda prefix: f"{prefix}_mem")
        self.thinker = Thinker()
        folder.mkdir()
        self.ledger = EffectLedger(folder / "effects")
        self.said: list[tuple[str, str]] = []
        self.reviews = 0
        self.boots = 0
        self.talk = self.run = ThreadId("")
        self.onlooker = self.boot(self.store)
        """Works on nothing."""

    async def open(self) -> None:
        await self.store.open()
        how: dict[str, Any] = {} if self.case.attended else {"trigger": "schedule", "origin": "playbook"}
        self.talk = await self.onlooker.thread()
        self.run = await self.onlooker.play(self.case.name, thread=self.talk, request_id="begin", **how)

    def boot(self, store: Any) -> PlayWorld:
        """Another process over the same store, or over a mortal one before it."""
        self.boots += 1
        texts = {name_of(text): text for text in (self.case.text, *self.case.others)}
        tools = tools_of(self.ledger)
        world = PlayWorld(store, self.thinker, texts, tools=tools, clock=self.clock, boot=self.boots)
        world.said = self.said
        return world

    async def live(self, world: PlayWorld) -> None:
        """Work, and have people answer, until all has come to its end."""
        open_runs: list[ThreadState] = []
        for _ in range(MOST_TURNS):
            await self._work(world)
            open_runs = [state for _, state in await world.threads.list() if state is not None and state.run]
            if not open_runs:
                return
            asked = [(state.thread_id, wait) for state in open_runs if state.run for wait in state.run.waits.values()]
            prompted = [(thread_id, wait) for thread_id, wait in asked if wait.prompt]
            reviews = [one for one in prompted if one[1].wait_id.startswith("review:")]
            for thread_id, wait in reviews or prompted:
                await world.threads.answer(thread_id, self._answer(wait))
            if not prompted:
                self.clock.jump(MONTH_S)
        raise AssertionError(f"it does not end: {[(s.thread_id, s.run and s.run.waits) for s in open_runs]}")

    async def _work(self, world: PlayWorld) -> None:
        """As `World.work`; time passes, so that a lease runs out of which nobody knows."""
        for _ in range(MOST_ROUNDS):
            if not (ready := await world.store.find(ready=True)):
                return
            for info in ready:
                await world.turns.attend(ThreadId(info.key))
            await self.clock.advance(0.1)
        raise AssertionError(f"threads still go on after {MOST_ROUNDS} rounds")

    async def die(self, world: PlayWorld) -> bool:
        """Live until the process is killed; whether it was."""
        try:
            await self.live(world)
        except (Killed, BaseExceptionGroup) as error:
            if not is_kill(error):
                raise
            return True
        return False

    async def falter(self, world: PlayWorld, outage: Outage) -> None:
        """Live on in the same process, whatever its store has failed to do; time passes while it is away."""
        while True:
            life = asyncio.create_task(self.live(world))
            while not life.done():
                await self.clock.settle()
                if outage.lasts and not life.done():
                    await self.clock.advance(1.0)
            try:
                return life.result()
            except StoreUnavailable:
                await self.clock.advance(1.0)  # the daemon looks again soon

    def _answer(self, wait: Wait) -> Answer:
        if wait.wait_id.startswith("review:"):
            self.reviews += 1
            done = {line["key"].partition(":")[2]: line["what"] for line in self.ledger.read()}
            if wait.call_id in done:
                return Answer(wait.wait_id, f"noted {done[wait.call_id]}", "result")
            return Answer(wait.wait_id, "", "run_again")
        if wait.wait_id.startswith("answer:"):
            return Answer(wait.wait_id, next(text for said, text in ANSWERS.items() if said in wait.prompt))
        return Answer(wait.wait_id, "", "approve")

    # ------------------------------------------------------------------------------------------------ what is to hold

    async def states(self) -> list[ThreadState]:
        return [state for _, state in await self.onlooker.threads.list() if state is not None]

    async def log(self, thread_id: ThreadId) -> list[Entry]:
        return await self.onlooker.log(thread_id)

    async def completed(self) -> set[str]:
        """The steps that are done, in any playbook."""
        return {
            entry.fact.at
            for state in await self.states()
            for entry in await self.log(state.thread_id)
            if isinstance(entry.fact, Played) and entry.fact.what == "STEP_COMPLETED"
        }

    async def came_to(self) -> dict[str, Any]:
        """All that has to be the same however often the process died."""
        found: dict[str, Any] = {"said": sorted(text for _, text in self.said)}
        found["threads"] = sorted(
            (s.identity.title, PLAYBOOK_RUN.of(s) is not None, s.identity.birth is not None)
            for s in await self.states()
        )
        found["effects"] = sorted({(line["tool"], line["what"]) for line in self.ledger.read()})
        for state in await self.states():
            log = await self.log(state.thread_id)
            if (play := PLAYBOOK_RUN.of(state)) is None:
                if state.identity.birth is None:
                    heard = [entry.fact for entry in log if isinstance(entry.fact, Input)]
                    ended = [entry.fact for entry in log if isinstance(entry.fact, PlaybookEnded)]
                    found["talk"] = sorted((fact.origin, fact.text) for fact in heard)
                    found["ended"] = sorted((fact.name, fact.status, fact.text) for fact in ended)
                continue
            record = await self.onlooker.record(state.thread_id)
            done = {fact.at: (fact.value, fact.route) for fact in record.facts if isinstance(fact, StepCompleted)}
            (end,) = [fact for fact in record.facts if isinstance(fact, RunEnded)]
            found[f"play {play.name}"] = (play.status, state.newest.outcome.status, dict(end.outputs), done)
        return found

    async def broken(self) -> list[str]:
        """What of the promises does not hold, over all logs of the store."""
        threads = []
        for state in await self.states():
            kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
            threads.append(ThreadHistory(state.thread_id, tuple(await self.log(state.thread_id)), kept=kept))
        return [str(breach) for breach in breaches(History(tuple(threads)))]

    def doubled(self, *, cut: bool) -> list[str]:
        """Effects that there were more often than may be."""
        times = Counter((line["tool"], line["what"], line["key"]) for line in self.ledger.read())
        words = Counter((tool, what) for tool, what, _ in times)
        found = [f"{word} under several keys" for word, count in words.items() if count > 1]
        most = {"note_once": 1, "send_out": 1}
        return found + [f"{one} {n} times" for one, n in times.items() if n > most.get(one[0], 1 + cut)]
