"""What each tool of the MCP server does: requests of the protocol's, made for the client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final, cast

import orjson
from starlette.types import Message

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, SullaError
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.dialects.insertions import PassedOn
from sulla.gateway.dialects.mcp.form import (
    MOST_ANSWERED,
    AskArgs,
    Entry,
    ReadArgs,
    State,
    WaitArgs,
    read_args,
    read_state,
)
from sulla.gateway.dialects.mcp.offers import OfferedTool
from sulla.gateway.dialects.mcp.projection import McpProjection, reply_json, reply_words
from sulla.gateway.dialects.named import check_agent
from sulla.gateway.dialects.questions import verdict_of
from sulla.gateway.dialects.request import RequestContext, Turn
from sulla.gateway.dialects.step_reader import Retellings
from sulla.gateway.dialects.steps import Step, StepAsked, StepQuestion, StepSaid, ToolBegun, ToolEnded
from sulla.gateway.feed.feed import LOOK_BACK
from sulla.gateway.problems import problem_of
from sulla.gateway.rest.shown import HttpExchange
from sulla.gateway.wire import ApprovalAnswer

TITLE_CHARS: Final = 60
_PAGE_CHARS: Final = 200_000
"""Characters of a page of a conversation, about."""

Report = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives."""

    value: JsonObject
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class AnswerWanted:
    """It needs an answer of the person at the client; then it is called again."""

    ask: StepQuestion
    state: str


@dataclass(frozen=True, slots=True)
class AnswerGiven:
    """What the person has said to a `AnswerWanted`."""

    state: str
    action: str
    """``accept``, ``decline`` or ``cancel``."""
    text: str


@dataclass(slots=True)
class _Place:
    """A turn that is waited for, and what of it is settled."""

    turn: Turn
    wait_s: int
    answered: list[str] = field(default_factory=list)


