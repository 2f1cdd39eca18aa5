"""What a person types at a terminal: the answer to a question, or a message.

Whatever is read by hand is read here, through one line editor, so that nothing else reads ahead of a question. A paste
comes in one piece (bracketed paste; on Windows by how fast the characters come), and the terminal is put back.

The line editor takes half a second to import: it is imported where somebody is asked, and nowhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

QUIET_S: Final = 0.3
"""So long nothing may come before a question takes an answer: nobody reads it and makes up their mind in less, and what
was typed or pasted before it follows faster than that."""

_EARLY: Final = "[what was typed before the question was not taken; answer now]\n"
_PASTED: Final = "[a paste is no answer and was not taken; type the answer]\n"


async def read_answer(hint: str, clock: Clock) -> str | None:
    """Read a line that was typed after its question was shown; what was typed before, and pastes, are thrown away.

    Args:
        hint: what can be typed; shown, below the question, as soon as it can be.
        clock: for the quiet moment before it.

    Returns:
        None if it is left open (Ctrl-D).

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    session, answering = _session(), _Answering(hint, clock)

    def begin() -> None:  # the line editor keeps the task, and ends it
        _ = session.app.create_background_task(answering.open_when_quiet(session.app.invalidate))

    try:
        return await session.prompt_async(answering.prompt, key_bindings=answering.keys(), pre_run=begin)
    except EOFError:
        return None


class MessageReader:
    """The prompt of a talk, with editing and a history as long as the talk. A paste is part of one message, whatever
    lines it has, and however long it is: Enter sends it.
    """

    def __init__(self) -> None:
        self._session = _session()

    async def read(self, prompt: str) -> str:
        """A message.

        Raises:
            EOFError: Ctrl-D.
            KeyboardInterrupt: Ctrl-C.
        """
        return await self._session.prompt_async(prompt)


class _Answering:
    """Which keys are meant for a question, from when it is shown until it is answered."""

    def __init__(self, hint: str, clock: Clock) -> None:
        self._hint = hint
        self._clock = clock
        self._notes: list[str] = []
        """What was thrown away, as it is told."""
        self._open = False
        self._last_s = clock.elapsed()
        """When the question was shown, or the last key was thrown away."""

    def prompt(self) -> StyleAndTextTuples:
        """What stands before the answer."""
        return [("bold", "".join(self._notes)), ("", self._hint if self._open else "")]

    async def open_when_quiet(self, show: Callable[[], None]) -> None:
        """Take keys as the answer once none came for `QUIET_S`, and show that they are."""
        while (left_s := self._last_s + QUIET_S - self._clock.elapsed()) > 0:
            await self._clock.sleep(left_s)
        self._open = True
        show()

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
        self._last_s = self._clock.elapsed()
        self._tell(_EARLY)

    def _drop_paste(self, _: KeyPressEvent) -> None:
        self._tell(_PASTED)

    def _tell(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _interrupt(event: KeyPressEvent) -> None:
    event.app.exit(exception=KeyboardInterrupt)


def _session() -> PromptSession[str]:
    """A line editor. All read through one input, which knows of a paste that has begun and of keys behind an Enter."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.output import create_output
    from prompt_toolkit.output.vt100 import Vt100_Output

    sys.stdout.flush()  # what was printed comes before what is asked
    output = create_output(sys.stderr if sys.stderr.isatty() else sys.stdout)
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False  # the terminal's answer to where the cursor is would be among the keys
    return PromptSession(output=output, enable_suspend=True)
