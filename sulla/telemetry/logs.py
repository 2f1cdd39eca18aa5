"""This process's log: lines in a file of the home, and on standard error.

Whoever writes an entry never waits: each place has a queue of its own, and a thread that empties it, ten times a second
at most unless there is a warning. What does not fit is counted, and the count is told.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from queue import Full, Queue
from threading import Event, Lock, Thread
from typing import Final, Literal, TextIO

from sulla.core.redact import Redactor
from sulla.core.trail import here
from sulla.telemetry.lines import line_formatter
from sulla.telemetry.repeated_warnings import WarningCounter

Form = Literal["json", "plain"]

FILE: Final = "daemon.jsonl"
FILE_BYTES: Final = 16 * 1024 * 1024
KEEP_FILES: Final = 5
"""Older files that are kept."""
MOST_WAITING: Final = 4096
"""Entries that may wait for one place."""
CLOSE_S: Final = 2.0
"""How long what waits may take to be written at the end."""
REST_S: Final = 0.1
"""Between two looks at a queue that was empty: a thread that is woken for each entry takes processor time from the turn
that wrote it. A warning, or a queue that is half full, ends the rest."""

_FIXED: Final = "_sulla_fixed"
"""Where a record has its `_fixed` form, which has none itself."""
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class _PrivateFile(RotatingFileHandler):
    """For its owner alone; and what a crash left of a line does not spoil the next one."""

    def __init__(self, path: Path, file_bytes: int, keep_files: int) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        super().__init__(path, maxBytes=file_bytes, backupCount=keep_files, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, _FLAGS, 0o600)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            os.write(handle, b"\n")
        return os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """Called while an error is handled: the sink says what becomes of it. The file is opened anew the next time."""
        stream, self.stream = self.stream, None
        if stream is not None:
            with suppress(OSError):
                stream.close()
        raise  # noqa: PLE0704 - see above


class _Stream(logging.StreamHandler[TextIO]):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """Called while an error is handled: the sink says what becomes of it."""
        raise  # noqa: PLE0704 - see above


class _EntryQueue:
    """Entries on their way to the thread that writes them to one place.

    Args:
        most: how many may wait.
    """

    def __init__(self, most: int) -> None:
        self._entries: Queue[logging.LogRecord | None] = Queue(most)
        self._hurry = Event()

    def add(self, record: logging.LogRecord) -> bool:
        """Have an entry written; whether there was room for it."""
        try:
            self._entries.put_nowait(record)
        except Full:
            return False
        if (record.levelno or 0) >= logging.WARNING or self._entries.qsize() * 2 > self._entries.maxsize:
            self._hurry.set()
        return True

    def end(self) -> None:
        """Have the thread end behind what waits, if there comes to be room for that in time."""
        self._hurry.set()
        with suppress(Full):
            self._entries.put(None, timeout=CLOSE_S)

    def take(self) -> logging.LogRecord | None:
        """The next entry, waited for; None for the end."""
        if self._entries.empty():
            self._hurry.wait(REST_S)
            self._hurry.clear()
        return self._entries.get()


class Sink(logging.Handler):
    """One place that entries go to, by way of a queue and a thread.

    Args:
        name: of the place, for people.
        make: makes what writes them; called on the thread, when there is something to write.
        form: what lines look like.
        redactor: takes secrets out.
        most_waiting: entries that may wait.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], logging.Handler],
        form: Form,
        redactor: Redactor,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        super().__init__()
        self.place = name
        self.trouble = ""
        """Why nothing can be written; empty if it can."""
        self.lost = 0
        """Entries that were not written."""
        self._make = make
        self._form: Form = form
        self._redactor = redactor
        self._flood = WarningCounter()
        self._waiting = _EntryQueue(most_waiting)
        self._untold = 0
        self._counting = Lock()
        self._writer: logging.Handler | None = None
        # A daemon thread: one that hangs in a write must not keep the process from ending.
        self._thread = Thread(target=self._serve, name=f"log to {name}", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take an entry in; what it says is fixed now, and written soon. Too many warnings of one place are counted."""
        if record.levelno == logging.WARNING and self._flood.over((record.pathname, record.lineno), record.created):
            self._lose(1)
            return
        if not self._waiting.add(_fixed(record)):
            self._lose(1)

    def close(self) -> None:
        """Write what waits, as far as there is time for it; nothing more is taken."""
        self._waiting.end()
        self._thread.join(CLOSE_S)
        super().close()

    def _lose(self, count: int) -> None:
        with self._counting:  # whoever writes an entry may be on any thread
            self.lost += count
            self._untold += count

    def _serve(self) -> None:
        while (record := self._waiting.take()) is not None:
            if not self._write(record):
                self._lose(1)
            if self._untold:
                self._tell_lost()
        if self._writer is not None:
            self._writer.close()

    def _tell_lost(self) -> None:
        untold = self._untold
        said = f"entries of the log that {self.place} could not take: {untold}"
        told = logging.makeLogRecord({"name": __name__, "levelno": 30, "levelname": "WARNING", "msg": said})
        if self._write(told):
            with self._counting:
                self._untold -= untold

    def _write(self, record: logging.LogRecord) -> bool:
        try:
            if self._writer is None:
                writer = self._make()
                writer.setFormatter(self._formatter())
                self._writer = writer  # only now: without its formatter it would show secrets
            self._writer.emit(record)
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread goes on; `trouble` and `lost` say it
            self.trouble = self._redactor.text(f"{type(error).__name__}: {error}")
            return False
        self.trouble = ""
        return True

    def _formatter(self) -> logging.Formatter:
        return line_formatter(self._form, self._redactor)


def set_level(level: str) -> None:
    """Write our own entries from this level on.

    Args:
        level: as `daemon.log_level` has it.
    """
    logging.getLogger("sulla").setLevel(level.upper())


class Logs:
    """Where this process's log goes, from its first entry to its last.

    Args:
        redactor: takes secrets out of every line; it may learn more while this is in use.
        level: our own entries from this level on are written; those of libraries from WARNING on, because at INFO some
            log every request to a model's service.
    """

    def __init__(self, redactor: Redactor, level: str) -> None:
        self._redactor = redactor
        self._sinks: list[Sink] = []
        logging.captureWarnings(capture=True)
        logging.getLogger().setLevel(logging.WARNING)
        set_level(level)

    def show(self, stream: TextIO, form: Literal["auto", "json", "plain"]) -> None:
        """Write to a stream, too.

        Args:
            stream: e.g. standard error.
            form: of its lines; with ``auto``, ``plain`` on a terminal and else ``json``.
        """
        chosen: Form = ("plain" if stream.isatty() else "json") if form == "auto" else form
        self._add(Sink("standard error", lambda: _Stream(stream), chosen, self._redactor))

    def keep(self, folder: Path, file_bytes: int = FILE_BYTES, keep_files: int = KEEP_FILES) -> None:
        """Write to `FILE` in a folder, too, which is made if it is not there.

        Args:
            folder: nobody else writes there.
            file_bytes: where another file is begun.
            keep_files: older files that are kept.
        """
        make = lambda: _PrivateFile(folder / FILE, file_bytes, keep_files)  # noqa: E731 - one line, made later
        self._add(Sink(str(folder / FILE), make, "json", self._redactor))

    @property
    def trouble(self) -> str:
        """What is wrong with one of the places; empty if nothing is."""
        return next((f"{sink.place}: {sink.trouble}" for sink in self._sinks if sink.trouble), "")

    @property
    def lost(self) -> int:
        """Entries that some place did not get."""
        return sum(sink.lost for sink in self._sinks)

    def close(self) -> None:
        """Write what waits, as far as there is time for it."""
        root = logging.getLogger()
        while self._sinks:
            sink = self._sinks.pop()
            root.removeHandler(sink)
            sink.close()

    def _add(self, sink: Sink) -> None:
        self._sinks.append(sink)
        logging.getLogger().addHandler(sink)


def _fixed(record: logging.LogRecord) -> logging.LogRecord:
    """The entry as it is said now: with its text, because its parts may change, and with whose work it is about. All
    places share it.
    """
    known: logging.LogRecord | None = record.__dict__.get(_FIXED)
    if known is not None:
        return known
    fixed = logging.makeLogRecord({**here(), **record.__dict__})
    try:
        fixed.msg, fixed.args = record.getMessage(), ()
    except Exception as error:  # noqa: BLE001 - whoever writes an entry that cannot be read shall not fail because of it
        fixed.msg, fixed.args = f"{record.msg!r} (its parts do not fit: {error})", ()
    record.__dict__[_FIXED] = fixed
    return fixed
