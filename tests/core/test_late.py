"""A service that is made when it is first used."""

from __future__ import annotations

import pytest

from sulla.core.late import late


class Echo:
    """Says things again."""

    def __init__(self) -> None:
        self.said = 0

    def say(self, word: str) -> str:
        """The word."""
        self.said += 1
        return word


def test_a_late_service_is_made_at_its_first_use_and_once() -> None:
    made: list[Echo] = []

    def make() -> Echo:
        made.append(Echo())
        return made[-1]

    echo = late(make)
    assert made == []
    assert (echo.say("a"), echo.say("b"), echo.said) == ("a", "b", 2)
    assert len(made) == 1


def test_a_late_service_that_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    def make() -> Echo:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not yet")
        return Echo()

    echo = late(make)
    with pytest.raises(OSError, match="not yet"):
        echo.say("a")
    assert echo.say("a") == "a"


def test_what_a_late_service_does_not_have_is_told_of_the_service() -> None:
    with pytest.raises(AttributeError, match="'Echo' object has no attribute 'sing'"):
        getattr(late(Echo), "sing")  # noqa: B009 - mypy knows that there is none
