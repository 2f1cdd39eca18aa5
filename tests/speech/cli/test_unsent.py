"""What was said until it is acknowledged, before a connection that fails as the test says."""

from __future__ import annotations

from typing import Any, cast

import pytest

from sulla.core.errors import Refused, Unavailable
from sulla.speech.cli.player import HeardUpTo
from sulla.speech.cli.recording import Heard
from sulla.speech.cli.unsent import AT_ONCE, UnsentSpeech
from sulla.speech.turn_taking.chunk import Chunk
from sulla.terminal.client import Client


class _Wire:
    """Takes what it is sent, but what it is to fail at.

    Attributes:
        asked: every request, in order.
        fails: an error, by the text of a chunk or the name of a method, for the next time.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.fails: dict[str, Exception] = {}

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One request."""
        self.asked.append((method, params))
        if error := self.fails.pop(str(params.get("text", method)), None):
            raise error
        return {}

    def texts(self) -> list[str]:
        """What was sent since the last look, in words."""
        asked, self.asked = self.asked, []
        return [params.get("text", method) for method, params in asked]


def _chunk(text: str, name: str = "u") -> Heard:
    return Heard(1, 0, Chunk(name, 1, "delta", text))


def _unsaid(*texts: str) -> UnsentSpeech:
    unsaid = UnsentSpeech("v")
    for text in texts:
        unsaid.add(Heard(1, 0, do="flush") if text == "FLUSH" else _chunk(text), None)
    return unsaid


async def _sent(unsaid: UnsentSpeech, wire: _Wire) -> bool:
    return await unsaid.send(cast("Client", wire), "thr")


async def test_what_is_acknowledged_is_not_sent_again() -> None:
    unsaid, wire = _unsaid("a", "b"), _Wire()
    assert await _sent(unsaid, wire)
    assert wire.texts() == ["a", "b"]
    assert not unsaid


async def test_what_is_not_is_and_nothing_else() -> None:
    unsaid, wire = _unsaid("a", "b", "c"), _Wire()
    wire.fails["b"] = Unavailable("gone")
    assert not await _sent(unsaid, wire)
    unsaid.add(_chunk("d"), None)
    assert wire.texts() == ["a", "b", "c"]
    assert await _sent(unsaid, wire)
    assert wire.texts() == ["b", "d"]


async def test_an_order_does_not_overtake_a_chunk_before_it() -> None:
    unsaid, wire = _unsaid("a", "FLUSH", "b"), _Wire()
    wire.fails["a"] = Unavailable("gone")
    assert not await _sent(unsaid, wire)
    assert wire.texts() == ["a"]
    while unsaid:
        await _sent(unsaid, wire)
    assert wire.texts() == ["a", "speech.flush", "b"]


async def test_what_is_refused_for_good_is_raised() -> None:
    unsaid, wire = _unsaid("a"), _Wire()
    wire.fails["a"] = Refused("no")
    with pytest.raises(Refused):
        await _sent(unsaid, wire)


async def test_not_more_than_so_many_are_under_way() -> None:
    unsaid, wire = _unsaid(*map(str, range(AT_ONCE + 1))), _Wire()
    await _sent(unsaid, wire)
    assert len(wire.texts()) == AT_ONCE
    assert len(unsaid) == 1


async def test_utterances_have_names_of_their_own_that_fit_and_chunks_say_what_was_heard() -> None:
    unsaid, wire = UnsentSpeech("v_1"), _Wire()
    for name in ("h", "x" * 64, "x" * 63 + "y", "h"):
        unsaid.add(_chunk("a", name), HeardUpTo("m", 7))
    await _sent(unsaid, wire)
    names = [params["utterance_id"] for _, params in wire.asked]
    assert names == ["v_1.0.h", f"v_1.1.{'x' * 58}", f"v_1.2.{'x' * 58}", "v_1.0.h"]
    assert wire.asked[0][1]["playing"] == {"message_id": "m", "played_chars": 7}
