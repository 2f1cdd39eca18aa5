"""The log reaches its file and its stream, holds nobody up, and says what it lost."""

from __future__ import annotations

import errno
import io
import json
import logging
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.core.redact import MARK, Redactor
from sulla.core.trail import trail
from sulla.telemetry.logs import FILE, Logs, Sink

KEY = "sk-ant-0123456789"
PATIENCE_S = 50.0
log = logging.getLogger("sulla.tests")


@pytest.fixture
def logs() -> Iterator[Logs]:
    """A log of this process; everything is as before at its end."""
    loggers = [logging.getLogger(), logging.getLogger("sulla")]
    levels = [logger.level for logger in loggers]
    made = Logs(Redactor([KEY]), "info")
    yield made
    made.close()
    logging.captureWarnings(capture=False)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def _entries(folder: Path, name: str = FILE) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_entries_come_into_the_file_in_order_with_whose_work_they_are_about(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path / "logs")
    with trail(thread_id="thr_1", run_id="run_1"):
        log.info("first %s", KEY)
        log.info("second", extra={"run_id": "run_of_its_own"})
    log.info("third")
    logs.close()
    entries = _entries(tmp_path / "logs")
    assert [(one["event"], one.get("thread_id"), one.get("run_id")) for one in entries] == [
        (f"first {MARK}", "thr_1", "run_1"),
        ("second", "thr_1", "run_of_its_own"),
        ("third", None, None),
    ]


def test_the_file_and_its_folder_are_their_owners_alone(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path / "logs")
    log.info("x")
    logs.close()
    assert (tmp_path / "logs").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "logs" / FILE).stat().st_mode & 0o777 == 0o600


def test_libraries_and_warnings_of_python_are_written_in_the_same_form(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path)
    logging.getLogger("uvicorn.error").warning("from a library")
    logging.getLogger("httpx2").info("too much to be told")
    log.debug("below the level")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("from Python", UserWarning, stacklevel=1)
    logs.close()
    entries = _entries(tmp_path)
    assert [one["logger"] for one in entries] == ["uvicorn.error", "py.warnings"]
    assert "from Python" in entries[1]["event"]


def test_an_entry_says_what_was_so_when_it_was_written(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path)
    changing = ["before"]
    log.info("it is %s", changing)
    changing[0] = "after"
    logs.close()
    assert _entries(tmp_path)[0]["event"] == "it is ['before']"


def test_a_full_file_is_moved_and_only_so_many_are_kept(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path, file_bytes=2_000, keep_files=2)
    for number in range(100):
        log.info("entry %d", number)
    logs.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE, f"{FILE}.1", f"{FILE}.2"]
    assert all(path.stat().st_size <= 2_000 for path in tmp_path.iterdir())
    kept = [one["event"] for name in (f"{FILE}.2", f"{FILE}.1", FILE) for one in _entries(tmp_path, name)]
    assert kept == [f"entry {number}" for number in range(100 - len(kept), 100)]


def test_whoever_knocks_without_end_does_not_fill_the_log(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path)
    for number in range(3000):
        log.warning("refused %d", number)
    log.info("what was done")
    logs.close()
    entries = _entries(tmp_path)
    assert len([one for one in entries if one["event"].startswith("refused")]) == 20
    assert "what was done" in [one["event"] for one in entries]
    told = [one["event"] for one in entries if one["event"].startswith("entries of the log that")]
    assert sum(int(event.rpartition(" ")[2]) for event in told) == 2980


