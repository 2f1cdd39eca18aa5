"""Speaking an answer piece by piece: what is heard by when, and what becomes of it if somebody speaks over it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from sulla.speech.cli.player import HeardUpTo, Player, SpokenPiece

RATE = 10.0


def _piece(text: str, offset: int = 0, message: str = "m") -> SpokenPiece:
    return SpokenPiece(message, offset, offset + len(text), text)


def _player(*pieces: SpokenPiece, at: float = 0.0) -> Player:
    player = Player(RATE)
    for piece in pieces:
        player.add(piece, at)
    return player


def _texts(player: Player, now: float) -> list[str]:
    return [piece.text for piece in player.advance(now)]


def test_pieces_are_spoken_one_after_the_other_at_the_rate() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10), at=1.0)
    assert player.due == 1.0
    assert _texts(player, 1.0) == ["0123456789"]
    assert player.due == 2.0
    assert _texts(player, 1.9) == []
    assert _texts(player, 2.0) == ["abcde"]
    assert player.place(2.2) == HeardUpTo("m", 12)
    assert _texts(player, 2.5) == []
    assert player.due is None


def test_a_late_look_finds_the_same_as_a_punctual_one() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10), _piece("x" * 10, 15))
    assert _texts(player, 1.75) == ["0123456789", "abcde", "x" * 10]
    assert player.place(1.75) == HeardUpTo("m", 17)


def test_a_pause_between_pieces_is_not_made_up_for() -> None:
    player = _player(_piece("0123456789"))
    player.advance(5.0)
    player.add(_piece("abcde", 10), 6.0)
    assert _texts(player, 6.0) == ["abcde"]
    assert player.due == 6.5


def test_the_place_counts_visible_text_also_where_what_is_spoken_is_shorter() -> None:
    player = _player(SpokenPiece("m", 0, 20, "**word**"[2:6]))
    player.advance(0.0)
    assert player.place(0.2) == HeardUpTo("m", 10)


def test_as_long_as_more_may_come_the_place_is_the_end_of_what_came() -> None:
    player = _player(_piece("0123456789"))
    player.advance(3.0)
    assert player.place(3.0) == HeardUpTo("m", 10)
    player.whole("m")
    assert player.place(3.0) is None, "it was heard to its end"


def test_nothing_was_heard_before_anything_is_spoken() -> None:
    assert Player().place(1.0) is None
    assert not Player().is_speaking


def test_stopped_it_is_silent_at_once_and_keeps_its_place() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10))
    player.advance(0.4)
    player.stop(0.4, "m")
    assert not player.is_speaking
    assert player.due is None
    assert player.place(9.0) == HeardUpTo("m", 4)
    player.add(_piece("late", 15), 0.5)
    player.whole("m")
    assert _texts(player, 9.0) == [], "nor is what comes of it later"
    assert player.place(9.0) == HeardUpTo("m", 4)


def test_it_goes_on_from_the_middle_of_a_piece_with_what_came_meanwhile() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10))
    player.advance(0.4)
    player.stop(0.4, "m")
    player.add(_piece("late", 15), 0.5)
    player.go_on(2.0, "m", 4)
    assert _texts(player, 2.0) == ["456789"]
    assert player.place(2.0) == HeardUpTo("m", 4)
    assert _texts(player, 3.0) == ["abcde"]
    assert _texts(player, 3.0) == []
    assert _texts(player, 3.2) == ["late"]


def test_it_goes_on_from_where_the_daemon_says() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10))
    player.advance(0.4)
    player.stop(0.4, "m")
    player.go_on(2.0, "m", 12)
    assert _texts(player, 2.0) == ["cde"]


def test_a_new_message_is_spoken_although_another_was_stopped_and_ends_the_waiting_for_it() -> None:
    player = _player(_piece("0123456789"))
    player.advance(0.4)
    player.stop(0.4, "m")
    player.add(_piece("new", 0, "n"), 1.0)
    assert _texts(player, 1.0) == ["new"]
    player.go_on(1.0, "m", 4)
    assert _texts(player, 9.0) == []
    assert player.place(9.0) == HeardUpTo("n", 3)


def test_a_message_of_which_nothing_came_yet_can_be_stopped() -> None:
    player = Player(RATE)
    player.stop(0.0, "m")
    player.add(_piece("late"), 0.1)
    assert _texts(player, 5.0) == []
    assert player.place(5.0) is None


def test_what_waits_behind_is_silent_too_whatever_message_it_is_of() -> None:
    player = _player(_piece("0123456789"), _piece("other", 0, "n"))
    player.advance(0.4)
    player.stop(0.4, "m")
    assert _texts(player, 9.0) == []
    player.go_on(9.0, "m", 4)
    assert _texts(player, 20.0) == ["456789", "other"]


def test_a_void_message_is_not_spoken_any_more() -> None:
    player = _player(_piece("0123456789"), _piece("abcde", 10), _piece("other", 0, "n"))
    player.advance(0.4)
    player.drop("m")
    assert player.place(0.4) is None
    assert _texts(player, 0.4) == ["other"]


def test_a_void_message_that_was_stopped_may_go_on() -> None:
    """An answer that was cut off in the middle is void for the daemon; what had come of it may still be heard."""
    player = _player(_piece("0123456789"))
    player.advance(0.4)
    player.stop(0.4, "m")
    player.drop("m")
    assert player.place(1.0) == HeardUpTo("m", 4)
    player.go_on(2.0, "m", 4)
    assert _texts(player, 2.0) == ["456789"]


def test_to_go_on_with_what_was_never_stopped_changes_nothing() -> None:
    player = _player(_piece("0123456789"))
    player.go_on(0.0, "m", 4)
    assert _texts(player, 0.0) == ["0123456789"]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_each_character_is_spoken_at_most_once_and_in_order(seed: int) -> None:
    """As long as it goes on from where it was stopped."""
    chance = Random(seed)
    for _ in range(50):
        text = "".join(chance.choices("abcdefgh ", k=chance.randint(1, 200)))
        cuts = sorted({0, len(text), *(chance.randrange(len(text)) for _ in range(6))})
        player, now = Player(RATE), 0.0
        spoken: list[SpokenPiece] = []
        for begin, end in pairwise(cuts):
            player.add(SpokenPiece("m", begin, end, text[begin:end]), now)
            now += chance.random() * 3
            spoken += player.advance(now)
            if chance.random() < 0.4:
                player.stop(now, "m")
                place = player.place(now)
                assert place is not None
                now += chance.random()
                player.go_on(now, "m", place.played_chars)
                if spoken and place.played_chars < spoken[-1].end:
                    last = spoken.pop()
                    if place.played_chars > last.offset:
                        heard = text[last.offset : place.played_chars]
                        spoken.append(SpokenPiece("m", last.offset, place.played_chars, heard))
        spoken += player.advance(now + 1_000)
        assert "".join(piece.text for piece in spoken) == text
