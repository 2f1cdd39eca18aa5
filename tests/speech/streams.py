"""Random speech: sentences as recognizers send them, with delays, doubles and pauses, from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.english_detector import EnglishDetector
from sulla.speech.late_detector import LateDetector
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import End, Event
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile

WORDS = (
    "turn the light in kitchen on and tell anna that we are late please hold wait um seven nine yes no maybe because "
    "what time is it now tomorrow at half past ten i would like some tea with lemon if you can"
).split()
GAPS_MS = (80, 100, 120, 250, 400, 900, 1_499, 1_500, 1_600, 2_500, 3_000, 3_500, 11_000)


@dataclass(frozen=True, slots=True)
class Heard:
    """A chunk and when it comes."""

    at_ms: int
    chunk: Chunk


def sentence(chance: Random, most: int = 24) -> list[str]:
    """Words, each with a number, so that none is like another."""
    return [f"{chance.choice(WORDS)}{number}" for number in range(chance.randint(1, most))]


def utterance(chance: Random, name: str, words: Sequence[str], start_ms: int) -> list[Heard]:
    """The chunks of one utterance in their order; every kind is among them, and the last is final."""
    heard: list[Heard] = []
    now_ms, said = start_ms, 0
    for seq in range(1, len(words) + 1):
        if said >= len(words):
            break
        now_ms += chance.choice(GAPS_MS[:6] if chance.random() < 0.9 else GAPS_MS)
        more = min(len(words), said + chance.randint(1, 4))
        if chance.random() < 0.5:
            chunk = Chunk(name, seq, "delta", " ".join(words[said:more]))
        else:
            chunk = Chunk(name, seq, "cumulative", " ".join(words[:more]))
        said = more
        heard.append(Heard(now_ms, chunk))
    now_ms += chance.choice(GAPS_MS)
    return [*heard, Heard(now_ms, Chunk(name, len(words) + 1, "final", " ".join(words)))]


def disturbed(chance: Random, heard: Iterable[Heard]) -> list[Heard]:
    """The same chunks, some of them late and some twice."""
    found: list[Heard] = []
    for one in heard:
        late_ms = chance.choice((0, 0, 0, 150, 700, 4_000))
        found.append(Heard(one.at_ms + late_ms, one.chunk))
        if chance.random() < 0.3:
            found.append(Heard(one.at_ms + late_ms + chance.choice((0, 90, 2_000)), one.chunk))
    return sorted(found, key=lambda one: one.at_ms)


def play(buffer: SpeechBuffer, heard: Iterable[Heard], *, on_time: bool = True) -> list[Event]:
    """Give chunks to a buffer and do what is due, at its time or only when the next chunk comes."""
    events: list[Event] = []
    now_ms = 0
    for one in heard:
        while on_time and (due_ms := buffer.due_ms) is not None and due_ms <= one.at_ms:
            events += buffer.tick(due_ms)
        events += buffer.feed(one.chunk, one.at_ms)
        now_ms = one.at_ms
    while (due_ms := buffer.due_ms) is not None:
        events += buffer.tick(max(now_ms, due_ms))
    return events


def said(events: Iterable[Event]) -> list[str]:
    """The words of all turns."""
    return [word for event in events if isinstance(event, End) for word in event.text.split()]


ENGLISH: Final = EnglishDetector(Vocabulary())
"""One for all tests: it never changes."""
DETECTOR: Final = LateDetector(lambda: ENGLISH)
DETECTOR.read("")  # so that no test waits for a thread


def profile_of(chance: Random) -> Profile:
    """Either."""
    return chance.choice((CLASSIC, ADAPTIVE))
