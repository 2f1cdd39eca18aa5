"""A talk without a screen: what the lines of a script mean, one after the other. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.terminal.chat.orders import Message, Misread, Order, help_rows, read_line
from sulla.terminal.turn import Said
from sulla.terminal.wrap import in_two

_IN_TURN: Final = "here each line waits for the answer to the one before"
_ELSEWHERE: Final = {
    "threads": "`sulla thread list` lists conversations, and `sulla chat --thread ID` goes on in one",
    "approvals": "`sulla approvals` lists what agents ask",
    "changes": "`sulla changes` lists what commands have changed and waits for a yes",
    "cost": "`sulla status` says what this day has used",
    "model": "a model belongs to an agent, and /agent ID has another one answer",
    "mode": _IN_TURN,
    "steer": _IN_TURN,
    "stop": _IN_TURN,
}
"""What is done at a terminal alone, and what does it here."""
_HELP_COLUMNS: Final = 100


@dataclass(frozen=True, slots=True)
class LineNote:
    """What a line comes to that is not sent."""

    text: str
    wrong: bool = False
    """Whether it was not done."""


@dataclass(slots=True)
class LineTalk:
    """Where a script is; it lives as long as the script."""

    thread_id: str | None
    """The conversation; None for one that begins with the next message."""
    agent: str | None = None
    """Who answers; None for the thread's own."""
    seen: int = 0
    """The last record that was shown of it."""
    over: bool = False
    """Whether a line has ended it."""
    _quoted: str = ""

    def take(self, line: str) -> Said | LineNote:
        """What to do about a line.

        Args:
            line: it.

        Returns:
            What to send; or what to tell.
        """
        match read_line(line):
            case Message(text):
                quoted, self._quoted = self._quoted, ""
                return Said(text, quoted, self.agent)
            case Misread(why):
                return LineNote(f"not sent: {why}", wrong=True)
            case Order(name, argument):
                return self._do(name, argument)

    def _do(self, name: str, argument: str) -> LineNote:
        match name:
            case "exit":
                self.over = True
            case "new":
                self.thread_id, self.seen = None, 0
            case "agent" if argument:
                self.agent = argument
            case "agent":
                return LineNote(
                    "not done: /agent wants an id behind it here; `sulla status` names the agents", wrong=True
                )
            case "quote":
                self._quoted = argument
            case "help":
                return LineNote("\n".join(in_two(help_rows(argument), _HELP_COLUMNS)))
            case _:
                return LineNote(f"not done: /{name} is for a talk at a terminal; {_ELSEWHERE[name]}", wrong=True)
        return LineNote("")
