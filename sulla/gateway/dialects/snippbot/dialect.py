"""Snippbot's chat: ``POST /api/chat/{agent_id}``, and the answers to its approval requests (seed 001)."""

from __future__ import annotations

from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest
from sulla.gateway.dialects.door import Dialect, DialectRoute
from sulla.gateway.dialects.insertions import said_in
from sulla.gateway.dialects.named import check_agent, thread_named
from sulla.gateway.dialects.request import RequestContext, Turn
from sulla.gateway.dialects.snippbot.form import STATUS, SnippbotChat, error_body, read_chat, read_decision
from sulla.gateway.dialects.snippbot.frames import SnippbotFrames
from sulla.gateway.server.error_style import ErrorStyle


async def chat(request: RequestContext) -> None:
    """Answer ``POST /api/chat/{agent_id}``."""
    asked, agent = read_chat(request.json()), request.said.path["agent_id"]
    key = request.said.key
    await check_agent(request, agent)
    request.check_room()
    thread_id = await _thread(request, asked, agent, key)
    ahead = await request.look(request.commands.questions_of(thread_id))  # nothing may fail once the message is kept
    name = key or request.make_id("msg")
    turn = await request.send(thread_id, name, said_in(asked.message), agent)
    if key is not None:
        turn = await request.settled(turn)
    await request.follow(turn, SnippbotFrames(asked.session or thread_id, thread_id, turn.run_id, ahead))


async def _thread(request: RequestContext, asked: SnippbotChat, agent: str, key: str | None) -> str:
    """The session's thread. A new one has a name if the request has one, so that the same request makes one thread."""
    if asked.session:
        return await thread_named(request, asked.session, agent, "session_id", asked.project)
    title = ChatRequest("", (), (ChatMessage("user", asked.message),)).title
    return await request.thread(None if key is None else f"request:{key}", agent, title, asked.project)


async def decide(request: RequestContext) -> None:
    """Answer ``POST /api/chat/{agent_id}/approvals/{approval_id}``.

    A client that wants a stream, because it lost its own, is told the rest of the turn.
    """
    decision, agent = read_decision(request.json()), request.said.path["agent_id"]
    approval_id = request.said.path["approval_id"]
    await check_agent(request, agent)
    thread_id = await thread_named(request, decision.session, agent, "session_id")
    waiting = await request.look(request.commands.questions_of(thread_id))
    run_id = next((one.run_id for one in waiting if one.id == approval_id), None)
    streams = request.said.wants_stream and run_id is not None
    if streams:
        await request.perform("events.subscribe", thread_id=thread_id)
        request.check_room()
    answered = await request.perform(
        "approval.answer", thread_id=thread_id, id=approval_id, verdict=decision.verdict, text=decision.text
    )
    seq = answered["seq"]
    if streams and run_id is not None and isinstance(seq, int):
        turn = Turn(thread_id, run_id, seq - 1, begun=True)
        await request.follow(turn, SnippbotFrames(decision.session, thread_id, run_id))
        return
    status = STATUS[decision.verdict]
    await request.answer(200, {"approval_id": approval_id, "session_id": decision.session, "status": status})


SNIPPBOT = Dialect(
    name="snippbot",
    manner=ErrorStyle(error_body, key_header="x-api-key"),
    routes=(
        DialectRoute(
            "POST", "/api/chat/{agent_id}", chat, ("turn.send", "events.subscribe"), "Say something to an agent."
        ),
        DialectRoute(
            "POST",
            "/api/chat/{agent_id}/approvals/{approval_id}",
            decide,
            ("approval.answer",),
            "Answer an approval request.",
        ),
    ),
)
