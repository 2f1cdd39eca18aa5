"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sulla.models.wire.sse import SseReader


def read(stream: bytes, sizes: list[int]) -> list[bytes]:
    """The events of a stream that arrives in pieces of these sizes, the rest as one."""
    reader, found, start = SseReader(), [], 0
    for size in [*sizes, len(stream)]:
        found += reader.feed(stream[start : start + size])
        start += size
    return found


def by_the_book(stream: bytes) -> list[bytes]:
    """The HTML standard, line by line."""
    found, data = [], None
    lines = re.split(b"\r\n|\r|\n", stream.removeprefix(b"\xef\xbb\xbf"))
    for line in lines[:-1]:  # what no line end follows is not a line yet
        if not line:
            if data is not None:
                found.append(b"\n".join(data))
            data = None
        name, _, value = line.partition(b":")
        if name == b"data":
            data = [*(data or []), value.removeprefix(b" ")]
    return found


_FRAGMENTS = [
    *(b"data: {}", b"data:x", b"data", b"data: data: y", "data: schöne Grüße 🙂".encode(), b" data: z", b""),
    *(b"event: ping", b"event: a data: b", b": a comment", b":data: no", b"id: 7", b"retry: 1", b"dataset: 1"),
]
_ENDS = [b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n\r\n", b"\r\r", b"\n\r\n"]
_streams = st.lists(st.tuples(st.sampled_from(_FRAGMENTS), st.sampled_from(_ENDS)), max_size=12).map(
    lambda pairs: b"".join(part for pair in pairs for part in pair)
)


@settings(max_examples=25, deadline=None)
@given(_streams, st.lists(st.integers(1, 9), max_size=30))
@example(b"\xef\xbb\xbfdata: a\n\n", [1, 1, 1])
@example(b"data: a\r\n\r\ndata: b\r\n\r\n", [8, 1, 1])
@example(b"data:x\ndata: y\n\n", [])
def test_any_cut_of_any_stream_gives_what_the_standard_says(stream: bytes, sizes: list[int]) -> None:
    assert read(stream, sizes) == by_the_book(stream)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_two_cuts_anywhere_change_nothing(newline: bytes) -> None:
    stream = newline.join([b"event: x", b"data: a", b"data: b", b"", b"data: c", b"", b""])
    for first in range(len(stream)):
        assert read(stream, [first, 1]) == [b"a\nb", b"c"]
    assert read(stream, [1] * len(stream)) == [b"a\nb", b"c"]


def test_an_event_that_no_blank_line_follows_does_not_exist() -> None:
    assert read(b"data: a\n\ndata: b\n", []) == [b"a"]


def test_a_character_cut_in_two_comes_out_whole() -> None:
    stream = "data: 🙂\n\n".encode()
    assert read(stream, [8]) == ["🙂".encode()]


def test_what_waits_for_its_end_can_be_measured() -> None:
    reader = SseReader()
    assert reader.feed(b"data: a\n\ndata: " + b"x" * 90) == [b"a"]
    assert len(reader.rest) == 96
    assert reader.feed(b"\n\n") == [b"x" * 90]
    assert reader.rest == b""
