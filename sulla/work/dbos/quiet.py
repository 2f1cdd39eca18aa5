"""What DBOS tells of itself, as our log has it."""

from __future__ import annotations

import logging
from typing import Final

log = logging.getLogger("dbos")

HINT: Final = "what it does not do, a sweep finds"


class AsHint(logging.Filter):
    """Nothing that fails in the queue is lost, and a worker that is killed, put to sleep or relieved makes some of it
    fail, as it should. DBOS calls that errors and adds a page of its own code each time: it is one line, and a warning,
    here.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """See the standard library."""
        if record.levelno < logging.ERROR:
            return True
        said = record.getMessage().strip().rstrip(":")
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            first = next(iter(str(error).strip().splitlines()), "")
            said = f"{said}: {type(error).__name__}{f': {first}' if first else ''}"
        record.msg, record.args, record.exc_info = f"the queue: {said}; {HINT}", (), None
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


def hush() -> None:
    """Have it so from here on; a second time changes nothing."""
    log.setLevel(logging.WARNING)
    if not any(isinstance(one, AsHint) for one in log.filters):
        log.addHandler(logging.NullHandler())  # else it prints beside our log
        log.addFilter(AsHint())
