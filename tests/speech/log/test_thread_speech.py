"""A thread's speech is the same whether it happens or is read again."""

from __future__ import annotations

from random import Random

import pytest

from sulla.core.ids import MessageId, ThreadId
from sulla.speech.log.records import (
    ChunkTaken,
    QuestionKnown,
    SpeechEntry,
    ThreadBrought,
    ThreadLeft,
    TurnDropped,
    TurnForced,
    TurnJudged,
    TurnSettled,
)
from sulla.speech.log.thread_speech import ThreadSpeech, replayed
from sulla.speech.service import Playing
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile
from tests.speech.streams import ENGLISH, disturbed, profile_of, sentence, utterance

THREAD = ThreadId("t")


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(300))
def test_read_again_it_owes_the_same_turns(seed: int) -> None:
    chance = Random(seed)
    profile = profile_of(chance)
    heard = disturbed(chance, utterance(chance, "u", sentence(chance, 60), 1_000))
    live = ThreadSpeech(THREAD, profile, ENGLISH)
    entries: list[SpeechEntry] = [live.all_of_it()]
    now_ms = 0
    for one in heard:
        while (due_ms := live.buffer.due_ms) is not None and due_ms < one.at_ms and chance.random() < 0.7:
            now_ms = due_ms + chance.randint(0, max(0, one.at_ms - due_ms))
            live.tick(now_ms)
        now_ms = max(now_ms, one.at_ms)
        doing: list[SpeechEntry] = [
            ChunkTaken(THREAD, now_ms, one.chunk, chance.choice((None, Playing(MessageId("m"), now_ms))))
        ]
        if chance.random() < 0.1:
            doing.append(
                chance.choice(
                    (TurnForced(THREAD, now_ms), TurnDropped(THREAD, now_ms), QuestionKnown(THREAD, now_ms, "so?"))
                )
            )
        for entry in doing:
            entries.append(entry)
            live.take(entry)
        while live.owed and chance.random() < 0.5:
            turn = live.owed[0]
            for entry in (TurnJudged(THREAD, now_ms, turn.id, True, None, turn), TurnSettled(THREAD, now_ms, turn.id)):
                entries.append(entry)
                live.take(entry)
        if chance.random() < 0.1:
            entries = [live.all_of_it()]
    again = replayed(entries, profile, ENGLISH)[THREAD]
    end_ms = now_ms + 20_000
    live.tick(end_ms)
    again.tick(end_ms)
    assert again.owed == live.owed
    assert again.all_of_it() == live.all_of_it()


def test_who_has_left_is_not_spoken_in() -> None:
    fed = ChunkTaken(THREAD, 1, Chunk("u", 1, "delta", "hello"))
    assert replayed([fed, ThreadLeft(THREAD, 2)], CLASSIC) == {}
    assert replayed([fed, ThreadLeft(THREAD, 2), TurnSettled(THREAD, 3, "u")], CLASSIC) == {}


def test_a_turn_knows_when_it_began_and_what_was_played() -> None:
    speech = ThreadSpeech(THREAD)
    playing = Playing(MessageId("m"), 12)
    speech.take(ChunkTaken(THREAD, 1_000, Chunk("u", 1, "delta", "hello"), playing))
    speech = ThreadSpeech.brought(speech.all_of_it())
    speech.take(ChunkTaken(THREAD, 1_200, Chunk("u", 2, "final", "hello you")))
    (turn,) = speech.owed
    assert (turn.began_ms, turn.playing, turn.text) == (1_000, playing, "hello you")


def test_words_that_were_judged_are_not_waited_with_though_other_rules_would() -> None:
    speech = ThreadSpeech(THREAD)
    speech.take(ChunkTaken(THREAD, 1_000, Chunk("u", 1, "delta", "the light")))
    speech.take(TurnJudged(THREAD, 1_300, "u", True))  # another version of the rules had ended it by then
    speech.take(TurnSettled(THREAD, 1_310, "u"))
    speech.take(ChunkTaken(THREAD, 1_400, Chunk("u", 2, "final", "the light please")))
    assert [turn.text for turn in speech.owed] == ["please"]


def test_a_verdict_is_for_the_oldest_turn() -> None:
    speech = ThreadSpeech(THREAD)
    for name in ("u", "v"):
        speech.take(ChunkTaken(THREAD, 1_000, Chunk(name, 1, "final", name)))
    speech.take(TurnJudged(THREAD, 1_001, "v", False))
    assert [turn.judged for turn in speech.owed] == [False, False]
    speech.take(TurnJudged(THREAD, 1_001, "u", False))
    assert [(turn.judged, turn.deliver) for turn in speech.owed] == [(True, False), (False, True)]
    assert isinstance(speech.all_of_it(), ThreadBrought)
    assert not speech.is_idle


@pytest.mark.thorough
@pytest.mark.parametrize("other", [CLASSIC, ADAPTIVE], ids=["longer", "shorter"])
@pytest.mark.parametrize("seed", range(60))
def test_what_was_delivered_by_other_rules_is_owed_no_more(seed: int, other: Profile) -> None:
    """As after an update of the daemon: the same chunks end elsewhere, and each word still comes once."""
    chance = Random(seed)
    profile = ADAPTIVE if other is CLASSIC else CLASSIC
    live = ThreadSpeech(THREAD, profile, ENGLISH)
    entries: list[SpeechEntry] = [live.all_of_it()]
    words, delivered, now_ms = sentence(chance, 24), list[str](), 1_000
    for seq, word in enumerate(words, start=1):
        fed = ChunkTaken(THREAD, now_ms, Chunk("u", seq, "delta", word))
        entries.append(fed)
        live.take(fed)
        now_ms += chance.choice((80, 80, 80, 400, 1_000, 1_700, 3_200))
        live.tick(now_ms)
        while live.owed:
            turn = live.owed[0]
            delivered.append(turn.text)
            for entry in (TurnJudged(THREAD, now_ms, turn.id, True, None, turn), TurnSettled(THREAD, now_ms, turn.id)):
                entries.append(entry)
                live.take(entry)
    again = replayed(entries, other, ENGLISH)[THREAD]
    again.tick(now_ms + 20_000)
    assert " ".join((*delivered, *(turn.text for turn in again.owed))) == " ".join(words)


def test_a_turn_that_was_judged_is_offered_in_the_words_and_for_the_reason_that_it_had_then() -> None:
    live = ThreadSpeech(THREAD, CLASSIC, ENGLISH)
    entries: list[SpeechEntry] = [
        live.all_of_it(),
        ChunkTaken(THREAD, 1_000, Chunk("u", 1, "delta", "could you turn the light on")),
    ]
    live.take(entries[-1])
    live.tick(2_600)
    entries.append(TurnJudged(THREAD, 2_600, "u", True, None, live.owed[0]))
    live.take(entries[-1])
    assert replayed(entries, ADAPTIVE, ENGLISH)[THREAD].owed == live.owed
