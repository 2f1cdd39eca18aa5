"""Who named an address first, of a thread of which any part may be out of sight."""

from __future__ import annotations

import pytest

from sulla.core.addresses import BITS, MOST_BEGUN, MOST_NAMED, NamedAddresses

LINK = "https://docs.example/guide?page=2"
NOBODY = NamedAddresses()


def wrote(*texts: str, cut: bool = False) -> NamedAddresses:
    return NOBODY.wrote(texts, cut=cut)


@pytest.mark.parametrize("text", [f"see {LINK}.", f"[guide]({LINK})", f"<{LINK}>", LINK])
def test_what_a_person_says_is_a_persons(text: str) -> None:
    assert NOBODY.said(text).is_persons(LINK)
    assert not NOBODY.said(text).is_persons(f"{LINK}3")


def test_what_the_model_wrote_before_is_not_also_where_it_is_hidden() -> None:
    for named in (wrote(f"See {LINK}."), wrote(LINK, "and words"), wrote(f"See {LINK}.").hidden()):
        assert named.is_models(LINK)
        assert not named.said(LINK).is_persons(LINK)
        assert not named.said(LINK.upper()).is_persons(LINK.upper()), "a recognizer may spell it otherwise"
        assert named.said("https://other.example/").is_persons("https://other.example/")


def test_what_a_person_named_before_stays_a_persons() -> None:
    named = NOBODY.said(LINK).wrote((f"I read {LINK}.",), cut=False).hidden().said(LINK)
    assert named.is_persons(LINK)
    assert not named.is_models(LINK)


def test_what_is_out_of_sight_is_told_from_what_is_not() -> None:
    assert not wrote(LINK).was_models(LINK)
    both = wrote(LINK).hidden().wrote(("https://other.example/",), cut=False)
    assert both.was_models(LINK)
    assert not both.was_models("https://other.example/")
    assert both.hidden().was_models("https://other.example/")


@pytest.mark.parametrize("end", ["https://d", "https://docs.exam", "HTTPS://Docs.example/guide", LINK[:-1]])
def test_an_address_that_a_cut_reply_ends_within_is_the_models(end: str) -> None:
    assert not wrote(f"See {end}", cut=True).said(LINK).is_persons(LINK)
    assert wrote(f"See {end}", cut=True).hidden().is_models(LINK)
    assert wrote(f"See {end}").said(LINK).is_persons(LINK), "it was not cut"
    assert wrote(f"See {end} and", cut=True).said(LINK).is_persons(LINK), "it did not end there"


def test_of_another_address_a_cut_reply_says_nothing() -> None:
    assert wrote("See https://other.exam", cut=True).said(LINK).is_persons(LINK)
    assert wrote("See https://", cut=True).said(LINK).is_persons(LINK), "nobody knows whose"


def test_it_is_bounded_and_what_is_forgotten_is_nobodys() -> None:
    links = [f"{LINK}{number}" for number in range(MOST_NAMED + 1)]
    named = NOBODY.said("\n".join(links))
    assert len(named.persons) == MOST_NAMED
    assert [link for link in links if not named.is_persons(link)] == links[:1]
    for link in links:
        named = named.wrote((f"{link}x",), cut=False).hidden().wrote((link[:20],), cut=True)
    assert len(named.before) == BITS // 8 * 4 // 3 + 2
    assert len(named.begun) == MOST_BEGUN


def test_of_what_the_model_wrote_nothing_is_missed_and_little_else_is_taken_for_it() -> None:
    named = NOBODY
    for number in range(300):
        named = named.wrote((f"{LINK}&of={number}",), cut=False).hidden()
    assert all(named.was_models(f"{LINK}&of={number}") for number in range(300))
    assert sum(named.was_models(f"{LINK}&other={number}") for number in range(1000)) <= 20


@pytest.mark.parametrize("text", ["", "no address", "https://", "https:// docs.example", "mailto:me@docs.example"])
def test_where_there_is_none_nothing_is_kept(text: str) -> None:
    assert wrote(text, cut=True) is NOBODY
    assert NOBODY.said(text) is NOBODY
    assert NOBODY.hidden() is NOBODY
