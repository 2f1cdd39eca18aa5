"""Stretches of history are found again, and never taken for others."""

from __future__ import annotations

from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.models.tokens.segments import SegmentCache, TokenSegment, ends_segment


def _messages(first: int, count: int, text: str = "x") -> list[Message]:
    return [Message(MessageId(f"m{number}"), "user", (Text(text),)) for number in range(first, first + count)]


def _segment(first: int, count: int = 5, text: str = "x") -> TokenSegment[str]:
    return TokenSegment(_messages(first, count, text), text.encode() * 500, "user", "user")


def test_it_is_found_where_it_stands() -> None:
    cache: SegmentCache[str] = SegmentCache(10_000)
    cache.add(_segment(5))
    assert cache.find(_messages(0, 20), 5) == _segment(5)
    assert cache.find(_messages(0, 20), 6) is None


def test_it_is_found_only_whole() -> None:
    cache: SegmentCache[str] = SegmentCache(10_000)
    cache.add(_segment(5))
    assert cache.find(_messages(5, 5), 0) is not None
    assert cache.find(_messages(5, 4), 0) is None


def test_other_messages_with_the_same_ids_are_others() -> None:
    cache: SegmentCache[str] = SegmentCache(10_000)
    cache.add(_segment(5, text="here"))
    assert cache.find(_messages(5, 5, "there"), 0) is None
    cache.add(_segment(5, text="there"))
    assert cache.find(_messages(5, 5, "there"), 0) is not None
    assert cache.find(_messages(5, 5, "here"), 0) is None


def test_what_it_remembers_is_bounded() -> None:
    cache: SegmentCache[str] = SegmentCache(10_000)
    for first in range(0, 1000, 5):
        cache.add(_segment(first))
        cache.add(_segment(first))
        assert cache.size_bytes <= 20_000 + 1000


def test_what_is_used_again_outlives_what_is_not() -> None:
    cache: SegmentCache[str] = SegmentCache(10_000)
    cache.add(_segment(0))
    for first in range(5, 500, 5):
        cache.add(_segment(first))
        assert cache.find(_messages(0, 5), 0) is not None
    assert cache.find(_messages(5, 5), 0) is None


def test_one_message_in_sixteen_ends_a_segment_always_the_same_ones() -> None:
    ends = [ends_segment(message) for message in _messages(0, 3200)]
    assert 100 < sum(ends) < 400
    assert ends == [ends_segment(message) for message in _messages(0, 3200, "other text")]
