"""What a person types at a terminal: the answer to a question, or a message.

Whatever is read by hand is read here, through one line editor, so that nothing else reads ahead of a question. A paste
comes in one piece (bracketed paste; on Windows by how fast the characters come), and the terminal is put back.

The line editor takes half a second to import: it is imported where somebody is asked, and nowhere else.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from sulla.core.clock import Clock
from sulla.terminal.place import terminal_reflows
from sulla.terminal.wrap import ERASE_BELOW, added_rows, wrapped

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.key_binding.key_processor import KeyPress
    from prompt_toolkit.output import Output
    from prompt_toolkit.renderer import Renderer

QUIET_S: Final = 0.3
"""So long nothing may come before a question takes an answer: nobody reads it and makes up their mind in less, and what
was typed or pasted before it follows faster than that."""

DRAWN_S: Final = 0.5
"""So long an answer's choices stand there before one is taken, without the sign to type at: what is typed just as they
come was meant for something above them, such as a reply that looks like a question."""
PASTE_S: Final = 10.0
"""So long a paste may take at a question, from its first byte: one whose end never comes would swallow every key."""
NOISE_S: Final = 60.0
"""If the keyboard is not quiet for so long, nobody can answer: the question is left open."""
LEAST_RUN: Final = 64
"""So many characters that are read at once are a paste that the terminal has not marked as one."""
_LEAST_COLUMNS: Final = 20
"""On a terminal narrower than this words are broken anywhere."""
_LOOK_S: Final = 1.0
"""How often a paste that goes on is looked at."""

# Each fits a line of a narrow terminal: what is above the last line of a prompt is cut there, not wrapped.
_EARLY: Final = "[typed too early: not taken; answer now]\n"
_PASTED: Final = "[a paste is no answer: not taken; type the answer]\n"
_UNENDED: Final = "[a paste without an end: not taken; type the answer]\n"
_NOISE: Final = f"[the keyboard was not quiet for {NOISE_S:.0f} s: the question is left open]"


async def read_answer(hint: str, clock: Clock) -> str | None:
    """Read a line that was typed after its question was shown; what was typed before, and pastes, are thrown away.

    Args:
        hint: what can be typed; shown below the question, and its last sign as soon as it can be.
        clock: for the quiet moment before it.

    Returns:
        None if it is left open (Ctrl-D).

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    session = line_editor()
    answering = _Answering(lambda: _broken(hint, session), clock, UnendedPaste(session.app, PASTE_S))

    def begin() -> None:  # the line editor keeps the task, and ends it
        _ = session.app.create_background_task(answering.watch(session.app))

    try:
        with put_back(session.app):
            return await session.prompt_async(answering.prompt, key_bindings=answering.keys(), pre_run=begin)
    except EOFError:
        return None


