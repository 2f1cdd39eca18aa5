"""The reader of everything that this process does to threads (design §2.5)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from sulla.core.clock import Clock
from sulla.core.event import Moment, TextShown
from sulla.core.ids import RunId, ThreadId
from sulla.telemetry.timeline import Piece, Timeline
from sulla.threads.watching import CommittedFact

log = logging.getLogger(__name__)

Read = Callable[[Piece], None]
"""Takes what happened, in order."""


class SpanFeed:
    """Implements `threads.Watcher`: turns committed facts into spans of time, and hands those to metrics and traces.

    A defect of a reader is said in the log. It must not stop the turn that it reads of.

    Args:
        clock: for the moments, which have no time of their own.
        readers: what takes the pieces.
    """

    def __init__(self, clock: Clock, readers: Sequence[Read]) -> None:
        self._clock = clock
        self._readers = readers
        self._timeline = Timeline()
        self._silent = self._timeline.silent

    def kept(self, thread_id: ThreadId, kept: Sequence[CommittedFact]) -> None:
        """These facts are in the log now."""
        try:
            for one in kept:
                for piece in self._timeline.spans_of(thread_id, one):
                    self._hand(piece)
        except Exception:
            log.exception("what happened to a thread is not measured", extra={"thread_id": thread_id})

    def shown(self, run_id: RunId, moment: Moment) -> None:
        """Somebody may see this now. Nothing but the first word of a reply matters here."""
        if run_id in self._silent and isinstance(moment, TextShown):
            try:
                for piece in self._timeline.speak(run_id, round(self._clock.now() * 1000)):
                    self._hand(piece)
            except Exception:
                log.exception("the first word of a reply is not measured", extra={"run_id": run_id})

    def close(self) -> None:
        """This process works on nothing any more."""
        for piece in self._timeline.close(round(self._clock.now() * 1000)):
            self._hand(piece)

    def _hand(self, piece: Piece) -> None:
        for read in self._readers:
            read(piece)
