"""Simulated people: they send, send again, steer, interrupt, speak over replies, stop, let go on, and answer what they
are asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Literal, Protocol, TypeVar, get_args

from sulla.core.clock import Clock
from sulla.core.errors import AlreadyAnswered
from sulla.core.ids import MessageId, ThreadId
from sulla.store.base import Store
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.records import Answer, Input, Mode, ThreadCreated
from sulla.threads.log.spoken import BargedIn, Heard, Spoken
from sulla.threads.log.state import ThreadState
from sulla.threads.store import Sent, ThreadStore
from sulla.work.base import Job
from sulla.work.local import LocalWork
from tests.simulation.heart import GRAPH
from tests.simulation.history import Acknowledged

T = TypeVar("T")

Ask = Callable[[ThreadStore, LocalWork], Awaitable[T]]
Verdict = Literal["result", "run_again", "give_up", "approve", "reject"]
VERDICTS: dict[str, tuple[Verdict, ...]] = {
    "review": ("result", "run_again", "give_up"),
    "approval": ("approve", "reject"),
    "answer": ("result",),
}
"""What people say to each kind of question."""

LISTENS = 40
"""How often somebody who has something to say looks for a reply that they can speak over."""


class Insist(Protocol):
    """Has any daemon do something, again and again until one did."""

    async def __call__(self, ask: Ask[T]) -> T:
        """What it came to."""
        ...


class People:
    """Everybody who talks with the daemons.

    Args:
        random: draws what they do.
        clock: all time.
        insist: how they reach a daemon.
        store: where threads are; without faults.
        reader: shows them as they are.
        tell: for the trace.
    """

    def __init__(
        self,
        random: Random,
        clock: Clock,
        insist: Insist,
        store: Store,
        reader: ThreadStore,
        tell: Callable[..., None],
    ) -> None:
        self.random = random
        self.threads: list[ThreadId] = []
        self.acknowledged: dict[ThreadId, list[Acknowledged]] = {}
        self.findings: list[str] = []
        self._clock = clock
        self._insist = insist
        self._store = store
        self._reader = reader
        self._tell = tell
        self._leaving = asyncio.Event()
        self._answering = False
        self._requests = 0

    async def live(self, threads: int, messages: int, beats: int) -> None:
        """Talk in so many threads, and have an agent wake up so many times; returns when everything was said and
        acknowledged.
        """
        async with asyncio.TaskGroup() as group:
            if beats:
                group.create_task(self._wake(beats))
            for number in range(threads):
                group.create_task(self._talk(number, messages))

    async def answer_all(self) -> None:
        """Answer whatever is asked, now and then, until `leave`."""
        while not self._leaving.is_set():
            await self._clock.sleep(0.3 + self.random.random())
            self._answering = True
            for state in await self.everything():
                await self._answer(state.thread_id)
            self._answering = False

    def leave(self) -> None:
        """Answer no more."""
        self._leaving.set()

    async def let_go_on(self) -> bool:
        """Hold back no longer what a stop holds; nobody else is woken, so that a log that was forgotten stays so."""
        for state in await self.everything():
            if state.inbox.waiting and not state.runnable:
                await self._continue(state.thread_id)
        return True

    async def everything(self) -> list[ThreadState]:
        """Every thread, also those that runs asked for, by id."""
        found: list[ThreadState] = []
        while page := await self._reader.list(after=found[-1].thread_id if found else ""):
            found += [state for _, state in page if state is not None]
        return [state for state in found if await self._reader.load(state.thread_id) is not None]

    async def asked(self) -> bool:
        """Whether any thread waits for an answer, or one is on its way, also to a question that is gone by now."""
        waiting = [await self._open_questions(state.thread_id) for state in await self.everything()]
        return self._answering or any(waiting)

    # -------------------------------------------------------------------------------------------------- private

    async def _talk(self, number: int, messages: int) -> None:
        random = self.random
        fact = ThreadCreated("sulla", f"Thread {number}")
        thread_id = await self._insist(lambda threads, _: threads.create(fact, f"request{number}"))
        self.threads.append(thread_id)
        self.acknowledged[thread_id] = []
        said = 0
        while said < messages:
            await self._clock.sleep(random.random() * random.choice((0.1, 0.4, 0.8, 3.0)))
            # Sometimes much at once: what comes while a write is under way finds what nothing else does.
            async with asyncio.TaskGroup() as group:
                for _ in range(random.choice((1, 1, 1, 2, 3))):
                    drawn = random.random()
                    if drawn < 0.15:
                        group.create_task(self._stop(thread_id))
                    elif drawn < 0.22:
                        group.create_task(self._continue(thread_id))
                    else:
                        said += 1
                        if drawn > 0.92:
                            group.create_task(self._speak(thread_id, MessageId(f"m{number}.{said}")))
                            continue
                        mode = random.choice(("queue", "queue", *get_args(Mode)))
                        message = Input(MessageId(f"m{number}.{said}"), f"Message {said}", mode)
                        group.create_task(self._send(thread_id, message))

    async def _wake(self, beats: int) -> None:
        """Have an agent work by itself, and now and then speak to it or stop it."""
        random, fact = self.random, ThreadCreated("sulla", "Heartbeat", graph=GRAPH)
        thread_id = await self._insist(lambda threads, _: threads.create(fact, "heartbeat"))
        self.threads.append(thread_id)
        self.acknowledged[thread_id] = []
        for number in range(beats):
            await self._clock.sleep(random.random() * random.choice((0.2, 2.0, 6.0)))
            drawn = random.random()
            spoken = Input(MessageId(f"word{number}"), "Please look.", "interrupt" if drawn < 0.1 else "queue")
            beat = Input(MessageId(f"beat{number}"), "", origin="beat")
            await self._send(thread_id, spoken if drawn < 0.3 else beat)
            if drawn > 0.85:
                await self._stop(thread_id)

    async def _send(self, thread_id: ThreadId, fact: Input) -> None:
        async def ask(threads: ThreadStore, work: LocalWork) -> Sent:
            sent = await threads.send(thread_id, fact)
            work.enqueue(Job(thread_id))
            return sent

        sent = await self._insist(ask)
        self._tell("acknowledged", thread_id, fact.message_id, fact.mode, sent.run_id, sent.seq)
        self.acknowledged[thread_id].append(Acknowledged(fact.message_id, sent.run_id, sent.seq))
        if self.random.random() < 0.15:
            again = await self._insist(ask)
            self.acknowledged[thread_id].append(Acknowledged(fact.message_id, again.run_id, again.seq))

    async def _speak(self, thread_id: ThreadId, message_id: MessageId) -> None:
        """Wait a little for a reply to speak over, and tell how much of it was heard."""
        heard = None
        for _ in range(LISTENS):
            state = await self._reader.load(thread_id, messages=False)
            if state is not None and state.run is not None and (call := state.run.model.open_call) is not None:
                await self._speak_over(thread_id, BargedIn(message_id, call.message_id))
                heard = Heard(call.message_id, self.random.randrange(20))
                break
            await self._clock.sleep(self.random.random() * 0.1)
        spoken = Spoken(message_id, "final", heard=heard)
        await self._send(thread_id, Input(message_id, "Spoken words", "steer", spoken=spoken))

    async def _speak_over(self, thread_id: ThreadId, over: BargedIn) -> None:
        self._tell("speaks over", thread_id, over.message_id)
        await self._insist(lambda threads, _: threads.tell(thread_id, over, over.turn_id))

    async def _stop(self, thread_id: ThreadId) -> None:
        request_id = self._request("stop", thread_id)

        async def ask(threads: ThreadStore, work: LocalWork) -> int:
            seq = await threads.stop(thread_id, request_id)
            work.enqueue(Job(thread_id))
            return seq

        await self._insist(ask)

    async def _continue(self, thread_id: ThreadId) -> None:
        request_id = self._request("continue", thread_id)

        async def ask(threads: ThreadStore, work: LocalWork) -> int:
            seq = await threads.resume(thread_id, request_id)
            work.enqueue(Job(thread_id))
            return seq

        await self._insist(ask)

    def _request(self, what: str, thread_id: ThreadId) -> str:
        self._requests += 1
        self._tell("asks to", what, thread_id)
        return f"{what}{self._requests}"

    async def _answer(self, thread_id: ThreadId) -> None:
        for wait_id in await self._open_questions(thread_id):
            kind = wait_id.partition(":")[0]
            verdict = self.random.choice(VERDICTS.get(kind, VERDICTS["answer"]))
            fact = Answer(wait_id, f"answer {self.random.randrange(3)}", verdict)

            async def ask(threads: ThreadStore, work: LocalWork, fact: Answer = fact) -> int:
                seq = await threads.answer(thread_id, fact)
                work.enqueue(Job(thread_id))
                return seq

            try:
                seq = await self._insist(ask)
            except AlreadyAnswered:
                seq = 0  # somebody was faster, or it was this one, and the answer to it was lost
            self._tell("answers", thread_id, wait_id, verdict, seq)

    async def _open_questions(self, thread_id: ThreadId) -> tuple[str, ...]:
        info = await self._store.head(thread_id)
        if info is None or info.head.status != "suspended":
            return ()
        state = await self._reader.load(thread_id)
        waits = state.run.waits if state is not None and state.run is not None else ()
        return tuple(wait_id for wait_id in waits if not is_child_wait(wait_id))
