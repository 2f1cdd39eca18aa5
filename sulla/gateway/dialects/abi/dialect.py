"""ABI's agents: ``/agents/{name}/completion`` and ``/agents/{name}/stream-completion`` (seed 000).

A client of this protocol has nothing but the next prompt to answer a question with, so a turn that needs people ends
its answer with the question, and the next prompt of that thread is the answer to exactly the one that was shown.
"""

from __future__ import annotations

from sulla.core.ids import derived_id
from sulla.gateway.commands import Verdict
from sulla.gateway.dialects.abi.form import AbiPrompt, error_body, read_prompt
from sulla.gateway.dialects.abi.frames import AbiStream, AbiWhole, said_events, thread_header
from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest
from sulla.gateway.dialects.door import Dialect, DialectRoute
from sulla.gateway.dialects.insertions import said_in
from sulla.gateway.dialects.named import check_agent, thread_named
from sulla.gateway.dialects.positions import ClientPosition, note_position, read_spot
from sulla.gateway.dialects.questions import question_words, takes_anything, verdict_of
from sulla.gateway.dialects.request import RequestContext, Turn
from sulla.gateway.dialects.steps import StepQuestion
from sulla.gateway.rest.sse import HEADERS
from sulla.gateway.server.error_style import ErrorStyle
from sulla.gateway.wire import QuestionRow

_NEEDS = ("turn.send", "events.subscribe")
_MESSAGE = "message"
"""What a prompt was taken for that answered nothing."""


async def complete(request: RequestContext) -> None:
    """Answer ``POST /agents/{name}/completion``."""
    await _Prompted(request, read_prompt(request.json()), streams=False).serve()


async def stream(request: RequestContext) -> None:
    """Answer ``POST /agents/{name}/stream-completion``."""
    await _Prompted(request, read_prompt(request.json()), streams=True).serve()


