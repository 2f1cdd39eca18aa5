"""A model's service whose tokens say when they were sent: ``python -m bench.token_service``; prints ``ready …``.

A request to ``/N/TOGETHER/v1/messages`` is answered in Anthropic's form with N tokens in 40 writes a second, TOGETHER
tokens in each: a processor that sleeps longer between two writes pays more for waking up, and would have that counted
as the tokens' cost if the writes became fewer. A token is the monotonic clock's
nanoseconds in 20 digits, which all processes of a machine share, and a full stop.
"""

from __future__ import annotations

import asyncio

from bench.paced_service import STAMP, STAMP_CHARS, Answer, serve
from tests.servers import anthropic_stream
from tests.servers.script import Reply

TOKEN_CHARS = STAMP_CHARS + 1


def canned(tokens: int) -> tuple[list[bytes], bytes, list[bytes]]:
    """What comes before the tokens, one token with a place for its time, and what comes behind them."""
    reply = Reply((STAMP.decode() + ".") * tokens, pieces=tokens)
    events = list(anthropic_stream.events(reply, {"model": "m"}, "x"))
    first = next(index for index, event in enumerate(events) if event.shows_text)
    last = max(index for index, event in enumerate(events) if event.shows_text)
    return [event.data for event in events[:first]], events[first].data, [event.data for event in events[last + 1 :]]


def _answer(path: list[str]) -> Answer:
    tokens, together = map(int, path[:2])
    before, token, behind = canned(tokens)
    return Answer(before, [token] * (tokens // together), behind, together)


if __name__ == "__main__":
    asyncio.run(serve(_answer))
