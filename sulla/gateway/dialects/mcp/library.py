"""The MCP server by the protocol's own library. Only this imports its server, and this is imported at first use."""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import Message

from sulla import __version__
from sulla.core.errors import Forbidden, SullaError
from sulla.gateway.dialects.mcp.form import check_kinds, read_wish
from sulla.gateway.dialects.mcp.offers import BY_NAME, OFFERS, OfferedTool
from sulla.gateway.dialects.mcp.tools import AnswerGiven, AnswerWanted, McpTools, ToolOutput
from sulla.gateway.dialects.questions import question_words
from sulla.gateway.dialects.request import RequestContext
from sulla.gateway.dialects.steps import StepQuestion
from sulla.gateway.methods.table import METHODS

_ASK: Final = "question"
"""The name of what a person is asked, among what a call needs."""
_ANSWER: Final = "answer"
_INSTRUCTIONS: Final = (
    "Sulla's agents: `ask` talks to one, and each conversation is a thread that can be gone on with. A reply that is "
    "not whole says how to wait on. What an agent asks before it acts is for a person to decide."
)
_FOR_PEOPLE: Final = (
    "people answer that: with `sulla approvals`, where the daemon runs, or in another client of Sulla's. This host was "
    "not set up to have its model answer for them (docs/clients.md)"
)
Context = ServerRequestContext[Any, Any]

logging.getLogger("mcp.server").setLevel(logging.WARNING)  # it tells of the beginning and end of every request


async def serve(request: RequestContext) -> None:
    """Answer a request.

    Args:
        request: the request.

    Raises:
        InvalidInput: its address asks for what there is not.
        Malformed: its headers do.
    """
    check_kinds(request.said.headers)
    await _Sitting(request, by_tool=read_wish(request.said.query)).serve()


class _Sitting:
    """One request: the library reads and answers it, and has us do what it asks for. Nothing of it outlives it."""

    def __init__(self, request: RequestContext, *, by_tool: bool) -> None:
        self._request = request
        self._by_tool = by_tool
        """Whether the host was set up to have its model answer what people are asked."""
        self._said = 0
        self._tools: McpTools | None = None
        self._open = ExitStack()
        self._done = asyncio.Event()

    async def settle(self, patience_s: float) -> None:
        """Keeps `rest_streams.Settling`: what is followed ends by itself, and then the library has to say so."""
        await self._done.wait()

    async def serve(self) -> None:
        """Answer it."""
        request = self._request
        server: Server[Any] = Server(
            "sulla",
            version=__version__,
            title="Sulla",
            instructions=_INSTRUCTIONS,
            get_tool_input_schema=_no_headers,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        server.middleware.clear()  # what is traced, the daemon's own telemetry decides
        body = request.said.body
        manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=len(body) + 1)
        unread = [body]

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            return await request.exchange.receive()

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *request.exchange.names]}
            await request.exchange.send(message)

        try:
            with self._open:
                async with manager.run():
                    await manager.handle_request(request.exchange.scope, receive, send)
        finally:
            self._done.set()
        if request.context.on_leave == "stop" and self._tools is not None and self._tools.unheard is not None:
            await self._tools.stop(self._tools.unheard)

    # --------------------------------------------------------------------------------------------------------- tools

    async def _list(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_TOOLS[offer.name] for offer in OFFERS if self._allows(offer)])

    async def _call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        offer = BY_NAME.get(params.name)
        if offer is None:
            known = ", ".join(offer.name for offer in OFFERS if self._allows(offer))
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name[:80]!r}: there are {known}")
        self._said = 0

        async def report(words: str) -> None:
            self._said += 1
            await context.session.report_progress(self._said, None, words)

        if offer.for_people and not self._by_tool:
            return _result(ToolOutput({}, f"{Forbidden.code}: {_FOR_PEOPLE}", is_error=True))
        if offer.waits:
            self._open.enter_context(self._request.context.streams.keeping(self))
        by_tool = self._allows(BY_NAME["answer_approval"])
        self._tools = McpTools(self._request, report, may_elicit=self._may_elicit(context), by_tool=by_tool)
        try:
            found = await self._tools.call(offer, params.arguments or {}, _answered(params))
        except SullaError as error:
            return _result(ToolOutput({}, f"{error.code}: {error.message}", is_error=True))
        return _result(found) if isinstance(found, ToolOutput) else _wanted(found)

    def _allows(self, offer: OfferedTool) -> bool:
        held = self._request.principal.scopes
        return (self._by_tool or not offer.for_people) and all(METHODS[name].scope in held for name in offer.needs)

    def _may_elicit(self, context: Context) -> bool:
        """Whether the person at the client can be asked: only newer clients can be without keeping a session."""
        able = context.session.client_capabilities
        if able is None or able.elicitation is None or context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return False
        by_form = able.elicitation.form is not None or able.elicitation.url is None
        return by_form and "approve" in self._request.principal.scopes


def _tool(offer: OfferedTool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=offer.reads,
        destructive_hint=False if offer.reads else None,
        idempotent_hint=offer.reads or offer.again,
        open_world_hint=not offer.reads,
    )
    return types.Tool(
        name=offer.name,
        description=offer.text,
        input_schema=offer.takes(),
        output_schema=offer.made(),
        annotations=hints,
    )


_TOOLS: Final = {offer.name: _tool(offer) for offer in OFFERS}


def _no_headers(name: str) -> None:
    """No argument of ours is said in a header too. Without this word the library would list all tools at each call."""


def _result(given: ToolOutput) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=given.text)]
    return types.CallToolResult(content=content, structured_content=given.value or None, is_error=given.is_error)


def _wanted(wanted: AnswerWanted) -> types.InputRequiredResult:
    form = types.ElicitRequestFormParams(
        message=question_words(wanted.ask, may_answer=True),
        requested_schema={"type": "object", "properties": {_ANSWER: _field(wanted.ask)}, "required": [_ANSWER]},
    )
    return types.InputRequiredResult(
        input_requests={_ASK: types.ElicitRequest(params=form)}, request_state=wanted.state
    )


def _field(ask: StepQuestion) -> dict[str, Any]:
    field: dict[str, Any] = {"type": "string", "title": "Answer"}
    match ask.kind:
        case "approval":
            return {**field, "enum": ["yes", "no", *(["always"] if ask.target else [])]}
        case "human":
            return {**field, "enum": ["yes", "no", "give up"]}
        case "review":
            return field
        case _:
            return {**field, "enum": [*ask.choices, "give up"]} if ask.choices else field


def _answered(params: types.CallToolRequestParams) -> AnswerGiven | None:
    if params.request_state is None:
        return None
    response = (params.input_responses or {}).get(_ASK)
    if not isinstance(response, types.ElicitResult):
        return AnswerGiven(params.request_state, "cancel", "")
    return AnswerGiven(params.request_state, response.action, str((response.content or {}).get(_ANSWER, "")))
