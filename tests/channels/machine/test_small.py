"""Rates, tokens, what was seen, what is being written, and names of files."""

from __future__ import annotations

from dataclasses import replace

from sulla.channels.base import Manners, Place
from sulla.channels.machine import asking
from sulla.channels.machine.hurry import FREE, PAUSE_S, Hurry
from sulla.channels.machine.live import FIRST_S, LiveText
from sulla.channels.machine.names import safe_name
from sulla.channels.machine.pace import BURST, MOST_PLACES, Pace
from sulla.channels.machine.people import Person
from sulla.channels.machine.seen import MOST_SEEN, Seen
from sulla.channels.machine.values import Shown
from sulla.core.ids import CallId
from sulla.threads.log.waits import Wait

MANNERS = Manners(most_chars=200, sends_per_s=10, place_sends_per_s=1, edits_per_s=0.5)
WAIT = Wait("approval:x", CallId("c"), "May I?", tool="post", target="host:a")


def test_one_place_is_sent_one_thing_in_a_second() -> None:
    pace = Pace(MANNERS)
    assert [pace.take("p", 100.0) for _ in range(4)] == [100.0, 101.0, 102.0, 103.0]
    assert 100.0 <= pace.due_s("q", 100.0) < 100.3


def test_all_places_together_get_what_the_service_allows() -> None:
    pace = Pace(MANNERS)
    turns = [pace.take(str(number), 0.0) for number in range(50)]
    assert turns[:BURST] == [0.0] * BURST
    for second in range(5):
        assert sum(second <= turn < second + 1 for turn in turns) <= 10 + BURST
    assert turns[-1] < 5


def test_a_service_that_wants_rest_gets_it() -> None:
    pace = Pace(MANNERS)
    pace.rest(30.0, "q", 0.0)
    assert pace.take("p", 1.0) == 30.0
    assert (pace.rests_s("p", 10.0), pace.rests_s("p", 31.0)) == (20.0, 0.0)


def test_a_place_that_wants_rest_gets_it_alone() -> None:
    pace, whole = Pace(MANNERS), Pace(replace(MANNERS, threads_apart=False))
    for one, thread in ((pace, "p"), (whole, "p\n7")):
        one.rest(30.0, "p", 0.0, "place")
        one.rest(10.0, "p", 1.0, "place")
        assert one.take(thread, 1.0) == 30.0
        assert one.take("q", 1.0) < 2.0
        assert (one.rests_s(thread, 10.0), one.rests_s(thread, 31.0), one.rests_s("q", 2.0)) == (20.0, 0.0, 0.0)
    assert pace.rests_s("p\n7", 10.0) == 0.0


def test_where_nobody_says_what_is_to_rest_all_does_once_a_second_place_is_refused() -> None:
    pace = Pace(MANNERS)
    for second in (0.0, 1.0):
        pace.rest(30.0, "p", second, "unsaid")
    assert pace.rests_s("r", 2.0) == 0.0
    pace.rest(5.0, "q", 40.0, "unsaid")  # that of the first is over
    assert pace.rests_s("r", 40.0) == 0.0
    pace.rest(7.0, "p", 41.0, "unsaid")
    assert (pace.rests_s("r", 41.0), pace.rests_s("r", 49.0)) == (7.0, 0.0)


def test_no_more_places_rest_than_are_remembered() -> None:
    pace = Pace(MANNERS)
    for number in range(MOST_PLACES + 1):
        pace.rest(30.0, str(number), 0.0, "place")
    assert (pace.rests_s("0", 1.0), pace.rests_s("1", 1.0), pace.rests_s(str(MOST_PLACES), 1.0)) == (0.0, 29.0, 29.0)


def test_edits_are_as_slow_as_the_slower_of_both() -> None:
    assert Pace(MANNERS).edit_s() == 2.0
    assert Pace(Manners(200, 10, 1)).edit_s() == 0.0


def test_a_group_may_have_a_rate_of_its_own() -> None:
    pace = Pace(replace(MANNERS, group_sends_per_s=0.25))
    assert [pace.take("g", 100.0, group=True) for _ in range(3)] == [100.0, 104.0, 108.0]
    first, second = (pace.take("p", 100.0) for _ in range(2))
    assert second - first == 1.0
    assert (pace.edit_s(group=True), pace.edit_s()) == (4.0, 2.0)
    assert Pace(MANNERS).edit_s(group=True) == 2.0


def test_edits_of_all_messages_keep_a_rate_of_their_own_and_hold_up_no_send() -> None:
    pace = Pace(replace(MANNERS, sends_per_s=100, all_edits_per_s=0.5))
    turns = [pace.take(f"p{number}", 0.0, edit=True) for number in range(6)]
    assert turns == [0.0, 0.0, 0.0, 2.0, 4.0, 6.0]
    assert pace.due_s("q", 0.0, edit=True) == 8.0
    assert pace.due_s("q", 0.0) < 0.1
    free = Pace(replace(MANNERS, sends_per_s=100))
    assert all(free.take(f"p{number}", 0.0, edit=True) < 0.1 for number in range(6))