async def read_line(prompt: str, *, hidden: bool = False) -> str | None:
    """Read a line that is no answer to an agent: what was typed ahead and what is pasted belong to it.

    Args:
        prompt: shown before it.
        hidden: whether stars are shown in its place.

    Returns:
        None if it is left open (Ctrl-D).

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    session = line_editor()
    try:
        return await session.prompt_async(lambda: _broken(prompt, session), is_password=hidden)
    except EOFError:
        return None


def _broken(prompt: str, session: PromptSession[str]) -> str:
    """What stands before an answer, broken at words where the terminal is narrower."""
    columns = session.app.output.get_size().columns
    lines = prompt.rstrip(" ")
    rows = [row for line in lines.split("\n") for row in wrapped(line, max(_LEAST_COLUMNS, columns))]
    return "\n".join(rows) + prompt[len(lines) :]


class MessageReader:
    """The prompt of a talk, with editing and a history as long as the talk. A paste is part of one message, whatever
    lines it has, and however long it is: Enter sends it.
    """

    def __init__(self) -> None:
        self._session = line_editor()

    async def read(self, prompt: str) -> str:
        """A message.

        Raises:
            EOFError: Ctrl-D.
            KeyboardInterrupt: Ctrl-C.
        """
        with put_back(self._session.app):
            return await self._session.prompt_async(prompt)


class _Answering:
    """Which keys are meant for a question, from when it is shown until it is answered."""

    def __init__(self, hint: Callable[[], str], clock: Clock, paste: UnendedPaste) -> None:
        self._hint = hint
        self._clock = clock
        self._paste = paste
        self._notes: list[str] = []
        """What was thrown away, as it is told."""
        self._open = False
        self._drawn_s: float | None = None
        """When the choices were shown; None as long as they are not."""
        self._last_s = clock.elapsed()
        """When the question was shown, or the last key was thrown away."""

    def prompt(self) -> StyleAndTextTuples:
        """What stands before the answer."""
        hint = self._hint() if self._drawn_s is not None else ""
        return [("bold", "".join(self._notes)), ("", hint if self._open else hint.rstrip(" >"))]

    async def watch(self, app: Application[Any]) -> None:
        """Take keys as the answer once none came for `QUIET_S` and the choices stood there for `DRAWN_S`, and show that
        they are; end what never ends.
        """
        end_s = self._clock.elapsed() + NOISE_S
        while True:
            now_s = self._clock.elapsed()
            if self._paste.over(now_s) is not None:
                self._open, self._drawn_s, self._last_s = False, None, now_s
                self._tell(_UNENDED)
            if not self._open and now_s > end_s:
                sys.stderr.write(f"\n{_NOISE}\n")
                app.exit(exception=EOFError)
                return
            await self._clock.sleep(self._step(now_s, app))

    def _step(self, now_s: float, app: Application[Any]) -> float:
        """Show what it is time for; seconds until the next look."""
        if self._drawn_s is None and now_s >= self._last_s + QUIET_S:
            self._drawn_s = now_s
            app.invalidate()
        elif self._drawn_s is not None and not self._open and now_s >= self._drawn_s + DRAWN_S:
            self._open = True
            app.renderer.erase()  # drawn whole: who waits for its last sign finds the choices before it
            app.invalidate()
        if self._open:
            return _LOOK_S
        return (self._last_s + QUIET_S if self._drawn_s is None else self._drawn_s + DRAWN_S) - now_s

    def keys(self) -> KeyBindings:
        """What keys do that are no part of an answer; the line editor's own do the rest."""
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.keys import Keys

        keys, early = KeyBindings(), Condition(lambda: not self._open)
        # Eager: no key waits for what else may come, and none reaches the line.
        keys.add(Keys.Any, eager=True, filter=early)(self._drop_early)
        keys.add(Keys.ControlC, eager=True, filter=early)(_interrupt)
        keys.add(Keys.SIGINT, eager=True, filter=early)(_interrupt)
        keys.add(Keys.BracketedPaste, filter=~early)(self._drop_paste)
        return keys

    def _drop_early(self, _: KeyPressEvent) -> None:
        self._drawn_s, self._last_s = None, self._clock.elapsed()
        self._tell(_EARLY)

    def _drop_paste(self, _: KeyPressEvent) -> None:
        self._tell(_PASTED)

    def _tell(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _interrupt(event: KeyPressEvent) -> None:
    event.app.exit(exception=KeyboardInterrupt)


class UnendedPaste:
    """Notices a paste whose end does not come. The line editor waits for it for ever, and takes no key meanwhile.

    Args:
        app: the line editor that reads.
        most_s: how long a paste may take, or stand still.
        idle: whether only the time counts in which nothing of it came.
    """

    def __init__(self, app: Application[Any], most_s: float, *, idle: bool = False) -> None:
        # Only a terminal's parser collects pastes; on Windows each is known by how fast it comes.
        self._parser = getattr(app.input, "vt100_parser", None)
        self._most_s = most_s
        self._idle = idle
        self._since_s: float | None = None
        self._size = 0

    @property
    def is_open(self) -> bool:
        """Whether a paste has begun and not ended."""
        return self._parser is not None and bool(self._parser._in_bracketed_paste)

    def over(self, now_s: float) -> str | None:
        """What has come of a paste that has had its time; keys are taken from now on. None if there is none.

        Args:
            now_s: the time.
        """
        if self._parser is None or not self.is_open:
            self._since_s = None
            return None
        came = str(self._parser._paste_buffer)
        if self._since_s is None or (self._idle and len(came) != self._size):
            self._since_s, self._size = now_s, len(came)
        if now_s - self._since_s < self._most_s:
            return None
        self._since_s = None
        self._parser.reset()
        return came


@contextmanager
def put_back(app: Application[Any]) -> Iterator[None]:
    """Have SIGTERM and SIGHUP end what is read, so that the terminal is put back before the command ends.

    Args:
        app: the line editor that reads.
    """

    def end(number: int) -> None:
        if app.future is None or app.future.done():
            raise SystemExit(128 + number)
        app.exit(exception=SystemExit(128 + number))

    loop, numbers = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGHUP)
    with suppress(NotImplementedError):  # Windows has no such signals
        for number in numbers:
            loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in numbers:
                loop.remove_signal_handler(number)


