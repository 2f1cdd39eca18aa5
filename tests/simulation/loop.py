"""An event loop without real time, threads or I/O, in which several processes live, stand still and die.

What runs next follows from the seed alone. Within a process callbacks keep their order, as asyncio promises; which
process gets on next is drawn. A task belongs to the process in whose context it was made.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
import warnings
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")

MAX_STEPS = 400_000
"""More than any seed takes; a loop that never rests ends here."""

START_S = 1000.0
"""What `time` begins with: no clock begins at 0."""


class Process:
    """One process of the simulated machines.

    Args:
        name: for the trace.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ready: deque[asyncio.Handle] = deque()
        self.alive = True
        self.paused = False
        self.fuse: tuple[int, Callable[[], None]] | None = None
        """What happens to it after so many more of its steps."""


_PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class Stuck(RuntimeError):
    """The simulation did not come to an end."""


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Keeps what of asyncio's loop the product uses.

    Args:
        random: draws which process gets on.
        told: hears of exceptions that nobody else saw.
    """

    def __init__(self, random: Random, told: Callable[[str], None]) -> None:
        self._random = random
        self._told = told
        self.world = Process("world")
        """Whoever is not simulated: clients, the network, the store's machine. It never stands still."""
        self._runnable: list[Process] = []
        """Processes that have something to do, in the order in which they got it."""
        self._timers: list[tuple[float, int, asyncio.TimerHandle, Process]] = []
        self._time = START_S
        self._count = 0
        self._tasks: list[asyncio.Task[Any]] = []
        """All of them, so that none is thrown away, and runs its `finally`, when the garbage collector pleases."""
        self._generators: list[AsyncGenerator[Any, Any]] = []
        self.steps = 0

    # ---------------------------------------------------------------------------------------------- processes

    def context_of(self, process: Process) -> Context:
        """A context whose tasks belong to a process."""
        context = copy_context()
        context.run(_PROCESS.set, process)
        return context

    def spawn(self, process: Process, coro: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task of a process."""
        return self.create_task(coro, context=self.context_of(process))

    def pause(self, process: Process) -> None:
        """As SIGSTOP does."""
        process.paused = True

    def go_on(self, process: Process) -> None:
        """As SIGCONT does: what came due meanwhile is due now."""
        process.paused = False
        if process.ready and process not in self._runnable:
            self._runnable.append(process)

    def kill(self, process: Process) -> None:
        """As SIGKILL does: nothing of it ever runs again, no `finally` either."""
        process.alive = False
        process.ready.clear()
        if process.fuse is not None:  # whoever waits for it shall not wait for ever
            self._burn(process, 1, process.fuse[1])

    # ----------------------------------------------------------------------------------------------- asyncio's

    def time(self) -> float:
        """Simulated seconds."""
        return self._time

    def call_soon(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle:
        """Queue a callback in its process."""
        context = context if context is not None else copy_context()
        handle = asyncio.Handle(callback, args, self, context)
        self._queue(handle, context.get(_PROCESS, None) or self.world)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: object,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Queue a callback when so much time has passed."""
        return self.call_at(self._time + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: object,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Queue a callback at a time."""
        context = context if context is not None else copy_context()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, handle, context.get(_PROCESS, None) or self.world))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        """A future."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        """A task of the process that makes it, or of the one whose context is given."""
        task: asyncio.Task[T] = _Task(len(self._tasks), coro, self, name, context)
        self._tasks.append(task)
        return task

    def run_in_executor(self, executor: object, func: Callable[..., T], *args: object) -> asyncio.Future[T]:
        """There are no threads: it is done at once."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  - whoever waits gets it
            done.set_exception(error)
        return done

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Nobody saw it: a finding."""
        self._told(f"{context.get('message')}: {context.get('exception')!r}")

    def get_debug(self) -> bool:
        """Never."""
        return False

    def is_running(self) -> bool:
        """While `run` runs."""
        return asyncio._get_running_loop() is self

    def is_closed(self) -> bool:
        """Never."""
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is skipped when its time comes."""

    # ------------------------------------------------------------------------------------------------- running

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Run everything until `main` is done; what else is still going on then is dropped as a power cut would.

        Raises:
            Stuck: there is nothing left that could happen, or no end in sight.
        """
        hooks = _Hooks(self._generators)
        asyncio._set_running_loop(self)
        try:
            with hooks:
                task = self.create_task(main)
                while not task.done():
                    self._step()
                return task.result()
        finally:
            self._drop()
            asyncio._set_running_loop(None)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Stuck(f"no end after {MAX_STEPS} steps, {self._time - START_S:.0f} simulated seconds")
        runnable = self._runnable
        if not runnable:
            return self._advance()
        place = int(self._random.random() * len(runnable)) if len(runnable) > 1 else 0
        process = runnable[place]
        if process.paused or not process.ready:
            del runnable[place]
            return None
        handle = process.ready.popleft()
        if not process.ready:
            del runnable[place]
        if not handle.cancelled():
            handle._run()
            if process.fuse is not None:
                self._burn(process, *process.fuse)
        return None

    def _burn(self, process: Process, left: int, act: Callable[[], None]) -> None:
        process.fuse = (left - 1, act) if left > 1 else None
        if left <= 1:
            act()

    def _advance(self) -> None:
        """Nobody has anything to do now: go to the next moment at which somebody has."""
        if not self._timers:
            raise Stuck("nothing is left that could happen, and the simulation is not over")
        self._time = max(self._time, self._timers[0][0])
        while self._timers and self._timers[0][0] <= self._time:
            _, _, handle, process = heapq.heappop(self._timers)
            if not handle.cancelled():
                self._queue(handle, process)

    def _queue(self, handle: asyncio.Handle, process: Process) -> None:
        if not process.alive:
            return
        if not process.ready and not process.paused:
            self._runnable.append(process)
        process.ready.append(handle)

    def _drop(self) -> None:
        """End what is left, so that nothing of it turns up later; what it does while ending reaches nobody."""
        self._told = _unheard
        unraisable, sys.unraisablehook = sys.unraisablehook, _unheard
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a `finally` may want to start something
                self._close()
        finally:
            sys.unraisablehook = unraisable

    def _close(self) -> None:
        for task in self._tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # only way to say so
                with suppress(BaseException):
                    task.get_coro().close()
        for generator in self._generators:
            with suppress(BaseException):
                generator.aclose().send(None)
        self._tasks.clear()
        self._generators.clear()
        self._timers.clear()


def _unheard(said: object) -> None:
    """What is dropped has no more say."""


class _Hooks:
    """Holds on to asynchronous generators, for the same reason as to tasks."""

    def __init__(self, kept: list[AsyncGenerator[Any, Any]]) -> None:
        self._kept = kept

    def __enter__(self) -> None:
        self._before = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._kept.append, finalizer=lambda generator: None)

    def __exit__(self, *error: object) -> None:
        sys.set_asyncgen_hooks(*self._before)


class _Task(asyncio.Task[T]):
    """A task whose hash is its number: sets of tasks are gone through in the same order every time."""

    def __init__(
        self,
        number: int,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        loop: asyncio.AbstractEventLoop,
        name: str | None,
        context: Context | None,
    ) -> None:
        self._number = number
        super().__init__(coro, loop=loop, name=name or f"task {number}", context=context)

    def __hash__(self) -> int:
        return self._number
