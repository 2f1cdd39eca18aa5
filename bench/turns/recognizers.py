"""Recognizers that hear a sentence word by word, and send what Deepgram, Flux and Vosk would send meanwhile. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal

Writing = Literal["lower case", "capitals only", "full punctuation"]
WRITINGS: Final[tuple[Writing, ...]] = ("lower case", "capitals only", "full punctuation")

WORD_S: Final = 0.36
"""From one word to the next: 167 words a minute, as people talk."""
SAID_S: Final = 0.3
"""Of that, the word itself."""
LATE_S: Final = 0.15
"""How long a recognizer takes to say what it has heard."""
ENDPOINT_S: Final = 0.3
"""Silence after which a recognizer says that somebody has paused."""
SEGMENT_S: Final = 3.0
"""After so much speech Deepgram settles a segment, whether anybody pauses or not."""
_SAME_S: Final = 1e-6

Frame = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Timed:
    """A frame, and when it comes."""

    at_s: float
    frame: Frame


@dataclass(frozen=True, slots=True)
class Speech:
    """Words that somebody says in one breath."""

    words: tuple[str, ...]
    begins_s: float

    @property
    def ends_s(self) -> float:
        """When the last word is over."""
        return self.begins_s + (len(self.words) - 1) * WORD_S + SAID_S

    def spans(self) -> list[tuple[str, float, float]]:
        """Each word with when it begins and ends."""
        return [
            (word, self.begins_s + at * WORD_S, self.begins_s + at * WORD_S + SAID_S)
            for at, word in enumerate(self.words)
        ]


def written(text: str, writing: Writing) -> tuple[str, ...]:
    """The words of a sentence as a recognizer writes them."""
    if writing == "full punctuation":
        text = text[0].upper() + text[1:]
        return tuple((text if text[-1] in ".?!" else f"{text}.").split())
    bare = "".join(char for char in text if char.isalnum() or char in " '-").split()
    words = " ".join(word for word in bare if word.strip("'-"))
    return tuple((words.upper() if writing == "capitals only" else words.lower()).split())


def _text(words: Sequence[str], writing: Writing) -> str:
    """Words in mid-speech: a recognizer with punctuation takes any of them for the last one."""
    text = " ".join(words)
    return text if writing != "full punctuation" or not text or text[-1] in ".?!" else f"{text.rstrip(',;:-')}."


def deepgram(speeches: Sequence[Speech], interval_s: float, writing: Writing) -> Iterator[Timed]:
    """Deepgram's ``Results``: interims `interval_s` apart, segments that are settled in mid-speech, and pauses."""
    settled_s = 0.0
    for speech in speeches:
        spans, begun = speech.spans(), 0
        for step in count(1):
            now_s = speech.begins_s + step * interval_s
            heard = [span for span in spans if span[2] <= now_s]
            if now_s >= speech.ends_s + ENDPOINT_S - _SAME_S:
                break
            fresh = heard[begun:]
            if not fresh:
                continue
            final = now_s - settled_s >= SEGMENT_S and now_s < speech.ends_s
            text = _text([word for word, _, _ in fresh], writing)
            yield Timed(now_s + LATE_S, _results(text, fresh, settled_s, now_s, final=final))
            if final:
                settled_s, begun = now_s, len(heard)
        now_s = speech.ends_s + ENDPOINT_S
        text = " ".join(word for word, _, _ in spans[begun:])
        yield Timed(now_s + LATE_S, _results(text, spans[begun:], settled_s, now_s, final=True, pause=True))
        settled_s = now_s


def _results(
    text: str,
    spans: Sequence[tuple[str, float, float]],
    start_s: float,
    now_s: float,
    *,
    final: bool = False,
    pause: bool = False,
) -> Frame:
    words = [{"word": word, "start": begins, "end": ends, "confidence": 0.9} for word, begins, ends in spans]
    return {
        "type": "Results",
        "channel_index": [0, 1],
        "start": start_s,
        "duration": now_s - start_s,
        "is_final": final,
        "speech_final": pause,
        "channel": {"alternatives": [{"transcript": text, "confidence": 0.9, "words": words}]},
        "metadata": {"request_id": "bench"},
    }


def vosk(speeches: Sequence[Speech], interval_s: float, writing: Writing) -> Iterator[Timed]:
    """Vosk's partials, and its result half a second behind the last word."""
    for speech in speeches:
        for now_s, heard in _steps(speech, interval_s):
            yield Timed(now_s + LATE_S, {"partial": " ".join(heard).lower()})
        yield Timed(speech.ends_s + 0.5 + LATE_S, {"text": " ".join(speech.words).lower()})


def flux(speeches: Sequence[Speech], interval_s: float, writing: Writing) -> Iterator[Timed]:
    """Flux's ``TurnInfo``: an update a quarter of a second, and the end of each turn."""
    for turn, speech in enumerate(speeches):
        for now_s, heard in _steps(speech, interval_s):
            yield Timed(now_s + LATE_S, _turn_info("Update", turn, _text(heard, writing)))
        yield Timed(speech.ends_s + 0.8, _turn_info("EndOfTurn", turn, " ".join(speech.words)))


def _steps(speech: Speech, interval_s: float) -> Iterator[tuple[float, list[str]]]:
    for step in count(1):
        now_s = speech.begins_s + step * interval_s
        if now_s > speech.ends_s:
            return
        if heard := [word for word, _, ends_s in speech.spans() if ends_s <= now_s]:
            yield now_s, heard


def _turn_info(event: str, turn: int, text: str) -> Frame:
    return {"type": "TurnInfo", "request_id": "bench", "event": event, "turn_index": turn, "transcript": text}


Recognizes = Callable[[Sequence[Speech], float, Writing], Iterator[Timed]]
