"""What DBOS tells of itself, as our log has it."""

from __future__ import annotations

import logging
from threading import Lock
from typing import Final

log = logging.getLogger("dbos")

HINT: Final = "what it does not do, a sweep finds"
EVERY_S: Final = 60.0
"""How often each kind of line is written at the most, in seconds; the next one says how many were left out."""

_MOST_KINDS: Final = 256
"""So many are told apart; they are lines of DBOS's code, with the kind of error."""
_TRACEBACK: Final = "Traceback (most recent call last):"

_Kind = tuple[str, int, str]


class AsHint(logging.Filter):
    """Nothing that fails in the queue is lost, and a worker that is killed, put to sleep or relieved makes some of it
    fail, as it should. DBOS calls that errors and adds a page of its own code each time, and says it again with each
    look while its server is away: it is one line, a warning, and one a minute of each kind here.

    DBOS writes from threads of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[_Kind, tuple[float, int]] = {}
        """When a line of that kind was written, in UTC seconds, and how many were left out since."""
        self._one_at_a_time = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """See the standard library."""
        if record.levelno < logging.WARNING:
            return True
        said, failed = _as_line(record)
        left_out = self._left_out((record.pathname, record.lineno, failed), record.created)
        if left_out is None:
            return False
        if record.levelno >= logging.ERROR or failed:
            said = f"the queue: {said}; {HINT}"
        if left_out:
            said += f" ({left_out} more of that kind since it was last written)"
        record.msg, record.args, record.exc_info, record.exc_text = said, (), None, None
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True

    def _left_out(self, kind: _Kind, now_s: float) -> int | None:
        """How many of that kind were left out before this one; None if this one is, too."""
        with self._one_at_a_time:
            told = self._told.get(kind)
            if told is not None and 0.0 <= now_s - told[0] < EVERY_S:
                self._told[kind] = (told[0], told[1] + 1)
                return None
            self._told.pop(kind, None)
            if len(self._told) >= _MOST_KINDS:
                del self._told[next(iter(self._told))]  # the one that was written longest ago
            self._told[kind] = (now_s, 0)
            return told[1] if told is not None else 0


def _as_line(record: logging.LogRecord) -> tuple[str, str]:
    """What a record says in one line, and the kind of error that it tells of; empty if it tells of none."""
    said, _, code = record.getMessage().partition(_TRACEBACK)
    said = " ".join(said.split())
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        name, first = type(error).__name__, next(iter(str(error).strip().splitlines()), "")
    elif code:
        # The last of several tracebacks is what came of the others; what is not indented there is the error.
        lines = code.rpartition(_TRACEBACK)[2].splitlines()
        name, _, first = next((line for line in lines if line[:1].strip()), "").partition(":")
    else:
        return said, ""
    return f"{said.rstrip(':')}: {name}{f': {first.strip()}' if first else ''}", name


def hush() -> None:
    """Have it so from here on; a second time changes nothing."""
    log.setLevel(logging.WARNING)
    if not any(isinstance(one, AsHint) for one in log.filters):
        log.addHandler(logging.NullHandler())  # else it prints beside our log
        log.addFilter(AsHint())
