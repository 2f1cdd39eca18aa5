"""Where a conversation is held is known as the places are, whatever becomes of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from sulla.channels.base import Place
from sulla.channels.machine.talks import Talks
from sulla.channels.machine.values import Talk


def _looked_for(talks: Talks, thread: str) -> str:
    """The same by looking through all of them."""
    return next(
        (key for key, talk in talks.items() if thread == talk.thread or thread in [left for left, _ in talk.left]), ""
    )


def test_the_index_says_what_looking_through_all_of_them_does() -> None:
    chance, talks, made = Random(7), Talks(), list[str]()
    for number in range(2_000):
        key = f"place{chance.randrange(20)}"
        talk = talks.get(key, Talk(Place(key)))
        match chance.randrange(5):
            case 0:
                talks.pop(key, None)
            case 1:  # another conversation begins
                made.append(f"thread{number}")
                left = (*talk.left, (talk.thread, 1)) if talk.thread else talk.left
                talks[key] = replace(talk, thread=made[-1], left=left[-3:])
            case 2:
                talks[key] = replace(talk, left=talk.left[1:])
            case 3:
                talks[key] = replace(talk, plays=(*talk.plays, f"play{number}")[-2:])
            case _:  # somebody talks here
                talks.pop(key, None)
                talks[key] = talk
        assert all(talks.held_at(one) == _looked_for(talks, one) for one in (*made[-60:], "none"))
        for at, one in talks.items():
            assert all(talks.played_at(play) == at for play in one.plays)
    assert {talks.held_at(one) for one in made} > {""}  # some are held, and some no longer
    talks.clear()
    assert {talks.held_at(one) for one in made} == {""}
