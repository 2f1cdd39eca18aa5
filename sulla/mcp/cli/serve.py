"""`sulla mcp serve`: the daemon's MCP server for hosts that start a program and talk to it over its pipes.

It keeps nothing: each message goes to the daemon's `/mcp`, and what comes back goes to the host. A daemon that stops
meanwhile is waited for, and asked the same again under the same name, so that nothing is done twice.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx2

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, SullaError, Unauthorized, Unavailable, leaf
from sulla.host.system import SystemClock, random_id
from sulla.terminal.exits import Exit
from sulla.terminal.place import Door, door, home_of

LINE_BYTES: Final = 4 * 1024 * 1024
"""The longest message of a host; the daemon takes less."""
AT_ONCE: Final = 64
"""Requests that may be open; more of them wait."""
MOST_OPEN: Final = 1024
"""Requests that may wait or be open; more of them are refused."""
BY_HOST: Final = "?approvals=tool"
"""Behind the daemon's address: the host's model may answer what people are asked."""
TRIES: Final = 6
"""How often a daemon is asked that does not answer."""
PAUSE_S: Final = 0.5
"""Before the second time; each further pause is twice as long."""
CONNECT_S: Final = 10.0
READ_S: Final = 660.0
"""How long a daemon may say nothing: a call waits for 600 at most."""
LAST_S: Final = 10.0
"""How long answers may still take when the host has closed our input, in seconds."""
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_NAMES: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What newer versions want to see of a request's parameters among the headers."""
_PLAIN: Final = re.compile(r"[!-~]([ -~]*[!-~])?")
_DOWN: Final = -32000
_NO_REQUEST: Final = -32600
_NO_JSON: Final = -32700

Message = dict[str, Any]


def run(given: argparse.Namespace) -> Exit:
    """Serve the host until it closes our input."""
    home = home_of(given)

    def find() -> Door:
        where = door(home)
        return where if given.token is None else Door(where.url, _token(given.token))

    find()  # so that the host learns at once that there is nobody to talk to
    try:
        asyncio.run(_serve(find, BY_HOST if given.approvals_by_host else ""))
    except ExceptionGroup as several:  # the host reads no more, say
        raise leaf(several) from None
    return Exit.OK


def _token(path: Path) -> str:
    try:
        token = path.read_text(errors="replace").strip()
    except OSError as error:
        raise Unauthorized(f"cannot read the token in {str(path)!r}: {error.strerror}") from None
    if _PLAIN.fullmatch(token) is None:
        raise Unauthorized(f"{str(path)!r} holds no token: expected one line, as `sulla token` prints it")
    return token


async def _serve(find: Callable[[], Door], query: str) -> None:
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    loop = asyncio.get_running_loop()
    mode = os.fstat(sys.stdin.fileno()).st_mode
    # Of anything else (a file, /dev/null) the loop never hears that there is something to read: it would wait for ever.
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or sys.stdin.isatty()):
        raise InvalidInput("what is said to it has to come through a pipe: a host starts this (docs/clients.md)")
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with httpx2.AsyncClient(trust_env=False, timeout=httpx2.Timeout(CONNECT_S, read=READ_S)) as http:
        await StdioBridge(http, find, SystemClock(), _print, query).serve(reader)


def _print(message: Message) -> None:
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")  # ASCII, whatever the host's locale is
    sys.stdout.flush()