class McpTools:
    """The tools, for one request.

    Args:
        request: the request.
        report: says how it gets on.
        may_elicit: whether the person at the client can be asked while a call waits.
        by_tool: whether the client's model may answer what people are asked.
    """

    def __init__(self, request: RequestContext, report: Report, *, may_elicit: bool, by_tool: bool) -> None:
        self._request = request
        self._report = report
        self._may_elicit = may_elicit
        self._by_tool = by_tool
        self._does: Mapping[str, Callable[[JsonObject], Awaitable[ToolOutput]]] = {
            "read_thread": self._read,
            "answer_approval": self._answer,
        }
        self._waits_for: tuple[Turn, McpProjection] | None = None

    @property
    def unheard(self) -> Turn | None:
        """A turn that has begun, and that the call was cut off from."""
        return self._waits_for[0] if self._waits_for is not None and self._waits_for[1].begun else None

    async def call(
        self, offer: OfferedTool, values: JsonObject, answered: AnswerGiven | None = None
    ) -> ToolOutput | AnswerWanted:
        """Do what a tool does.

        Raises:
            SullaError: whatever it was refused with.
        """
        key = self._request.said.key
        if key is not None and "request_id" in offer.args.model_fields and values.get("request_id") is None:
            values = {**values, "request_id": key}
        if offer.method:
            read_args(offer.args, values)
            said = {**values, "from_model": True} if offer.says_so else values
            return _given(await self._request.perform(offer.method, **said))
        if offer.name in self._does:
            return await self._does[offer.name](values)
        return await self._wait(await self._place(offer, values, answered))

    async def stop(self, turn: Turn) -> None:
        """Stop a turn whose client has left."""
        request_id = derived_id("left", turn.run_id)
        await self._request.perform("turn.stop", thread_id=turn.thread_id, request_id=request_id)

    # ------------------------------------------------------------------------------------------------------- replies

    async def _place(self, offer: OfferedTool, values: JsonObject, answered: AnswerGiven | None) -> _Place:
        if offer.args is AskArgs:
            args = read_args(AskArgs, values)
            if answered is not None:
                return await self._go_on(args.wait_s, answered)
            return _Place(await self._ask(args), args.wait_s)
        waits = read_args(WaitArgs, values)
        if answered is not None:
            return await self._go_on(waits.wait_s, answered)
        await self._may_hear(waits.thread_id)
        return _Place(Turn(waits.thread_id, waits.run_id, waits.after, begun=True), waits.wait_s)

    async def _ask(self, args: AskArgs) -> Turn:
        request = self._request
        name = args.request_id
        if args.agent is not None:
            await request.look(check_agent(request, args.agent))
        request.check_room()
        thread_id = args.thread_id
        if thread_id is None:
            title = " ".join(args.message.split())[:TITLE_CHARS]
            thread_id = await request.thread(None if name is None else f"request:{name}", args.agent, title)
        await self._may_hear(thread_id)
        message_id = name or request.make_id("msg")
        # The client's model writes it, from whatever it has read; nobody knows what of it the person wants.
        return await request.send(thread_id, message_id, PassedOn(args.message), args.agent, from_model=True)

    async def _may_hear(self, thread_id: str) -> None:
        """Asked for before anything is kept: a refusal afterwards would have a model say it once more."""
        await self._request.perform("events.subscribe", thread_id=thread_id)
        self._request.check_room()

    async def _wait(self, place: _Place) -> ToolOutput | AnswerWanted:
        request, turn, heard = self._request, place.turn, McpProjection()
        self._waits_for = turn, heard
        try:
            async with request.context.server.clock.timeout(place.wait_s):
                await self._hear(turn, heard, place.answered)
        except TimeoutError:
            pass  # it goes on; the reply says how to wait on
        except SullaError as error:  # what was asked is kept all the same, and the reply says so too
            heard.problem = problem_of(error)
        self._waits_for = None
        if heard.asked and self._may_elicit:
            ask = heard.asked[0]
            state = State(
                thread_id=turn.thread_id,
                run_id=turn.run_id,
                after=turn.after,
                begun=turn.begun,
                ask=ask.id,
                choices=[*ask.choices],
                answered=place.answered[-MOST_ANSWERED:],
            )
            return AnswerWanted(ask, state.model_dump_json())
        value = reply_json(heard, turn.thread_id, turn.run_id, turn.after)
        return ToolOutput(value, reply_words(value, by_tool=self._by_tool), is_error=heard.problem is not None)

    async def _hear(self, turn: Turn, heard: McpProjection, answered: Sequence[str]) -> None:
        """Hear it to its end, or to a question that is open now; older ones have been answered."""
        inner = replace(self._request, exchange=_within(self._request.exchange, self._report))
        while True:
            await inner.follow(turn, heard)
            if not heard.asked:
                return
            asked, heard.asked = heard.asked, ()
            waiting = await self._request.look(self._request.commands.questions_of(turn.thread_id))
            still = {one.id for one in waiting} - {*answered}
            heard.asked = tuple(ask for ask in asked if ask.id in still)
            if heard.asked:
                return
            turn = Turn(turn.thread_id, turn.run_id, heard.seq, begun=True)

    async def _go_on(self, wait_s: int, answered: AnswerGiven) -> _Place:
        """Pass the person's answer on, and wait on for the same turn: nothing is asked twice."""
        state = read_state(answered.state)
        turn = Turn(state.thread_id, state.run_id, state.after, state.begun)
        place = _Place(turn, wait_s, [*state.answered, state.ask])
        await self._may_hear(turn.thread_id)
        if answered.action == "accept":
            found = verdict_of(state.ask, state.choices, answered.text)
            if found is None:
                raise InvalidInput(f"{answered.text[:80]!r} is no answer to the question {state.ask!r}")
            await self._pass_on(turn.thread_id, state.ask, *found)
        elif answered.action == "decline" and state.ask.startswith("approval:"):
            await self._pass_on(turn.thread_id, state.ask, "reject", "")
        else:
            self._may_elicit = False  # it stays open, for whoever wants to answer it
            place.answered.remove(state.ask)
        return place

    async def _pass_on(self, thread_id: str, ask_id: str, verdict: str, text: str) -> None:
        await self._request.perform("approval.answer", thread_id=thread_id, id=ask_id, verdict=verdict, text=text)

    # -------------------------------------------------------------------------------------------------------- others

    async def _answer(self, values: JsonObject) -> ToolOutput:
        args = read_args(ApprovalAnswer, values)
        waiting = await self._request.look(self._request.commands.questions_of(args.thread_id))
        run_id = next((one.run_id for one in waiting if one.id == args.id), None)
        done = await self._request.perform("approval.answer", **values)
        seq = cast(int, done["seq"])
        run_id = run_id or await self._asker(args.thread_id, args.id, seq)
        return _given({"thread_id": args.thread_id, "run_id": run_id, "after": seq - 1})

    async def _asker(self, thread_id: str, question: str, seq: int) -> str:
        """The turn that has asked what was answered before: the same answer again is no other answer."""
        told, history = Retellings(), self._request.commands.history
        for event in await self._request.look(history(thread_id, max(0, seq - LOOK_BACK), seq, LOOK_BACK)):
            for run_id, step in told.take(event):
                if isinstance(step, StepAsked) and any(ask.id == question for ask in step.asks):
                    return run_id
        raise NotFound(f"no question {question!r} is open in {thread_id!r}")

    async def _read(self, values: JsonObject) -> ToolOutput:
        args = read_args(ReadArgs, values)
        found = await self._request.perform("thread.history", **values)
        first = max(0, args.after)
        events = await self._request.look(self._request.commands.history(args.thread_id, first, None, args.limit))
        told, entries, chars, last = Retellings(), list[Json](), 0, first
        for event in events:
            fresh = []
            if event.type == "INPUT" and event.data.get("origin", "user") == "user":
                fresh = [("user", str(event.data.get("text", "")))]
            fresh += [line for _, step in told.take(event) for line in _lines(step)]
            chars += sum(len(text) for _, text in fresh)
            if entries and chars > _PAGE_CHARS:
                return _given({"entries": entries, "next": last})
            entries += [Entry(seq=event.seq or 0, who=who, text=text).model_dump() for who, text in fresh]
            last = event.seq or last
        return _given({"entries": entries, "next": last if found["more"] else None})


def _lines(step: Step) -> list[tuple[str, str]]:
    match step:
        case StepSaid(_, _, text):
            return [("agent", text)]
        case ToolBegun(_, _, name, args):
            return [("tool", f"{name} {orjson.dumps(args).decode()}")]
        case ToolEnded(_, name, text):
            return [("tool", f"{name}: {text}")]
        case StepAsked(asks):
            return [("people", ask.prompt) for ask in asks]
        case _:
            return []


def _within(exchange: HttpExchange, report: Report) -> HttpExchange:
    """An exchange for what is told while a call is at work: each piece is a word about progress.

    Whoever calls ends the telling when the client leaves.
    """

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body" and (body := message.get("body", b"")):
            await report(body.decode())

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return HttpExchange(exchange.scope, receive, send, exchange.request_id)


def _given(value: JsonObject) -> ToolOutput:
    return ToolOutput(value, orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
