"""OpenAI's API: ``/v1/chat/completions`` and ``/v1/models``, where a model is an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, SullaError
from sulla.gateway.commands import Event
from sulla.gateway.dialects.conversation import ChatMessage, check_words, moved_on, words_for
from sulla.gateway.dialects.door import Dialect, DialectRoute
from sulla.gateway.dialects.insertions import PassedOn
from sulla.gateway.dialects.openai import conversation as conversations
from sulla.gateway.dialects.openai.again import Again
from sulla.gateway.dialects.openai.claim import Claim, claim_of
from sulla.gateway.dialects.openai.conversation import Posted
from sulla.gateway.dialects.openai.form import Completion, error_body, error_headers, read_completion
from sulla.gateway.dialects.openai.frames import Chunks, CompletionReply, CompletionWhole, completion_json, said_chunks
from sulla.gateway.dialects.openai.models import check_agent, list_models, show_model
from sulla.gateway.dialects.positions import ClientPosition, note_position, read_spot, short
from sulla.gateway.dialects.questions import question_words, takes_anything, verdict_of
from sulla.gateway.dialects.request import RequestContext, Turn
from sulla.gateway.dialects.steps import StepQuestion, StepUsage
from sulla.gateway.rest.sse import HEADERS
from sulla.gateway.server.error_style import ErrorStyle
from sulla.gateway.wire import QuestionRow

_SINCE = 128
"""Events behind a position that are looked at; if there are more, somebody has said something since."""
_OWN = "thr_"
"""What every thread's id begins with; any other name of a conversation is the client's own."""


async def complete(request: RequestContext) -> None:
    """Answer ``POST /v1/chat/completions``."""
    asked = read_completion(request.json())
    await check_agent(request, asked.model)
    if not asked.thread:
        asked = replace(asked, thread=request.said.headers.get("x-thread-id", ""))
    await _Completion(request, asked).serve()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a request's conversation is."""

    thread_id: str
    position: ClientPosition | None
    """Where the client was; None if nobody knows."""
    empty: bool = False
    """Whether nothing was ever said there."""
    claim: Claim | None = None
    """What only one message may do; None where people queue, because the client has named the thread."""


