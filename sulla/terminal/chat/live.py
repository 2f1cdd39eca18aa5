"""One answer at a terminal: formed as it comes, with a sign of work below it that goes away."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import foremost
from sulla.core.waiting import lasting
from sulla.terminal.chat.pieces import Event, Piece, shown_tail
from sulla.terminal.chat.view import View
from sulla.terminal.exits import Exit
from sulla.terminal.follow import BACK, LOST
from sulla.terminal.place import colour_is_wanted, terminal_reflows
from sulla.terminal.program import hint
from sulla.terminal.screen import BY_COMMAND, Screen, held_line
from sulla.terminal.table import Paper, columns_of_terminal, harmless, one_line, width
from sulla.terminal.wrap import ERASE_BELOW, added_rows, wrapped

TICK_S: Final = 1.0
"""How often it is shown that time passes."""
TAIL_ROWS: Final = 8
"""How many rows of an answer that grows are shown before they are formed."""


def formed(piece: Piece, columns: int, *, colour: bool, answer: Callable[[str], str] | None = None) -> str:
    """A piece as it is written to a terminal, to its line's end.

    Args:
        piece: it.
        columns: how wide the terminal is.
        colour: whether emphasis can be seen.
        answer: forms Markdown; None where none is to be formed.
    """
    paper = Paper(columns, colour)
    if piece.tone == "answer":
        return answer(piece.text) if answer is not None else harmless(piece.text).rstrip("\n") + "\n"
    if piece.tone == "fold":
        return paper.faint(one_line(piece.text, columns - 1)) + "\n"
    said = hint(piece.text) if piece.tone == "faint" else piece.text
    emphasis = {"faint": paper.faint, "strong": paper.bold}.get(piece.tone, str)
    lines = (row for line in harmless(said).split("\n") for row in wrapped(line, columns))
    return "".join(f"{emphasis(row) if row else ''}\n" for row in lines)


def live_rows(view: View, now_s: float, rows: int, columns: int, away_since_s: float | None = None) -> list[str]:
    """What stands below what was printed for good: the end of the answer, and what is being done.

    Args:
        view: the conversation.
        now_s: the time.
        rows: how many there may be.
        columns: how wide the terminal is.
        away_since_s: since when the daemon is away; None while it is there. Nobody knows then what is being done.
    """
    sign = f"the daemon is away {lasting(now_s - away_since_s)}" if away_since_s is not None else view.doing(now_s)
    return [*shown_tail(view.tail, rows, columns - 1), *([one_line(f"… {sign}", columns - 1)] if sign else [])]


class LiveDisplay:
    """Shows one turn on a terminal; see `display.Display`.

    Args:
        clock: says how long something takes.
        questions: whether they are shown; else somebody shows them who asks them.
    """

    def __init__(self, clock: Clock, *, questions: bool) -> None:
        self._clock = clock
        self._questions = questions
        self._colour = colour_is_wanted()
        self._view = View()
        self._plain = Screen("")
        self._drawn: list[str] = []
        """The rows that stand below what was printed for good."""
        self._drawn_columns = 0
        self._away_since_s: float | None = None

    def begin(self, run_id: str) -> None:
        """See `Display`."""
        self._plain = Screen(run_id)

    def show(self, event: Event, *, own: bool) -> Exit | None:
        """See `Display`."""
        _, beside = self._plain.show(event) if own or event["type"] == "SUSPENDED" else ("", "")
        ours = own and event.get("run_id") == self._plain.run_id and event["type"] != "INPUT"
        pieces = self._view.take(event, self._clock.elapsed()) if ours else []
        if event["type"] == "SUSPENDED" and self._questions and beside:
            pieces.append(Piece("plain", beside.rstrip("\n")))
        elif held := held_line(event, BY_COMMAND):
            pieces.append(Piece("strong", hint(held)))
        elif own and not ours and beside:
            pieces.append(Piece("faint", beside.rstrip("\n")))
        self._erase()
        for piece in pieces:
            self._print(piece)
        if self._plain.exit is None and event["type"] != "SUSPENDED":
            self._draw()
        return self._plain.exit

    def aside(self, event: Event) -> str:
        """See `Display`."""
        return self._plain.aside(event)

    def lost(self) -> None:
        """See `Display`."""
        self._away_since_s = self._clock.elapsed()
        self._erase()
        self._print(Piece("faint", LOST))
        self._draw()

    def back(self) -> None:
        """See `Display`."""
        if self._away_since_s is not None:
            self._away_since_s = None
            self._erase()
            self._print(Piece("faint", BACK))
            self._draw()

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """See `Display`."""

        async def tick() -> None:
            while True:
                await self._clock.sleep(TICK_S)
                self._erase()
                self._draw()

        try:
            async with asyncio.TaskGroup() as group:
                ticking = group.create_task(tick())
                try:
                    yield
                finally:
                    ticking.cancel()
                    self._erase()
                    for piece in self._view.broken_off():
                        self._print(piece)
        except BaseExceptionGroup as failures:
            raise foremost(failures) from None

    def _print(self, piece: Piece) -> None:
        from sulla.terminal.chat.markdown import renderer

        columns = columns_of_terminal()
        answer = renderer(columns, colour=self._colour) if piece.tone == "answer" else None
        text = formed(piece, columns, colour=self._colour, answer=answer)
        print(text, end="", file=sys.stdout if piece.tone == "answer" else sys.stderr, flush=True)

    def _draw(self) -> None:
        columns = columns_of_terminal()
        rows = live_rows(self._view, self._clock.elapsed(), TAIL_ROWS, columns, self._away_since_s)
        paper = Paper(columns, self._colour)
        print("\n".join([*rows[:-1], paper.faint(rows[-1])]) if rows else "", end="", flush=True)
        self._drawn, self._drawn_columns = rows, columns

    def _erase(self) -> None:
        if self._drawn:
            up, columns = len(self._drawn) - 1, columns_of_terminal()
            if columns < self._drawn_columns and terminal_reflows():
                up += added_rows([width(row) for row in self._drawn], columns)
            print("\r" + (f"\x1b[{up}A" if up else "") + ERASE_BELOW, end="", flush=True)
        self._drawn = []
