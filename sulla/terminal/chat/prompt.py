"""The line that is typed in a talk, below what is said and done meanwhile."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from select import select
from typing import Final, Literal

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_or_none
from prompt_toolkit.completion import CompleteEvent, Completer
from prompt_toolkit.completion import Completion as Choice
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.search import accept_search
from prompt_toolkit.shortcuts import CompleteStyle

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.terminal.chat.orders import Known, completions
from sulla.terminal.chat.pieces import LatePieces
from sulla.terminal.keyboard import UnendedPaste, line_editor, put_back
from sulla.terminal.output import tell

GREETING: Final = "Ctrl-C stops an answer, Ctrl-D leaves, /help says more."
PASTE_IDLE_S: Final = 10.0
"""A paste of which nothing comes for so long has ended: its end got lost on the way. What came of it is kept."""
TICK_S: Final = 1.0
"""How often it is shown that time passes."""
PULL_S: Final = 0.5
"""So long behind the last change of its width a window counts as being pulled; tmux tells of one up to 0.25 s late."""
_PASTE_LOOK_S: Final = 0.05
_MENU_ROWS: Final = 6


@dataclass(frozen=True, slots=True)
class Typed:
    """What was sent with Enter."""

    text: str
    quoted: str
    """What is somebody else's."""


@dataclass(frozen=True, slots=True)
class Around:
    """What the line is told by whoever reads it."""

    rows: Callable[[], list[str]]
    """What stands above it now; each fits a row of the terminal."""
    label: Callable[[], str]
    """What stands before it."""
    known: Callable[[], Known]
    """What can be named."""
    interrupt: Callable[[bool], Literal["stay", "clear", "leave"]]
    """What Ctrl-C does; it is told whether something stands in the line."""
    keep: Callable[[str], None]
    """Puts a message into the history."""
    note: Callable[[str], None]
    """Tells the person something, above the line."""


