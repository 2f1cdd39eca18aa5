"""Who is there follows from what is said of it, and who last did something from nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.people.presence import (
    HERE_S,
    KEPT_S,
    MOST_CLIENTS,
    MOST_PEOPLE,
    Attendance,
    PersonInfo,
    PresenceTable,
    decode,
    encode,
    merged,
    people,
)

NOW = 1_800_000_000_000
DESK = Attendance("owner", "desktop", 1, NOW - 60_000)


def test_who_sits_idle_stays_idle_however_often_the_client_is_told_of_again() -> None:
    known, now_ms = PresenceTable(), NOW
    for _ in range(100):
        known = merged(known, "home:1", [DESK], now_ms)
        now_ms += 10_000
    (owner,) = people(known, now_ms)
    assert owner.idle_s(now_ms) == 60 + 100 * 10
    assert owner.clients == ("desktop",)


def test_a_daemon_that_says_nothing_more_takes_its_clients_with_it() -> None:
    known = merged(PresenceTable(), "home:1", [DESK], NOW)
    just = NOW + round(HERE_S * 1000)
    assert [one.clients for one in people(known, just - 1)] == [("desktop",)]
    assert people(known, just) == (PersonInfo("owner", (), DESK.active_ms, "desktop"),)


def test_who_was_there_is_known_after_their_daemon_is_forgotten() -> None:
    known = merged(PresenceTable(), "one:1", [DESK], NOW)
    later = NOW + 86_400_000
    known = merged(known, "two:1", [], later)
    assert known.said == {}
    (owner,) = people(known, later)
    assert (owner.clients, owner.client, owner.idle_s(later)) == ((), "desktop", 86_460)
    assert people(merged(known, "two:1", [], NOW + round(KEPT_S * 1000)), NOW) == ()


def test_a_home_that_starts_again_does_not_say_what_it_said_before_it_died() -> None:
    known = merged(PresenceTable(), "home:1", [DESK], NOW)
    assert [one.clients for one in people(merged(known, "home:2", [], NOW + 1), NOW + 1)] == [()]
    assert [one.clients for one in people(merged(known, "other:1", [], NOW + 1), NOW + 1)] == [("desktop",)]


def test_one_person_at_two_daemons_is_one_with_both_clients_and_the_later_activity() -> None:
    phone = Attendance("owner", "phone", 1, NOW - 1_000, available=False, activity="on the train")
    known = merged(merged(PresenceTable(), "one:1", [DESK], NOW), "two:1", [phone], NOW)
    assert people(known, NOW) == (
        PersonInfo("owner", ("phone", "desktop"), NOW - 1_000, "phone", available=False, activity="on the train"),
    )


def test_who_never_did_anything_is_there_and_not_active() -> None:
    known = merged(PresenceTable(), "home:1", [Attendance("owner", "cli", 1)], NOW)
    (owner,) = people(known, NOW)
    assert (owner.clients, owner.active_ms, owner.client, owner.idle_s(NOW)) == (("cli",), 0, "", None)
    assert known.before == ()


def test_what_is_kept_has_a_bound() -> None:
    rows = [Attendance(f"p{number}", "c", 1, NOW - number) for number in range(1_000)]
    known = merged(PresenceTable(), "home:1", rows, NOW)
    assert (len(known.said["home:1"].there), len(known.before)) == (MOST_CLIENTS, MOST_PEOPLE)
    assert known.before[0].person == "p0"


ROWS = st.builds(
    Attendance,
    st.sampled_from(["owner", "ann", "b\N{SNOWMAN}b"]),
    st.sampled_from(["desktop", "cli"]),
    st.integers(0, 3),
    st.one_of(st.just(0), st.integers(NOW - 10**9, NOW)),
    st.booleans(),
    st.text(max_size=5),
)


@given(st.lists(st.tuples(st.sampled_from(["a:1", "b:1", "c:1"]), st.lists(ROWS, max_size=5)), max_size=6))
def test_the_last_activity_never_goes_back_and_what_is_kept_reads_as_it_was(
    said: list[tuple[str, list[Attendance]]],
) -> None:
    known, latest = PresenceTable(), dict[str, int]()
    for step, (daemon, rows) in enumerate(said):
        known = merged(known, daemon, rows, NOW + step)
        assert decode(encode(known)) == known
        for row in rows:
            latest[row.person] = max(latest.get(row.person, 0), row.active_ms)
        shown = {one.name: one.active_ms for one in people(known, NOW + step)}
        assert {name: at for name, at in shown.items() if at} == {name: at for name, at in latest.items() if at}


@pytest.mark.parametrize(
    "value",
    [b"", b"[]", b"{}", b"\xff", b'{"said":{"a":[1]},"before":[]}', b'{"said":{},"before":[{"person":1}]}'],
)
def test_what_cannot_be_read_is_an_error(value: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own is one too
        decode(value)
    assert json.loads(encode(PresenceTable())) == {"said": {}, "before": []}
