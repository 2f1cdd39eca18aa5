"""A model's service on this machine that says one line to whoever asks: what the rehearsal's requests go to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

_MOST_BYTES: Final = 1024 * 1024
"""Of a request's body; the rehearsal's has a thousandth of that."""
_LINE: Final = "Ready. <AGENT_DONE>ready</AGENT_DONE>"


def _events(*events: Mapping[str, object], end: str = "") -> bytes:
    lines = (f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n" for event in events)
    return ("".join(lines) + end).encode()


_MESSAGE: Final = {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": []}
_USAGE: Final = {"input_tokens": 1, "output_tokens": 1}
_CHUNK: Final = {"id": "chat", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_OLLAMA: Final = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}

_ANSWERS: Final = {
    "/v1/messages": _events(
        {"type": "message_start", "message": {**_MESSAGE, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": _LINE}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ),
    "/v1/chat/completions": _events(
        {**_CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": _LINE}, "finish_reason": None}]},
        {**_CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        end="data: [DONE]\n\n",
    ),
    "/api/chat": "".join(
        json.dumps({**_OLLAMA, "message": {"role": "assistant", "content": text}, "done": bool(over), **over}) + "\n"
        for text, over in ((_LINE, {}), ("", {"done_reason": "stop", "prompt_eval_count": 1, "eval_count": 1}))
    ).encode(),
}
"""What is answered, by the path that each kind of service is asked at."""


@asynccontextmanager
async def one_line_service() -> AsyncIterator[str]:
    """A service on a free port of the loopback address, for as long as the block lasts; its URL."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        # All is read before the connection is closed: what is left unread would take the answer with it.
        await reader.readexactly(min(int(fields.get("content-length", "0")), _MOST_BYTES))
        body = _ANSWERS.get(head.split(" ", 2)[1], b"")
        kind = "application/x-ndjson" if body.startswith(b"{") else "text/event-stream"
        status = "200 OK" if body else "404 Not Found"
        headers = f"content-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close"
        writer.write(f"HTTP/1.1 {status}\r\n{headers}\r\n\r\n".encode())
        writer.write(body)
        await writer.drain()
    except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # whoever that was is no rehearsal, or has gone
    finally:
        writer.close()
