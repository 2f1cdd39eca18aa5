from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sulla.tools.output import (
    HEAD_BYTES,
    KEPT_BYTES,
    PIECE_BYTES,
    TAIL_BYTES,
    Output,
    readable,
    readable_pieces,
)

REST = "The rest is elsewhere."


def fed(*chunks: bytes) -> Output:
    output = Output()
    for chunk in chunks:
        output.feed(chunk)
    return output


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        ("é日😀".encode(), "é日😀"),
        (b"a\xff\xfeb", "a\\xff\\xfeb"),
        (b"nul \x00 bell \x07", "nul \\x00 bell \\x07"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07end", "red end"),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\u2028b\u0085c".encode(), "a\\u2028b\\x85c"),
        (b"\x1b alone", "\\x1b alone"),
    ],
)
def test_what_cannot_be_shown_is_spelled_out(raw: bytes, text: str) -> None:
    assert readable(raw) == text


def test_a_short_output_is_shown_whole() -> None:
    output = fed(b"one\n", b"two\n")
    assert not output.long
    assert output.show(REST) == "one\ntwo\n"
    assert output.kept == b"one\ntwo\n"


def test_of_a_long_one_both_ends_are_shown_and_what_is_missing_is_told() -> None:
    raw = b"".join(b"%07d\n" % number for number in range(100_000))
    shown = fed(*(raw[at : at + 1000] for at in range(0, len(raw), 1000))).show(REST)
    head, rest = shown.split("\n\n[")
    gap, tail = rest.split("]\n\n")
    assert raw.decode().startswith(head)
    assert raw.decode().endswith(tail)
    assert (len(head), len(tail)) == (HEAD_BYTES, TAIL_BYTES)
    assert gap == f"… {len(raw) - HEAD_BYTES - TAIL_BYTES} of {len(raw)} bytes are left out here. {REST}"


@pytest.mark.parametrize("unit", ["é", "日", "😀"])
def test_no_cut_falls_within_a_character(unit: str) -> None:
    for shift in range(4):
        shown = fed(b"x" * shift + unit.encode() * 50_000).show(REST)
        assert "\\x" not in shown


def test_what_is_spelled_out_takes_no_more_room_than_it_has() -> None:
    shown = fed(b"\xff" * 1_000_000).show(REST)
    assert len(shown.encode()) <= HEAD_BYTES + TAIL_BYTES + 200


def test_very_much_is_kept_in_part() -> None:
    output = fed(*[b"x" * 100_000] * 100, b"the end")
    assert output.total == 10_000_007
    assert output.kept == b"x" * KEPT_BYTES
    assert output.show(REST).endswith("xthe end")


@given(some.lists(some.binary(max_size=30_000), max_size=8), some.integers(0, 60_000))
def test_what_is_new_is_the_end_of_what_came(chunks: list[bytes], offset: int) -> None:
    raw = b"".join(chunks)
    output = fed(*chunks)
    assert output.total == len(raw)
    assert output.since(offset, TAIL_BYTES) == raw[offset:][-TAIL_BYTES:]


@given(some.lists(some.sampled_from([b"line\n", "日本".encode(), b"\xff", b"x" * 70_000, b"\xe6\x97"]), max_size=12))
def test_piece_by_piece_it_reads_the_same(parts: list[bytes]) -> None:
    raw = b"".join(parts)
    pieces = list(readable_pieces(raw))
    assert "".join(pieces) == readable(raw)
    assert all(len(piece) <= 4 * PIECE_BYTES for piece in pieces)
