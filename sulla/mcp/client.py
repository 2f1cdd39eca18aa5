"""Connections by the protocol's own library. Only this imports it, and this is imported at first use: it is heavy."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, TypeVar

import anyio
import httpx2
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from sulla import __version__
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable, leaf
from sulla.core.jsontypes import FrozenJson
from sulla.mcp.catalog import McpTool
from sulla.mcp.client_http import MAX_ANSWER, SESSION_GONE, BoundedTransport, refusal
from sulla.mcp.process import ServerFolders, ServerProcess, server_process
from sulla.mcp.server import McpServer
from sulla.mcp.session import McpResult, McpSession
from sulla.mcp.words import answer_data, answer_text, left_out, plain

MAX_PAGES: Final = 20
"""Pages of a list of tools: one that never ends must not hold us."""
MAX_PER_WINDOW: Final = 5_000
WINDOW_S: Final = 5.0
"""How many messages a server may send in how many seconds. Reading them takes our time: who sends more is cut off."""
MAX_SAID: Final = 2_000
"""Characters of an error's text that are passed on."""
CONNECT_S: Final = 10.0
"""How long a server may take to take a connection, in seconds. How long an answer may take, its caller decides."""

_LOG = logging.getLogger(__name__)
_Result = TypeVar("_Result", types.ListToolsResult, types.CallToolResult)


@dataclass(frozen=True, slots=True)
class McpConnector:
    """Implements `ConnectMcp`.

    Args:
        folders: where programs are started.
        clock: all time.
    """

    folders: ServerFolders
    clock: Clock

    @asynccontextmanager
    async def __call__(
        self, server: McpServer, notice: Callable[[], None], heard: Callable[[str], None]
    ) -> AsyncGenerator[McpSession]:
        """Connect; see `ConnectMcp`."""
        async with AsyncExitStack() as stack:
            state = _ConnectionState(notice, self.clock)
            stack.callback(state.close)
            stack.callback(lambda: heard(state.said))
            transport = _over_pipes(server, self.folders, state) if server.command else _over_http(server, state)
            info = types.Implementation(name="sulla", version=__version__)
            client = Client(transport, client_info=info, message_handler=state.on_message, cache=None)
            try:
                await stack.enter_async_context(client)
            except (MCPError, ValidationError, RuntimeError, httpx2.HTTPError, ExceptionGroup) as error:
                raise Unavailable(state.over or _failed(leaf(error), state.status)) from error
            group = await stack.enter_async_context(anyio.create_task_group())
            stack.callback(group.cancel_scope.cancel)
            group.start_soon(_listen, client, notice)
            yield _ClientSession(client, state, server.name)


class _ConnectionState:
    """The state of one connection: why it is over, who waits for an answer, and how much the server sends."""

    def __init__(self, notice: Callable[[], None], clock: Clock) -> None:
        self._notice = notice
        self.clock = clock
        self._window = (clock.elapsed(), 0)
        self.over = ""
        self.status = 0
        """The last answer's, over HTTP."""
        self.process: ServerProcess | None = None
        self.waiting: set[anyio.CancelScope] = set()
        """The calls that wait for an answer."""

    @property
    def said(self) -> str:
        """The last that a program wrote to standard error."""
        return plain(self.process.said) if self.process is not None else ""

    def end(self, why: str) -> None:
        """It is over; the first reason counts."""
        self.over = self.over or why
        self.recheck()

    def close(self) -> None:
        """Nothing comes any more. The library tells most who wait, but not all: not when it is torn down itself."""
        self.end("the connection is closed")
        for scope in tuple(self.waiting):
            scope.cancel()

    def recheck(self) -> None:
        """Have it looked at whether the server still answers as it should."""
        self._notice()

    def heard(self, status: int) -> None:
        """An answer came over HTTP."""
        self.status = status

    def count(self) -> None:
        """One more message came."""
        began, seen = self._window
        now = self.clock.elapsed()
        self._window = (began, seen + 1) if now - began < WINDOW_S else (now, 1)
        if self._window[1] > MAX_PER_WINDOW:
            self.end(f"it sent more than {MAX_PER_WINDOW} messages in {WINDOW_S:g} s")

    async def on_message(self, message: object) -> None:
        """Hear what the server says unasked."""
        self.count()
        if isinstance(message, types.ToolListChangedNotification):
            self._notice()


