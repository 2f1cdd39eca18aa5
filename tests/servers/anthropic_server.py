"""A fake of Anthropic's Messages API on a real socket: streams, fails, hangs up, waits, counts, and keeps a ledger.

In a test: ``async with FakeAnthropic(script, clock) as fake``. As a process of its own, for tests that kill the
daemon::

    python -m tests.servers.anthropic_server --script FILE --ledger FILE [--port N]

It prints ``ready http://127.0.0.1:N``. ``POST /_fake/release/<name>`` lets held replies go on.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.host.system import SystemClock
from tests.servers.anthropic_stream import (
    asked_of,
    body_hash,
    count_tokens,
    error_body,
    error_event,
    events,
    fault_of,
)
from tests.servers.playing import play
from tests.servers.script import Failure, Reply, Script, parse_script
from tests.servers.wire import WireRequest, WireResponse, WireServer

_ROUTES = {("POST", "/v1/messages"), ("POST", "/v1/messages/count_tokens")}
_MODEL = "/v1/models/"


@dataclass(frozen=True, slots=True)
class Seen:
    """A request for a reply that reached the fake."""

    number: int
    """Counts from 1."""
    body: JsonObject
    headers: Mapping[str, str]
    peer: str
    """The client's address and port: the same for all requests of one connection."""
    text: str
    """The last text of the user's."""
    results: int
    """How many tool results follow it."""


class Ledger:
    """An append-only file of JSON lines, each on the disk before anything else happens.

    Args:
        path: the file; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._file = None if path is None else os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, entry: JsonObject) -> None:
        """Add a line."""
        if self._file is not None:
            os.write(self._file, orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE))
            os.fsync(self._file)

    def close(self) -> None:
        """No more lines."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class FakeAnthropic:
    """Answers by a script while its block lasts.

    Args:
        script: what to say.
        clock: for delays and for the times in the ledger.
        ledger: a file that gets a line when a request begins (``start``) and when it ends (``done``, ``failed``,
            ``cut``, or ``left`` if the client went away).
        key: the only key that is let in; empty lets all in.
        models: what it says it has; empty for whatever it is asked for.
        port: 0 picks a free one.
    """

    def __init__(
        self,
        script: Script,
        clock: Clock,
        *,
        ledger: Path | None = None,
        key: str = "",
        models: tuple[str, ...] = (),
        port: int = 0,
    ) -> None:
        self._script = script
        self._clock = clock
        self._ledger = Ledger(ledger)
        self._key = key
        self._models = models
        self._server = WireServer(self._handle, port=port)
        self._changed = asyncio.Condition()
        self._released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.requests: list[Seen] = []
        """Every request for a reply, in order."""
        self.ended: list[tuple[int, str]] = []
        """How each ended: its number and ``done``, ``failed``, ``cut`` or ``left``."""
        self.held: set[str] = set()
        """The names that replies stand still at."""

    @property
    def url(self) -> str:
        """What ANTHROPIC_BASE_URL has to be."""
        return self._server.url

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._server.__aexit__(kind, error, trace)
        finally:
            self._ledger.close()

    def release(self, name: str) -> None:
        """Let replies that stand still at `name` go on, now and later."""
        self._released[name].set()

    async def until(self, ready: Callable[[FakeAnthropic], bool]) -> None:
        """Return when `ready` says so; it is asked again whenever a request begins, stands still or ends."""
        async with self._changed:
            await self._changed.wait_for(lambda: ready(self))

    async def _handle(self, request: WireRequest, response: WireResponse) -> None:
        path = request.path.partition("?")[0]
        if path.startswith("/_fake/release/"):
            self.release(path.rpartition("/")[2])
            await response.whole(200, b"{}")
            return
        if (request.method, path) == ("GET", _MODEL.rstrip("/")) and self._models:
            await response.whole(200, orjson.dumps({"data": [{"type": "model", "id": name} for name in self._models]}))
            return
        if (request.method, path) not in _ROUTES and not (request.method == "GET" and path.startswith(_MODEL)):
            await _refuse(response, Failure(404, message=f"no route for {request.method} {path}"))
            return
        if self._key and self._key not in (
            request.headers.get("x-api-key"),
            request.headers.get("authorization", "").removeprefix("Bearer "),
        ):
            await _refuse(response, Failure(401, message="invalid x-api-key"))
            return
        if path.startswith(_MODEL):
            await self._model(path.removeprefix(_MODEL), response)
            return
        body: JsonObject = orjson.loads(request.body)
        if path.endswith("count_tokens"):
            await response.whole(200, orjson.dumps({"input_tokens": count_tokens(body)}))
            return
        await self._message(request, body, response)

    async def _model(self, name: str, response: WireResponse) -> None:
        if self._models and name not in self._models:
            await _refuse(response, Failure(404, "not_found_error", f"model: {name}"))
        else:
            await response.whole(200, orjson.dumps({"type": "model", "id": name, "display_name": name}))

    async def _message(self, request: WireRequest, body: JsonObject, response: WireResponse) -> None:
        asked = asked_of(body)
        seen = Seen(len(self.requests) + 1, body, request.headers, request.peer, asked.text, asked.results)
        self.requests.append(seen)
        identity = body_hash(request.body)
        messages = body.get("messages")
        self._ledger.write(
            {
                "event": "start",
                "request": seen.number,
                "body_hash": identity,
                "text": asked.text[-200:],
                "results": asked.results,
                "messages": len(messages) if isinstance(messages, list) else 0,
                "at": self._clock.now(),
            }
        )
        await self._notify()
        how = "left"
        try:
            how = await self._answer(seen, identity, response)
        finally:
            self.ended.append((seen.number, how))
            entry: JsonObject = {"event": how, "request": seen.number, "body_hash": identity, "at": self._clock.now()}
            self._ledger.write(entry)
            await self._notify()

    async def _answer(self, seen: Seen, identity: str, response: WireResponse) -> str:
        """Send what the script says.

        Returns:
            How it ended.
        """
        fault = fault_of(seen.body)
        try:
            answer = self._script.answer(asked_of(seen.body)) if fault is None else Failure(400, message=fault)
        except InvalidInput as error:
            answer = Failure(400, message=error.message)
        if isinstance(answer, Failure):
            if not answer.in_stream:
                await _refuse(response, answer)
                return "failed"
            answer = Reply(broken=error_event(answer).decode())
        await response.start(200, {"content-type": "text/event-stream; charset=utf-8", "request-id": f"req_{identity}"})
        return await play(events(answer, seen.body, identity), answer, response, self._clock, self._hold)

    async def _hold(self, name: str) -> None:
        if not self._released[name].is_set():
            self.held.add(name)
            await self._notify()
            await self._released[name].wait()
            self.held.discard(name)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _refuse(response: WireResponse, failure: Failure) -> None:
    headers = {"retry-after": failure.retry_after} if failure.retry_after else {}
    await response.whole(failure.status, error_body(failure), headers)


async def _serve(script: Script, ledger: Path | None, port: int) -> None:
    async with FakeAnthropic(script, SystemClock(), ledger=ledger, port=port) as fake:
        sys.stdout.write(f"ready {fake.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.anthropic_server")
    parser.add_argument("--script", type=Path, required=True, help="JSON file with the rules")
    parser.add_argument("--ledger", type=Path, help="file that gets a line per request begun and ended")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    args = parser.parse_args()
    try:
        asyncio.run(_serve(parse_script(args.script.read_bytes()), args.ledger, args.port))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
