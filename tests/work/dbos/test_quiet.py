"""What DBOS calls an error is a line of ours that says what failed, and that nothing is lost by it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

import pytest

from sulla.work.dbos.quiet import EVERY_S, HINT, AsHint, hush

dbos = logging.getLogger("dbos")


@pytest.fixture(autouse=True)
def filters() -> Iterator[None]:
    before = list(dbos.filters)
    yield
    dbos.filters[:] = before


def test_an_error_is_one_line_that_names_what_failed(caplog: pytest.LogCaptureFixture) -> None:
    hush()
    hush()
    assert sum(isinstance(one, AsHint) for one in dbos.filters) == 1
    try:
        raise ConnectionError("it is gone\nand more of it")
    except ConnectionError as error:
        dbos.error("Exception encountered in asynchronous workflow:", exc_info=error)
    (record,) = caplog.records
    assert (record.levelno, record.levelname, record.exc_info) == (logging.WARNING, "WARNING", None)
    assert record.getMessage() == (
        f"the queue: Exception encountered in asynchronous workflow: ConnectionError: it is gone; {HINT}"
    )


def test_an_error_without_words_says_which_it_was(caplog: pytest.LogCaptureFixture) -> None:
    hush()
    try:
        raise TimeoutError
    except TimeoutError as error:
        dbos.error("It failed:", exc_info=error)
    assert caplog.messages == [f"the queue: It failed: TimeoutError; {HINT}"]


def test_a_warning_stays_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    hush()
    dbos.warning("The %s is slow", "server")
    assert caplog.messages == ["The server is slow"]


def test_a_traceback_within_the_words_is_one_line_with_the_error(caplog: pytest.LogCaptureFixture) -> None:
    hush()
    try:
        try:
            raise ConnectionError("the server is away")
        except ConnectionError as error:
            raise LookupError("cannot look\n[SQL: SELECT 1]\n(Background on this error at: there)") from error
    except LookupError:
        dbos.warning(f"Exception polling schedules: {traceback.format_exc()}")
    assert caplog.messages == [f"the queue: Exception polling schedules: LookupError: cannot look; {HINT}"]


def test_a_kind_of_line_is_written_once_a_minute_and_says_how_many_were_left_out() -> None:
    one = AsHint()

    def written(at_s: float, line: int = 1, error: Exception | None = None) -> str | None:
        told = (type(error), error, None) if error is not None else None
        record = logging.LogRecord("dbos", logging.WARNING, "dbos/core.py", line, "Workflow %s waits", (at_s,), told)
        record.created = at_s
        return record.getMessage() if one.filter(record) else None

    assert written(0.0) == "Workflow 0.0 waits"
    assert [written(at_s) for at_s in (0.1, 30.0, EVERY_S - 1)] == [None] * 3
    assert written(0.2, line=2) == "Workflow 0.2 waits", "another place says something else"
    assert written(0.3, error=OSError("gone")) == f"the queue: Workflow 0.3 waits: OSError: gone; {HINT}"
    assert written(EVERY_S) == f"Workflow {EVERY_S} waits (3 more of that kind since it was last written)"
    assert written(EVERY_S * 2) == f"Workflow {EVERY_S * 2} waits"
    assert written(EVERY_S) == f"Workflow {EVERY_S} waits", "a clock that was put back hides nothing"


def test_as_many_kinds_as_there_may_be_are_told_apart() -> None:
    one = AsHint()
    for line in range(1_000):
        assert one.filter(logging.LogRecord("dbos", logging.WARNING, "core.py", line, "it waits", (), None))
    assert len(one._told) <= 256
