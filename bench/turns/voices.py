"""What becomes of labelled lines that people say to the product: cut sentences, false ends, turns once and whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from bench.turns.data import Line
from bench.turns.product import Person, Turn, listen
from bench.turns.recognizers import WRITINGS, Recognizes, Speech, Timed, Writing, deepgram, flux, vosk, written
from sulla.speech.recognizer.frames import Turns

INTERVALS_S: Final = (1.0, 0.5, 0.25)
"""Between two interims of a recognizer."""
MOST_SENTENCES: Final = 323
LEAST_WORDS: Final = 7
"""Shorter sentences are over before a second interim."""
GAP_S: Final = 3.0
"""Between two sentences that are two turns."""
AWAY_S: Final = (1.0, 2.2)
"""When the daemon is away while people speak."""
QUESTIONS: Final = (
    "Anything else?",
    "How can I help you?",
    "Shall I go on?",
    "Which one do you mean?",
    "When should that be?",
    "Why do you think so?",
)
"""What agents ask."""
_WARM: Final = ("Turn on the lights in the hall", "Show me the pictures of the cat")
"""By these the product finds out that a recognizer writes capitals and no full stops."""
_BARE: Final = "i dont know the number"

CUT_BAR: Final = 0.05
TORN_BAR: Final = 0.005
"""None, as far as a few hundred can show it."""
FALSE_BAR: Final = 0.12
MISSED_BAR: Final = 0.08

Tally = tuple[str, int, int, float | None]
"""The name of a class, how many were not as they should be, of how many, and which share of them may be."""


def tallies(lines: Sequence[Line], unseen: Sequence[Line]) -> Iterator[Tally]:
    """Every class.

    Args:
        lines: whose whole sentences are said without a pause.
        unseen: by which is judged how complete texts read.
    """
    sentences = [line.text for line in lines if line.complete and line.context is None]
    sentences = [text for text in sentences if len(text.split()) >= LEAST_WORDS][:MOST_SENTENCES]
    for interval_s in INTERVALS_S:
        for writing in WRITINGS:
            yield (
                f"interims {interval_s:g} s apart, {writing}: sentences cut",
                *_cut(sentences, interval_s, writing),
                CUT_BAR,
            )
    yield "the daemon away in mid-speech: sentences cut", *_cut(sentences, 0.25, "lower case", AWAY_S), CUT_BAR
    clients: tuple[tuple[str, Recognizes, Turns], ...] = (
        ("Deepgram v1", deepgram, "auto"),
        ("Deepgram v1, turns=recognizer", deepgram, "recognizer"),
        ("Flux", flux, "auto"),
        ("Vosk", vosk, "auto"),
        ("Vosk, turns=recognizer", vosk, "recognizer"),
    )
    for name, recognizes, turns in clients:
        yield f"{name}: turns not once and whole", *_torn(sentences, recognizes, turns), TORN_BAR
    yield from _answers(unseen)
    yield from _styles(unseen)


def _cut(
    sentences: Sequence[str], interval_s: float, writing: Writing, away: tuple[float, float] | None = None
) -> tuple[int, int]:
    """Sentences without a pause that became several turns, or lost words."""
    said = [written(text, writing) for text in sentences]
    people = [Person([*deepgram([Speech(words, 0.1)], interval_s, writing)]) for words in said]
    listen(people, away)
    if away is not None:  # what was said while nobody could hear it is lost
        return sum(len(person.heard) != 1 for person in people), len(people)
    return sum(not _is_whole(one.heard, [words]) for one, words in zip(people, said, strict=True)), len(people)


def _torn(sentences: Sequence[str], recognizes: Recognizes, turns: Turns) -> tuple[int, int]:
    """Pairs of sentences that did not become two turns with all of their words."""
    people, expected = list[Person](), list[list[tuple[str, ...]]]()
    for first, second in zip(sentences[::2], sentences[1::2], strict=False):
        words = [written(first, "lower case"), written(second, "lower case")]
        begun = Speech(words[0], 0.1)
        frames = recognizes([begun, Speech(words[1], begun.ends_s + GAP_S)], 0.25, "lower case")
        people.append(Person([*frames], turns=turns))
        expected.append(words)
    listen(people)
    return sum(not _is_whole(one.heard, said) for one, said in zip(people, expected, strict=True)), len(people)


def _answers(lines: Sequence[Line]) -> Iterator[Tally]:
    """Short texts behind a question; a turn that ends as complete, and was not, is a false end."""
    broken = [line for line in lines if not line.complete and line.context is None]
    false = of = 0
    for question in QUESTIONS:
        found = _count(broken, partial(_always, question), complete=True)
        false, of = false + found[0], of + found[1]
        yield f"after {question!r}: false ends", *found, None
    found = _count(_with_context(lines, complete=False), complete=True)
    yield "after their own questions: false ends", *found, None
    yield "after questions: false ends", false + found[0], of + found[1], FALSE_BAR
    whole = [line for line in lines if line.complete]
    yield "complete missed", *_count(whole, complete=False), MISSED_BAR
    yield "answers to requests without '?' missed", *_count(_requested(lines), _request, complete=False), MISSED_BAR


def _always(question: str, line: Line) -> str:
    return question


def _with_context(lines: Iterable[Line], *, complete: bool) -> list[Line]:
    return [line for line in lines if line.context is not None and line.complete is complete]


def _requested(lines: Iterable[Line]) -> list[Line]:
    """Answers to questions that can as well be put as requests ("Please tell me what ...")."""
    asking = ("what ", "which ", "who ", "when ", "where ", "how ", "why ")
    return [line for line in _with_context(lines, complete=True) if (line.context or "").lower().startswith(asking)]


def _request(line: Line) -> str:
    question = (line.context or "").rstrip("?")
    return f"Please tell me {question[0].lower()}{question[1:]}."


def _count(
    lines: Sequence[Line], asks: Callable[[Line], str | None] = lambda line: line.context, *, complete: bool
) -> tuple[int, int]:
    """How many turns ended as complete, or did not, as is asked."""
    people = [Person([*_settled([line.text])], asks(line)) for line in lines]
    listen(people)
    return sum((_ends(person.heard) == "complete") is complete for person in people), len(people)


def _styles(lines: Sequence[Line]) -> Iterator[Tally]:
    """Threads whose recognizer leaves out full stops, or apostrophes."""
    whole = [line.text for line in lines if line.complete and line.context is None and len(line.text.split()) > 2]
    capital = [text[0].upper() + text[1:].rstrip(".?!") for text in whole]
    yield "capitals without full stops: complete missed", *_after(_WARM, capital), MISSED_BAR
    bare = [text.lower().replace("'", "").rstrip(".?!") for text in whole if "'" in text]
    yield "without apostrophes: complete missed", *_after([_BARE], bare), None


def _after(warm: Sequence[str], texts: Sequence[str]) -> tuple[int, int]:
    people = [Person([*_settled([*warm, text])]) for text in texts]
    listen(people)
    return sum(_ends(person.heard) != "complete" for person in people), len(people)


def _settled(texts: Sequence[str]) -> Iterator[Timed]:
    """Texts as a recognizer that heard a pause behind each settles them."""
    speeches, at_s = list[Speech](), 0.1
    for text in texts:
        speeches.append(Speech(tuple(text.split()), at_s))
        at_s = speeches[-1].ends_s + 5.0
    return deepgram(speeches, 60.0, "lower case")


def _ends(heard: Sequence[Turn]) -> str:
    return heard[-1].reason if heard else "nothing was heard"


def _is_whole(heard: Sequence[Turn], said: Sequence[Sequence[str]]) -> bool:
    """Whether these are the turns, whatever punctuation stands in them."""
    return [_bare(turn.text.split()) for turn in heard] == [_bare(words) for words in said]


def _bare(words: Iterable[str]) -> list[str]:
    return [word.strip(".,;:?!").lower() for word in words if word.strip(".,;:?!-")]
