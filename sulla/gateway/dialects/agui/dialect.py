"""AG-UI 1.0: ``POST /agui`` for the default agent, ``POST /agui/{agent}`` for another.

A client tells the whole conversation with each request, and names it (``threadId``). The thread has it already, so
only what is new is passed on; a message is known by its id and its words, and is never passed on twice. A turn that
waits for people ends its run with interrupts; the run that has the answers (``resume``) goes on with the same turn.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import cast

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.gateway.dialects import conversation as conversations
from sulla.gateway.dialects.agui.form import RunInput, error_body, read_input, verdict_of
from sulla.gateway.dialects.agui.frames import AguiFrames, AguiRun, AguiTranscript
from sulla.gateway.dialects.door import Dialect, DialectRoute
from sulla.gateway.dialects.named import check_agent, thread_named
from sulla.gateway.dialects.request import RequestContext, Turn
from sulla.gateway.dialects.steps import StepQuestion
from sulla.gateway.problems import Malformed
from sulla.gateway.server.error_style import ErrorStyle
from sulla.gateway.wire import QuestionRow

_NEEDS = ("turn.send", "events.subscribe")
_SINCE = 128
"""Events at a thread's beginning among which what somebody said is looked for."""
_WAITS = "(The agent waits for an answer first; this message is passed on with the next one.)"


@dataclass(frozen=True, slots=True)
class AguiPosition:
    """Where a client is in a conversation."""

    message: str = ""
    """The mark of the last message that was passed on."""
    run_id: str = ""
    """The turn that it began."""
    after: int = 0
    """The last number of the log before it."""
    failed: bool = False
    """Whether the client was told that it came to nothing."""
    asked_run: str = ""
    """The turn that the client knows to wait for people."""
    asked_seq: int = 0
    """Up to where it was told that turn."""
    system: str = ""
    """A fingerprint of what its application said."""


def _read_place(noted: str) -> AguiPosition | None:
    """A place as it was noted; None if that was done by a version that noted something else."""
    found = orjson.loads(noted)
    if not isinstance(found, dict) or found.keys() != {field.name for field in fields(AguiPosition)}:
        return None
    return AguiPosition(**found)


async def run_agent(request: RequestContext) -> None:
    """Answer ``POST /agui`` and ``POST /agui/{agent}``."""
    asked, agent = read_input(request.json()), request.said.path.get("agent")
    if agent is not None:
        await check_agent(request, agent)
    request.check_room()
    thread_id = await thread_named(request, asked.thread, agent, "threadId")
    await _Asked(request, asked, thread_id, agent).serve()


