"""The connections of a fake server, which ends them when it is told to."""

from __future__ import annotations

from asyncio import StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Connections:
    """Those that are open. It lives as long as its fake."""

    def __init__(self) -> None:
        self._open: set[StreamWriter] = set()

    @contextmanager
    def held(self, writer: StreamWriter) -> Iterator[None]:
        """While one is served; then it is closed."""
        self._open.add(writer)
        try:
            yield
        finally:
            writer.close()

    def cut(self) -> None:
        """All of them break off."""
        for writer in self._open:
            writer.transport.abort()

    async def end(self) -> None:
        """The same, until nothing of them is left."""
        self.cut()
        while self._open:
            with suppress(ConnectionError):
                await self._open.pop().wait_closed()
