"""Tests of what is made of what arrives and cannot be written down."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from sulla.channels.base import Arrived, Attachment, Place, Sender
from sulla.channels.machine.legible import in_a_line, legible

HALF = "a\ud83d"
PLAIN = Arrived(
    Place("1", name="home"), Sender("2", "Ann \U0001f468"), "3", text="hello", attachments=(Attachment("4"),)
)


@pytest.mark.parametrize(
    "broken",
    [
        replace(PLAIN, text=HALF),
        replace(PLAIN, place=Place(HALF, HALF, name=HALF)),
        replace(PLAIN, sender=Sender("2", HALF)),
        replace(PLAIN, attachments=(Attachment("4", "voice", HALF),)),
    ],
)
def test_half_a_character_is_one_that_can_be_kept(broken: Arrived) -> None:
    with pytest.raises(TypeError):
        orjson.dumps(broken)
    assert b"a?" in orjson.dumps(legible(broken))


def test_all_else_stays_as_it_is() -> None:
    assert legible(PLAIN) == PLAIN


def test_what_a_service_says_is_one_short_line_without_what_nobody_sees() -> None:
    assert in_a_line("no\n\tsuch \u202e\x1b[2Jchat\ud83d", 40) == "no such chat\ufffd"
    assert in_a_line("x" * 50, 10) == "x" * 9 + "…"
