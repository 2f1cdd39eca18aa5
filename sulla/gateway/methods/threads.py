"""What clients can do with conversations: make, list, read and delete them, follow them, talk in them, and answer what
agents ask there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import orjson

from sulla.agent.approvals.approvals import ALWAYS_S
from sulla.agent.approvals.permissions_rpc import RuleRow
from sulla.core.errors import Forbidden, InvalidInput, NotFound
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.commands import Commands
from sulla.gateway.event_json import event_json
from sulla.gateway.wire import (
    Answered,
    ApprovalAnswer,
    ApprovalList,
    EventsSubscribe,
    EventsUnsubscribe,
    Hello,
    History,
    QuestionRow,
    Questions,
    Subscribed,
    ThreadCreate,
    ThreadCreated,
    ThreadDelete,
    ThreadDeleted,
    ThreadGet,
    ThreadHistory,
    ThreadList,
    ThreadRow,
    Threads,
    TurnAsked,
    TurnContinue,
    TurnSend,
    TurnSent,
    TurnStop,
    Unsubscribed,
    Welcome,
)
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest

MOST_ABOVE: Final = 64
"""Threads above a sub-agent's that are looked at: some three agents deep, and playbooks within one another."""


async def _create(service: Commands, params: ThreadCreate, context: Context) -> ThreadCreated:
    asked = params
    made = await service.create_thread(asked.agent, asked.title, asked.project, asked.request_id, asked.channel)
    return ThreadCreated(made)


async def _list(service: Commands, params: ThreadList, context: Context) -> Threads:
    rows = await service.list_threads(params.after, params.limit + 1)
    page = tuple(rows[: params.limit])
    return Threads(page, page[-1].thread_id if len(rows) > params.limit else None)


async def _get(service: Commands, params: ThreadGet, context: Context) -> ThreadRow:
    return await service.get_thread(params.thread_id)


async def _history(service: Commands, params: ThreadHistory, context: Context) -> JsonObject:
    """Cut by count and by size; at least one event is given, however large, so that a client always gets on."""
    found = await service.history(params.thread_id, params.after, params.before, params.limit + 1)
    events: list[Json] = []
    size = 0
    for event in found[: params.limit]:
        value = event_json(event)
        size += len(orjson.dumps(value))
        if events and size > context.page_bytes:
            break
        events.append(value)
    return {"events": events, "more": len(events) < len(found)}


async def _delete(service: Commands, params: ThreadDelete, context: Context) -> ThreadDeleted:
    await service.delete_thread(params.thread_id)
    return ThreadDeleted(params.thread_id)


async def _send(service: Commands, params: TurnSend, context: Context) -> TurnSent:
    for key in ("custom_flow", "custom_sub_agents"):
        if params.flow and params.flow.get(key) and "admin" not in context.caller.principal.scopes:
            raise Forbidden(f"flow.{key} needs a token with the scope 'admin': name a flow of the home with flow.flow")
    if params.said_chars > len(params.text):
        found = f"got {params.said_chars}, but text has {len(params.text)} characters"
        raise InvalidInput(f"said_chars: {found}: say how many at its end are the person's, or leave it out for all")
    return await service.send(params, context.caller.name)


async def _stop(service: Commands, params: TurnStop, context: Context) -> TurnAsked:
    return TurnAsked(await service.stop(params.thread_id, params.request_id, drop=params.drop))


async def _continue(service: Commands, params: TurnContinue, context: Context) -> TurnAsked:
    return TurnAsked(await service.resume_turns(params.thread_id, params.request_id))


async def _questions(service: Commands, params: ApprovalList, context: Context) -> Questions:
    threads = list(await service.list_questions(params.after, params.limit + 1))
    page = threads[: params.limit]
    following = page[-1].thread_id if len(threads) > params.limit else None
    return Questions(tuple(question for waiting in page for question in waiting.questions), following)


async def _answer(service: Commands, params: ApprovalAnswer, context: Context) -> Answered:
    """Keep an answer. Words that must not wait are a message all the same, whatever they are said to."""
    free = params.verdict != "result" and "write" in context.caller.principal.scopes
    if free and params.text.strip() and await service.must_not_wait(params.thread_id, params.text):
        message_id = derived_id("msg", "instead", params.id, params.text)
        said = TurnSend(thread_id=params.thread_id, message_id=message_id, text=params.text)
        return Answered((await service.send(said, context.caller.name)).seq)
    if params.for_s is not None and params.verdict != "always":
        raise InvalidInput(
            f"for_s: got {params.for_s}, but only 'always' has a time: leave it out of {params.verdict!r}"
        )
    asked = await service.questions_of(params.thread_id) if params.verdict == "always" else ()
    given = params.thread_id, params.id, params.verdict, params.text, context.caller.name, params.for_s or 0
    seq = await service.answer(*given)
    rules = (_rule(one, params.for_s or ALWAYS_S, context.at_ms) for one in asked if one.id == params.id and one.target)
    return Answered(seq, next(rules, None))


def _rule(question: QuestionRow, for_s: float, at_ms: int) -> RuleRow:
    """What `always` to a question allows; the rule itself is made when the call is taken up."""
    until_ms, made = at_ms + round(for_s * 1000), derived_id("rule", question.id)
    return RuleRow(made, question.agent, question.tool, question.target, at_ms, until_ms)


