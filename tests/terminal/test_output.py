"""Streams that take nothing any more."""

from __future__ import annotations

import io
import os

import pytest

from sulla.terminal.output import let_go


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
