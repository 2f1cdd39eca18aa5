"""A client of streams that checks every event it gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from sulla.gateway.rest.models import ChildEnded, End, Hole
from sulla.gateway.server.server import Server
from sulla.gateway.wire import EventParams
from tests.gateway.forms import check_form
from tests.gateway.peer import PATIENCE_S
from tests.gateway.rest.test_app import browse

STREAM = {"Accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Block:
    """One event of a stream."""

    id: str | None
    event: str
    data: dict[str, Any]


class Reader:
    """Reads a stream as the standard has it, and checks the form of every event."""

    def __init__(self, answer: httpx.Response, *, family: bool = False) -> None:
        self.answer = answer
        self._family = family
        self.comments = 0
        self.retry: list[str] = []
        self._lines = answer.aiter_lines()

    async def next(self) -> Block:
        """The next event."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(PATIENCE_S):
            async for line in self._lines:
                name, colon, value = line.partition(":")
                if line and not name and colon:
                    self.comments += 1
                elif line == "" and "data" in fields:
                    return checked(fields, family=self._family)
                elif name == "retry":
                    self.retry.append(value.strip())
                elif line:
                    assert name in ("id", "event", "data"), line
                    assert name not in fields, line
                    fields[name] = value.removeprefix(" ")
        raise AssertionError("the stream broke off without a last event")

    async def take(self, count: int) -> list[Block]:
        return [await self.next() for _ in range(count)]

    async def to_the_end(self) -> list[Block]:
        """All that comes; the last one is `end`, and behind it there is nothing."""
        found = [await self.next()]
        while found[-1].event != "end":
            found.append(await self.next())
        async with asyncio.timeout(PATIENCE_S):
            assert [line async for line in self._lines if line] == []
        return found


def checked(fields: dict[str, str], *, family: bool) -> Block:
    block = Block(fields.get("id"), fields["event"], json.loads(fields["data"]))
    match block.event:
        case "end":
            End.model_validate(block.data)
        case "child_ended":
            ChildEnded.model_validate(block.data)
        case "gap":
            Hole.model_validate(block.data)
        case event:
            params = check_form(EventParams, block.data)
            assert params.type == event
            assert (block.id is None) == (params.seq is None)
            if not family:
                assert block.id == (None if params.seq is None else str(params.seq))
    return block


@asynccontextmanager
async def stream(
    server: Server, path: str, body: object = None, token: str = "owner", **headers: str
) -> AsyncIterator[Reader]:
    """A stream: of a turn if there is a body, else of a thread."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        browse(server, {"Authorization": f"Bearer {token}"}) as http,
        http.stream("GET" if body is None else "POST", path, json=body, headers=STREAM | more) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Reader(answer, family="children=true" in path)


def types(blocks: list[Block]) -> list[str]:
    return [block.event for block in blocks]
