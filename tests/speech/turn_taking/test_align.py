"""What is new in a text that was revised after its older words went into a turn."""

from __future__ import annotations

from random import Random

import pytest

from sulla.speech.turn_taking.align import COMPARED_WORDS, Left, left_of
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC
from tests.kits.points import some
from tests.speech.streams import ENGLISH, GAPS_MS, Heard, play, said

WORDS = (
    "garden kettle window yesterday please bring number seven ladder orange through market sister Tuesday about "
    "pencil thunder quickly island behind jacket lemon river whisper copper saddle mirror frozen basket village"
).split()


def _new(taken: str, words: str) -> str:
    now = words.split()
    return " ".join(now[place] for place in left_of(taken.split(), now).new)


@pytest.mark.parametrize(
    ("taken", "words", "new"),
    [
        ("", "call anna", "call anna"),
        ("call anna", "call anna", ""),
        ("call anna", "call anna at noon", "at noon"),
        ("call tomorrow", "call anna tomorrow", "anna"),
        # heard differently
        ("call steve at", "call stefan at noon", "noon"),
        ("call steve", "call stefan at noon", "at noon"),
        ("wreck a nice", "recognize speech", "speech"),
        ("i need too", "i knead two loaves", "loaves"),
        ("go to the sore", "go to the store and buy milk", "and buy milk"),
        ("call her", "call hers and mine", "and mine"),
        # fillers that are left out, or come in
        ("um call the dentist", "call the dentist at five", "at five"),
        ("um", "call the dentist", "call the dentist"),
        ("call um the dentist", "um call the um dentist at five", "at five"),
        ("call the", "call the um dentist", "um dentist"),
        ("call the um", "call the dentist", "dentist"),
        # written together, or apart
        ("is there any one", "is there anyone at home", "at home"),
        ("is there anyone", "is there any one at home", "at home"),
        ("i am going to", "i am gonna call", "call"),
        ("tell any", "tell anyone here", "anyone here"),
        # figures
        ("it costs one hundred twenty three", "it costs 123 at the shop", "at the shop"),
        ("about one hundred", "around 100 people came", "people came"),
        ("room 12", "room 13 please", "please"),
        # taken back
        ("call the dentist", "call the", ""),
        ("call the dentist now", "ring the dentist", ""),
        # what is quite another text
        ("no", "where did you put the ladder", "where did you put the ladder"),
        ("the lamp", "tomorrow the lamp and the chair", "tomorrow and the chair"),
    ],
)
def test_what_follows_the_old_words_is_new_however_they_were_revised(taken: str, words: str, new: str) -> None:
    assert _new(taken, words) == new


def test_words_that_the_newest_text_has_no_more_are_remembered() -> None:
    assert left_of(["call", "the", "dentist"], ["call", "the"]) == Left([], ["dentist"])
    assert left_of(["um", "call", "the", "dentist"], ["ring", "the"]).gone == ["dentist"]
    assert left_of(["call", "the", "dentist"], ["call", "the", "doctor"]).gone == []


def test_a_text_of_any_length_is_compared_in_bounded_time() -> None:
    """Of all words alike, which is the worst there is, and of all different."""
    many = 3_000
    alike = ["a"] * many
    assert len(left_of(["b", *alike], ["c", *alike, "d"]).new) <= COMPARED_WORDS
    taken = [f"x{number}" for number in range(many)]
    assert left_of(["um", *taken], [*taken, "new"]).new == [many]


def test_of_a_text_that_shrinks_and_grows_again_no_word_comes_twice() -> None:
    buffer = SpeechBuffer()
    buffer.feed(Chunk("u", 1, "cumulative", "turn the lamp"), 0)
    first = buffer.flush(10)
    buffer.feed(Chunk("u", 2, "cumulative", "turn the"), 20)
    buffer.feed(Chunk("v", 1, "final", "stop"), 30)  # ends a turn while it is short
    buffer.feed(Chunk("u", 3, "cumulative", "turn the lamp on"), 40)
    assert said([*first, *buffer.flush(50)]) == ["turn", "the", "lamp", "on"]


def test_a_turn_that_ends_after_a_filler_was_left_out_takes_what_there_is() -> None:
    buffer = SpeechBuffer()
    buffer.feed(Chunk("u", 1, "cumulative", "um call the dentist"), 0)
    buffer.flush(10)
    buffer.feed(Chunk("u", 2, "cumulative", "call the dentist"), 20)
    buffer.feed(Chunk("v", 1, "final", "please"), 30)
    assert said(buffer.feed(Chunk("u", 3, "final", "call the dentist at five"), 40)) == ["at", "five"]


def _shown(chance: Random, words: list[str], *, final: bool) -> str:
    """Words as a recognizer guesses them before it is sure."""
    shown: list[str] = []
    for word in words:
        if not final and chance.random() < 0.15:
            shown.append("um")
        if not final and chance.random() < 0.15:
            at = chance.randrange(1, len(word))
            word = word[:at] + "q" + word[at + 1 :]
        shown.append(word)
    return " ".join(shown)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", some(range(10), 1, "speech that is revised"))
def test_words_that_are_revised_and_fillers_that_come_and_go_cost_no_word_and_double_none(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        words = [word.casefold() for word in chance.sample(WORDS, chance.randint(2, len(WORDS)))]
        heard: list[Heard] = []
        now_ms = upto = seq = 0
        while upto < len(words):
            now_ms, seq = now_ms + chance.choice(GAPS_MS), seq + 1
            upto = min(len(words), upto + chance.randint(1, 4))
            heard.append(Heard(now_ms, Chunk("u", seq, "cumulative", _shown(chance, words[:upto], final=False))))
        heard.append(Heard(now_ms + 400, Chunk("u", seq + 1, "final", _shown(chance, words, final=True))))
        found = said(play(SpeechBuffer(chance.choice((CLASSIC, ADAPTIVE)), ENGLISH), heard))
        spoken = [word for word in found if word != "um"]
        assert len(spoken) == len(words), (words, heard)
        assert all(_alike(one, other) for one, other in zip(spoken, words, strict=True)), (spoken, words)


def _alike(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= 1
