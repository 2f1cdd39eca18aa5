"""Streams that take nothing any more."""

from __future__ import annotations

import io
import os

import pytest

from sulla.terminal.output import fitted, let_go
from tests.house.source import ROOT


def test_what_is_left_of_a_broken_stream_goes_nowhere() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as stream:
        stream.write("this is lost")
        with pytest.raises(BrokenPipeError):
            stream.flush()
        let_go(stream)
        stream.write("and so is this")


def test_a_stream_without_a_descriptor_is_left_alone() -> None:
    stream = io.StringIO()
    let_go(stream)
    assert stream.write("kept") == 4


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_told_at_a_terminal_is_broken_at_words_and_in_a_file_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "no daemon runs on the home\n   sulla approvals answer x\n"
    assert fitted(text, _Terminal()) == "no daemon runs on\nthe home\n   sulla approvals\n   answer x\n"
    assert fitted(text, io.StringIO()) == text


def test_all_that_is_told_beside_a_result_is_told_in_one_way() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sulla").rglob("*.py")
        if "file=sys.stderr" in path.read_text()
    }
    assert found == {"sulla/terminal/output.py", "sulla/terminal/questions.py"}, "a question is framed already"