def line_editor(**more: Any) -> PromptSession[str]:  # noqa: ANN401 - the library's
    """A line editor. All read through one input, which knows of a paste that has begun and of keys behind an Enter.

    Args:
        more: what the library's own takes.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.output import create_output
    from prompt_toolkit.output.vt100 import Vt100_Output

    sys.stdout.flush()  # what was printed comes before what is asked
    output = create_output(sys.stderr if sys.stderr.isatty() else sys.stdout)
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False  # the terminal's answer to where the cursor is would be among the keys
    output.erase_down = lambda: output.write_raw(ERASE_BELOW)  # type: ignore[method-assign]  # always of whole rows
    session: PromptSession[str] = PromptSession(output=output, enable_suspend=True, **more)
    if terminal_reflows():
        follow_width(session.app.renderer, output)
    keys = session.app.key_processor
    feed = keys.feed_multiple

    def joined(key_presses: list[KeyPress], first: bool = False) -> None:
        feed(runs_joined(key_presses), first)

    keys.feed_multiple = joined  # type: ignore[method-assign]  # it is handed all that was read at once
    return session


def follow_width(renderer: Renderer, output: Output) -> None:
    """Have the line editor erase all that it drew also where the terminal has broken its rows anew since.

    Args:
        renderer: draws it.
        output: the terminal.
    """
    erase, render = renderer.erase, renderer.render

    def settle() -> None:
        """The library goes up by as many rows as it has drawn."""
        drawn, before, columns = renderer._last_screen, renderer._last_size, output.get_size().columns
        if drawn is None or before is None or columns >= before.columns:
            return
        at = renderer._cursor_pos
        widths = [_width(drawn.data_buffer[y]) for y in range(at.y)]
        renderer._cursor_pos = at._replace(y=at.y + added_rows([*widths, at.x], columns))
        renderer._last_size = before._replace(columns=columns)

    def erased(*given: Any, **named: Any) -> None:  # noqa: ANN401 - the library's
        settle()
        erase(*given, **named)

    def rendered(*given: Any, **named: Any) -> None:  # noqa: ANN401 - the library's
        settle()
        render(*given, **named)

    renderer.erase, renderer.render = erased, rendered  # type: ignore[method-assign]  # it has no place for that


def _width(row: Any) -> int:  # noqa: ANN401 - the library's
    """How much of a row was written; blanks at its end are not."""
    return max((at + max(1, cell.width) for at, cell in row.items() if cell.char != " "), default=0)


def runs_joined(presses: Sequence[KeyPress]) -> list[KeyPress]:
    """Keys with each long run of characters as one paste: nobody types so much at once, and the line editor takes half
    a millisecond for each key.

    Args:
        presses: what was read at once.
    """
    from prompt_toolkit.key_binding.key_processor import KeyPress
    from prompt_toolkit.keys import Keys

    found: list[KeyPress] = []
    for is_plain, run in groupby(presses, lambda one: len(one.key) == 1 and one.key.isprintable()):
        some = list(run)
        if is_plain and len(some) >= LEAST_RUN:
            some = [KeyPress(Keys.BracketedPaste, "".join(one.data for one in some))]
        found += some
    return found
