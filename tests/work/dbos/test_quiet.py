"""What DBOS calls an error is a line of ours that says what failed, and that nothing is lost by it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from sulla.work.dbos.quiet import HINT, AsHint, hush

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
