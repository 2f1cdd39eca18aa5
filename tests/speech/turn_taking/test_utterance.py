from __future__ import annotations

from random import Random

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS, Chunk, ChunkKind, Segment
from sulla.speech.turn_taking.utterance import Utterance


def _utterance(*chunks: tuple[int, ChunkKind, str]) -> Utterance:
    utterance = Utterance()
    for seq, kind, text in chunks:
        utterance.add(Chunk("u", seq, kind, text))
    return utterance


def _text(*chunks: tuple[int, ChunkKind, str]) -> str:
    return " ".join(_utterance(*chunks).words())


def test_deltas_are_joined_in_their_order_and_not_in_that_of_arrival() -> None:
    assert _text((3, "delta", "the hall"), (1, "delta", "turn on"), (2, "delta", "the lights in")) == (
        "turn on the lights in the hall"
    )


def test_a_cumulative_chunk_replaces_what_came_before_it_and_not_what_comes_behind() -> None:
    assert _text((1, "delta", "what"), (3, "delta", "weather"), (2, "cumulative", "what is the")) == (
        "what is the weather"
    )


@pytest.mark.thorough
def test_a_text_that_goes_on_comes_to_the_same_as_if_it_was_never_seen_before() -> None:
    pieces = ["for", "four", "n't", ",", ".", "(", "uh", "Hello,", "'s", "4", "!", "--", "\u00e9"]
    for seed in range(300):
        random, text = Random(seed), ""
        known, fresh = Utterance(), Utterance()
        for seq in range(20):
            text = random.choice([text, text, text, text[: len(text) // 2]])
            text += "".join(
                random.choice(["", " ", " ", "\n"]) + random.choice(pieces) for _ in range(random.randrange(3))
            )
            fresh = Utterance.restored(fresh.stored("u"))  # it does not know of what the words were made
            for one in (known, fresh):
                one.add(Chunk("u", seq, "cumulative", text))
            if random.random() < 0.15:
                known.take()
                fresh.take()
            assert known.stored("u") == fresh.stored("u"), (seed, seq, text)


def test_a_revised_text_replaces_the_earlier_one() -> None:
    assert _text((1, "cumulative", "wreck a nice"), (2, "cumulative", "recognize")) == "recognize"


def test_nothing_changes_a_closed_utterance() -> None:
    utterance = _utterance((2, "final", "yes"))
    assert not utterance.add(Chunk("u", 3, "final", "no"))
    assert not utterance.add(Chunk("u", 4, "delta", "no"))
    assert utterance.words() == ["yes"]


def test_what_is_taken_does_not_come_again() -> None:
    utterance = _utterance((1, "cumulative", "turn it on"))
    utterance.take()
    utterance.add(Chunk("u", 2, "cumulative", "Turn it on, and the radio"))
    assert utterance.words() == ["and", "the", "radio"]


def test_of_a_text_revised_after_it_was_taken_the_words_behind_as_many_are_left() -> None:
    utterance = _utterance((1, "cumulative", "call steve at"))
    utterance.take()
    utterance.add(Chunk("u", 2, "final", "call stefan at noon"))
    assert utterance.words() == ["noon"]


def test_a_piece_that_was_missing_when_those_around_it_were_taken_is_not_lost() -> None:
    utterance = _utterance((1, "delta", "call"), (3, "delta", "tomorrow"))
    utterance.take()
    utterance.add(Chunk("u", 2, "delta", "anna"))
    assert utterance.words() == ["anna"]
    utterance.add(Chunk("u", 4, "final", "Call Anna tomorrow."))
    assert utterance.words() == ["Anna"]


def test_punctuation_that_comes_as_a_piece_stands_at_its_word() -> None:
    assert _text((1, "delta", "it"), (2, "delta", "'s"), (3, "delta", "late"), (4, "delta", ".")) == "it's late."


@pytest.mark.parametrize(
    ("name", "seq", "kind", "text", "stable", "error"),
    [
        ("", 1, "delta", "a", 0, InvalidInput),
        ("a#2", 1, "delta", "a", 0, InvalidInput),
        ("u" * 65, 1, "delta", "a", 0, InvalidInput),
        ("u", -1, "delta", "a", 0, InvalidInput),
        ("u", 1, "partial", "a", 0, InvalidInput),
        ("u", 1, "delta", "a", -1, InvalidInput),
        ("u", 1, "delta", "a" * (MAX_CHUNK_CHARS + 1), 0, TooLarge),
    ],
)
def test_a_chunk_that_does_not_fit_is_refused_in_words(
    name: str, seq: int, kind: ChunkKind, text: str, stable: int, error: type[InvalidInput]
) -> None:
    with pytest.raises(error, match="expected"):
        Chunk(name, seq, kind, text, stable)


@pytest.mark.parametrize(
    ("speaker", "stream", "at", "from_char"),
    [("s" * 129, "", 0, 0), ("s", "r" * 129, 0, 0), ("s", "", -1, 0), ("s", "", 0, -1)],
)
def test_a_segment_that_does_not_fit_is_refused_in_words(speaker: str, stream: str, at: int, from_char: int) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        Segment(speaker, stream, at, from_char)
