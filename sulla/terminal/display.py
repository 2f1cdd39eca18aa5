"""Where the events of a turn go: to a terminal, to whoever reads plain text, or to a program."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Protocol

from sulla.terminal.exits import Exit
from sulla.terminal.follow import say_lost
from sulla.terminal.output import tell
from sulla.terminal.program import hint
from sulla.terminal.screen import Screen, is_for_people

Event = dict[str, Any]


class Display(Protocol):
    """Shows one turn. It lives as long as the turn is looked at."""

    def begin(self, run_id: str) -> None:
        """The message was taken.

        Args:
            run_id: the turn that it gets.
        """
        ...

    def show(self, event: Event, *, own: bool) -> Exit | None:
        """Show an event.

        Args:
            event: it.
            own: whether it is of the thread that is talked in, and not of a sub-agent's.

        Returns:
            How the turn has ended; None if it goes on.
        """
        ...

    def aside(self, event: Event) -> str:
        """What an event from before the turn says, and is still to be told; empty for nothing."""
        ...

    def lost(self) -> None:
        """The daemon went away, and is waited for."""
        ...

    def back(self) -> None:
        """The daemon is there."""
        ...

    def at_work(self) -> AbstractAsyncContextManager[None]:
        """Where there is a sign of work, show that time passes, as long as the block lasts."""
        ...


class PlainDisplay:
    """The answer on standard output, as it comes, and all else on standard error.

    Args:
        questions: whether they are shown; else somebody shows them who asks them.
    """

    def __init__(self, *, questions: bool = True) -> None:
        self._screen = Screen("")
        self._questions = questions
        self._routed = False

    def begin(self, run_id: str) -> None:
        """See `Display`."""
        self._screen, self._routed = Screen(run_id), False

    def show(self, event: Event, *, own: bool) -> Exit | None:
        """See `Display`."""
        if self._is_kept_back(event):
            return self._screen.exit
        if own or is_for_people(event):
            answer, beside = self._screen.show(event)
            if answer:
                print(answer, end="", flush=True)
            if beside and (self._questions or event["type"] != "SUSPENDED"):
                told = hint(beside) if event["type"] == "RUN_PAUSED" else beside  # else others' words may be in it
                tell(told, end="")
        return self._screen.exit

    def _is_kept_back(self, event: Event) -> bool:
        """Whether it is a piece of a reply that may be taken back, where nobody sees that: of a turn with a route it is
        printed once it is whole."""
        if event.get("run_id") != self._screen.run_id:
            return False
        self._routed = self._routed or event["type"] == "ROUTE_TAKEN"
        return self._routed and event["type"] == "TEXT_MESSAGE_CONTENT" and not sys.stdout.isatty()

    def aside(self, event: Event) -> str:
        """See `Display`."""
        return self._screen.aside(event)

    def lost(self) -> None:
        """See `Display`."""
        tell()  # the answer may have broken off in the middle of a line
        say_lost()

    def back(self) -> None:
        """See `Display`: what comes next says so."""

    def at_work(self) -> AbstractAsyncContextManager[None]:
        """See `Display`."""
        return nullcontext()


class JsonDisplay(PlainDisplay):
    """Every event of the thread as a line; of sub-agents, what they ask people."""

    def show(self, event: Event, *, own: bool) -> Exit | None:
        """See `Display`."""
        if own or is_for_people(event):
            print(json.dumps(event), flush=True)  # in ASCII: no terminal and no pipe can spoil it
        if own:
            self._screen.show(event)
        return self._screen.exit
