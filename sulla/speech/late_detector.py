"""A turn detector that is loaded when somebody speaks: most daemons use the profile `classic` and need none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sulla.speech.turn_taking.detector import UNKNOWN, Reading, Style, TurnDetector


class LateDetector:
    """Implements `TurnDetector` with one that is made when it is first needed, and lives as long as this.

    Args:
        make: makes it. Takes about a tenth of a second, so `load` is called before anything is read.
    """

    def __init__(self, make: Callable[[], TurnDetector]) -> None:
        self._make = make
        self._detector: TurnDetector | None = None

    async def load(self) -> None:
        """Make it in a thread of its own, so that nobody else has to wait."""
        if self._detector is None:
            self._detector = await asyncio.to_thread(self._make)

    def read(self, text: str, question: str | None = None, style: Style = UNKNOWN) -> Reading:
        """What the detector makes of it."""
        return self._loaded().read(text, question, style)

    def learn(self, text: str, style: Style) -> Style:
        """What the detector knows then of how the recognizer writes."""
        return self._loaded().learn(text, style)

    def _loaded(self) -> TurnDetector:
        if self._detector is None:
            self._detector = self._make()
        return self._detector


def english_detector() -> TurnDetector:
    """The detector for English."""
    from sulla.speech.english.vocabulary import Vocabulary  # noqa: PLC0415 - see above
    from sulla.speech.english_detector import EnglishDetector  # noqa: PLC0415 - most daemons never need it

    return EnglishDetector(Vocabulary())