@dataclass(frozen=True, slots=True)
class _ClientSession:
    """Implements `McpSession`."""

    client: Client
    state: _ConnectionState
    name: str
    """The server's."""

    @property
    def over(self) -> str:
        return self.state.over

    async def list(self) -> list[McpTool]:
        found: list[McpTool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor)
            try:
                page = await self._ask(self.client.session.list_tools(params=params))
            except ValidationError as error:
                raise Unavailable("its answer is none of the protocol") from error
            except MCPError as error:
                raise Unavailable(_refused(error, self.state.status)) from error
            found += [_offered(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                return found
        raise Unavailable(f"its list of tools has more than {MAX_PAGES} pages")

    async def call(self, name: str, args: FrozenJson) -> McpResult:
        # Not `call_tool`: that checks the answer against the server's schema, and a pattern in it can take for ever.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(args)))
        try:
            result = await self._ask(self.client.session.send_request(request, types.CallToolResult))
        except ValidationError as error:
            return self._malformed(error)
        except MCPError as error:
            if _is_malformed(error) and not 300 <= self.state.status < 400:  # what has moved gives no result either
                return self._malformed(error)
            self.state.recheck()
            if self.state.status == SESSION_GONE and error.code != types.METHOD_NOT_FOUND:
                # That of all requests in it, as the protocol has it: the next one begins another session.
                self.state.end("its session is over (HTTP 404)")
                raise Unavailable(self.state.over) from error
            told = _refused(error, self.state.status)
            return McpResult(f"{error.message[:MAX_SAID]} ({told})", is_error=True)
        said = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        content, structured = said.get("content") or [], said.get("structuredContent")
        text = answer_text(content, structured)
        return McpResult(text, bool(result.is_error), answer_data(content, structured), left_out(content))

    def _malformed(self, error: Exception) -> McpResult:
        self.state.recheck()
        _LOG.warning("an MCP server gives what is no result: %s", str(error)[:MAX_SAID], extra={"server": self.name})
        said = f"The MCP server {self.name!r} answered the call with what is no result of a tool."
        return McpResult(
            f"{said} Nobody knows whether the call took effect; the server has to be mended.", is_error=True
        )

    async def _ask(self, asking: Awaitable[_Result]) -> _Result:
        """Wait for an answer.

        Raises:
            MCPError: the server says that it cannot.
            ValidationError: it is none of the protocol.
            Unavailable: there is none.
        """
        try:
            with anyio.CancelScope() as scope:
                self.state.waiting.add(scope)
                try:
                    return await asking
                finally:
                    self.state.waiting.discard(scope)
            raise Unavailable(self.state.over)
        except MCPError as error:
            if _is_closed(error):
                raise Unavailable(self.state.over or "the connection was closed") from error
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError) as error:
            raise Unavailable(self.state.over or "the connection is closed") from error


async def _listen(client: Client, notice: Callable[[], None]) -> None:
    """Hear of changed tools as long as the server tells; older servers tell without being asked."""
    try:
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                notice()
    except (ListenNotSupportedError, SubscriptionLost, MCPError) as error:
        _LOG.debug("a server does not tell when its tools change: %s", type(error).__name__)


@asynccontextmanager
async def _over_pipes(
    server: McpServer, folders: ServerFolders, state: _ConnectionState
) -> AsyncGenerator[TransportStreams]:
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)
    stack = AsyncExitStack()
    try:
        state.process = program = await stack.enter_async_context(server_process(server, folders, state.clock))
        async with anyio.create_task_group() as group:
            group.start_soon(_read, program, into, state)
            group.start_soon(_write, program, out_of, state)
            try:
                yield incoming, outgoing
            finally:
                group.cancel_scope.cancel()
    finally:
        for stream in (into, incoming, outgoing, out_of):
            stream.close()
        with anyio.CancelScope(shield=True):
            await stack.aclose()