class _Completion:
    """One request for a completion.

    Args:
        request: the request.
        asked: what it asks for.
    """

    def __init__(self, request: RequestContext, asked: Completion) -> None:
        self._request = request
        self._asked = asked
        self._chat = conversations.chat_of(asked.messages)
        self._owner = request.principal.name
        self._again = Again(request, asked)

    async def serve(self) -> None:
        """Answer it."""
        await self._serve(await self._again.find())

    async def _serve(self, again: Posted | None) -> None:
        if again is not None and again.answered is None:
            if (turn := await self._posted_before(again)) is not None:
                await self._follow(await self._request.settled(turn))
                return
            again = None
        place = await self._place() if again is None else _Place(again.thread_id, again.answered)
        position = None if place is None else place.position
        if position is None or not position.question or not await self._answer(position, again=again is not None):
            await self._send(place)

    # ------------------------------------------------------------------------------------------- which thread it is

    async def _place(self) -> _Place | None:
        """Where the conversation is; None if it is in no thread, or goes another way than in the one where it was."""
        if self._asked.thread:
            thread_id = self._asked.thread
            if not thread_id.startswith(_OWN):
                name = conversations.thread_name(self._asked)
                thread_id = await self._request.thread(name, self._asked.model, self._asked.thread[:200])
            position = await self._position(conversations.thread_key(self._owner, self._asked, thread_id))
            if position is not None and not await self._request.reaches(thread_id, position.seq):
                position = None
            empty = position is None and not self._moved_on(await self._since(thread_id, 0))
            return _Place(thread_id, position, empty=empty)
        if not self._chat.before:
            return None
        claim = await claim_of(self._request, self._again, self._place_key)
        if claim is None or (claim.is_taken and not claim.position.question):
            return None
        position = claim.position
        try:
            since = await self._since(position.thread_id, position.seq)
        except NotFound:
            return None
        gone = not position.question and (len(since) == _SINCE or self._moved_on(since))
        return None if gone else _Place(position.thread_id, position, claim=claim)

    def _moved_on(self, since: Sequence[Event]) -> bool:
        return moved_on(since, but=self._again.message_id)

    async def _since(self, thread_id: str, seq: int) -> Sequence[Event]:
        return await self._request.look(self._request.commands.history(thread_id, seq, None, _SINCE))

    async def _position(self, key: str) -> ClientPosition | None:
        noted = await self._request.look(self._request.commands.bookmarks.get(key))
        return None if noted is None else read_spot(noted)

    async def _waiting(self, thread_id: str) -> Sequence[QuestionRow]:
        return await self._request.look(self._request.commands.questions_of(thread_id))

    # -------------------------------------------------------------------------------------------------------- answering

    async def _send(self, place: _Place | None) -> None:
        waiting = await self._waiting(place.thread_id) if place is not None else ()
        if place is not None and waiting and not await self._must_not_wait(place.thread_id):
            await self._ask_first(place.thread_id, waiting[0])
            return
        told = place.position.system if place is not None and place.position is not None else ""
        system = self._chat.is_news(told)
        before = place is None or place.empty
        words = words_for(self._chat, system=system, before=before)
        check_words(words, self._chat)  # before there is a thread for them
        claim = place.claim if place is not None else None
        if claim is not None and not await claim.take():
            await self._send(None)
            return
        thread_id = place.thread_id if place is not None else await self._begin()
        posted = Posted(thread_id, self._again.message_id, system, before)
        if (elsewhere := await self._again.note(posted)) is not None:
            await self._serve(elsewhere)
            return
        turn = await self._post(claim, posted, words)
        if turn is None:
            await self._send(None)
        else:
            await self._follow(turn)

    async def _post(self, claim: Claim | None, posted: Posted, words: PassedOn) -> Turn | None:
        """Send a message; None, and it is not sent, if another one goes on from its place by now."""
        try:
            if claim is not None and not await claim.holds():
                return None
            thread_id, name, agent = posted.thread_id, posted.message_id, self._asked.model
            return await self._request.send(thread_id, name, words, agent)
        except SullaError as error:
            if claim is not None:
                await claim.give_back(error)
            raise

    async def _posted_before(self, again: Posted) -> Turn | None:
        """The turn of a message that may be there already; None if another one has gone on from its place instead."""
        claim = None
        if not self._asked.thread and self._chat.before and not again.before:
            claim = await claim_of(self._request, self._again, self._place_key)
        if claim is not None and claim.position.thread_id != again.thread_id:
            claim = None  # another conversation of the same words: nothing of this one
        if claim is not None and not await claim.is_mine():
            since = await self._since(again.thread_id, claim.position.seq)
            if len(since) < _SINCE and not any(event.data.get("message_id") == again.message_id for event in since):
                return None
            claim = None
        return await self._post(claim, again, words_for(self._chat, system=again.system, before=again.before))

    @property
    def _place_key(self) -> str:
        return conversations.place_key(self._owner, self._asked, self._chat.before)

    async def _begin(self) -> str:
        return await self._request.thread(f"message:{self._again.message_id}", self._asked.model, self._chat.title)

    async def _answer(self, position: ClientPosition, *, again: bool) -> bool:
        """Take the message for the answer to the question that the client was shown.

        Args:
            position: where it was shown.
            again: whether it was taken for that before, when the client made this request first.

        Returns:
            False if the message is no answer: nobody waits for that any more, or it must not wait for one.
        """
        verdict = verdict_of(position.question, position.choices, self._chat.text)
        over = all(question.id != position.question for question in await self._waiting(position.thread_id))
        unsure = verdict is None or (takes_anything(position.question, position.choices) and not again)
        if unsure and (over or await self._must_not_wait(position.thread_id)):
            return False
        if verdict is None or (self._asked.thread and not conversations.was_shown(position, self._chat)):
            await self._ask_again(position)
            return True
        self._request.check_room()
        if not over:
            word, text = verdict
            elsewhere = await self._again.note(
                Posted(position.thread_id, self._again.message_id, answered=short(position))
            )
            if elsewhere is not None:
                await self._serve(elsewhere)
                return True
            await self._request.perform(
                "approval.answer", thread_id=position.thread_id, id=position.question, verdict=word, text=text
            )
        await self._follow(Turn(position.thread_id, position.run_id, position.seq, begun=True))
        return True

    async def _must_not_wait(self, thread_id: str) -> bool:
        return await self._request.must_not_wait(thread_id, self._chat.fresh[-1].text if self._chat.fresh else "")

    async def _ask_first(self, thread_id: str, question: QuestionRow) -> None:
        """Show a question that somebody else was asked: here too a message would wait behind it."""
        ask = StepQuestion(question.id, question.prompt, "", question.tool, question.target, question.choices, None)
        prompt = question_words(ask, may_answer=self._may_answer)
        last = await self._request.look(self._request.commands.last_seq(thread_id))
        system = self._chat.application
        await self._ask_again(ClientPosition(thread_id, last, system, question.run_id, ask.id, ask.choices, prompt))

    async def _ask_again(self, position: ClientPosition) -> None:
        """The turn cannot go on, so a message would wait behind it for ever: it is not passed on."""
        text = f"(This was not passed on, because the agent waits for an answer.)\n\n{position.prompt}"
        reply = self._reply(position.thread_id, self._request.make_id("ask"))
        await self._note(reply, text, position)
        if self._asked.stream:
            await self._request.answer_bytes(200, said_chunks(reply, text), HEADERS)
        else:
            await self._request.answer(200, completion_json(reply, text, StepUsage(), []))

    async def _follow(self, turn: Turn) -> None:
        reply = self._reply(turn.thread_id, turn.run_id)
        projection = Chunks(reply) if self._asked.stream else CompletionWhole(reply)

        async def before_last() -> None:
            content = projection.content
            if content.asked is not None:
                ask, seq = content.asked
                prompt = question_words(ask, may_answer=reply.may_answer)
                position = ClientPosition(turn.thread_id, seq, "", turn.run_id, ask.id, ask.choices, prompt)
            elif content.ended is not None:
                position = ClientPosition(turn.thread_id, content.ended.seq)
            else:
                return
            await self._note(reply, content.text, replace(position, system=self._chat.application))

        await self._request.follow(turn, projection, before_last)

    async def _note(self, reply: CompletionReply, text: str, position: ClientPosition) -> None:
        """Note where the client is, once it has an answer."""
        if self._asked.thread:
            key = conversations.thread_key(self._owner, self._asked, position.thread_id)
        else:
            said = [*self._chat.before, *self._chat.fresh, ChatMessage("assistant", text)]
            key = conversations.place_key(self._owner, self._asked, said)
        await self._request.look(self._request.commands.bookmarks.put(key, note_position(position)))

    @property
    def _may_answer(self) -> bool:
        return "approve" in self._request.principal.scopes

    def _reply(self, thread_id: str, id_: str) -> CompletionReply:
        return CompletionReply(
            id=f"chatcmpl-{id_}",
            model=self._asked.model,
            created_s=int(self._request.context.server.clock.now()),
            thread_id=thread_id,
            may_answer=self._may_answer,
            usage=self._asked.usage,
            tools=self._asked.tools,
        )


OPENAI = Dialect(
    name="openai",
    manner=ErrorStyle(error_body),
    routes=(
        DialectRoute(
            "POST", "/v1/chat/completions", complete, ("turn.send", "events.subscribe"), "Say something to an agent."
        ),
        DialectRoute("GET", "/v1/models", list_models, ("agent.list",), "The agents."),
        DialectRoute("GET", "/v1/models/{model}", show_model, ("agent.list",), "One agent."),
    ),
    problem_headers=error_headers,
)
