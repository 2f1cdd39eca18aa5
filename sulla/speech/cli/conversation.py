"""What is known of a spoken talk from its events: what is said, what is heard, and whether it is over. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.speech.cli.decision_text import Row, why, words
from sulla.speech.cli.player import Player, SpokenPiece
from sulla.terminal.exits import Exit
from sulla.terminal.questions import Question, from_wait
from sulla.terminal.screen import Screen
from sulla.terminal.table import harmless, one_line

GO_ON_S: Final = 4.0
"""How long after speech that came to nothing the assistant may still be told to go on: twice what the daemon takes."""

_OURS: Final = ("speech:", "go-on:")
"""How the ids begin of messages that come of speech."""
_ROWS: Final = {
    "SPEECH_STARTED": "started",
    "SPEECH_PARTIAL": "partial",
    "SPEECH_EAGER_END": "eager_end",
    "SPEECH_RESUMED": "resumed",
    "SPEECH_END": "end",
    "SPEECH_CANCELLED": "cancelled",
}


@dataclass(slots=True)
class SpokenConversation:
    """Turns events into lines about them, and tells the player.

    Args:
        player: speaks the answers.
    """

    player: Player
    seen: int = field(default=0, init=False)
    """The last kept event."""
    exit: Exit = field(default=Exit.OK, init=False)
    """How the last turn ended."""
    asked: dict[str, Question] = field(default_factory=dict, init=False)
    """What people are asked before it goes on, by id."""
    turn_id: str = field(default="", init=False)
    """What is being said; empty while nobody speaks."""
    turns: int = field(default=0, init=False)
    """How many became messages."""
    _screens: dict[str, Screen] = field(default_factory=dict, init=False)
    """Runs that are at work for us, by id."""
    _expected: set[str] = field(default_factory=set, init=False)
    """Messages that were announced and have not come yet."""
    _come: set[str] = field(default_factory=set, init=False)
    _stopped_for: str = field(default="", init=False)
    """The turn because of which the assistant is silent."""
    _go_on_by: float = field(default=0.0, init=False)
    """Until when it may be told to go on; 0: it is not to be."""

    def take(self, event: dict[str, Any], now: float) -> list[str]:
        """Learn from an event.

        Args:
            event: of the thread.
            now: the time, on the player's clock.

        Returns:
            What to tell beside the answer, line by line.
        """
        self.seen = max(self.seen, event.get("seq") or 0)
        kind, data = event["type"], event["data"]
        if kind.startswith("SPEECH_"):
            return self._speech(kind, data, now)
        match kind:
            case "SPEAK":
                piece = SpokenPiece(data["message_id"], data["offset"], data["end"], harmless(data["text"]))
                self.player.add(piece, now)
            case "TEXT_MESSAGE_END":
                self.player.whole(data["message_id"])
            case "MODEL_ABANDONED":
                self.player.drop(data["message_id"])
            case "INPUT":
                self._input(event)
            case "SUSPENDED":
                found = map(from_wait, data["waits"])
                self.asked |= {one.id: one for one in found if one.is_for_people}
            case "RESUMED":
                self.asked.pop(str(data.get("wait_id", "")), None)
            case _:
                pass
        return self._of_run(event)

    def is_over(self, now: float) -> bool:
        """Whether nothing more comes of what was said, as far as can be known.

        Args:
            now: the time.
        """
        if self.turn_id or self._expected or now < self._go_on_by:
            return False
        return bool(self.asked) or not (self._screens or self.player.is_speaking)

    def _input(self, event: dict[str, Any]) -> None:
        message_id = str(event["data"].get("message_id", ""))
        if message_id.startswith(_OURS):
            self._come.add(message_id)
            self._expected.discard(message_id)
            self._screens.setdefault(str(event["run_id"]), Screen(str(event["run_id"])))

    def _of_run(self, event: dict[str, Any]) -> list[str]:
        screen = self._screens.get(str(event.get("run_id")))
        if screen is None:
            return []
        _, beside = screen.show(event)
        if screen.exit is not None:
            self.exit = screen.exit
            del self._screens[screen.run_id]
        return beside.splitlines()

    def _speech(self, kind: str, data: dict[str, Any], now: float) -> list[str]:
        turn_id = str(data["turn_id"])
        match kind:
            case "SPEECH_BARGE_IN":
                self.player.stop(now, str(data.get("message_id") or ""))
                self._stopped_for = turn_id
                place = self.player.place(now)
                heard = f" {place.played_chars} characters of it were heard" if place is not None else ""
                return [f"the assistant is silent:{heard or ' nothing of it was heard'}"]
            case "SPEECH_GO_ON":
                self._go_on_by = 0.0
                self.player.go_on(now, str(data["message_id"]), int(data["from_chars"]))
                return [f"it was nothing: the assistant goes on, from character {data['from_chars']}"]
            case "SPEECH_END":
                self._ended(turn_id, data, now)
            case "SPEECH_CANCELLED":
                self._over(turn_id, now)
            case _ if kind in _ROWS:
                self.turn_id = turn_id
        return _lines(kind, data) if kind in _ROWS else []

    def _ended(self, turn_id: str, data: dict[str, Any], now: float) -> None:
        if not data.get("delivered"):
            self._over(turn_id, now)
            return
        self.turn_id = ""
        self.turns += 1
        if (message_id := str(data["message_id"])) not in self._come:
            self._expected.add(message_id)
        self._stopped_for, self._go_on_by = "", 0.0

    def _over(self, turn_id: str, now: float) -> None:
        """No message comes of what was said."""
        self.turn_id = ""
        if self._stopped_for == turn_id:
            self._go_on_by = now + GO_ON_S


def _lines(kind: str, data: dict[str, Any]) -> list[str]:
    row: Row = {**data, "what": _ROWS[kind], "rule": data.get("detail", "")}
    lines = [words(row)]
    if row["what"] == "end":
        heard = "" if row.get("delivered") else "; no message, the person only listens"
        lines.append(f"  {why(row)}{heard}")
    return [one_line(line, None) if not line.startswith(" ") else f"  {one_line(line)}" for line in lines]