async def _read(
    program: ServerProcess, into: MemoryObjectSendStream[SessionMessage | Exception], state: _ConnectionState
) -> None:
    """Pass on what the program sends, until it ends or misbehaves; then whoever waits for an answer hears of that."""
    stray = False
    with into:
        while not state.over:
            try:
                raw = await program.line()
                await into.send(_message(raw))
            except ValidationError:
                # Many print to their standard output what belongs to the other one.
                if not stray:
                    _LOG.warning("an MCP server prints what is no message; that is left out")
                stray = True
            except Unavailable as error:
                state.end(error.message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # nobody listens any more
            state.count()


async def _write(
    program: ServerProcess, out_of: MemoryObjectReceiveStream[SessionMessage], state: _ConnectionState
) -> None:
    with out_of:
        async for message in out_of:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                program.send(text.encode() + b"\n")
            except Unavailable as error:
                state.end(error.message)
                return


@asynccontextmanager
async def _over_http(server: McpServer, state: _ConnectionState) -> AsyncGenerator[TransportStreams]:
    # Neither proxies nor passwords from the environment, and how long an answer may take its caller decides.
    timeout = httpx2.Timeout(CONNECT_S, read=None)
    headers = {"accept-encoding": "identity"} | dict(server.headers)
    transport = BoundedTransport(httpx2.AsyncHTTPTransport(), state.heard)
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers, timeout=timeout, trust_env=False) as http,
        streamable_http_client(server.url, http_client=http, max_sse_event_size=MAX_ANSWER) as streams,
    ):
        yield streams


def _offered(tool: types.Tool) -> McpTool:
    hints = tool.annotations
    return McpTool(
        tool.name,
        tool.description or tool.title or "",
        tool.input_schema,
        bool(hints and hints.read_only_hint),
        bool(hints and hints.idempotent_hint),
        tool.output_schema or {},
    )


def _failed(error: BaseException, status: int) -> str:
    """Why there is no connection."""
    match error:
        case Unavailable():
            return error.message
        case MCPError():
            return _refused(error, status)
        case httpx2.HTTPError():
            return f"its address cannot be reached ({type(error).__name__})"
        case _:
            return f"it does not speak the protocol ({type(error).__name__})"


def _refused(error: MCPError, status: int) -> str:
    """What became of a request of ours; the server's own words stay out of it."""
    if said := refusal(status):
        return said
    return "the connection was closed" if _is_closed(error) else f"it answered with error {error.code}"


def _message(raw: bytes) -> SessionMessage:
    """A line of a program. An answer that cannot be read is an error: whoever waits for it waits for no other.

    Raises:
        ValidationError: it is no message, and no answer.
    """
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(raw, by_name=False))
    except ValidationError as error:
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError):
            raise error from None
        asked = said.get("id") if isinstance(said, dict) and "method" not in said else None
        if not isinstance(asked, int | str) or isinstance(asked, bool):
            raise
        told = types.ErrorData(code=types.PARSE_ERROR, message=str(error))
        return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=asked, error=told))


def _is_malformed(error: MCPError) -> bool:
    """Whether the library could not read an answer; what it says of that quotes the answer."""
    return error.code == types.PARSE_ERROR and "validation error" in error.message


def _is_closed(error: MCPError) -> bool:
    """Whether the library says it of the connection: servers use the same number for refusals of their own."""
    return error.code == types.CONNECTION_CLOSED and error.message == "Connection closed"
