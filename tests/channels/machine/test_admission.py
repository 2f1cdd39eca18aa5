"""Whose words are taken up, and as whose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.channels.base import Arrived, ArrivedKind, Place, Press, Sender
from sulla.channels.machine.admission import (
    OTHER,
    Changed,
    Commanded,
    Ignored,
    Pressed,
    Rules,
    Saying,
    Stranger,
    Told,
    Verdict,
    judge,
)
from sulla.channels.machine.people import Identity, People, Person

ANN = Person("ann", identities=(Identity("tg", "1"),))
READER = Person("rita", ("read",), (Identity("tg", "2"),))
PEOPLE = People((ANN, READER))
HOME, GROUP = Place("h"), Place("g", kind="group")
RULES = Rules("tg", frozenset({"g"}), {"9": "nina"})


def _of(sender: str, text: str = "hello", place: Place = HOME, rules: Rules = RULES, **more: object) -> Verdict:
    arrived = replace(Arrived(place, Sender(sender, "ann"), "m1", text=text), **more)  # type: ignore[arg-type] # a test's
    return judge(arrived, PEOPLE, rules, ("bot",))


def test_a_person_says_something() -> None:
    assert _of("1") == Saying(ANN)
    assert _of("9") == Saying(Person("nina", identities=(Identity("tg", "9"),)))


def test_a_name_opens_no_door() -> None:
    assert _of("3") == Stranger(Identity("tg", "3"))
    assert isinstance(judge(Arrived(HOME, Sender("", "ann"), "m"), PEOPLE, RULES), Ignored)
    assert isinstance(_of("bot"), Ignored)


def test_the_same_sender_of_another_channel_is_a_stranger() -> None:
    assert judge(Arrived(HOME, Sender("1"), "m", text="x"), PEOPLE, Rules("mail")) == Stranger(Identity("mail", "1"))


def test_what_a_stranger_changes_or_presses_asks_for_nothing() -> None:
    assert isinstance(_of("3", kind="edit"), Ignored)
    assert isinstance(_of("3", kind="delete"), Ignored)
    assert isinstance(_of("3", kind="press", press=Press("t")), Told)


def test_a_group_is_left_alone_unless_allowed_and_meant() -> None:
    assert isinstance(_of("1", place=Place("other", kind="group")), Ignored)
    assert isinstance(_of("1", place=GROUP, addressed=False), Ignored)
    assert isinstance(_of("3", place=GROUP, addressed=False), Ignored)
    assert _of("1", place=GROUP) == Saying(ANN)


@pytest.mark.parametrize("kind", ["message", "edit", "delete"])
def test_members_of_a_group_whom_nobody_has_let_in_are_not_heard_unless_the_settings_say_so(kind: ArrivedKind) -> None:
    assert isinstance(_of("3", place=GROUP, kind=kind), Ignored)
    heard = _of("3", text="/new", place=GROUP, rules=replace(RULES, strangers=True), kind=kind)
    assert heard == (Saying(None) if kind == "message" else Changed(None))


def test_who_may_only_read_is_told_so() -> None:
    assert isinstance(_of("2"), Told)
    assert isinstance(_of("2", text="/new"), Told)
    assert isinstance(_of("2", kind="edit"), Ignored)
    assert isinstance(_of("2", kind="other"), Told)


def test_who_may_only_read_may_look() -> None:
    assert _of("2", text="/help") == Commanded(READER, "help", "")
    assert _of("2", text="/status") == Commanded(READER, "status", "")
    assert _of("2", text="/pick abc") == Pressed(READER, Press("abc"))


def test_what_is_neither_words_nor_a_file_is_said_to_be_not_taken() -> None:
    assert _of("1", text="", kind="other") == Told(OTHER)
    assert isinstance(_of("1", place=GROUP, kind="other", addressed=False), Ignored)
    assert isinstance(_of("3", place=GROUP, kind="other"), Ignored)
    assert isinstance(_of("3", kind="other"), Ignored)


def test_commands_are_known_by_their_names() -> None:
    assert _of("1", text="/new") == Commanded(ANN, "new", "")
    assert _of("1", text=" /agent@sulla_bot  helper ") == Commanded(ANN, "agent", "helper")
    assert _of("1", text="/pick abc") == Pressed(ANN, Press("abc"))
    assert _of("1", text="/etc/passwd") == Saying(ANN)
    assert _of("1", text="/newer") == Saying(ANN)


def test_a_press_and_a_change_by_a_person() -> None:
    assert _of("1", kind="press", press=Press("t", "i")) == Pressed(ANN, Press("t", "i"))
    assert _of("1", kind="edit") == Changed(ANN)
    assert isinstance(_of("1", text="  "), Ignored)
