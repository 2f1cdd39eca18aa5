"""Streams that no recognizer should send: the machine neither breaks nor loses a word nor has one twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from time import process_time

import pytest

from sulla.speech.turn_taking.buffer import MAX_TURN_CHARS, SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk, ChunkKind
from sulla.speech.turn_taking.events import Cancelled, End, Event
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC
from tests.kits.points import some
from tests.speech.streams import ENGLISH, GAPS_MS, Heard, disturbed, play, profile_of, said, sentence, utterance

each_seed = pytest.mark.parametrize("seed", some(range(10), 1, "hostile speech"))
KINDS: tuple[ChunkKind, ...] = ("delta", "cumulative", "final")
SCRAPS = (
    "",
    " ",
    "...",
    "\u2026",
    "'s",
    "\u2019ll.",
    "-",
    "\u2014 and",
    "50 %",
    "\u00a0\u2028x\u2029y\u200b",
    "e\u0301\u0301\u0301",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}",
    "\u202eabc",
    "\x00\x1b[2J",
    "\N{CJK UNIFIED IDEOGRAPH-4F60}\N{CJK UNIFIED IDEOGRAPH-597D}",
    "\u0661\u0662",
    "um um um",
    "A" * 5_000,
    "ab " * 3_000,
    "\N{LATIN SMALL LETTER SHARP S}\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}",
)


def _hostile(chance: Random) -> tuple[list[str], list[Heard]]:
    """Overlapping utterances, some of which never end, whose pieces are lost, late and doubled."""
    words: list[str] = []
    heard: list[Heard] = []
    for number in range(chance.randint(1, 4)):
        mine = [f"{word}_{number}" for word in sentence(chance)]
        chunks = utterance(chance, f"u{number}", mine, number * chance.choice((0, 300, 5_000)))
        if chance.random() < 0.3:  # it is never closed, so its last words may not come
            chunks = chunks[:-1]
        kept = [
            Heard(one.at_ms, Chunk(one.chunk.utterance_id, one.chunk.seq, one.chunk.kind, one.chunk.text, stable))
            for one in chunks
            if one.chunk.kind != "cumulative" or chance.random() < 0.8
            for stable in (chance.choice((0, 3, len(one.chunk.text), 10_000)),)
        ]
        words += _held(mine, kept)
        heard += disturbed(chance, kept)
    heard.sort(key=lambda one: one.at_ms)
    return words, heard


def _held(mine: list[str], kept: list[Heard]) -> list[str]:
    """Those of the words that are in any of the chunks."""
    sent = {word for one in kept for word in one.chunk.text.split()}
    return [word for word in mine if word in sent]


@each_seed
def test_whoever_ends_drops_or_restores_turns_in_between_each_word_is_in_one_of_them(seed: int) -> None:
    chance = Random(seed)
    for _ in range(150):
        words, heard = _hostile(chance)
        profile = profile_of(chance)
        buffer = SpeechBuffer(profile, ENGLISH)
        events: list[Event] = []
        for one in heard:
            events += buffer.feed(one.chunk, one.at_ms)
            meddle: Callable[[int], list[Event]] | None = chance.choice((buffer.flush, buffer.cancel, *(None,) * 18))
            events += meddle(one.at_ms + chance.choice((0, 40))) if meddle is not None else []
            if chance.random() < 0.1:
                buffer = SpeechBuffer.restored(buffer.stored(), profile, ENGLISH)
        events += play(buffer, ())
        texts = [event.text for event in events if isinstance(event, End | Cancelled)]
        found = Counter(word for text in texts for word in text.split())
        assert found == Counter(words), heard
        turns = [event.turn_id for event in events if isinstance(event, End | Cancelled)]
        assert len(turns) == len(set(turns))


@each_seed
def test_no_text_breaks_the_machine_and_no_turn_is_without_a_word(seed: int) -> None:
    chance = Random(seed)
    for _ in range(40):
        buffer = SpeechBuffer(profile_of(chance), ENGLISH)
        now_ms, events = 0, list[Event]()
        for _ in range(60):
            text = " ".join(chance.choices(SCRAPS, k=chance.randint(1, 3)))[:16_000]
            name, seq, kind = f"u{chance.randrange(12)}", chance.randrange(9), chance.choice(KINDS)
            events += buffer.feed(Chunk(name, seq, kind, text, chance.randrange(99)), now_ms)
            now_ms += chance.choice((-5, 0, *GAPS_MS))
        events += play(buffer, ())
        for event in events:
            if isinstance(event, End):
                assert any(map(str.isalnum, event.text))
                assert len(event.text) < 8 * (MAX_TURN_CHARS + 1)
        assert buffer.due_ms is None
        assert buffer.status(now_ms).state == "idle"


def test_the_longest_texts_of_all_words_alike_revised_over_and_over_take_bounded_time() -> None:
    """Of the processor, whatever else the machine does: a hundred of the longest chunks there are."""
    buffer = SpeechBuffer(CLASSIC)
    buffer.feed(Chunk("u", 0, "cumulative", "b " + "a " * 7_000), 0)
    buffer.flush(1)
    began = process_time()
    for seq in range(1, 100):
        buffer.feed(Chunk("u", seq, "cumulative", f"c{seq} " + "a " * 7_000), seq)
    assert process_time() - began < 10.0


def test_after_a_turn_was_dropped_a_revision_brings_none_of_it_back() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(Chunk("u", 1, "cumulative", "um delete any one of the photos"), 0)
    buffer.cancel(10)
    assert said(buffer.feed(Chunk("u", 2, "final", "Delete anyone of the photos now."), 20)) == ["now."]
