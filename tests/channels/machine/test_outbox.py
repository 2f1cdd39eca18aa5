"""What goes out, goes out once and in order; what may have arrived is looked up, or marked."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sulla.channels.base import Manners, NotSent, Place, Sent, Unknown
from sulla.channels.machine.book import Book, decode, encode
from sulla.channels.machine.cutting import letters
from sulla.channels.machine.outbox import BACKOFF_S, DOUBTFUL, DOUBTFUL_BEGINNING, MOST_LOOKS, PART, Outbox
from sulla.channels.machine.quoting import broken_off
from sulla.channels.machine.values import (
    MOST_ITEMS,
    MOST_ITEMS_EACH,
    Asks,
    Choice,
    GivenUp,
    Item,
    Owner,
    Question,
    Shown,
    Talk,
)

ASKED, OVER = Shown(("May I?",)), Asks(exact=("May I?", "Yes."))
MANNERS = Manners(most_chars=200, sends_per_s=10, place_sends_per_s=1, edits_per_s=1, most_buttons=3)
NOW = 1_000_000


def _outbox(manners: Manners = MANNERS) -> tuple[Book, Outbox]:
    book = Book()
    return book, Outbox(book, manners)


def _head(outbox: Outbox, place: str = "p") -> Item:
    item = outbox.head(place)
    assert item is not None
    return item


def _begun(outbox: Outbox, place: str = "p") -> Item:
    return outbox.begin(_head(outbox, place))


def test_the_same_words_are_planned_once() -> None:
    book, outbox = _outbox()
    for _ in range(2):
        outbox.say("p", "hello", "k1")
    assert [one.text for one in book.items.values()] == ["hello"]


def test_places_do_not_wait_for_each_other_and_one_place_keeps_its_order() -> None:
    _, outbox = _outbox()
    for place in ("a", "b"):
        for number in (1, 2):
            outbox.say(place, f"{place}{number}", f"{place}{number}")
    assert [one.text for one in outbox.heads()] == ["a1", "b1"]
    outbox.ended(_begun(outbox, "a"), NotSent("no"), NOW)
    assert [(one.text, one.due_ms) for one in outbox.heads()] == [("a1", NOW + 1_000), ("b1", 0)]


def test_what_was_refused_is_tried_again_after_longer_and_longer() -> None:
    _, outbox = _outbox()
    outbox.say("p", "hello", "k1")
    waits = []
    for _ in range(len(BACKOFF_S) + 2):
        outbox.ended(_begun(outbox), NotSent("no"), NOW)
        waits.append((_head(outbox).due_ms - NOW) / 1_000)
    assert waits == [*BACKOFF_S, BACKOFF_S[-1], BACKOFF_S[-1]]
    outbox.ended(_begun(outbox), NotSent("too fast", 7.5), NOW)
    assert _head(outbox).due_ms == NOW + 7_500
    assert not _head(outbox).doubtful


def test_what_is_refused_for_good_is_given_up_and_counted() -> None:
    book, outbox = _outbox()
    book.talks["5\n7"] = Talk(Place("5", "7", name="Ann\u202e\n" + "x" * 100))
    outbox.say("5\n7", "hello", "k1")
    outbox.ended(_begun(outbox, "5\n7"), NotSent("gone", final=True), NOW)
    assert dict(book.items) == {}
    last = book.given_up
    assert (last.count, last.at_ms, last.place, last.why) == (1, NOW, "5", "gone")
    assert last.called == "Ann " + "x" * 55 + "…"
    outbox.say("forgotten", "hello", "k2")
    outbox.ended(_begun(outbox, "forgotten"), NotSent("blocked", final=True), NOW + 1)
    assert book.given_up == GivenUp(2, NOW + 1, "forgotten", "", "blocked")
    assert decode(encode(book)).given_up == book.given_up


def test_a_kill_within_a_send_leaves_a_mark() -> None:
    book, outbox = _outbox()
    outbox.say("p", "hello", "k1")
    _begun(outbox)
    book = decode(encode(book))
    outbox = Outbox(book, MANNERS)
    outbox.opened()
    item = _head(outbox)
    assert item.status == "unknown"
    assert not outbox.looks_up(item)
    assert outbox.text_of(_begun(outbox)) == f"{DOUBTFUL}hello"


def test_where_the_beginning_of_an_answer_may_have_arrived_the_whole_says_what_stands_above() -> None:
    _, outbox = _outbox(replace(MANNERS, most_chars=200))
    outbox.show("p", "m1", "hel")
    outbox.shown("p", Unknown("no answer"))
    outbox.answer("p", "m1", f"hello {'you ' * 100}")
    first = outbox.text_of(_begun(outbox))
    assert first.startswith(f"{DOUBTFUL_BEGINNING}hello you")
    assert len(first) <= 200


def test_a_service_that_can_tell_is_asked_first() -> None:
    _, outbox = _outbox(replace(MANNERS, tells_sent=True))
    outbox.say("p", "hello", "k1")
    outbox.ended(_begun(outbox), Unknown("no answer"), NOW)
    assert outbox.looks_up(_head(outbox))
    outbox.found(_head(outbox), NotSent("it is not there"), NOW)
    assert outbox.text_of(_begun(outbox)) == "hello"
    outbox.ended(_head(outbox), Unknown("no answer"), NOW)
    outbox.found(_head(outbox), Sent("r1"), NOW)
    assert outbox.head("p") is None


def test_a_service_that_never_answers_such_a_question_is_not_asked_for_ever() -> None:
    _, outbox = _outbox(replace(MANNERS, tells_sent=True))
    outbox.say("p", "hello", "k1")
    outbox.ended(_begun(outbox), Unknown("no answer"), NOW)
    looks = 0
    while outbox.looks_up(_head(outbox)):
        outbox.found(_head(outbox), Unknown("no answer"), NOW)
        looks += 1
    assert looks == MOST_LOOKS
    assert outbox.text_of(_begun(outbox)) == f"{DOUBTFUL}hello"


def test_with_a_key_of_the_services_nothing_is_marked() -> None:
    _, outbox = _outbox(replace(MANNERS, takes_key=True))
    outbox.say("p", "hello", "k1")
    outbox.ended(_begun(outbox), Unknown("no answer"), NOW)
    assert outbox.text_of(_begun(outbox)) == "hello"


def test_an_answer_takes_the_place_of_what_was_shown_of_it() -> None:
    book, outbox = _outbox()
    outbox.show("p", "m1", "so far")
    outbox.shown("p", Sent("r1"))
    outbox.answer("p", "m1", "word " * 45)
    items = list(book.items.values())
    assert [(one.kind, one.ref) for one in items] == [("edit", "r1"), ("text", "")]
    assert " ".join(one.text for one in items).split() == ["word"] * 45
    assert book.previews == {}


def test_an_edit_of_which_nobody_knows_is_made_again_without_a_mark() -> None:
    _, outbox = _outbox()
    outbox.show("p", "m1", "so far")
    outbox.shown("p", Sent("r1"))
    outbox.answer("p", "m1", "all")
    outbox.ended(_begun(outbox), Unknown("no answer"), NOW)
    assert outbox.text_of(_begun(outbox)) == "all"


def test_an_answer_whose_message_cannot_be_edited_any_more_is_said_anew_before_the_rest() -> None:
    _, outbox = _outbox()
    outbox.show("p", "m1", "so far")
    outbox.shown("p", Sent("r1"))
    outbox.answer("p", "m1", "word " * 60)
    outbox.ended(_begun(outbox), NotSent("it is gone", final=True), NOW)
    item = _head(outbox)
    assert (item.kind, item.text[:4]) == ("text", "word")
    outbox.ended(_begun(outbox), Sent("r2"), NOW)
    assert _head(outbox).text


def test_a_preview_that_may_have_arrived_is_looked_up_and_then_edited() -> None:
    book, outbox = _outbox(replace(MANNERS, tells_sent=True))
    outbox.show("p", "m1", "so far")
    outbox.opened()
    outbox.answer("p", "m1", "all")
    assert outbox.looks_up(_head(outbox))
    outbox.found(_head(outbox), Sent("r1"), NOW)
    item = _head(outbox)
    assert (item.kind, item.ref, item.text) == ("edit", "r1", "all")
    outbox.ended(_begun(outbox), Sent("r1"), NOW)
    assert book.items == {}


def test_a_preview_under_a_key_is_sent_again_and_then_edited() -> None:
    _, outbox = _outbox(replace(MANNERS, takes_key=True))
    outbox.show("p", "m1", "so far")
    outbox.shown("p", Unknown("no answer"))
    outbox.answer("p", "m1", "all")
    outbox.ended(_begun(outbox), Sent("r1"), NOW)
    assert (_head(outbox).kind, _head(outbox).ref) == ("edit", "r1")


@pytest.mark.parametrize(("deletes", "kind"), [(True, "delete"), (False, "edit")])
def test_what_was_shown_and_came_to_nothing_goes(deletes: bool, kind: str) -> None:
    _, outbox = _outbox(replace(MANNERS, deletes=deletes))
    outbox.show("p", "m1", "so far")
    outbox.shown("p", Sent("r1"))
    outbox.drop_preview("p")
    assert (_head(outbox).kind, _head(outbox).ref) == (kind, "r1")


def test_what_was_shown_and_is_broken_off_stays_and_says_so() -> None:
    book, outbox = _outbox()
    outbox.show("p", "m1", "so")
    outbox.shown("p", Sent("r1"))
    outbox.goes_on("p", "m1", "so far " * 60)
    outbox.break_off("p")
    outbox.say("p", "This did not work.", "failed")
    edit, failure = book.items.values()
    assert (edit.kind, edit.ref, failure.text) == ("edit", "r1", "This did not work.")
    assert edit.text.startswith("so far so far")
    assert edit.text.endswith(broken_off(""))
    assert len(edit.text) <= MANNERS.most_chars
    outbox.answer("p", "m2", "The next one.")
    assert [one.kind for one in book.items.values()] == ["edit", "text", "text"]


def test_what_may_have_been_shown_and_is_broken_off_is_looked_for() -> None:
    for manners, kinds in ((replace(MANNERS, tells_sent=True), ["final"]), (MANNERS, [])):
        book, outbox = _outbox(manners)
        outbox.show("p", "m1", "so far")
        outbox.shown("p", Unknown("no answer"))
        outbox.break_off("p")
        outbox.break_off("p")
        assert [one.kind for one in book.items.values()] == kinds
        assert book.previews == {}


def _question() -> Question:
    return Question("q1", "p", "t", "approval:1", "May I?", (Choice("tok", "A" * 60, "approve"),))


def test_a_question_has_its_buttons_and_loses_them() -> None:
    book, outbox = _outbox()
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    (button,) = _head(outbox).asks.buttons
    assert (button.token, len(button.label)) == ("tok", MANNERS.button_chars)
    outbox.ended(_begun(outbox), Sent("r1"), NOW)
    assert book.questions["q1"].ref == "r1"
    outbox.ask_no_more(book.questions["q1"], "Yes.")
    assert (_head(outbox).kind, _head(outbox).ref, _head(outbox).asks) == ("edit", "r1", OVER)


def test_where_nothing_can_be_changed_no_change_is_planned() -> None:
    book, outbox = _outbox(replace(MANNERS, edits=False, edits_per_s=0, deletes=False))
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    outbox.ended(_begun(outbox), Sent("r1"), NOW)
    outbox.ask_no_more(book.questions["q1"], "Yes.")
    assert book.items == {}


def test_a_question_that_nobody_has_seen_is_not_asked_any_more() -> None:
    book, outbox = _outbox()
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    outbox.ask_no_more(_question(), "over")
    assert book.items == {}


@pytest.mark.parametrize("more", [{"tells_sent": True}, {"takes_key": True}, {"tells_sent": True, "takes_key": True}])
def test_a_question_that_may_have_been_asked_before_a_kill_and_is_open_no_longer_says_so(more: dict[str, bool]) -> None:
    book, outbox = _outbox(manners := replace(MANNERS, **more))
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    _begun(outbox)
    book = decode(encode(book))
    outbox = Outbox(book, manners)
    outbox.opened()
    outbox.ask_no_more(book.questions.pop("q1"), "Yes.")  # whoever pressed was quicker than the look for it
    outbox.say("p", "That is that.", "k2")
    if manners.tells_sent:
        assert outbox.looks_up(_head(outbox))
        outbox.found(_head(outbox), Sent("r1"), NOW)
    else:
        outbox.ended(_begun(outbox), Sent("r1"), NOW)
    item = _head(outbox)
    assert (item.kind, item.ref, item.text, item.asks) == ("edit", "r1", "", OVER)
    outbox.ended(_begun(outbox), Sent("r1"), NOW)
    assert [one.text for one in book.items.values()] == ["That is that."]


@pytest.mark.parametrize("looked", [False, True])
def test_a_question_that_is_being_asked_and_is_open_no_longer_says_so(looked: bool) -> None:
    book, outbox = _outbox(replace(MANNERS, tells_sent=True))
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    begun = _begun(outbox)
    if looked:
        outbox.ended(begun, Unknown("no answer"), NOW)
        begun = _head(outbox)
    outbox.ask_no_more(book.questions.pop("q1"), "Yes.")
    if looked:
        outbox.found(begun, Sent("r1"), NOW)
    else:
        outbox.ended(begun, Sent("r1"), NOW)
    item = _head(outbox)
    assert (item.kind, item.ref, item.text, item.asks) == ("edit", "r1", "", OVER)


def test_a_question_that_surely_was_not_taken_yet_is_not_asked_any_more() -> None:
    for edits in (True, False):
        book, outbox = _outbox(replace(MANNERS, edits=edits))
        outbox.ask(_question(), ASKED)
        outbox.ended(_begun(outbox), NotSent("too fast", 5.0), NOW)
        outbox.ask_no_more(_question(), "over")
        assert book.items == {}


def test_a_question_that_may_have_been_asked_where_nothing_can_be_changed_is_not_asked_again() -> None:
    book, outbox = _outbox(replace(MANNERS, edits=False, edits_per_s=0, deletes=False))
    outbox.ask(_question(), ASKED)
    outbox.ended(_begun(outbox), Unknown("no answer"), NOW)
    outbox.ask_no_more(_question(), "over")
    assert book.items == {}


def test_a_question_is_told_whole_in_parts_of_which_the_last_has_the_buttons() -> None:
    book, outbox = _outbox()
    asked = "".join(f"{number:04} " for number in range(100)) + " " * 90 + "end"
    question = replace(_question(), prompt=asked)
    book.questions["q1"] = question
    outbox.ask(question, Shown((asked, "1. Allow"), "Reply."))
    items = list(book.items.values())
    assert "".join(one.asks.exact[0] for one in items if one.asks.exact[0] != "1. Allow") == asked
    assert [one.asks.question for one in items] == [*[""] * (len(items) - 1), "q1"]
    assert [len(one.asks.buttons) for one in items] == [*[0] * (len(items) - 1), 1]
    assert items[-1].asks.exact[-1] == "1. Allow"
    assert [one.text for one in items[:-1]] == [PART.format(at, len(items)) for at in range(1, len(items))]
    assert items[-1].text == f"{PART.format(len(items), len(items))}\n\nReply."
    assert all(letters(outbox.text_of(one), *one.asks.exact) <= MANNERS.most_chars for one in items)
    while book.items:
        outbox.ended(_begun(outbox), Sent("r"), NOW)
    outbox.ask_no_more(book.questions["q1"], "Refuse: ann")
    assert _head(outbox).asks.exact[-2:] == (_head(outbox).asks.exact[0], "Refuse: ann")
    assert asked.endswith(_head(outbox).asks.exact[0])


def test_a_question_that_an_older_version_has_planned_is_read() -> None:
    book, outbox = _outbox()
    outbox.ask(_question(), ASKED)
    raw = json.loads(encode(book))
    (item,) = raw["items"].values()
    asks = item.pop("asks")
    item |= {"text": "May I?", "buttons": asks["buttons"], "question": asks["question"]}
    (again,) = decode(json.dumps(raw).encode()).items.values()
    assert (again.text, again.asks) == ("May I?", replace(_head(outbox).asks, exact=()))


def test_a_book_is_read_as_it_was_written() -> None:
    book, outbox = _outbox()
    book.owner, book.cursor = Owner("a", "s"), "7"
    book.seen.add("x")
    book.talks["p"] = Talk(
        Place("p", "t", "group", "Name"), "b", "helper", "thr", 7, 8, (("old", 3),), ("play",), (("ours", "9"),)
    )
    book.questions["q1"] = _question()
    outbox.ask(_question(), ASKED)
    outbox.show("p", "m1", "so far")
    again = decode(encode(book))
    assert encode(again) == encode(book)
    assert (again.talks, again.items, again.questions, again.previews) == (
        *(book.talks, book.items, book.questions),
        book.previews,
    )
    assert "x" in again.seen


def test_one_place_takes_no_more_than_its_share_of_what_may_wait() -> None:
    _, outbox = _outbox()
    for number in range(2 * MOST_ITEMS):
        outbox.say("loud", f"text {number}", f"loud {number}")
    assert not outbox.full
    for number in range(MOST_ITEMS - MOST_ITEMS_EACH):
        assert not outbox.full
        outbox.say(f"place {number}", "text", f"key {number}")
    assert outbox.full


def test_words_that_wait_at_a_place_where_much_does_are_not_planned_again() -> None:
    book, outbox = _outbox()
    for number in range(2 * MOST_ITEMS_EACH):
        outbox.say("loud", "the same", f"key {number}")
    assert len(book.items) == MOST_ITEMS_EACH
    outbox.say("loud", "another", "more")
    assert len(book.items) == MOST_ITEMS_EACH + 1