class TalkPrompt:
    """Reads what is typed and pasted, one message after the other. It lives as long as the talk.

    Args:
        clock: for pastes, and for what shows that time passes.
        around: what it asks of the talk.
        history: what was said before, the oldest first.
    """

    def __init__(self, clock: Clock, around: Around, history: list[str]) -> None:
        self._clock = clock
        self._around = around
        self._quoted = ""
        self._pasted = ""
        """The newest paste that stands in the line."""
        self._draft = ""
        """What was typed before something had to be asked."""
        self._aside = False
        """Whether the line is to make room for a question."""
        self._drawn = False
        """Whether a line was ever to be seen, in which people type and know what Enter does."""
        self.late = LatePieces()
        """What is to be printed above the line once no question is asked."""
        self._columns = 0
        self._pulled_s = 0.0
        """When the window was last seen to have another width."""
        commands = Condition(lambda: self._session.default_buffer.text.startswith("/"))
        self._session: PromptSession[str] = line_editor(
            history=_Kept(history, around.keep),
            completer=_Completer(around.known),
            complete_while_typing=commands,
            complete_style=CompleteStyle.COLUMN,
            reserve_space_for_menu=_MENU_ROWS,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=self._keys(),
        )
        self._paste = UnendedPaste(self._session.app, PASTE_IDLE_S, idle=True)

    @contextmanager
    def kept_raw(self, greeting: str = "") -> Iterator[None]:
        """Take keys as they are typed, and pastes as such, also between two lines and while something is printed: the
        system cuts and changes none of them.

        Args:
            greeting: is told first, below what the system has shown of keys that came before.
        """
        output = self._session.app.output
        unmark = output.disable_bracketed_paste
        output.disable_bracketed_paste = _nothing  # type: ignore[method-assign]  # each drawing would end it for a moment
        try:
            with self._session.app.input.raw_mode():
                output.enable_bracketed_paste()
                output.flush()
                if greeting:
                    tell("\n" * _has_come(self._session.app.input) + greeting)
                yield
        finally:
            unmark()
            output.flush()

    async def read(self) -> Typed | None:
        """What is sent next; None if the line was put aside, and what was typed stays for the next call.

        Raises:
            EOFError: Ctrl-D.
            KeyboardInterrupt: Ctrl-C, where it means to leave.
        """
        app, self._aside = self._session.app, False
        app.erase_when_done = False

        def begin() -> None:  # the line editor keeps the task, and ends it
            if not self._drawn:
                self._drawn = True
                _take_ahead(app.input)
            _ = app.create_background_task(self._watch())

        draft, self._draft = self._draft, ""
        with put_back(app):
            text = await self._session.prompt_async(self._message, default=draft, pre_run=begin)
        if self._aside:
            self._draft = text
            return None
        quoted, self._quoted, self._pasted = self._quoted, "", ""
        return Typed(text, quoted)

    def put_aside(self) -> None:
        """Make room for a question, as soon as no paste is under way."""
        self._aside = True

    def quote(self, text: str) -> None:
        """Pass a text on with the next message; an empty one takes back what would be passed on."""
        self._quoted = text
        self.draw()

    def draw(self) -> None:
        """Show what has changed."""
        if self._session.app.is_running:
            self._session.app.invalidate()

    async def _watch(self) -> None:
        """Let time pass on the screen, end pastes that never do, and make room where that was asked for."""
        last_s = self._clock.elapsed()
        while True:
            now_s = self._clock.elapsed()
            if (came := self._paste.over(now_s)) is not None:
                self._take_paste(came)
                self._around.note(
                    f"[the end of a paste did not come for {PASTE_IDLE_S:.0f} s: this is what came of it]"
                )
            app = self._session.app
            if self._aside and not self._paste.is_open and app.future is not None and not app.future.done():
                app.erase_when_done = True
                app.exit(result=self._session.default_buffer.text)
                return
            if now_s - last_s >= TICK_S:
                last_s = now_s
                self.draw()
            await self._clock.sleep(_PASTE_LOOK_S if self._aside or self._paste.is_open else TICK_S / 4)

    def _message(self) -> StyleAndTextTuples:
        label = self._around.label()
        app = self._session.app
        if app.is_done:
            return [("bold", "you> ")]
        above: StyleAndTextTuples = [("", f"{row}\n") for row in ([] if self._is_pulled() else self._around.rows())]
        if self._quoted:
            lines = self._quoted.count("\n") + 1
            size = f"{len(self._quoted):,} characters in {lines:,} line{'s' if lines > 1 else ''}"
            above.append(("", f"┆ quoted, as somebody else's: {size}; Ctrl-Q takes it back\n"))
        return [*above, ("bold", label)]

    def _is_pulled(self) -> bool:
        """Whether the window is being pulled to another width. A terminal may break its rows anew some time before it
        says so: what was drawn until then and is more than a short row would stay."""
        columns, now_s = self._session.app.output.get_size().columns, self._clock.elapsed()
        if columns != self._columns:
            self._pulled_s = now_s if self._columns else now_s - PULL_S
            self._columns = columns
        return now_s - self._pulled_s < PULL_S

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("enter", filter=~is_searching)(lambda event: event.current_buffer.validate_and_handle())
        keys.add("enter", filter=is_searching)(_send_found)
        keys.add("right", filter=is_searching)(_take_found)
        keys.add("escape", "enter")(_new_line)
        keys.add("c-j")(_new_line)
        keys.add("tab")(self._complete)
        keys.add("c-q", eager=True)(self._turn_quote)
        keys.add("c-c", eager=True)(self._interrupt)
        keys.add(Keys.SIGINT, eager=True)(self._interrupt)
        keys.add(Keys.BracketedPaste)(lambda event: self._take_paste(event.data))
        return keys

    def _complete(self, event: KeyPressEvent) -> None:
        """As much as all ways to go on have in common, at once; then one way after the other."""
        buffer = event.current_buffer
        before = buffer.document.text_before_cursor
        found = list(completions(before, self._around.known()))
        typed = before[len(before) - found[0].back :] if found else ""
        common = _common([one.text for one in found])
        if len(common) > len(typed):
            buffer.insert_text(common[len(typed) :])
        elif buffer.complete_state is not None:
            buffer.complete_next()
        elif found:
            buffer.start_completion(select_first=True)

    def _take_paste(self, data: str) -> None:
        self._pasted = data.replace("\r\n", "\n").replace("\r", "\n")
        self._session.default_buffer.insert_text(self._pasted)

    def _turn_quote(self, event: KeyPressEvent) -> None:
        """Have the newest paste be somebody else's words, or take that back."""
        buffer = event.current_buffer
        if self._quoted:
            buffer.insert_text(self._quoted)
            self._pasted, self._quoted = self._quoted, ""
            return
        at = buffer.text.rfind(self._pasted) if self._pasted else -1
        if at < 0:
            self._around.note("[Ctrl-Q marks what was pasted as somebody else's words, and nothing is pasted here]")
            return
        rest = buffer.text[:at] + buffer.text[at + len(self._pasted) :]
        self._quoted, self._pasted = self._pasted, ""
        buffer.document = Document(rest, min(at, len(rest)))

    def _interrupt(self, event: KeyPressEvent) -> None:
        match self._around.interrupt(bool(event.current_buffer.text or self._quoted)):
            case "clear":
                event.current_buffer.reset()
                self._quoted = self._pasted = ""
            case "leave":
                event.app.exit(exception=KeyboardInterrupt)
            case "stay":
                self.draw()


