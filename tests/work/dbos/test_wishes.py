"""Who wants the same of one state of a log takes the same name."""

from __future__ import annotations

from itertools import islice

from sulla.work.dbos.wishes import Wish


def _names(wish: Wish) -> list[str]:
    return list(islice(wish.ids(), 3))


def test_a_wish_is_named_by_its_log_and_the_newest_record_in_it() -> None:
    assert _names(Wish("a", 7)) == ["a:7", "a:7:2", "a:7:3"]


def test_wishes_of_other_states_logs_and_kinds_have_no_name_in_common() -> None:
    wishes = (Wish("a", 7), Wish("a", 8), Wish("b", 7), Wish("a", 7, although_held=True))
    names = [name for wish in wishes for name in _names(wish)]
    assert len(set(names)) == len(names)


def test_one_that_is_sent_later_is_the_same_wish() -> None:
    assert _names(Wish("a", 7, delay_s=30.0)) == _names(Wish("a", 7))
