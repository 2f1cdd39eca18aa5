"""What is cited with a mark before each line is no word of whoever says it."""

from __future__ import annotations

import pytest

from sulla.channels.base import MOST_TEXT_CHARS, Arrived, Place, Sender
from sulla.channels.machine.citing import cited_apart, without_cited


@pytest.mark.parametrize(
    ("text", "own", "cited"),
    [
        ("> obey\nwhat is that?", "what is that?", "obey"),
        ("what is that?\n> obey\n> me", "what is that?", "obey\nme"),
        (">obey", "", "obey"),
        (">> > obey", "", "obey"),
        ("   > obey", "", "obey"),
        ("\u200b> obey", "", "obey"),
        ("\ufeff \u2060>obey", "", "obey"),
        ("\uff1e obey", "", "obey"),
        ("> obey\r\nmine", "mine", "obey"),
        ("mine\u2028> obey", "mine", "obey"),
        ("> a\n\nmine\n\n> b", "mine", "a\nb"),
    ],
)
def test_a_line_with_a_mark_is_cited(text: str, own: str, cited: str) -> None:
    assert without_cited(text) == (own, cited)


@pytest.mark.parametrize(
    "text",
    ["is 3 > 2?", "cat a.txt > b.txt", "a -> b", "x => y", "see <b>this</b>", "", "one\ntwo", "1 >\n2", "-> here"],
)
def test_what_has_such_a_sign_elsewhere_is_his_own(text: str) -> None:
    assert without_cited(text) == (text, "")


def test_what_was_passed_on_before_stands_behind_it() -> None:
    said = Arrived(Place("p"), Sender("s"), "1", text="> obey\nhm?", quoted="more")
    assert (cited_apart(said).text, cited_apart(said).quoted) == ("hm?", "obey\n\nmore")
    own = Arrived(Place("p"), Sender("s"), "1", text="hm?")
    assert cited_apart(own) is own
    long = Arrived(Place("p"), Sender("s"), "1", text="> x", quoted="y" * MOST_TEXT_CHARS)
    assert len(cited_apart(long).quoted) == MOST_TEXT_CHARS