async def _subscribe(service: Commands, params: EventsSubscribe, context: Context) -> Subscribed:
    """Where a thread ends that somebody wants to follow; whoever asks does the following."""
    thread_id, last = params.thread_id, await service.last_seq(params.thread_id)
    if params.after > last:
        raise InvalidInput(f"after: got {params.after}, but {thread_id!r} ends at {last}: follow it again from 0")
    if params.after_children and not params.children:
        raise InvalidInput("after_children: sub-agents are named, but not asked for: say 'children': true, too")
    for child, after in (params.after_children or {}).items():
        with suppress(NotFound):  # one that is gone is told to have ended
            if after and after > (ends := await service.last_seq(child)):
                raise InvalidInput(f"after_children: got {after}, but {child!r} ends at {ends}: say 0")
            if not await _is_below(service, child, thread_id):
                raise InvalidInput(f"after_children: {child!r} does not work for {thread_id!r}: leave it out")
    return Subscribed(last)


async def _is_below(service: Commands, child: str, thread_id: str) -> bool:
    """Whether a thread has set another one to work, or one that has."""
    at = child
    for _ in range(MOST_ABOVE):
        if not (at := await service.works_for(at)) or at == thread_id:
            break
    return at == thread_id


async def _unsubscribe(service: Commands, params: EventsUnsubscribe, context: Context) -> Unsubscribed:
    return Unsubscribed(ended=False)  # whoever follows knows better


def _now(params: Params) -> float:
    """A person does it just now."""
    return 0.0


_THREAD: Final[JsonObject] = {
    "thread_id": "thr_9b2d",
    "title": "Trip to Rome",
    "agent": "sulla",
    "status": "idle",
    "last_seq": 7,
    "created_at": "2027-01-15T08:00:00.000Z",
    "waiting": 0,
    "held": 0,
    "channel": "sulla-desktop",
    "model": "anthropic:claude-sonnet-4-5",
    "loops": 0,
    "noticed": [],
}
_EVENT: Final[JsonObject] = {
    "thread_id": "thr_9b2d",
    "seq": 2,
    "run_id": "run_77aa",
    "parent_run_id": None,
    "agent": "sulla",
    "depth": 0,
    "type": "INPUT",
    "at": "2027-01-15T08:00:01.000Z",
    "data": {"message_id": "m-1", "text": "hello"},
}
_QUESTION: Final[JsonObject] = {
    "thread_id": "thr_9b2d",
    "run_id": "run_77aa",
    "id": "approval:tool_5c:3f2a9c0be1d47788:0",
    "prompt": 'May post be called with {"url": "https://example.org"}?',
    "expires_at": "2027-01-16T08:00:01.000Z",
    "tool": "post",
    "target": "host:https://example.org",
}

METHODS: Final[Methods[Commands]] = Methods(
    "threads",
    (
        Method("hello", Hello, Welcome, None, None),
        Method(
            "thread.create",
            ThreadCreate,
            ThreadCreated,
            "write",
            _create,
            Rest("POST", "/threads", "Make a thread.", 201, "request_id"),
            Example({"thread_id": "thr_9b2d"}, {"title": "Trip to Rome", "request_id": "make-rome"}),
        ),
        Method(
            "thread.list",
            ThreadList,
            Threads,
            "read",
            _list,
            Rest("GET", "/threads", "Threads by id, a page at a time."),
            Example({"threads": [_THREAD], "next": None}),
        ),
        Method(
            "thread.get",
            ThreadGet,
            ThreadRow,
            "read",
            _get,
            Rest("GET", "/threads/{thread_id}", "One thread."),
            Example(_THREAD),
        ),
        Method(
            "thread.history",
            ThreadHistory,
            History,
            "read",
            _history,
            Rest(
                "GET",
                "/threads/{thread_id}/events",
                "Kept events, or a stream that goes on live.",
                numbers=("after", "before", "limit"),
                streams=True,
            ),
            Example({"events": [_EVENT], "more": False}),
        ),
        Method(
            "thread.delete",
            ThreadDelete,
            ThreadDeleted,
            "write",
            _delete,
            Rest("DELETE", "/threads/{thread_id}", "Remove a thread with all it holds."),
            Example({"thread_id": "thr_9b2d"}),
        ),
        Method(
            "turn.send",
            TurnSend,
            TurnSent,
            "write",
            _send,
            Rest(
                "POST",
                "/threads/{thread_id}/turns",
                "Keep a message; as a stream, show what comes of it.",
                202,
                "message_id",
                streams=True,
            ),
            Example({"run_id": "run_77aa", "seq": 2, "message_id": "m-1"}, {"text": "hello", "message_id": "m-1"}),
            idle_s=_now,
        ),
        Method(
            "turn.stop",
            TurnStop,
            TurnAsked,
            "write",
            _stop,
            Rest("POST", "/threads/{thread_id}/stop", "End the running turn and hold what waits.", 202, "request_id"),
            Example({"seq": 5}, {"request_id": "stop-1"}),
            idle_s=_now,
        ),
        Method(
            "turn.continue",
            TurnContinue,
            TurnAsked,
            "write",
            _continue,
            Rest("POST", "/threads/{thread_id}/continue", "Let held messages go on.", 202, "request_id"),
            Example({"seq": 6}, {"request_id": "go-1"}),
            idle_s=_now,
        ),
        Method(
            "approval.list",
            ApprovalList,
            Questions,
            "read",
            _questions,
            Rest("GET", "/approvals", "Questions that suspended turns wait for an answer to."),
            Example({"questions": [_QUESTION], "next": None}),
        ),
        Method(
            "approval.answer",
            ApprovalAnswer,
            Answered,
            "approve",
            _answer,
            Rest("POST", "/approvals/{thread_id}/{id}", "Answer one; the first wins.", 202),
            Example({"seq": 9}, {"verdict": "approve"}),
            idle_s=_now,
        ),
        Method(
            "events.subscribe",
            EventsSubscribe,
            Subscribed,
            "read",
            _subscribe,
        ),
        Method(
            "events.unsubscribe",
            EventsUnsubscribe,
            Unsubscribed,
            "read",
            _unsubscribe,
        ),
    ),
)
