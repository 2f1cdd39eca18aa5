"""Every entry is one line of one form, whoever wrote it, and no secret is in any part of it."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest

from sulla.core.redact import MARK, Redactor
from sulla.telemetry.lines import line_formatter

KEY = "sk-ant-0123456789"


def _record(text: str, *parts: object, level: int = logging.WARNING, **extra: object) -> logging.LogRecord:
    return logging.getLogger("some.library").makeRecord(
        "some.library", level, "file.py", 1, text, parts, sys.exc_info() if sys.exc_info()[0] else None, None, extra
    )


def _json(record: logging.LogRecord) -> dict[str, Any]:
    line = line_formatter("json", Redactor([KEY])).format(record)
    assert "\n" not in line
    assert KEY not in line
    read: dict[str, Any] = json.loads(line)
    return read


def test_an_entry_says_when_how_bad_who_and_what_and_then_the_rest() -> None:
    record = _record("hello %s", "there", thread_id="thr_1", took_s=1.5)
    record.created = 1_800_000_000.25
    assert list(_json(record).items()) == [
        ("at", "2027-01-15T08:00:00.250Z"),
        ("level", "warning"),
        ("logger", "some.library"),
        ("event", "hello there"),
        ("thread_id", "thr_1"),
        ("took_s", 1.5),
    ]


def test_no_extra_passes_for_what_the_entry_says_of_itself() -> None:
    record = _record("truth", at="1970", logger="sulla", event="forged")
    record.__dict__["level"] = "debug"
    entry = _json(record)
    assert (entry["level"], entry["logger"], entry["event"]) == ("warning", "some.library", "truth")
    assert entry["at"] != "1970"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": [1, 2.5, None, True]}, {"a": [1, 2.5, None, True]}),
        ((1, {2}), [1, [2]]),
        (float("nan"), "nan"),
        (b"raw", "b'raw'"),
        (ValueError("x"), "ValueError('x')"),
        ({"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}, {"a": {"b": {"c": {"d": {"e": {"f": "{'g': 1}"}}}}}}),
    ],
)
def test_any_value_can_be_written_down(value: object, shown: object) -> None:
    assert _json(_record("x", value=value))["value"] == shown


def test_no_secret_is_in_the_text_the_parts_the_names_or_the_values() -> None:
    nested = {KEY: [KEY, {"deep": (KEY, KEY.encode())}], "error": ValueError(KEY)}
    entry = _json(_record("with %s and %r", KEY, {"x-api-key": KEY}, nested=nested, **{KEY: 1}))
    assert entry["event"] == f"with {MARK} and {{'x-api-key': '{MARK}'}}"
    assert entry["nested"][MARK][0] == MARK
    assert entry[MARK] == 1


def test_a_secret_of_digits_is_no_number_either() -> None:
    line = line_formatter("json", Redactor(["1234567890"])).format(_record("x", pin=1234567890, half=12345))
    assert json.loads(line)["pin"] == MARK
    assert json.loads(line)["half"] == 12345


@pytest.mark.parametrize("form", ["json", "plain"])
def test_no_secret_is_in_an_exception_its_cause_its_notes_or_the_stack(form: str) -> None:
    try:
        try:
            raise ValueError(f"the inner one: {KEY!r}")
        except ValueError as inner:
            error = RuntimeError(f"cannot open https://host/?key={KEY}")
            error.add_note(f"seen with {KEY}")
            raise error from inner
    except RuntimeError:
        record = _record("failed")
        record.stack_info = f"Stack (most recent call last):\n  {KEY}"
        line = line_formatter(form, Redactor([KEY])).format(record)
    assert KEY not in line
    assert line.count(MARK) == 4
    assert "Traceback" in line
    assert "test_no_secret_is_in_an_exception" in line


def test_what_is_learned_later_is_hidden_from_then_on() -> None:
    redactor = Redactor()
    formatter = line_formatter("json", redactor)
    redactor.learn(KEY)
    assert KEY not in formatter.format(_record(KEY))


def test_the_plain_form_reads_as_a_line() -> None:
    record = _record("hello", thread_id="thr_1")
    record.created = 1_800_000_000.0
    line = line_formatter("plain", Redactor()).format(record)
    assert line == "2027-01-15T08:00:00.000Z WARNING some.library: hello [thread_id=thr_1]"
