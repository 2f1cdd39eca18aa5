"""Nobody may write but who was let in; a code is good once, for a while, and cannot be guessed."""

from __future__ import annotations

import pytest

from sulla.channels.machine.people import (
    CODE_S,
    CODES_A_DAY,
    DAY_S,
    MOST_CODES,
    MOST_WRONG,
    ChannelScope,
    Identity,
    People,
    decode,
    encode,
)
from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound

EVE = Identity("tg", "5")
NOW = 1_000.0


def test_scopes_are_a_persons_on_all_channels_and_are_lost_where_that_is_said_alone() -> None:
    known = People().joined("bob", Identity("tg", "1"), ("read", "write"))[0]
    asked, code = known.asking(Identity("dc", "2"), "p", "ABCD2345", NOW)
    with pytest.raises(Conflict, match=r"'bob' may read, write now, by all channels, and would lose write"):
        asked.confirmed(code, "bob", ("read",), NOW)
    cases: tuple[tuple[tuple[ChannelScope, ...] | None, bool, tuple[ChannelScope, ...]], ...] = (
        (None, False, ("read", "write")),
        (("read",), True, ("read",)),
        (("read", "write", "approve"), False, ("read", "write", "approve")),
    )
    for scopes, less, may in cases:
        _, person, good = asked.confirmed(code, "bob", scopes, NOW, less=less)
        assert person is not None
        assert (person.scopes, person.channels, good is not None) == (may, ("tg", "dc"), True)


def test_a_code_lets_in_once() -> None:
    people, code = People().asking(EVE, "p", "ABCD2345", NOW)
    assert people.of(EVE) is None
    people, person, good = people.confirmed("abcd-2345", "eve", None, NOW + 1)
    assert person is not None
    assert good is not None
    assert (person.name, person.scopes, good.place) == ("eve", ("read", "write", "approve"), "p")
    assert people.of(EVE) == person
    assert people.confirmed(code, "mallory", None, NOW + 2)[1] is None


def test_a_code_that_is_refused_lets_nobody_in_and_counts_as_given() -> None:
    people, _ = People().asking(EVE, "p", "ABCD2345", NOW, "E" * 200)
    assert people.codes[0].called == "E" * 80
    assert decode(encode(people)) == people
    people = people.refused("abcd 2345", NOW + 1)
    assert (people.codes, people.confirmed("ABCD2345", "eve", None, NOW + 2)[1]) == ((), None)
    with pytest.raises(NotFound):
        people.refused("ABCD2345", NOW + 2)
    for number in range(CODES_A_DAY - 1):
        people, code = people.asking(EVE, "p", f"CODE{number:04}", NOW + 3)
        people = people.refused(code, NOW + 4)
    assert people.asking(EVE, "p", "CODE9999", NOW + 5)[1] == ""


def test_codes_that_an_older_version_kept_are_read() -> None:
    people, _ = People().asking(EVE, "p", "ABCD2345", NOW)
    assert decode(encode(people).replace(b',"called":""', b"")) == people


def test_a_code_runs_out() -> None:
    people, code = People().asking(EVE, "p", "ABCD2345", NOW)
    assert people.confirmed(code, "eve", None, NOW + CODE_S)[1] is None


def test_a_stranger_gets_one_code_at_a_time_and_few_in_a_day() -> None:
    people, given = People(), list[str]()
    for number in range(100):
        people, code = people.asking(EVE, "p", f"CODE{number:04}", NOW + number * CODE_S / 3)
        given.append(code)
    first_day = [code for number, code in enumerate(given) if number * CODE_S / 3 < DAY_S]
    assert len([code for code in first_day if code]) == CODES_A_DAY


def test_many_strangers_get_few_codes() -> None:
    people, given = People(), 0
    for number in range(1_000):
        people, code = people.asking(Identity("tg", str(number)), "p", f"C{number:07}", NOW)
        given += bool(code)
    assert given == len(people.codes) == MOST_CODES
    assert len(encode(people)) < 20_000
    assert people.without_codes_until("tg") == NOW + CODE_S
    people, elsewhere = people.asking(Identity("slack", "U1"), "p", "ELSEWHERE", NOW)
    assert elsewhere
    assert people.without_codes_until("slack") is None
    later, again = people.asking(Identity("tg", "late"), "p", "LATER", NOW + CODE_S + 1)
    assert again
    assert later.without_codes_until("tg") is None


def test_codes_cannot_be_tried_out() -> None:
    people, code = People().asking(EVE, "p", "ABCD2345", NOW)
    for number in range(MOST_WRONG):
        people, person, _ = people.confirmed(f"WRONG{number}", "eve", None, NOW)
        assert person is None
    with pytest.raises(Conflict):
        people.confirmed(code, "eve", None, NOW)
    with pytest.raises(Conflict):
        decode(encode(people)).confirmed(code, "eve", None, NOW + CODE_S - 1)


def test_a_person_has_identities_on_several_channels() -> None:
    people, _ = People().joined("ann", EVE, ("read", "write"))
    people, ann = people.joined("ann", Identity("mail", "a@b"), None)
    assert [one.channel for one in ann.identities] == ["tg", "mail"]
    assert ann.scopes == ("read", "write")
    with pytest.raises(Conflict):
        people.joined("bob", EVE, None)
    assert people.without("ann").of(EVE) is None
    with pytest.raises(NotFound):
        people.without("bob")


@pytest.mark.parametrize("name", ["", "Ann", "-x", "a" * 41, "a b", "../a", "ä"])
def test_a_name_is_a_plain_word(name: str) -> None:
    with pytest.raises(InvalidInput):
        People().confirmed("x", name, None, NOW)


def test_what_cannot_be_read_lets_nobody_in() -> None:
    with pytest.raises(CorruptRecord):
        decode(b'{"persons": 7}')
