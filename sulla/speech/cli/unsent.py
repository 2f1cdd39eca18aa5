"""What was said and is not acknowledged yet: sent in order, many pieces at once, again after a break."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.speech.cli.player import HeardUpTo
from sulla.speech.cli.recording import Heard
from sulla.terminal.client import Client

NAME_CHARS: Final = 64
"""Of an utterance's id."""
AT_ONCE: Final = 64
"""So many are under way at the most."""


@dataclass(frozen=True, slots=True)
class _Said:
    heard: Heard
    place: HeardUpTo | None
    """What was heard of the assistant by then."""


class UnsentSpeech:
    """What the daemon has to be told.

    Args:
        name: stands before the names of utterances: those of another play of the same recording are others.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: dict[str, str] = {}
        self._waiting: deque[_Said] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, heard: Heard, place: HeardUpTo | None) -> None:
        """Something more was said.

        Args:
            heard: a chunk or an order.
            place: what was heard of the assistant by then.
        """
        self._waiting.append(_Said(heard, place))

    async def send(self, client: Client, thread_id: str) -> bool:
        """Send what waits, without waiting for one reply before the next piece.

        Args:
            client: a connection.
            thread_id: where.

        Returns:
            Whether all of it was acknowledged; what was not is sent again the next time.

        Raises:
            SullaError: the daemon refuses some of it for good.
        """
        batch = self._batch()
        done = await asyncio.gather(*(self._ask(client, thread_id, one) for one in batch), return_exceptions=True)
        failed = [(one, error) for one, error in zip(batch, done, strict=True) if error is not None]
        for _, error in failed:
            if not isinstance(error, SullaError) or not error.retryable:
                raise error
        again = [one for one, _ in failed]
        self._waiting = deque([*again, *list(self._waiting)[len(batch) :]])
        return not failed

    def _batch(self) -> list[_Said]:
        """What may be under way at once: an order must not overtake a chunk before it that has to be sent again."""
        batch: list[_Said] = []
        for one in self._waiting:
            if one.heard.do is not None:
                return batch or [one]
            batch.append(one)
            if len(batch) == AT_ONCE:
                break
        return batch

    async def _ask(self, client: Client, thread_id: str, said: _Said) -> None:
        if (do := said.heard.do) is not None:
            await client.call(f"speech.{do}", thread_id=thread_id)
        elif (chunk := said.heard.chunk) is not None:
            await client.call(
                "speech.chunk",
                thread_id=thread_id,
                utterance_id=self._name_of(chunk.utterance_id),
                seq=chunk.seq,
                kind=chunk.kind,
                text=chunk.text,
                stable_chars=chunk.stable_chars,
                silent_ms=chunk.silent_ms,
                held=chunk.held,
                playing=None if said.place is None else said.place._asdict(),
            )

    def _name_of(self, utterance_id: str) -> str:
        known = self._names
        name = f"{self._name}.{len(known)}.{utterance_id}"[:NAME_CHARS]
        return known.setdefault(utterance_id, name)
