"""A question that somebody waits for, to its end, with what it has to be told on the way."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.errors import SullaError, Unavailable, foremost
from sulla.terminal import questions
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.program import hint, program
from sulla.terminal.questions import Given, Question
from sulla.terminal.turn import Asking

T = TypeVar("T")

STOP_S: Final = 10.0
"""So long a daemon has to say that it stops a turn; then it is told that it goes on."""


def run_turn(asking: Asking, clock: Clock, runner: asyncio.Runner) -> Exit:
    """Run a question to its end; Ctrl-C stops the turn instead of leaving it to run on.

    What it has to be told on the way is asked for at the terminal. Without one the turn is left waiting for it.

    Args:
        asking: the question.
        clock: for the quiet moment before an answer, and for waiting.
        runner: has the loop.
    """
    with Presses(runner) as presses:
        try:
            while (ended := presses.run(asking.answer())) is None:
                asked = tuple(asking.waits.asked.values()) if asking.by_hand else ()
                if not asked:
                    return _left_open(asking)
                for place, question in enumerate(asked, 1):
                    shown = ask_here(question, clock, asking.answered_elsewhere, place=place, of=len(asked))
                    given = presses.run(shown)
                    if given is None:
                        return _left_open(asking)
                    if isinstance(given, str):
                        tell(f"\n{given}")
                        break  # whoever was quicker may have answered the others too, or ended the turn
                    presses.run(asking.tell(question, given))
            return ended
        except KeyboardInterrupt:
            return _stopped(asking, clock, presses)


async def ask_here(
    question: Question, clock: Clock, elsewhere: Callable[[Question], Coroutine[Any, Any, str]], *, place: int, of: int
) -> Given | str | None:
    """Ask a person at the terminal something that others may answer meanwhile. Run it by `Presses`, which takes Ctrl-C.

    Args:
        question: what they are asked.
        clock: for the quiet moment before an answer.
        elsewhere: waits until somebody else has answered it, and says so in words.
        place: which of the questions that are asked now it is, from 1.
        of: how many these are.

    Returns:
        What they answer; None if they leave it open, or who else was quicker, in words.
    """

    async def here() -> Given | None:
        try:
            return await questions.ask(question, clock, place=place, of=of)
        except KeyboardInterrupt:  # a task that raised it would break off the loop
            raise asyncio.CancelledError from None

    try:
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(here())
            watching = group.create_task(elsewhere(question))
            await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
            first = answering if answering.done() else watching
            _ = answering.cancel(), watching.cancel()
    except BaseExceptionGroup as failures:
        raise foremost(failures) from None
    return first.result()


class Presses:
    """Counts Ctrl-C, from the first one on: none is lost between two steps, and none breaks off what stops a turn.

    Args:
        runner: has the loop.
    """

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._before: Any = None
        self._task: asyncio.Task[Any] | None = None
        self.count = 0
        self.stopping = False
        """Whether a turn is being stopped: then only the second press that follows breaks that off."""

    def __enter__(self) -> Presses:
        """Take them from now on."""
        self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave them to whoever took them before."""
        signal.signal(signal.SIGINT, self._before)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something to its end, or to the next press.

        Raises:
            KeyboardInterrupt: somebody pressed Ctrl-C.
        """

        async def known() -> T:
            self._task = asyncio.current_task()
            if self.count and not self.stopping:
                raise asyncio.CancelledError
            return await work

        try:
            return self._runner.run(known())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        finally:
            self._task = None
            work.close()

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.stopping and self.count == 2:
            tell("\n[stopping; Ctrl-C once more leaves without it]")
        elif self._task is not None:
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)


def _stopped(asking: Asking, clock: Clock, presses: Presses) -> Exit:
    presses.count, presses.stopping = max(1, presses.count), True

    async def stop() -> bool:
        async with clock.timeout(STOP_S):
            return await asking.stop()

    try:
        stopped = presses.run(stop())
    except (Unavailable, TimeoutError, KeyboardInterrupt) as why:
        said = {
            Unavailable: "the daemon is away, and the turn goes on when it is back",
            TimeoutError: f"the daemon said nothing for {STOP_S:.0f} s, and the turn may go on",
        }.get(type(why), "the turn may go on")
        where = f"; `{program()} thread show {asking.thread_id}` shows what comes of it" if asking.thread_id else ""
        tell(f"\n[not stopped: {said}{where}]")
        return Exit.INTERRUPTED
    except SullaError as error:
        tell(f"\n[not stopped: {error.message}]")
        return Exit.INTERRUPTED
    tell("\n[stopped]" if stopped else "\n[not sent]")
    return Exit.CANCELLED


def _left_open(asking: Asking) -> Exit:
    if not asking.as_json:
        for question in asking.waits.asked.values():
            thread_id = question.thread_id or asking.thread_id or ""
            tell(hint(questions.how_to_answer(question, thread_id)), end="")
    return Exit.BLOCKED
