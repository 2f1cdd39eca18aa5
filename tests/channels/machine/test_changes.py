"""Whoever has what was written and what was changed since has the book, whatever was done to it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from random import Random

import pytest

from sulla.channels.base import Arrived, Attachment, Place, Sender
from sulla.channels.machine.book import Book, decode, encode, encode_changes, with_changes, written
from sulla.channels.machine.parts import Parts
from sulla.channels.machine.talks import Talks
from sulla.channels.machine.values import GivenUp, Item, Owner, Preview, Question, Talk, Waiting
from sulla.core.errors import CorruptRecord


def _do(book: Book, chance: Random, number: int) -> None:
    """Change something, as something does."""
    key = f"p{chance.randrange(12)}"
    item = next((one for one in book.items.values() if one.place == key), None)
    match chance.randrange(8):
        case 0:
            book.talks[key] = replace(book.talks.pop(key, Talk(Place(key))), used_ms=number)
        case 1:
            book.talks[key] = replace(book.talks.get(key, Talk(Place(key))), left=((f"t{number}", number),))
        case 2:
            book.items[f"i{number}"] = Item(f"i{number}", key, "text")
        case 3 if item is not None:
            book.items[item.id] = replace(item, tries=item.tries + 1)
        case 4 if item is not None:
            book.items.pop(item.id)
            book.items[item.id] = item
        case 5:
            book.seen.add(f"m{number}")
            book.cursor = str(number)
        case 6:
            book.previews[key] = Preview(f"v{number}", key, "m")
            book.questions[key] = Question(f"q{number}", key, "t", "w", "May I?")
            files = (Attachment(f"h{number}", name="a.txt"),)
            book.waiting[f"m{number}"] = Waiting(key, Arrived(Place(key), Sender("1"), f"{number}", attachments=files))
        case _:
            for parts in (book.talks, book.items, book.previews, book.questions, book.waiting):
                parts.pop(key, None)
            book.items.pop(item.id if item is not None else "", None)
            book.given_up = GivenUp(book.given_up.count + 1, number, key, "Ann", "gone")


def test_changes_that_are_done_again_give_the_same_book_in_the_same_order() -> None:
    chance, book = Random(11), Book(Owner("a", "s"))
    again, before = decode(encode(book)), written(book)
    for number in range(4_000):
        if number == 2_000:
            book = Book(Owner("b", "s"), "first")  # another account
        _do(book, chance, number)
        if chance.random() < 0.3:
            body, before = encode_changes(book, before), written(book)
            again = with_changes(again, body) if body else again
            assert encode(again) == encode(book)
    assert len(book.talks) > 5
    assert len(book.items) > 5


def test_nothing_is_written_where_nothing_was_changed() -> None:
    book = Book()
    book.talks["p"] = Talk(Place("p"))
    assert encode_changes(book, written(book))
    assert encode_changes(book, written(book)) == b""


def test_what_is_changed_costs_no_more_where_more_is_there() -> None:
    sizes = set[int]()
    for places in (10, 10_000):
        book = Book()
        for number in range(10_000 - places, 10_000):
            book.talks[f"p{number:05}"] = Talk(Place(f"p{number:05}"))
            book.seen.add(f"m{number}")
        encode_changes(book, written(book))
        book.talks["p09999"] = replace(book.talks["p09999"], told_seq=7)
        sizes.add(len(encode_changes(book, written(book))))
    assert len(sizes) == 1


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b'{"talks": 1}', b'{"talks": [[], {"p": {}}]}', b'{"owner": 7}'])
def test_what_are_no_changes_is_refused(body: bytes) -> None:
    with pytest.raises(CorruptRecord):
        with_changes(Book(), body)


def test_what_was_taken_out_and_set_again_is_the_last() -> None:
    parts = Parts({"a": 1, "b": 2, "c": 3})
    parts["c"] = 4
    parts["a"] = parts.pop("a")
    assert parts.changes() == (["a"], {"c": 4, "a": 1})
    assert list(parts) == ["b", "c", "a"]
    assert parts.changes() == ([], {})


def test_each_part_of_a_book_is_written_and_read_and_those_of_a_version_before_may_lack_the_newer_ones() -> None:
    parts = [one.name for one in fields(Book) if isinstance(getattr(Book(), one.name), Parts)]
    raw = json.loads(encode(Book(Owner("a", "s"))))
    assert [*raw] == ["owner", "cursor", "seen", *parts[:4], "given_up", *parts[4:]]
    for name in parts:
        less = json.dumps({key: one for key, one in raw.items() if key != name}).encode()
        if name in ("waiting", "closed"):
            assert encode(decode(less)) == encode(decode(json.dumps(raw).encode()))
            continue
        with pytest.raises(CorruptRecord, match=name):
            decode(less)
    book = Book()
    for name in parts:
        getattr(book, name)["k"] = Talk(Place("k"))
    assert {*json.loads(encode_changes(book, written(book)))} == {*parts}
    assert type(decode(encode(Book())).talks) is Talks
