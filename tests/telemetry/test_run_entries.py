"""The log tells of each turn what a person wants to know, and no more than they asked for."""

from __future__ import annotations

import logging

import pytest

from sulla.core.ids import CallId, RunId, ThreadId
from sulla.telemetry.run_entries import narrate
from sulla.telemetry.timeline import (
    CallDone,
    FirstWord,
    Piece,
    RunBegan,
    RunOver,
    RunSetAside,
    SpanRun,
    Summarized,
    ToolDone,
)
from sulla.threads.log.usage import Usage

WHOSE = SpanRun(ThreadId("thr"), RunId("run"), "sulla")


@pytest.mark.parametrize(
    ("piece", "level", "text"),
    [
        (RunBegan(WHOSE, 0, "model", waited_s=0.5), logging.INFO, "a turn has begun"),
        (RunBegan(WHOSE, 0, again="crashed"), logging.INFO, "a turn goes on: crashed"),
        (RunSetAside(WHOSE, 0, "suspended"), logging.INFO, "a turn is put down: suspended"),
        (RunOver(WHOSE, 0, "done", "", Usage(1, 2), 3.0), logging.INFO, "a turn has ended: done"),
        (RunOver(WHOSE, 0, "failed", "broke", Usage(), None), logging.WARNING, "a turn has ended: failed (broke)"),
        (CallDone(WHOSE, CallId("c"), "reply", 1, 0, 5, "ok", "end"), logging.DEBUG, "a model call is over: ok (end)"),
        (CallDone(WHOSE, CallId("c"), "reply", 2, None, 5, "failed"), logging.WARNING, "a model call is over: failed"),
        (ToolDone(WHOSE, CallId("c"), "look", 0, 5, "ok"), logging.DEBUG, "a tool call is over: ok (look)"),
        (ToolDone(WHOSE, CallId("c"), "look", 0, 5, "error"), logging.DEBUG, "a tool call is over: error (look)"),
        (Summarized(ThreadId("thr"), Usage(), worked=False), logging.DEBUG, "a summary came to nothing"),
    ],
)  # fmt: skip
def test_a_piece_is_told_at_its_level(piece: Piece, level: int, text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "sulla"):
        narrate(piece)
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (level, text)
    assert record.__dict__["thread_id"] == "thr"
    assert isinstance(piece, Summarized) or record.__dict__["run_id"] == "run"


def test_an_end_says_what_it_took(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "sulla"):
        narrate(RunOver(WHOSE, 0, "done", "", Usage(10, 20), 3.0))
    extra = caplog.records[0].__dict__
    assert (extra["outcome"], extra["tokens"], extra["took_s"]) == ("done", 30, 3.0)


def test_a_first_word_is_a_figure_and_no_entry(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "sulla"):
        narrate(FirstWord(WHOSE, 1.0))
    assert caplog.records == []
