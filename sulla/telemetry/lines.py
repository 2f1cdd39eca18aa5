"""Entries of the log as lines: for machines, and for people at a terminal."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.telemetry.entry import as_text

_DEPTH: Final = 6
_OF_RECORDS: Final = frozenset(("message", "asctime", *vars(logging.makeLogRecord({}))))
"""What every record has, and what other formatters of the same one leave in it; the rest is the entry's own."""


def line_formatter(form: str, redactor: Redactor) -> logging.Formatter:
    """What makes a line of an entry, whichever library wrote it; exceptions and values are part of it.

    Args:
        form: ``json``, or ``plain``.
        redactor: takes secrets out of everything; it may learn more while this is in use.
    """
    return _LineFormatter(redactor, _as_json if form == "json" else as_text)


class _LineFormatter(logging.Formatter):
    """Makes one line of each record, without secrets.

    Args:
        redactor: takes them out.
        render: writes what is left.
    """

    def __init__(self, redactor: Redactor, render: Callable[[JsonObject], str]) -> None:
        super().__init__()
        self._redactor = redactor
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        """The line: what the record says of itself first, whatever else has the same names."""
        head = {
            "at": stamp(round(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        more: dict[str, object] = {name: value for name, value in vars(record).items() if name not in _OF_RECORDS}
        if record.stack_info:
            more["stack"] = record.stack_info
        if record.exc_info:
            more["exception"] = self.formatException(record.exc_info)
        return self._render(_without_secrets({**head, **more, **head}, self._redactor))


def _without_secrets(entry: Mapping[str, object], redactor: Redactor) -> JsonObject:
    return {redactor.text(str(name)): _plain(value, redactor, _DEPTH) for name, value in entry.items()}


def _plain(value: object, redactor: Redactor, depth: int) -> Json:
    """A value as JSON without secrets; what is no JSON, or too deep, as Python shows it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        shown = redactor.text(repr(value))
        return value if shown == repr(value) and value == value and abs(value) != float("inf") else shown
    if isinstance(value, str):
        return redactor.text(str(value))
    if depth and isinstance(value, Mapping):
        return {redactor.text(str(name)): _plain(item, redactor, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, redactor, depth - 1) for item in value]
    return redactor.text(repr(value))


def _as_json(entry: JsonObject) -> str:
    return json.dumps(entry, ensure_ascii=False)