def test_what_a_crash_left_of_a_line_does_not_spoil_the_next_one(logs: Logs, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"at": "2027')
    logs.keep(tmp_path)
    log.info("after the crash")
    logs.close()
    half, whole = (tmp_path / FILE).read_text().splitlines()
    assert half == '{"at": "2027'
    assert json.loads(whole)["event"] == "after the crash"


@pytest.mark.parametrize(("terminal", "form", "plain"), [
    (True, "auto", True), (False, "auto", False), (True, "json", False), (False, "plain", True),
])  # fmt: skip
def test_people_at_a_terminal_get_plain_lines_and_machines_json(
    logs: Logs, terminal: bool, form: Any, plain: bool
) -> None:
    stream = io.StringIO()
    stream.isatty = lambda: terminal  # type: ignore[method-assign]  # a terminal
    logs.show(stream, form)
    log.warning("with %s", KEY)
    logs.close()
    (line,) = stream.getvalue().splitlines()
    assert line.endswith(f"WARNING sulla.tests: with {MARK}") if plain else json.loads(line)["event"] == f"with {MARK}"


def test_a_lone_half_of_a_character_is_written_all_the_same(logs: Logs, tmp_path: Path) -> None:
    logs.keep(tmp_path)
    (kept,) = (sink for sink in logging.getLogger().handlers if isinstance(sink, Sink))
    kept.handle(logging.makeLogRecord({"msg": "name \udcff"}))  # not through a logger: pytest would try to print it
    logs.close()
    assert _entries(tmp_path)[0]["event"] == "name \udcff"


class _Slow(logging.Handler):
    """Stands still in its first write until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.gate = threading.Event(), threading.Event()
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.reached.set()
        assert self.gate.wait(PATIENCE_S)
        self.written.append(record.getMessage())


def test_a_slow_disk_holds_nobody_up_and_what_is_lost_is_counted_and_told() -> None:
    slow = _Slow()
    sink = Sink("a slow disk", lambda: slow, "json", Redactor(), most_waiting=3)
    sink.emit(logging.makeLogRecord({"msg": "entry 0"}))
    assert slow.reached.wait(PATIENCE_S)
    for number in range(1, 11):
        sink.emit(logging.makeLogRecord({"msg": f"entry {number}"}))
    assert sink.lost == 7
    slow.gate.set()
    sink.close()
    told = "entries of the log that a slow disk could not take: 7"
    assert sorted(slow.written) == sorted(["entry 0", "entry 1", "entry 2", "entry 3", told])


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param([logging.INFO, logging.WARNING], id="a warning"),
        pytest.param([logging.INFO] * 3, id="a queue that is half full"),
    ],
)
def test_what_waits_in_the_rest_between_two_looks_is_written_at_once_after(
    levels: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.telemetry.logs.REST_S", PATIENCE_S * 100)
    slow = _Slow()
    sink = Sink("a disk", lambda: slow, "json", Redactor(), most_waiting=4)
    for level in levels:
        assert not slow.reached.is_set(), "entries of information are worth no look of their own"
        sink.emit(logging.makeLogRecord({"msg": "entry", "levelno": level}))
    assert slow.reached.wait(PATIENCE_S)
    slow.gate.set()
    sink.close()
    assert slow.written == ["entry"] * len(levels)


class _Full(logging.Handler):
    """A disk that is full for so many writes."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if self.left:
            self.left -= 1
            raise OSError(errno.ENOSPC, f"no space left on {KEY}")
        self.written.append(record.getMessage())


def _given(sink: Sink, *texts: str) -> Sink:
    """A sink that was given entries, at its end."""
    for text in texts:
        sink.emit(logging.makeLogRecord({"msg": text}))
    sink.close()
    return sink


def test_a_full_disk_is_trouble() -> None:
    sink = _given(Sink("the disk", lambda: _Full(99), "json", Redactor([KEY])), "one", "two")
    assert sink.trouble == f"OSError: [Errno {errno.ENOSPC}] no space left on {MARK}"
    assert sink.lost == 2


def test_what_a_full_disk_lost_is_told_when_there_is_room_again() -> None:
    full = _Full(3)  # two entries, and the first notice of them
    sink = _given(Sink("the disk", lambda: full, "json", Redactor()), "one", "two", "three")
    assert sink.trouble == ""
    assert sink.lost == 2
    assert full.written == ["entries of the log that the disk could not take: 2", "three"]


def test_an_entry_whose_parts_do_not_fit_is_written_and_nobody_fails() -> None:
    stream = io.StringIO()
    sink = Sink("a stream", lambda: logging.StreamHandler(stream), "json", Redactor([KEY]))
    sink.emit(logging.makeLogRecord({"msg": "%d of %s", "args": (KEY,)}))
    sink.close()
    assert json.loads(stream.getvalue())["event"].startswith("'%d of %s' (its parts do not fit: ")
    assert KEY not in stream.getvalue()


def test_a_form_that_cannot_be_loaded_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [ImportError("too many open files")]
    load = Sink._formatter

    def fails_once(sink: Sink) -> logging.Formatter:
        if failures:
            raise failures.pop()
        return load(sink)

    monkeypatch.setattr(Sink, "_formatter", fails_once)
    stream = io.StringIO()
    sink = Sink("a stream", lambda: logging.StreamHandler(stream), "plain", Redactor([KEY]))
    for number in range(2):
        sink.emit(logging.makeLogRecord({"msg": f"entry {number} with {KEY}", "levelname": "INFO"}))
    sink.close()
    assert sink.lost == 1
    assert f"entry 1 with {MARK}" in stream.getvalue()
    assert KEY not in stream.getvalue()


def test_a_folder_that_cannot_be_written_to_is_said_to_whoever_asks(logs: Logs, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    stream = io.StringIO()
    logs.show(stream, "json")
    logs.keep(tmp_path / "logs")
    log.info("x")
    logs._sinks[1].close()
    assert logs.trouble.startswith(f"{tmp_path / 'logs' / FILE}: FileExistsError")
    assert logs.lost
    logs.close()
    assert json.loads(stream.getvalue().splitlines()[0])["event"] == "x", "the other place has it"