class _Asked:
    """One request.

    Args:
        request: the request.
        asked: what it asks for.
        thread_id: its thread.
        agent: who should answer; None for the thread's.
    """

    def __init__(self, request: RequestContext, asked: RunInput, thread_id: str, agent: str | None) -> None:
        self._request = request
        self._asked = asked
        self._thread_id = thread_id
        self._agent = agent
        self._key = derived_id("agui", request.principal.name, thread_id)

    async def serve(self) -> None:
        """Answer it."""
        last = await self._request.look(self._request.commands.last_seq(self._thread_id))
        waiting = await self._request.look(self._request.commands.questions_of(self._thread_id))
        noted = await self._request.look(self._request.commands.bookmarks.get(self._key))
        place = None if noted is None else _read_place(noted)
        if place is not None and ((place.run_id and place.after >= last) or place.asked_seq > last):
            place = None  # the thread was deleted, and made anew under its name
        open_ids = frozenset(question.id for question in waiting)
        if any(entry.id in open_ids for entry in self._asked.resume):
            await self._answer(place, {question.id: question for question in waiting}, last)
        elif place is not None and place.run_id and not self._is_news(place):
            await self._tell_again(place, last, open_ids)
        elif waiting and not await self._must_not_wait():
            await self._ask_again(place, waiting[0].run_id, list(waiting), last)
        else:
            await self._send(place)

    async def _must_not_wait(self) -> bool:
        newest = self._asked.newest
        if newest is None or self._asked.answered or self._asked.resume:
            return False
        return await self._request.must_not_wait(self._thread_id, newest.text)

    def _is_news(self, place: AguiPosition) -> bool:
        newest = self._asked.newest
        if newest is None or newest.mark == place.message:
            return newest is not None and place.failed and not self._asked.resume
        return not self._asked.answered

    async def _send(self, place: AguiPosition | None) -> None:
        newest = self._asked.newest
        again = place is not None and place.failed and newest is not None and newest.mark == place.message
        if newest is None or (self._asked.answered and not again):
            message = "messages: the last one is not the user's, so there is nothing to be answered"
            raise Malformed(422, "invalid_input", message, "messages")
        chat = self._asked.chat("" if place is None else place.message, again=again)
        system = chat.application
        before = place is None and not await self._moved_on(newest.mark)
        is_news = chat.is_news("" if place is None else place.system)
        words = conversations.words_for(chat, system=is_news, before=before)
        conversations.check_words(words, chat)
        # Who asks again for what has failed wants it tried again; who lost an answer wants that one.
        name = newest.mark if place is None or not again else derived_id("msg", "agui", newest.mark, place.run_id)
        turn = await self._request.send(self._thread_id, name, words, self._agent)
        place = AguiPosition(newest.mark, turn.run_id, turn.after, system=system)
        await self._note(place)
        frames = AguiFrames(self._run, AguiTranscript(self._asked.restated(newest.mark)), restate=self._asked.answered)
        await self._follow(turn, place, frames)

    async def _moved_on(self, name: str) -> bool:
        """Whether something was said in the thread, but for the message of that name: come again, it says the same."""
        history = self._request.commands.history(self._thread_id, 0, None, _SINCE)
        return conversations.moved_on(await self._request.look(history), name)

    async def _tell_again(self, place: AguiPosition, last: int, open_ids: frozenset[str]) -> None:
        """The client asks for a turn that was begun already, because it lost the answer: it is told all of it."""
        turn = Turn(self._thread_id, place.run_id, place.after, past=last, waiting=open_ids)
        frames = AguiFrames(self._run, AguiTranscript(self._asked.restated(place.message)), restate=True)
        await self._follow(turn, place, frames)

    # ------------------------------------------------------------------------------------------------------- questions

    async def _answer(self, place: AguiPosition | None, waiting: dict[str, QuestionRow], last: int) -> None:
        """Pass on the answers to what is still open; others were given before."""
        entries = [entry for entry in self._asked.resume if entry.id in waiting]
        verdicts = [(entry.id, *verdict_of(waiting[entry.id], entry)) for entry in entries]
        seqs = list[int]()
        for question, verdict, text in verdicts:
            answered = await self._request.perform(
                "approval.answer", thread_id=self._thread_id, id=question, verdict=verdict, text=text
            )
            seqs.append(cast(int, answered["seq"]))
        run_id = waiting[entries[0].id].run_id
        known = place is not None and place.asked_run == run_id
        after = place.asked_seq if place is not None and known else seqs[0] - 1
        left = frozenset(waiting) - {entry.id for entry in entries}
        turn = Turn(self._thread_id, run_id, after, begun=True, past=last, waiting=left)
        await self._follow(turn, place or AguiPosition(), AguiFrames(self._run, AguiTranscript(self._asked.restated())))

    async def _ask_again(self, place: AguiPosition | None, run_id: str, waiting: list[QuestionRow], last: int) -> None:
        """A message would wait behind the question for ever: it is not passed on yet."""
        asks = [
            StepQuestion(one.id, one.prompt, "", one.tool, one.target, one.choices, one.expires_ms) for one in waiting
        ]
        await self._note(replace(place or AguiPosition(), asked_run=run_id, asked_seq=last))
        frames = AguiFrames(self._run, AguiTranscript(()))
        words = b"" if self._asked.resume else frames.words(f"{self._asked.run}_waits", _WAITS)
        status, headers = frames.head()
        await self._request.answer_bytes(status, frames.opening + words + frames.interrupt(asks), headers)

    # ---------------------------------------------------------------------------------------------------------- shared

    async def _follow(self, turn: Turn, place: AguiPosition, frames: AguiFrames) -> None:
        async def before_last() -> None:
            if frames.asked is not None:
                await self._note(replace(place, asked_run=turn.run_id, asked_seq=frames.asked.seq))
            elif frames.failed and turn.run_id == place.run_id:
                await self._note(replace(place, failed=True))

        await self._request.follow(turn, frames, before_last)

    async def _note(self, place: AguiPosition) -> None:
        await self._request.look(self._request.commands.bookmarks.put(self._key, orjson.dumps(asdict(place)).decode()))

    @property
    def _run(self) -> AguiRun:
        may_answer = "approve" in self._request.principal.scopes
        return AguiRun(self._asked.thread, self._asked.run, self._asked.parent, self._thread_id, may_answer)


AGUI = Dialect(
    name="agui",
    manner=ErrorStyle(error_body),
    routes=(
        DialectRoute("POST", "/agui", run_agent, _NEEDS, "Say something to the default agent."),
        DialectRoute("POST", "/agui/{agent}", run_agent, _NEEDS, "Say something to an agent."),
    ),
)
