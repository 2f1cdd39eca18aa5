"""How far Slack was read: the moment of the newest thing that was taken, and the threads in which people talk. Pure.

Slack's history of a channel does not tell what was answered in its threads, so those that count are kept beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.channels.base import Arrived
from sulla.core.dataclass import dataclass

MOST_THREADS: Final = 50
"""Of which it is remembered that people talk there; what was missed in older ones is not looked for."""


_MOST_MOMENT_CHARS: Final = 20
"""What is longer is no timestamp."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """What `Batch.cursor` says."""

    moment: str
    """A timestamp of Slack's, as ``1700000000.000100``."""
    threads: tuple[str, ...] = ()
    """``C1:1700000000.000100``, the one with the newest message last."""

    def __str__(self) -> str:
        return " ".join((self.moment, *self.threads))

    def behind(self, arrived: Iterable[Arrived], moments: Iterable[str]) -> Cursor:
        """The cursor when some more was taken.

        Args:
            arrived: it.
            moments: when; empty ones count for nothing.
        """
        threads = dict.fromkeys(self.threads)
        for one in arrived:
            if one.place.topic and one.addressed:
                threads.pop(key := f"{one.place.id}:{one.place.topic}", None)
                threads[key] = None
        return Cursor(max((self.moment, *moments), key=order), tuple(threads)[-MOST_THREADS:])


def cursor_of(text: str) -> Cursor:
    """A cursor that was written down.

    Args:
        text: it; empty for the beginning of all time.
    """
    moment, *threads = text.split() or ["0"]
    return Cursor(moment, tuple(threads))


def order(moment: str) -> tuple[int, int]:
    """By what timestamps are compared: they are numbers with more digits than a float keeps."""
    seconds, _, rest = moment.partition(".")
    good = len(moment) <= _MOST_MOMENT_CHARS and seconds.isdecimal() and f"0{rest}".isdecimal()
    return (int(seconds), int(rest.ljust(6, "0")[:6])) if good else (0, 0)


def just_behind(moment: str) -> str:
    """The next timestamp there can be."""
    seconds, micros = order(moment)
    seconds, micros = (seconds + 1, 0) if micros == 999_999 else (seconds, micros + 1)
    return f"{seconds}.{micros:06}"
