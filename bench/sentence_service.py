"""A model's service that writes sentences: ``python -m bench.sentence_service``; prints ``ready …``.

A request to ``/N/v1/messages`` is answered in Anthropic's form with N tokens, 40 a second, each in a write of its own.
A token is a space, the monotonic clock's nanoseconds in 20 digits, and a letter; in the last one of a sentence a full
stop stands in the letter's place. So whoever knows where a sentence ends knows when what showed that was sent.
"""

from __future__ import annotations

import asyncio

from bench.paced_service import STAMP_CHARS, Answer, serve
from tests.servers import anthropic_stream
from tests.servers.script import Reply

TOKENS_OF_SENTENCE = 4
TOKEN_CHARS = STAMP_CHARS + 2


def canned(tokens: int) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """What comes before the tokens, the tokens with a place for their times, and what comes behind them."""
    each = [" " + "0" * STAMP_CHARS + (".a"[(at + 1) % TOKENS_OF_SENTENCE > 0]) for at in range(tokens)]
    events = list(anthropic_stream.events(Reply("".join(each), pieces=tokens), {"model": "m"}, "x"))
    shown = [index for index, event in enumerate(events) if event.shows_text]
    assert len(shown) == tokens
    data = [event.data for event in events]
    return data[: shown[0]], data[shown[0] : shown[-1] + 1], data[shown[-1] + 1 :]


def _answer(path: list[str]) -> Answer:
    return Answer(*canned(int(path[0])))


if __name__ == "__main__":
    asyncio.run(serve(_answer))
