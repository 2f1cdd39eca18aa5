"""One request in a dialect: what its handler reads, asks the daemon for, and answers with."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import TypeVar, cast

import orjson

from sulla.access.principal import Principal
from sulla.agent.rpc import METHODS as AGENTS
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, Unavailable
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.commands import Commands
from sulla.gateway.dialects.insertions import PassedOn, said_in
from sulla.gateway.dialects.projection import ProjectedTurn, Projection
from sulla.gateway.dialects.step_reader import StepReader
from sulla.gateway.feed.feed import LOOK_BACK
from sulla.gateway.methods.observing import Asked
from sulla.gateway.problems import Headers, Malformed
from sulla.gateway.rest.app import RestContext, answer, caller_of
from sulla.gateway.rest.auth import principal_of
from sulla.gateway.rest.read import RequestParts, validated
from sulla.gateway.rest.shown import HttpExchange, Settle, StreamedThread
from sulla.gateway.rpc import show

T = TypeVar("T")
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, and from where it is told."""

    thread_id: str
    run_id: str
    after: int
    """The last number of the log that is not told any more."""
    begun: bool = False
    """Whether something of the turn came before that."""
    past: int = 0
    """A number of the log up to which it is known what became of the questions: of these only `waiting` are open."""
    waiting: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A request whose token allows what its route needs, and whose body was read."""

    context: RestContext
    exchange: HttpExchange
    said: RequestParts
    dialect: str
    """The dialect's name."""

    @property
    def principal(self) -> Principal:
        """Who asks."""
        return principal_of(self.exchange.scope)

    @property
    def commands(self) -> Commands:
        """What can be looked up (with `look`) without being a request of the client's."""
        return self.context.server.commands

    def json(self) -> JsonObject:
        """The body, as one object.

        Raises:
            Malformed: it is not JSON, or not said to be.
            InvalidInput: it is another kind of value.
        """
        kind = self.said.headers.get("content-type", "")
        if kind.partition(";")[0].strip().lower() != _JSON:
            message = f"got a body of type {show(kind)}, expected {_JSON}: send the header 'Content-Type: {_JSON}'"
            raise Malformed(415, "unsupported_media_type", message)
        try:
            value: Json = orjson.loads(self.said.body)
        except orjson.JSONDecodeError as error:
            raise Malformed(400, "invalid_json", f"the body is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise InvalidInput(f"the body: got {show(value)}, expected an object")
        return value

    def make_id(self, prefix: str) -> str:
        """A new id."""
        return self.context.make_id(prefix)

    async def perform(self, method: str, **values: Json) -> JsonObject:
        """Have a method of the protocol done for the client: what its token allows, within the deadline, and told to
        the observer.

        Args:
            method: its name, e.g. ``turn.send``.
            values: its parameters; whatever of them is wrong is refused.

        Raises:
            InvalidInput: one of them is.
            SullaError: see `Calls.perform`.
        """
        caller = caller_of(self.exchange.scope, self.dialect)
        asked = Asked(caller, self.exchange.request_id, validated(method, values))
        return await self.context.server.calls.perform(asked)

    async def look(self, work: Awaitable[T]) -> T:
        """Have something looked up within the deadline of requests.

        Args:
            work: of `commands`, or of what it has.

        Raises:
            Unavailable: it took too long.
            SullaError: whatever it was refused with.
        """
        server = self.context.server
        try:
            async with server.clock.timeout(server.limits.call_s):
                return await work
        except TimeoutError:
            raise Unavailable(f"no answer within {server.limits.call_s:g} s: ask again") from None

    def check_room(self) -> None:
        """See whether one more answer can be followed.

        Raises:
            Busy: there are too many.
            ShuttingDown: the daemon is stopping.
        """
        self.context.streams.check_room()

    async def thread(self, name: str | None, agent: str | None, title: str = "", project: str = "") -> str:
        """A thread, made if there is none.

        Args:
            name: the client's name for the conversation: the same one gives the same thread to the same token, as long
                as agent and title are the same; None for a new one.
            agent: who answers in it; None for the default agent.
            title: shown in lists.
            project: what it is about; with another one the same name is another conversation.
        """
        about = (project,) if project else ()
        whose = self.dialect, self.principal.name, agent or ""
        request_id = None if name is None else derived_id("req", *whose, name, *about)
        values: JsonObject = {"project": project} if project else {}
        made = await self.perform("thread.create", agent=agent, title=title, request_id=request_id, **values)
        return cast(str, made["thread_id"])

    async def send(
        self,
        thread_id: str,
        message_id: str,
        words: PassedOn,
        agent: str | None = None,
        *,
        from_model: bool = False,
    ) -> Turn:
        """Keep a message; from here on it is answered or fails visibly, whatever becomes of the client.

        Args:
            thread_id: where it goes.
            message_id: names it: the same one again is the same turn.
            words: what the person says, and what is passed on with it.
            agent: who should answer; None for the thread's.
            from_model: whether it is no person who says it, but a model of the client's.

        Raises:
            SullaError: nothing was kept.
        """
        self.check_room()  # before anything is kept that could not be shown
        said: JsonObject = {
            "message_id": message_id,
            "text": words.text,
            "quoted": words.quoted,
            "said_chars": words.said_chars,
            "agent": agent,
            "from_model": from_model,
        }
        sent = await self.perform("turn.send", thread_id=thread_id, **said)
        return Turn(thread_id, cast(str, sent["run_id"]), cast(int, sent["seq"]) - 1)

    async def agents(self) -> list[str]:
        """The ids of all agents, the default agent first.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        self.commands.check_ready("store")
        return [agent.id for agent in (await self.look(AGENTS.service_in(self.commands.services).list_agents())).agents]

    async def reaches(self, thread_id: str, seq: int) -> bool:
        """Whether a thread's log goes as far as it did once. Where it does not, the thread was deleted and made anew
        under its name, and what was noted of it is void.

        Args:
            thread_id: the thread.
            seq: a number of its log.
        """
        return seq <= await self.look(self.commands.last_seq(thread_id))

    async def settled(self, turn: Turn) -> Turn:
        """A turn that was begun before, and is told once more: what was answered since is not asked again.

        Args:
            turn: from `send`.
        """
        past = await self.look(self.commands.last_seq(turn.thread_id))
        waiting = await self.look(self.commands.questions_of(turn.thread_id))
        return replace(turn, past=past, waiting=frozenset(question.id for question in waiting))

    async def must_not_wait(self, thread_id: str, text: str) -> bool:
        """Whether a person's message is taken up also where the agent waits for an answer, which it is not.

        Args:
            thread_id: where it is said.
            text: what came; of that the person's own words count.
        """
        return await self.look(self.commands.must_not_wait(thread_id, said_in(text).text))

    async def follow(self, turn: Turn, projection: Projection, before_last: Settle | None = None) -> None:
        """Answer with a turn, from its message to its end, also while it waits for people, until the client leaves.

        Args:
            turn: from `send`, or made of what is known of an earlier one (then it has `begun`).
            projection: what it looks like.
            before_last: done before the answer's last bytes are sent; what it raises is logged.
        """
        told = ProjectedTurn(await self._retelling(turn), projection)

        async def stop() -> JsonObject:
            request_id = derived_id("left", turn.run_id)
            return await self.perform("turn.stop", thread_id=turn.thread_id, request_id=request_id)

        abandon = stop if self.context.on_leave == "stop" else None
        shown = StreamedThread(self.principal, turn.thread_id, turn.after, told, abandon, before_last)
        await self.context.streams.serve(self.exchange, shown)

    async def _retelling(self, turn: Turn) -> StepReader:
        """Who tells of a turn from its middle has to know what came just before: which questions are open, say."""
        retelling = StepReader(turn.run_id, turn.after, turn.past, turn.waiting)
        if turn.begun:
            first = max(0, turn.after - LOOK_BACK)
            before = self.commands.history(turn.thread_id, first, turn.after + 1, LOOK_BACK)
            for event in await self.look(before):
                retelling.take(event)
        return retelling

    async def answer(self, status: int, body: Json, headers: Headers | None = None) -> None:
        """Answer with JSON.

        Args:
            status: HTTP's.
            body: the value.
            headers: beside the usual ones.
        """
        await answer(self.exchange.send, status, orjson.dumps(body), [*(headers or []), *self.exchange.names])

    async def answer_bytes(self, status: int, body: bytes, headers: Headers) -> None:
        """Answer with something else.

        Args:
            status: HTTP's.
            body: all of it.
            headers: all but the length and the request's name.
        """
        whole = [*headers, (b"content-length", str(len(body)).encode()), *self.exchange.names]
        await self.exchange.send({"type": "http.response.start", "status": status, "headers": whole})
        await self.exchange.send({"type": "http.response.body", "body": body})
