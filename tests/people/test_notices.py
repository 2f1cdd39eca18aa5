from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.errors import CorruptRecord
from sulla.people.notices import (
    KEPT_DAYS,
    MOST_A_DAY,
    NoticeFold,
    NoticeKept,
    NoticeRead,
    NoticesForgotten,
    decode,
    encode,
    is_over,
    key_of,
    sameness,
)
from sulla.store.values import Record

AT = 1_800_000_000_000
DAY = key_of(AT)
TEA = NoticeKept("ntc_1", "thr_1", "run_1", "sulla", "Tea is ready.", "normal", False, AT)


def book(*facts: NoticeKept | NoticeRead | NoticesForgotten) -> NoticeFold:
    made = NoticeFold()
    for seq, fact in enumerate(facts, 1):
        made.apply(DAY, seq, fact)
    return made


def test_a_notice_is_unseen_by_each_until_each_has_seen_it() -> None:
    made = book(TEA)
    assert [one.id for one in made.unseen("ann")] == [one.id for one in made.unseen()] == ["ntc_1"]
    made.apply(DAY, 2, NoticeRead("ntc_1", "ann", AT + 5))
    made.apply(DAY, 3, NoticeRead("ntc_1", "ann", AT + 9))
    assert (made.unseen("ann"), made.unseen()) == ([], [])
    assert [one.id for one in made.unseen("bob")] == ["ntc_1"]
    assert made.all()[0].seen == {"ann": AT + 5}


def test_a_notice_that_is_kept_again_stays_as_it_was_and_seen_by_whom_it_was() -> None:
    made = book(TEA, NoticeRead("ntc_1", "ann", AT + 5), replace(TEA, text="Coffee is ready."))
    (one,) = made.all()
    assert (one.text, one.seen) == ("Tea is ready.", {"ann": AT + 5})


def test_news_come_in_the_order_in_which_they_were_read() -> None:
    made = book(*(replace(TEA, id=f"ntc_{number}") for number in range(5)))
    first = made.unseen("ann")
    assert [one.id for one in first] == [f"ntc_{number}" for number in range(5)]
    assert [one.id for one in made.unseen("ann", after=first[2].number)] == ["ntc_3", "ntc_4"]


def test_a_day_holds_so_many_and_no_more() -> None:
    made = book(*(replace(TEA, id=f"ntc_{number}") for number in range(MOST_A_DAY + 7)))
    assert len(made.all()) == MOST_A_DAY
    assert made.most(DAY, TEA) == MOST_A_DAY
    assert not made.most(key_of(AT + 86_400_000), TEA)


def test_of_a_conversation_that_is_gone_nothing_is_shown() -> None:
    made = book(TEA, replace(TEA, id="ntc_2", thread_id="thr_2"), NoticesForgotten("thr_1", AT))
    assert [one.id for one in made.all()] == [one.id for one in made.unseen()] == ["ntc_2"]
    assert made.get("ntc_1") is None


def test_a_log_is_over_after_its_days_and_not_before() -> None:
    days = 86_400_000
    assert not is_over(DAY, AT + KEPT_DAYS * days)
    assert is_over(DAY, AT + (KEPT_DAYS + 1) * days)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The report is ready.", "  the REPORT\n is ready. "),
        ("Backup of 2027-01-15 failed at 08:00:01.", "Backup of 2027-1-16 failed at 9:30."),
        ("Since 2027-01-15T08:00:00.000Z nothing.", "Since 2027-01-16 09:00 nothing."),
        ("Due 15.01.2027", "Due 16.01.27"),
        ("It is 8:00 am now", "It is 11:45 PM now"),
    ],
)
def test_the_same_said_at_another_time_is_the_same(one: str, other: str) -> None:
    assert sameness(one) == sameness(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 mails are unread.", "4 mails are unread."),
        ("Version 1.2.3 is out.", "Version 1.2.4 is out."),
        ("Call Ann.", "Call Bob."),
        ("Ratio 1:2", "Ratio 1:3"),
    ],
)
def test_another_thing_is_another_thing(one: str, other: str) -> None:
    assert sameness(one) != sameness(other)


@pytest.mark.parametrize("fact", [TEA, NoticeRead("ntc_1", "ann", AT), NoticesForgotten("thr_1", AT)])
def test_a_fact_reads_as_it_was_written(fact: NoticeKept) -> None:
    draft = encode(fact)
    assert decode(Record(1, draft.kind, True, draft.body), DAY) == fact


def test_a_record_that_is_damaged_or_of_a_later_version_is_an_error_that_names_it() -> None:
    body = encode(TEA).body
    for record in (
        Record(7, "NOTICE_KEPT", True, body.replace(b"Tea", b"Pea")),
        Record(7, "NOTICE_SUNG", True, body),
        Record(7, "NOTICE_SEEN", True, encode(NoticeRead("a", "b", 1)).body[:-2]),
    ):
        with pytest.raises(CorruptRecord, match=f"{DAY} record 7"):
            decode(record, DAY)
