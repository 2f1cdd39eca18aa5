"""What says how complete a spoken text is, so that a pause after it can be told from an end. Pure."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from sulla.core.dataclass import dataclass

COMPLETE: Final = 0.5
"""The score from which on a text counts as complete."""

Kind = Literal["plain", "answer", "dictation", "hold"]
"""How the text came to be: as any other, as an answer, letter by letter, or to ask for time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How complete a text is."""

    score: float
    """From 0, something has to follow, to 1, nothing is missing."""
    reason: str
    """The rule that decided."""
    kind: Kind = "plain"


@dataclass(frozen=True, slots=True)
class Style:
    """How a recognizer writes, as far as the turns of a thread have shown. It outlives the daemon."""

    bare_turns: int = 0
    """So many turns in a row began with a capital and had no full stop."""
    bare_words: int = 0
    """So many turns in a row had words without the apostrophe that belongs into them."""


UNKNOWN: Final = Style()
"""Of a thread in which nobody has spoken yet."""


class TurnDetector(Protocol):
    """Reads what somebody has said so far. The same text, question and style always give the same reading."""

    def read(self, text: str, question: str | None = None, style: Style = UNKNOWN) -> Reading:
        """How complete a text is: if silence followed, would the turn have been given away?

        Args:
            text: what was said so far, as a recognizer gives it: punctuation and case may be missing or wrong.
            question: what the speaker had been asked, if they had.
            style: how the recognizer writes, as far as it is known.
        """

    def learn(self, text: str, style: Style) -> Style:
        """What is known of how the recognizer writes after one more turn.

        Args:
            text: of the turn, which has ended.
            style: what was known before.
        """
