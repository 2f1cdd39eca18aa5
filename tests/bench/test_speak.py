from __future__ import annotations

import pytest

from bench.paced_service import STAMP_CHARS
from bench.sentence_service import TOKEN_CHARS, TOKENS_OF_SENTENCE, canned
from bench.speak import Stream
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.speaking import SPEAK
from sulla.speech.sentences.sentences import Sentences


def _text(tokens: int) -> str:
    parts = [f" {at:0{STAMP_CHARS}d}{'.a'[(at + 1) % TOKENS_OF_SENTENCE > 0]}" for at in range(tokens)]
    assert all(len(part) == TOKEN_CHARS for part in parts)
    return "".join(parts)


def test_the_service_sends_each_token_alone_and_a_place_for_its_time_in_it() -> None:
    _, tokens, _ = canned(12)
    assert len(tokens) == 12
    assert all(token.count(b"0" * STAMP_CHARS) == 1 for token in tokens)
    ends = [index for index, token in enumerate(tokens) if b"0." in token]
    assert ends == [3, 7, 11]


def test_a_sentence_of_the_service_is_a_sentence() -> None:
    sentences, text = Sentences(), _text(12)
    found = [piece for at in range(0, len(text), TOKEN_CHARS) for piece in sentences.feed(text[at : at + TOKEN_CHARS])]
    assert [(piece.end) for piece in found] == [4 * TOKEN_CHARS, 8 * TOKEN_CHARS]


def test_the_way_of_a_sentence_begins_with_the_token_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, text = Stream(), _text(9)
    times = iter((1_000_000, 3_000_004))
    monkeypatch.setattr("bench.speak.time.monotonic_ns", lambda: next(times))
    stream.take({"type": TEXT, "data": {"delta": text}})
    stream.take({"type": SPEAK, "data": {"end": 4 * TOKEN_CHARS}})
    assert stream.late_ms == [3.0]
    assert stream.added_ms == pytest.approx([2.000004])