def _has_come(keyboard: Input) -> bool:
    """Whether keys came that nobody has read; the system has shown them in the line that the cursor is in."""
    with suppress(NotImplementedError, OSError, ValueError):  # one that is no file, as on Windows
        return bool(select([keyboard.fileno()], [], [], 0)[0])
    return False


def _take_ahead(keyboard: Input) -> None:
    """Put what was typed before there was a line to type in into the first one. An Enter at the end of a single line
    sends it; of several lines, which may be a paste that the terminal could not mark yet, none does. The system itself
    took whole lines at first, and turned each Enter into a new line.
    """
    keys: list[KeyPress] = []
    while came := keyboard.read_keys() or keyboard.flush_keys():
        keys += came
    ends = [at for at, one in enumerate(keys) if one.key in (Keys.ControlJ, Keys.ControlM)]
    sends = ends == [len(keys) - 1]
    for at in ends:
        keys[at] = KeyPress(Keys.ControlM, "\r") if sends else KeyPress(Keys.ControlJ, "\n")
    store_typeahead(keyboard, keys)


def _send_found(event: KeyPressEvent) -> None:
    """Send what Ctrl-R has found, as shells do."""
    accept_search()
    event.app.current_buffer.validate_and_handle()


def _take_found(event: KeyPressEvent) -> None:
    """Have what Ctrl-R has found in the line, to change it."""
    accept_search()
    event.app.current_buffer.cursor_position = len(event.app.current_buffer.text)


def _common(texts: list[str]) -> str:
    """How all of these begin."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    return first[: next((at for at, one in enumerate(first) if last[at : at + 1] != one), len(first))]


def _nothing() -> None:
    pass


def _new_line(event: KeyPressEvent) -> None:
    event.current_buffer.newline(copy_margin=False)


def above(text: str) -> None:
    """Write something for good: above the line that is typed, if there is one.

    The library's own way gives the terminal back for a moment, in which it would cut and change what is typed.

    Args:
        text: whole lines.
    """
    app = get_app_or_none()
    if app is None or not app.is_running:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    app.renderer.erase()
    app.output.write_raw(text)
    app.output.flush()
    app.renderer.reset()
    app.invalidate()


class _Kept(History):
    """What was said before."""

    def __init__(self, texts: list[str], keep: Callable[[str], None]) -> None:
        super().__init__()
        self._texts = texts
        self._keep = keep

    def load_history_strings(self) -> Iterable[str]:
        """The newest first."""
        return reversed(self._texts)

    def store_string(self, string: str) -> None:
        """Put one at the end."""
        self._keep(string)


class _Completer(Completer):
    """Completes commands and what they name."""

    def __init__(self, known: Callable[[], Known]) -> None:
        self._known = known

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Choice]:
        """How the line can go on."""
        for one in completions(document.text_before_cursor, self._known()):
            yield Choice(one.text, -one.back, display=one.text.strip(), display_meta=one.about)

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Choice, None]:
        """The same, at once: it asks nobody."""
        for one in self.get_completions(document, complete_event):
            yield one