class _Prompted:
    """One request.

    Args:
        request: the request.
        asked: what it asks for.
        streams: whether its answer is one of events.
    """

    def __init__(self, request: RequestContext, asked: AbiPrompt, *, streams: bool) -> None:
        self._request = request
        self._asked = asked
        self._streams = streams
        self._agent = request.said.path["name"]
        self._taken: str | None = None
        """What the prompt was taken for when the client made this request before, if it did."""

    async def serve(self) -> None:
        """Answer it."""
        await check_agent(self._request, self._agent)
        self._request.check_room()
        thread_id = await self._thread()
        before = self._taken = await self._before(thread_id)
        if before == _MESSAGE:
            await self._send(thread_id, again=True)
            return
        position = await self._position(thread_id) if before is None else read_spot(before)
        if position is not None and not await self._request.reaches(thread_id, position.seq):
            position = None
        waiting = await self._request.look(self._request.commands.questions_of(thread_id))
        over = all(position is None or question.id != position.question for question in waiting)
        if waiting and before is None and await self._must_not_wait(position, thread_id):
            await self._send(thread_id)
        elif position is not None and (not over or before is not None or (not waiting and self._answered(position))):
            await self._answer(position, over=over)
        elif waiting:
            await self._ask(await self._seen(waiting[0]))
        else:
            await self._send(thread_id)

    # ------------------------------------------------------------------------------------------- which thread it is

    async def _thread(self) -> str:
        if self._asked.thread:
            return await thread_named(self._request, self._asked.thread, self._agent, "thread_id")
        key, title = self._request.said.key, ChatRequest("", (), (ChatMessage("user", self._asked.text),)).title
        return await self._request.thread(None if key is None else f"request:{key}", self._agent, title)

    async def _position(self, thread_id: str) -> ClientPosition | None:
        noted = await self._look_up(self._key("asked", thread_id))
        return None if noted is None else read_spot(noted)

    async def _note(self, position: ClientPosition) -> None:
        await self._put(self._key("asked", position.thread_id), note_position(position))

    async def _before(self, thread_id: str) -> str | None:
        """What this request's prompt was taken for when the client made it before: a message, or the answer to the
        question that is noted.
        """
        key = self._request.said.key
        return None if key is None else await self._look_up(self._key("taken", thread_id, key))

    async def _take(self, thread_id: str, for_: str) -> bool:
        """Note what the prompt is taken for; False if the same request has it noted otherwise in this moment."""
        if (key := self._request.said.key) is None:
            return True
        bookmarks = self._request.commands.bookmarks
        return await self._request.look(bookmarks.swap(self._key("taken", thread_id, key), self._taken, for_))

    async def _look_up(self, key: str) -> str | None:
        return await self._request.look(self._request.commands.bookmarks.get(key))

    async def _put(self, key: str, value: str) -> None:
        await self._request.look(self._request.commands.bookmarks.put(key, value))

    def _key(self, *words: str) -> str:
        return derived_id("abi", self._request.principal.name, *words)

    # -------------------------------------------------------------------------------------------------- answering

    async def _send(self, thread_id: str, *, again: bool = False) -> None:
        if not await self._take(thread_id, _MESSAGE):
            await self.serve()
            return
        message_id = self._request.said.key or self._request.make_id("msg")
        turn = await self._request.send(thread_id, message_id, said_in(self._asked.text), self._agent)
        await self._follow(await self._request.settled(turn) if again else turn)

    async def _must_not_wait(self, position: ClientPosition | None, thread_id: str) -> bool:
        """Whether the prompt is a message although the agent waits for an answer."""
        if position is not None and self._answered(position):
            return False
        return await self._request.must_not_wait(thread_id, self._asked.text)

    def _answered(self, position: ClientPosition) -> bool:
        """Whether the prompt can be nothing but an answer to a question that was answered meanwhile: then the client is
        told what came of it. Any words could be an answer to a question that is open to all; they are passed on.
        """
        anything = takes_anything(position.question, position.choices)
        return bool(position.question) and not anything and self._verdict(position) is not None

    def _verdict(self, position: ClientPosition) -> tuple[Verdict, str] | None:
        return verdict_of(position.question, position.choices, self._asked.text)

    async def _answer(self, position: ClientPosition, *, over: bool) -> None:
        verdict = self._verdict(position)
        if verdict is None:
            await (self._send(position.thread_id) if over else self._ask(position))
            return
        if not over:
            word, text = verdict
            if not await self._take(position.thread_id, note_position(position)):
                await self.serve()
                return
            await self._request.perform(
                "approval.answer", thread_id=position.thread_id, id=position.question, verdict=word, text=text
            )
        await self._follow(Turn(position.thread_id, position.run_id, position.seq, begun=True))

    async def _seen(self, question: QuestionRow) -> ClientPosition:
        """A question that the client has not been shown yet: here too a message would wait behind it."""
        ask = StepQuestion(question.id, question.prompt, "", question.tool, question.target, question.choices, None)
        last = await self._request.look(self._request.commands.last_seq(question.thread_id))
        return self._spot_of(question.thread_id, question.run_id, ask, last)

    def _spot_of(self, thread_id: str, run_id: str, ask: StepQuestion, seq: int) -> ClientPosition:
        prompt = question_words(ask, may_answer=self._may_answer)
        return ClientPosition(thread_id, seq, "", run_id, ask.id, ask.choices, prompt)

    async def _ask(self, position: ClientPosition) -> None:
        """The turn cannot go on, so a message would wait behind it for ever: it is not passed on."""
        text = f"(This was not passed on, because the agent waits for an answer.)\n\n{position.prompt}"
        await self._note(position)
        header = thread_header(position.thread_id)
        if self._streams:
            await self._request.answer_bytes(200, said_events(text), [*HEADERS, header])
        else:
            await self._request.answer(200, text, [header])

    async def _follow(self, turn: Turn) -> None:
        kind = AbiStream if self._streams else AbiWhole
        projection = kind(turn.thread_id, may_answer=self._may_answer)

        async def before_last() -> None:
            content = projection.content
            if content.asked is not None:
                ask, seq = content.asked
                await self._note(self._spot_of(turn.thread_id, turn.run_id, ask, seq))
            elif content.ended is not None:
                await self._note(ClientPosition(turn.thread_id, content.ended.seq))

        await self._request.follow(turn, projection, before_last)

    @property
    def _may_answer(self) -> bool:
        return "approve" in self._request.principal.scopes


ABI = Dialect(
    name="abi",
    manner=ErrorStyle(error_body),
    routes=(
        DialectRoute("POST", "/agents/{name}/completion", complete, _NEEDS, "Say something to an agent."),
        DialectRoute(
            "POST", "/agents/{name}/stream-completion", stream, _NEEDS, "Say something to an agent, and see it answer."
        ),
    ),
)
