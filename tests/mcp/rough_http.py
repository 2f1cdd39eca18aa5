"""A server over HTTP written by hand, in the test's own process: it answers each request as it is told to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sulla.core.jsontypes import Json, JsonObject
from sulla.mcp.server import McpServer

LIST: JsonObject = {"tools": [{"name": "act", "description": "Act.", "inputSchema": {"type": "object"}}]}
DONE: JsonObject = {"content": [{"type": "text", "text": "done"}]}


@dataclass(slots=True)
class Asked:
    """A request."""

    verb: str
    headers: dict[str, str]
    body: JsonObject

    @property
    def method(self) -> str:
        """What is asked for: a method of the protocol, or the verb of a request that has none."""
        return str(self.body.get("method", self.verb))


Answer = bytes | None
"""What goes back, head and all, after which the connection is closed; None for nothing, on an open connection."""


@dataclass(slots=True)
class RoughHttp:
    """What the server does."""

    port: int = 0
    how: dict[str, Callable[[Asked], Answer]] = field(default_factory=dict)
    """What becomes of requests, by method; of all others what a good server does."""
    seen: list[Asked] = field(default_factory=list)
    streams: int = 0
    """How many connections wait for an answer that does not come."""

    @property
    def server(self) -> McpServer:
        """How it is reached."""
        return McpServer("rough", url=f"http://127.0.0.1:{self.port}/mcp", headers={"Authorization": "Bearer k1"})

    def methods(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.method for asked in self.seen]


def reply(status: str, body: bytes = b"", *headers: str, kind: str = "application/json") -> bytes:
    """An answer of HTTP."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}", "connection: close"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def result(asked: Asked, found: Json, *headers: str) -> bytes:
    """A result of the protocol."""
    said = {"jsonrpc": "2.0", "id": asked.body.get("id"), "result": found}
    return reply("200 OK", json.dumps(said).encode(), *headers)


def good(asked: Asked) -> Answer:
    """What a good server answers."""
    match asked.method:
        case "initialize":
            info: JsonObject = {"name": "rough", "version": "1"}
            about: JsonObject = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
            return result(asked, about, "mcp-session-id: s1")
        case "tools/list":
            return result(asked, LIST)
        case "tools/call":
            return result(asked, DONE)
        case "GET":
            return reply("405 Method Not Allowed")
        case "DELETE":
            return reply("204 No Content")
        case _ if "id" in asked.body:
            said = {"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32601, "message": "no such method"}}
            return reply("200 OK", json.dumps(said).encode())
        case _:
            return reply("202 Accepted")


@asynccontextmanager
async def rough_http(port: int = 0) -> AsyncIterator[RoughHttp]:
    """Serve."""
    one = RoughHttp()
    writers = set[asyncio.StreamWriter]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        try:
            asked = await _read(reader)
            one.seen.append(asked)
            answer = one.how.get(asked.method, good)(asked)
            if answer is not None:
                writer.write(answer)
            if answer is None or b"content-length" not in answer:
                one.streams += 1
                await reader.read()  # until the other side has had enough
                one.streams -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # it left
        finally:
            writers.discard(writer)
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", port)
    one.port = listening.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        listening.close()
        for writer in list(writers):
            writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(head[0].split()[0], headers, json.loads(body) if body else {})