class StdioBridge:
    """Carries messages between a host and the daemon.

    Args:
        http: to the daemon.
        find: says where it is now.
        clock: for pauses.
        tell: gives a message to the host.
        query: stands behind the daemon's address.
    """

    def __init__(
        self,
        http: httpx2.AsyncClient,
        find: Callable[[], Door],
        clock: Clock,
        tell: Callable[[Message], None],
        query: str = "",
    ) -> None:
        self._http = http
        self._find = find
        self._clock = clock
        self._tell = tell
        self._query = query
        self._tasks: dict[asyncio.Task[None], Any] = {}
        """All that is being asked, and the ids that the host gave it."""
        self._room = asyncio.Semaphore(AT_ONCE)
        self._version = ""
        """What was agreed on with a host of an older version."""

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Carry what the host says, until it says no more."""
        async with asyncio.TaskGroup() as group:
            while line := await self._line(reader):
                message = _read(line)
                if message is None or not isinstance(message.get("id", 0), str | int):
                    self._tell(_error(None, _NO_JSON, "expected one JSON-RPC message on each line"))
                elif message.get("method") == "notifications/cancelled":
                    self._cancel(message)
                elif isinstance(message.get("method"), str):
                    self._begin(group, message, line)
            left = [*self._tasks]
            if left:
                await asyncio.wait(left, timeout=LAST_S)
            for task in left:
                task.cancel()

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        while True:
            try:
                return await reader.readline()
            except ValueError:
                self._tell(_error(None, _NO_REQUEST, f"a message has more than {LINE_BYTES} bytes"))

    def _begin(self, group: asyncio.TaskGroup, message: Message, line: bytes) -> None:
        """What waits for room waits beside the reading, or no cancelling would be heard meanwhile."""
        if len(self._tasks) >= MOST_OPEN:
            if "id" in message:
                self._tell(_error(message["id"], _DOWN, f"{MOST_OPEN} requests are open: wait for some of them"))
            return
        task = group.create_task(self._carry(message, line))
        self._tasks[task] = message.get("id")
        task.add_done_callback(self._tasks.pop)  # also of one that was cancelled before it began

    def _cancel(self, message: Message) -> None:
        asked = _object(message, "params").get("requestId")
        for task, id_ in self._tasks.items():
            if isinstance(asked, str | int) and asked == id_:
                task.cancel()  # which ends the request to the daemon too

    async def _carry(self, message: Message, line: bytes) -> None:
        try:
            async with self._room:
                await self._ask(message, line)
        except SullaError as error:
            if "id" in message:
                self._tell(_error(message["id"], _DOWN, error.message))

    async def _ask(self, message: Message, line: bytes) -> None:
        headers, why = self._headers(message), ""
        for number in range(TRIES):
            try:
                where = self._find()
                named = {**headers, "authorization": f"Bearer {where.token}"}
                if await self._once(message, line, where.url, named):
                    return
            except (httpx2.TransportError, Unavailable) as error:
                why = str(error) or type(error).__name__
            else:
                why = "its answer broke off"
            if number + 1 < TRIES:
                await self._clock.sleep(PAUSE_S * 2**number)
        raise Unavailable(f"the daemon does not answer ({why}): look with `sulla status`, start it with `sulla up`")

    async def _once(self, message: Message, line: bytes, url: str, headers: dict[str, str]) -> bool:
        """Ask once. Returns whether that was answered."""
        async with self._http.stream("POST", f"{url}/mcp{self._query}", content=line, headers=headers) as response:
            if "id" not in message:
                return True
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                body = await response.aread()
                return self._pass_on(message, _read(body) or _error(None, _DOWN, f"HTTP {response.status_code}"))
            rest = b""
            async for piece in response.aiter_bytes():  # the library's lines end at characters that texts may have
                *lines, rest = (rest + piece).split(b"\n")
                for one in lines:
                    found = _read(one[5:]) if one.startswith(b"data:") else None
                    if found is not None and self._pass_on(message, found):
                        return True
        return False

    def _pass_on(self, asked: Message, found: Message) -> bool:
        """Returns whether it was the answer."""
        last = "method" not in found
        if last:
            found["id"] = asked["id"]  # an answer to what nobody could read has none
            if asked["method"] == "initialize":
                self._version = str(_object(found, "result").get("protocolVersion", ""))
        self._tell(found)
        return last

    def _headers(self, message: Message) -> dict[str, str]:
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "idempotency-key": random_id("mcp"),
        }
        params = _object(message, "params")
        version = _object(params, "_meta").get(_VERSION_KEY)
        if isinstance(version, str):
            if not (_PLAIN.fullmatch(version) and _PLAIN.fullmatch(message["method"])):
                raise InvalidInput("the method and the protocol's version: expected printable ASCII characters")
            headers |= {"mcp-protocol-version": version, "mcp-method": message["method"]}
            name = params.get(_NAMES.get(message["method"], ""))
            if isinstance(name, str):
                headers["mcp-name"] = _as_header(name)
        elif self._version and message["method"] != "initialize":
            headers["mcp-protocol-version"] = self._version
        return headers


def _as_header(text: str) -> str:
    """What has no place in a header is packed as the protocol has it."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    packed = base64.b64encode(text.encode("utf-8", "surrogatepass"))
    return f"=?base64?{packed.decode()}?="


def _read(line: bytes) -> Message | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _object(message: Message, name: str) -> Message:
    found = message.get(name)
    return found if isinstance(found, dict) else {}


def _error(id_: object, code: int, text: str) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": text}}
