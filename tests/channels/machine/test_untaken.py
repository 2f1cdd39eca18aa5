"""What people are told whose messages find no room."""

from __future__ import annotations

from sulla.channels.base import Place
from sulla.channels.machine.book import decode, encode
from sulla.channels.machine.untaken import EVERY_MS, GATHER_MS, due_ms, notice, of, with_one
from sulla.channels.machine.values import Talk, Untaken


def _after(before: Untaken, at_ms: int, *texts: str) -> Untaken:
    for text in texts:
        before = with_one(before, mark=f"m-{text}", ref=f"r-{text}", text=text, why="full.", now_ms=at_ms)
    return before


def test_one_notice_names_the_first_and_counts_the_others() -> None:
    assert due_ms(Untaken()) is None
    one = _after(Untaken(), 5, "a*b")
    assert (one.mark, one.ref, notice(one)) == ("m-a*b", "r-a*b", "> a\\*b\n\nThis was not taken: full.")
    three = _after(one, 9, "c", "d")
    assert (three.mark, three.ref, due_ms(three)) == ("m-a*b", "r-a*b", 5 + GATHER_MS)
    assert notice(three) == "> a\\*b\n\nThis and 2 more behind it were not taken: full."


def test_the_next_one_comes_a_minute_later_also_where_the_clock_was_set_back() -> None:
    assert due_ms(_after(Untaken(told_ms=100_000), 110_000, "a")) == 100_000 + EVERY_MS
    assert due_ms(_after(Untaken(told_ms=100_000), 300_000, "a")) == 300_000 + GATHER_MS
    assert due_ms(_after(Untaken(told_ms=900_000), 1_000, "a")) == 1_000 + EVERY_MS


def test_it_is_kept_and_older_books_say_nothing_of_it() -> None:
    book = decode(b"")
    book.talks["p"] = Talk(Place("p"), untaken=_after(Untaken(), 5, "a"))
    body = encode(book)
    assert decode(body).talks["p"] == book.talks["p"]
    start = body.index(b'"untaken":{')
    older = body[:start] + body[body.index(b"}", start) + 2 :]
    assert of(decode(older).talks["p"]) == of(None) == Untaken()
