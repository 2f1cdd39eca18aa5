"""What is sent where and when: quiet hours, joining, attempts and rates, on the machine alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.notify import facts as f
from sulla.notify.composed import composed
from sulla.notify.outbox import Manners, Outbox, quiet_end
from sulla.notify.values import BACKOFF_S, BROKEN_AFTER, HOUR_MS, MAX_LINES, MAX_TRIES, MAX_WAITING, News, Rules
from sulla.schedules.hours import parse_hours

NOON_MS = 1_800_014_400_000  # 2027-01-15 12:00 UTC
MINUTE = 60_000
NEWS = News("n1", "m1", "notice", "A notice", "the frost is over", "normal", NOON_MS)
BERLIN = ZoneInfo("Europe/Berlin")


def box(*rules: Rules, now_ms: int = NOON_MS - 1, **manners: Any) -> Outbox:
    made = Outbox(rules or (Rules("mail", frozenset({"notice"})),), Manners(**manners))
    put(made, made.opened(now_ms))
    return made


def put(outbox: Outbox, facts: Iterable[f.Fact]) -> list[f.Fact]:
    found = list(facts)
    for fact in found:
        outbox.apply(f.decode(f.encode(fact)))  # as it comes from the file
    return found


def tell(outbox: Outbox, now_ms: int = NOON_MS, **news: Any) -> list[f.Fact]:
    return put(outbox, outbox.heard(replace(NEWS, **{"at_ms": now_ms, **news}), now_ms))


def send(outbox: Outbox, now_ms: int = NOON_MS) -> str:
    message = outbox.next(now_ms)
    assert message is not None
    put(outbox, outbox.sending(message.id, now_ms))
    return message.id


def test_news_go_to_the_channels_that_take_them_once_each() -> None:
    rules = (
        Rules("mail", frozenset({"notice"})),
        Rules("push", frozenset({"notice"}), "high"),
        Rules("chat", frozenset({"beat"})),
    )
    outbox = box(*rules)
    tell(outbox)
    assert tell(outbox) == []
    assert [one.channel for one in outbox.waiting.values()] == ["mail"]
    tell(outbox, id="n2", matter="m2", level="high")
    assert [one.channel for one in outbox.waiting.values()] == ["mail", "mail", "push"]
    put(outbox, outbox.sent(send(outbox), NOON_MS))
    assert tell(outbox) == []
    assert tell(outbox, id="n2", matter="m2", level="high") == []


def test_a_new_channel_is_not_sent_what_was_told_before_it_was_there() -> None:
    outbox = box(now_ms=NOON_MS)
    assert put(outbox, outbox.heard(replace(NEWS, at_ms=NOON_MS - 1), NOON_MS)) == []
    assert tell(outbox) != []


def test_one_that_is_gone_takes_what_waits_for_it_along() -> None:
    outbox = box()
    tell(outbox)
    again = Outbox((Rules("push", frozenset({"notice"})),), Manners())
    put(again, outbox.live())
    facts = put(again, again.opened(NOON_MS))
    assert [type(fact).__name__ for fact in facts] == ["ChannelBegan", "ChannelGone"]
    assert (again.waiting, list(again.states)) == ({}, ["push"])


@pytest.mark.parametrize(
    ("quiet", "at", "end"),
    [
        ("22:00-07:00", 21, 21),
        ("22:00-07:00", 22, 31),
        ("22:00-07:00", 30, 31),
        ("22:00-07:00", 31, 31),
        ("sat,sun 00:00-00:00", 48, 48 + 24),  # within Saturday to the end of Sunday
        ("mon-sun 00:00-00:00", 5, 5),  # hours that never end are none
    ],
)
def test_quiet_hours_end_when_they_say(quiet: str, at: int, end: int) -> None:
    friday = 1_799_971_200_000  # 2027-01-15 00:00 UTC
    hours = parse_hours(quiet)
    assert quiet_end(hours, friday + at * HOUR_MS, ZoneInfo("UTC")) == friday + end * HOUR_MS


def test_quiet_hours_go_by_the_clock_of_the_home_also_where_it_is_put_forward() -> None:
    # 2027-03-28 02:00 becomes 03:00 in Berlin: 00:30 UTC is 01:30 there, and 07:00 there is 05:00 UTC.
    night = 1_806_193_800_000
    assert quiet_end(parse_hours("22:00-07:00"), night, BERLIN) == night + 4 * HOUR_MS + 30 * MINUTE


@pytest.mark.parametrize(("passes", "waits"), [(True, False), (False, True)])
def test_what_comes_in_quiet_hours_waits_and_is_not_lost_urgent_ones_as_is_set(passes: bool, waits: bool) -> None:
    outbox = box(quiet=parse_hours("08:00-20:00"), urgent_passes=passes)
    tell(outbox)
    tell(outbox, id="n2", matter="m2", level="high")
    found = outbox.next(NOON_MS)
    assert (found is None) is waits
    assert found is None or found.urgent
    assert outbox.next_due_ms() == (NOON_MS + 8 * HOUR_MS if waits else NOON_MS)
    assert outbox.next(NOON_MS + 8 * HOUR_MS) is not None


def test_further_news_of_a_matter_become_one_message_at_the_end_of_the_window() -> None:
    outbox = box(join_ms=10 * MINUTE)
    tell(outbox)
    put(outbox, outbox.sent(send(outbox), NOON_MS))
    for number in range(2, 5):
        tell(outbox, NOON_MS + number * MINUTE, id=f"n{number}", text=f"news {number}")
    assert outbox.next(NOON_MS + 9 * MINUTE) is None
    message = outbox.next(NOON_MS + 10 * MINUTE)
    assert message is not None
    assert [text for _, text, _ in message.news] == ["news 2", "news 3", "news 4"]
    assert len(outbox.waiting) == 1


def test_an_urgent_one_takes_what_waits_of_its_matter_along_at_once() -> None:
    outbox = box(join_ms=10 * MINUTE)
    tell(outbox)
    put(outbox, outbox.sent(send(outbox), NOON_MS))
    tell(outbox, NOON_MS + MINUTE, id="n2")
    tell(outbox, NOON_MS + 2 * MINUTE, id="n3", level="high", outside=True)
    message = outbox.next(NOON_MS + 2 * MINUTE)
    assert message is not None
    assert (len(message.news), message.urgent, message.outside) == (2, True, True)


def test_what_is_being_sent_or_was_tried_is_not_added_to() -> None:
    outbox = box(join_ms=0)
    tell(outbox)
    id_ = send(outbox)
    tell(outbox, id="n2")
    assert len(outbox.waiting) == 2
    put(outbox, outbox.failed(id_, "down", NOON_MS))
    tell(outbox, id="n3")
    assert sorted(len(one.news) for one in outbox.waiting.values()) == [1, 2]


def test_so_many_news_are_shown_and_of_more_the_number_is_said() -> None:
    outbox = box()
    for number in range(MAX_LINES + 5):
        tell(outbox, id=f"n{number}")
    (message,) = outbox.waiting.values()
    assert (len(message.news), message.more) == (MAX_LINES, 5)
    assert (
        "(and 5 more of the same; `sulla notices` lists them)"
        in composed(message, outbox.states["mail"], NOON_MS, BERLIN)[1]
    )
    assert tell(outbox, id=f"n{MAX_LINES + 4}") == []  # known, though not shown


def test_what_was_held_back_says_when_it_happened_by_the_clock_of_the_home() -> None:
    outbox = box(join_ms=10 * MINUTE, quiet=parse_hours("13:00-14:00"), zone=BERLIN)
    tell(outbox)
    tell(outbox, NOON_MS + 59 * MINUTE, id="n2", text="the snow is gone")
    again = box(zone=BERLIN)
    put(again, outbox.live())
    message = again.next(NOON_MS + 60 * MINUTE)
    assert message is not None
    said = composed(message, again.states["mail"], NOON_MS + 60 * MINUTE, again.zone)[1]
    held = "the frost is over\n(this happened on 2027-01-15 at 13:00, Europe/Berlin)"
    assert said == f"{held}\n\nthe snow is gone"


def test_a_message_of_a_file_from_before_does_not_say_when_it_happened() -> None:
    outbox = box()
    (queued,) = tell(outbox)
    old = f.decode(f.encode(queued).replace(b",%d]]" % NOON_MS, b"]]"))
    assert isinstance(old, f.Queued)
    assert old.message.news == (("n1", "the frost is over", 0),)
    assert composed(old.message, outbox.states["mail"], NOON_MS + HOUR_MS, BERLIN)[1] == "the frost is over"


def test_attempts_wait_longer_each_time_and_end() -> None:
    outbox, now_ms = box(), NOON_MS
    tell(outbox)
    for number in range(1, MAX_TRIES):
        put(outbox, outbox.failed(send(outbox, now_ms), f"down {number}", now_ms))
        wait_ms = BACKOFF_S[min(number - 1, len(BACKOFF_S) - 1)] * 1_000
        assert outbox.next(now_ms + wait_ms - 1) is None
        now_ms += wait_ms
        assert bool(outbox.broken()) is (number >= BROKEN_AFTER)
    put(outbox, outbox.failed(send(outbox, now_ms), "down for good", now_ms))
    assert (outbox.waiting, outbox.states["mail"].left_out) == ({}, 1)
    tell(outbox, now_ms, id="n2", matter="m2")
    (message,) = outbox.waiting.values()
    assert "(1 earlier ones could not be sent" in composed(message, outbox.states["mail"], NOON_MS, BERLIN)[1]
    put(outbox, outbox.sent(send(outbox, now_ms + HOUR_MS), now_ms))
    assert (outbox.broken(), outbox.states["mail"].left_out, outbox.states["mail"].why) == ({}, 0, "")


def test_a_channel_that_failed_rests_with_all_that_waits_for_it_and_the_others_go_on() -> None:
    outbox = box(Rules("mail", frozenset({"notice"})), Rules("push", frozenset({"notice"})))
    tell(outbox)
    mail, push = send(outbox), send(outbox)
    put(outbox, outbox.failed(mail, "down", NOON_MS))
    put(outbox, outbox.sent(push, NOON_MS))
    tell(outbox, id="n2", matter="m2", level="high")
    found = outbox.next(NOON_MS)
    assert found is not None
    assert (found.channel, found.matter) == ("push", "m2")
    put(outbox, outbox.sending(found.id, NOON_MS))
    assert outbox.next(NOON_MS) is None


def test_a_channel_is_sent_so_much_in_an_hour_and_the_rest_waits() -> None:
    outbox = box(per_hour=2, join_ms=0)
    for number in range(3):
        tell(outbox, id=f"n{number}", matter=f"m{number}")
    for minute in range(2):
        put(outbox, outbox.sent(send(outbox, NOON_MS + minute * MINUTE), NOON_MS + minute * MINUTE))
    assert outbox.next(NOON_MS + HOUR_MS - 1) is None
    assert outbox.next_due_ms() == NOON_MS + HOUR_MS
    assert outbox.next(NOON_MS + HOUR_MS) is not None


def test_an_attempt_whose_end_is_unknown_is_made_again_and_says_so() -> None:
    outbox = box()
    tell(outbox)
    id_ = send(outbox)
    again = Outbox((Rules("mail", frozenset({"notice"})),), Manners())
    put(again, outbox.live())
    assert put(again, again.opened(NOON_MS)) == [f.Doubted(id_, NOON_MS)]
    message = again.next(NOON_MS)
    assert message is not None
    assert "(this may have been sent before" in composed(message, again.states["mail"], NOON_MS, BERLIN)[1]
    put(again, again.sending(id_, NOON_MS))
    put(again, again.failed(id_, "no answer", NOON_MS, unknown=True))
    assert again.waiting[id_].doubtful


def test_a_failure_that_is_known_leaves_no_doubt() -> None:
    outbox = box()
    tell(outbox)
    put(outbox, outbox.failed(send(outbox), "refused", NOON_MS))
    assert not next(iter(outbox.waiting.values())).doubtful


def test_a_full_outbox_gives_up_the_oldest_calm_one_and_counts_it() -> None:
    outbox = box(join_ms=0)
    for number in range(MAX_WAITING):
        tell(outbox, NOON_MS + number, id=f"n{number}", matter=f"m{number}")
    first = min(outbox.waiting.values(), key=lambda one: one.made_ms)
    tell(outbox, NOON_MS + MAX_WAITING, id="x", matter="x")
    assert (len(outbox.waiting), first.id in outbox.waiting, outbox.left_out) == (MAX_WAITING, False, {"mail": 1})


def test_where_all_that_waits_is_urgent_a_calm_one_is_given_up_itself() -> None:
    outbox = box(join_ms=0)
    for number in range(MAX_WAITING):
        tell(outbox, NOON_MS, id=f"n{number}", matter=f"m{number}", level="high")
    tell(outbox, id="x", matter="x")
    assert (len(outbox.waiting), outbox.left_out) == (MAX_WAITING, {"mail": 1})
    assert all(one.urgent for one in outbox.waiting.values())
    assert tell(outbox, id="x", matter="x") == []


@given(st.data())
def test_the_same_facts_give_the_same_outbox_however_it_was_written(data: st.DataObject) -> None:
    outbox, now_ms = box(join_ms=data.draw(st.sampled_from([0, MINUTE]))), NOON_MS
    for number in range(data.draw(st.integers(1, 12))):
        now_ms += data.draw(st.integers(0, 2 * MINUTE))
        what = data.draw(st.sampled_from(["tell", "send", "fail", "unknown"]))
        if what == "tell":
            tell(outbox, now_ms, id=f"n{number}", matter=data.draw(st.sampled_from("ab")))
        elif (message := outbox.next(now_ms)) is not None:
            put(outbox, outbox.sending(message.id, now_ms))
            if what == "send":
                put(outbox, outbox.sent(message.id, now_ms))
            else:
                put(outbox, outbox.failed(message.id, "down", now_ms, unknown=what == "unknown"))
    other = Outbox((Rules("mail", frozenset({"notice"})),), Manners())
    put(other, outbox.live())
    assert (other.waiting, other.states) == (outbox.waiting, outbox.states)