def test_threads_have_a_pace_of_their_own_or_that_of_their_place() -> None:
    keys = [Place("c", topic).key for topic in ("", "1", "2")]
    together, apart = Pace(replace(MANNERS, threads_apart=False)), Pace(MANNERS)
    assert [together.take(key, 0.0) for key in keys] == [0.0, 1.0, 2.0]
    assert together.take("other", 0.0) < 1.0
    assert max(apart.take(key, 0.0) for key in keys) < 0.3


def test_tokens_are_bound_to_question_place_and_channel() -> None:
    question = asking.question_of(WAIT, "p", "t", "secret", 3)
    assert [one.verdict for one in question.choices] == ["approve", "reject", "always"]
    others = (
        asking.question_of(WAIT, "p", "t", "other", 3),
        asking.question_of(WAIT, "q", "t", "secret", 3),
        asking.question_of(Wait("approval:y", CallId("c"), "May I?"), "p", "t", "secret", 3),
    )
    tokens = {one.token for each in (question, *others) for one in each.choices}
    assert len(tokens) == 3 + 3 + 3 + 2
    assert all(len(one) <= 22 for one in tokens)
    assert asking.question_of(WAIT, "p", "t", "secret", 3) == question


def test_a_press_counts_for_who_may_at_its_place_while_it_is_asked() -> None:
    question = asking.question_of(WAIT, "p", "t", "secret", 3)
    open_, token = {question.id: question}, question.choices[0].token
    assert asking.pressed(open_, token, "p", Person("ann")) == asking.Answered(question, question.choices[0])
    assert asking.pressed(open_, token, "q", Person("ann")) == asking.OLD
    assert asking.pressed(open_, "forged", "p", Person("ann")) == asking.OLD
    assert asking.pressed({}, token, "p", Person("ann")) == asking.OLD
    assert asking.pressed(open_, token, "p", Person("rita", ("read", "write"))) == asking.NOT_YOURS


def test_choices_that_are_longer_than_a_button_stand_in_the_question() -> None:
    question = asking.question_of(Wait("answer:x", CallId("c"), "Which?", choices=("a", "b" * 21)), "p", "t", "s", 3)
    assert asking.shown_of(question, button_chars=20) == Shown(("Which?", f"- a\n- {'b' * 21}"))
    assert asking.shown_of(question, button_chars=21) == Shown(("Which?",))


def test_without_buttons_it_is_asked_in_words() -> None:
    question = asking.question_of(Wait("answer:x", CallId("c"), "Which?", choices=("a", "b")), "p", "t", "secret", 0)
    assert [(one.verdict, one.text) for one in question.choices] == [("result", "a"), ("result", "b")]
    said = asking.shown_of(question, button_chars=0).exact[1]
    assert all(f"/pick {one.token}" in said for one in question.choices)


def test_what_was_seen_is_known_and_bounded() -> None:
    seen = Seen()
    for number in range(3 * MOST_SEEN):
        seen.add(f"m{number}")
        seen.add(f"m{number}")
    assert len(seen.digests) <= MOST_SEEN + MOST_SEEN // 4
    assert all(f"m{number}" in seen for number in range(2 * MOST_SEEN, 3 * MOST_SEEN))
    assert "m0" not in seen
    assert "m12287" in Seen(seen.digests)


def test_an_answer_is_shown_when_it_takes_a_while() -> None:
    live = LiveText()
    live.hear("m1", 0, "Hel", 10.0)
    assert live.due_s(2.0) == 10.0 + FIRST_S
    live.hear("m1", 3, "lo", 10.5)
    live.hear("m1", 3, "lo", 10.6)
    assert live.take(11.0) == "Hello"
    assert live.due_s(2.0) is None
    live.hear("m1", 5, "!", 11.1)
    assert live.due_s(2.0) == 13.0


def test_an_answer_with_a_hole_is_not_shown() -> None:
    live = LiveText()
    live.hear("m1", 7, "lo", 10.0)
    assert live.due_s(2.0) is None
    live.hear("m2", 0, "new", 10.0)
    assert live.take(12.0) == "new"


def test_names_of_files_are_plain_and_never_the_same() -> None:
    hostile = [
        "../../x.sh",
        "/etc/passwd",
        "C:\\a\\b.exe",
        ".bashrc",
        "con.txt",
        "a\u202egnp.exe",
        "x" * 999,
        "",
        "\n",
        "…",
    ]
    made = [safe_name(name, "m1", number) for number, name in enumerate(hostile)]
    assert len(set(made)) == len(hostile)
    for name in made:
        assert name.isascii()
        assert len(name) < 90
        assert not set(name) & set("/\\\n\x00 ")
        assert not name.startswith(".")
    assert safe_name("report.pdf", "m1", 0).endswith("-report.pdf")
    assert safe_name("a", "m1", 0) == safe_name("a", "m1", 0) != safe_name("a", "m2", 0)


def test_a_service_that_answers_at_once_with_nothing_new_is_asked_more_seldom() -> None:
    hurry, now_s, pauses = Hurry(0.0), 0.0, list[float]()
    for _ in range(10):
        pauses.append(hurry.came(now_s, fresh=False))
        now_s += pauses[-1]
    assert pauses == [0.0] * FREE + [PAUSE_S] * (10 - FREE)
    assert hurry.came(now_s, fresh=True) == 0.0
    assert not hurry.slows
    assert [hurry.came(now_s + 30.0 * number, fresh=False) for number in range(1, 10)] == [0.0] * 9
