from __future__ import annotations

from sulla.browser.notes import MAX_NOTES, NOTE_CHARS, PageNotes


def test_what_has_happened_is_told_once() -> None:
    notes = PageNotes()
    notes.add("a\nbox\u200b")
    assert notes.said == ("a box",)
    assert notes.take([]) == ("a box",)
    assert notes.take([]) == ()


def test_refusals_are_counted_and_each_reason_is_told_once() -> None:
    assert PageNotes().take(["x"]) == ("1 of its requests was refused: x",)
    assert PageNotes().take(["x", "y", "x", "z", "w"]) == ("5 of its requests were refused: x; y; z",)


def test_of_much_the_first_is_told_and_the_rest_counted() -> None:
    notes = PageNotes()
    for number in range(MAX_NOTES + 3):
        notes.add(f"{number} " + "x" * 1000)
    told = notes.take([])
    assert (len(told), told[-1]) == (MAX_NOTES + 1, "and 3 more such things")
    assert max(map(len, told)) == NOTE_CHARS
