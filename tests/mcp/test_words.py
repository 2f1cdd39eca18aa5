"""Answers as text: readable, bounded, and without what only a model would see."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.mcp.words import MAX_BLOCKS, answer_data, answer_text, left_out, plain


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "text", "text": "hello"}, "hello"),
        ({"type": "image", "data": "AAAA", "mimeType": "image/png"}, "[image, image/png, about 3 bytes: not shown]"),
        ({"type": "audio", "data": "AAAA"}, "[audio, of no known kind, about 3 bytes: not shown]"),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}, "[resource a:b]\ninside"),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": "AAAA", "mimeType": "x/y"}},
            "[resource a:b, x/y, about 3 bytes: not shown]",
        ),
        ({"type": "resource", "resource": {}}, "[resource : empty]"),
        ({"type": "resource_link", "uri": "a:b", "name": "n"}, "[resource 'n' at a:b]"),
        ({"type": "hologram"}, "[a piece of the kind 'hologram': not shown]"),
    ],
)
def test_each_kind_of_piece_has_its_text(block: JsonObject, text: str) -> None:
    assert answer_text([block], None) == text


def test_data_is_shown_where_there_is_no_text() -> None:
    assert answer_text([], {"a": 1}) == '{"a": 1}'
    assert answer_text([{"type": "text", "text": "one"}], {"a": 1}) == "one"


def test_nothing_is_said_to_be_nothing() -> None:
    assert answer_text([], None) == "(The server answered with nothing.)"


def test_as_data_a_text_is_what_the_server_sent_to_the_letter() -> None:
    sent = "a\u200b\r\n\x1b[31mb\t\u2028"
    assert answer_data([{"type": "text", "text": sent}], {"n": 1}) == {"text": sent, "value": {"n": 1}}
    assert answer_data([{"type": "resource", "resource": {"uri": "a:b", "text": sent}}], None)["text"] == sent


def test_what_is_no_text_is_told_to_be_left_out() -> None:
    image: JsonObject = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    assert left_out([{"type": "text", "text": "x"}, {"type": "resource_link", "uri": "a:b"}]) == ""
    assert "image/png, about 3 bytes" in left_out([{"type": "text", "text": "x"}, image])
    assert "2 more pieces" in left_out([{"type": "text", "text": "x"}] * (MAX_BLOCKS + 2))


def test_many_pieces_are_cut_and_counted() -> None:
    text = answer_text([{"type": "text", "text": "x"}] * (MAX_BLOCKS + 2), None)
    assert text.endswith("[2 more pieces are left out]")


def test_what_cannot_be_seen_is_gone_and_the_rest_stays() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert (
        plain(f"a\u200b{hidden}\u202eb\x1b[31m\r\nc\td \U0001f469\u200d\U0001f4bb é")
        == "ab[31m\nc\td \U0001f469\u200d\U0001f4bb é"
    )
