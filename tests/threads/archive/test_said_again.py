"""Where words came from rides on when a message is said again, edited or not."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.ids import MessageId, RunId
from sulla.core.message import Origin
from sulla.threads.archive.said_again import said_again
from sulla.threads.log.inputs import waiting_input
from sulla.threads.log.records import Input
from sulla.threads.log.spoken import Heard, Spoken


def _said(text: str, origin: Origin = "user", *, tainted: bool = False, quoted: str = "", said_chars: int = 0) -> Input:
    return Input(MessageId("msg_1"), text, origin=origin, tainted=tainted, quoted=quoted, said_chars=said_chars)


OUTSIDE = _said("fetch it", tainted=True)


@pytest.mark.parametrize("text", ["fetch it", "fetch it now", "something else"])
def test_a_model_s_words_stay_from_outside_however_they_are_edited(text: str) -> None:
    assert said_again(_said(text), OUTSIDE).tainted


@pytest.mark.parametrize("origin", ["web", "agent", "playbook", "beat", "operator"])
def test_what_no_person_said_becomes_nobody_s_by_being_said_again(origin: Origin) -> None:
    again = said_again(_said("the dentist"), _said("the dentist", origin))
    assert again.origin == "web"
    assert not waiting_input(2, again, RunId("run_1"), 0).is_persons


def test_what_was_passed_on_is_passed_on_again_and_not_doubled() -> None:
    earlier = _said("look", quoted="a mail")
    assert said_again(_said("look at it"), earlier).quoted == "a mail"
    with pytest.raises(InvalidInput, match="quoted"):
        said_again(_said("look", quoted="another"), earlier)


def test_a_person_s_own_words_are_the_person_s_when_they_are_edited() -> None:
    assert said_again(_said("Rome, then"), _said("Rome")) == _said("Rome, then")


@pytest.mark.parametrize(
    ("text", "said_chars", "tainted"),
    [("[app] go", 2, False), ("[app] go there", 8, False), ("go there", 0, True), ("[app] ", 0, True)],
)
def test_an_application_s_words_stay_its_own_and_in_doubt_all_are_from_outside(
    text: str, said_chars: int, tainted: bool
) -> None:
    again = said_again(_said(text), _said("[app] go", said_chars=2))
    assert (again.said_chars, again.tainted) == (said_chars, tainted)


def test_what_may_have_been_the_loudspeaker_s_is_not_made_the_person_s() -> None:
    earlier = Input(MessageId("msg_1"), "yes", spoken=Spoken("spk_1", "final", heard=Heard(MessageId("msg_0"), 0)))
    assert said_again(_said("yes"), earlier).tainted
