"""Entries of the log as lines: for machines, and for people at a terminal."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

import structlog

from sulla.core.jsontypes import Json
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.telemetry.entry import as_text

_DEPTH: Final = 6
_HEAD: Final = "_head"
_OF_FORMATTERS: Final = ("message", "asctime")
"""What other formatters of the same record leave in it."""

_Entry = MutableMapping[str, Any]


def line_formatter(form: str, redactor: Redactor) -> logging.Formatter:
    """What makes a line of an entry, whichever library wrote it; exceptions and values are part of it.

    Args:
        form: ``json``, or ``plain``.
        redactor: takes secrets out of everything; it may learn more while this is in use.
    """
    render = _as_json if form == "json" else _as_text
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[_head, structlog.stdlib.ExtraAdder()],
        processors=[
            _told,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            lambda logger, name, entry: _without_secrets(entry, redactor),
            render,
        ],
    )


def _head(logger: Any, name: str, entry: _Entry) -> _Entry:  # noqa: ANN401 - structlog's own signature
    """What the record says of itself, set aside: extras may have the same names."""
    record: logging.LogRecord = entry["_record"]
    entry[_HEAD] = {
        "at": stamp(round(record.created * 1000)),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": entry["event"],
    }
    return entry


def _told(logger: Any, name: str, entry: _Entry) -> _Entry:  # noqa: ANN401 - structlog's own signature
    """The entry in the order in which it is read."""
    head = entry.pop(_HEAD)
    for name in _OF_FORMATTERS:
        entry.pop(name, None)
    if "stack_info" in entry:
        entry["stack"] = entry.pop("stack_info")
    return {**head, **entry, **head}


def _without_secrets(entry: _Entry, redactor: Redactor) -> _Entry:
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


def _as_json(logger: Any, name: str, entry: _Entry) -> str:  # noqa: ANN401 - structlog's own signature
    return json.dumps(entry, ensure_ascii=False)


def _as_text(logger: Any, name: str, entry: _Entry) -> str:  # noqa: ANN401 - structlog's own signature
    return as_text(entry)
