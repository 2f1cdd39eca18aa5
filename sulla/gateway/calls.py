"""Requests to commands, and what they answer to results."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping

import orjson

from sulla.access import Principal, TokenOffice
from sulla.core.clock import Clock
from sulla.core.errors import Forbidden, InvalidInput, SullaError, Unavailable
from sulla.core.ids import MakeId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.core.trail import trail
from sulla.gateway import wire
from sulla.gateway.calls_access import list_agents, list_tools, perform_token
from sulla.gateway.calls_approvals import forget_rule, list_rules
from sulla.gateway.calls_environment import report_environment
from sulla.gateway.calls_heartbeat import perform_heartbeat
from sulla.gateway.calls_people import note_activity, perform_people
from sulla.gateway.calls_projects import get_project, list_projects
from sulla.gateway.calls_schedules import perform_schedule
from sulla.gateway.calls_skills import list_skills
from sulla.gateway.calls_speech import perform_speech
from sulla.gateway.calls_system import perform_switch
from sulla.gateway.calls_workflows import WorkflowRequest, perform_workflow
from sulla.gateway.commands import Commands, ThreadInfo
from sulla.gateway.limits import Limits
from sulla.gateway.observing import GIVEN_UP, OK, Asked, Caller, Done, Observer
from sulla.gateway.rpc import event_json
from sulla.gateway.wire_access import AgentList, TokenCreate, TokenList, TokenRevoke, TokenTicket, ToolList
from sulla.gateway.wire_approvals import ApprovalForget, ApprovalRules
from sulla.gateway.wire_environment import EnvironmentReport
from sulla.gateway.wire_form import Wire
from sulla.gateway.wire_heartbeat import (
    HeartbeatLog,
    HeartbeatPause,
    HeartbeatResume,
    HeartbeatStatus,
    HeartbeatTrigger,
)
from sulla.gateway.wire_people import NoticeList, NoticeSeen, NoticeSubscribe, PresenceList, PresenceReport
from sulla.gateway.wire_projects import ProjectGet, ProjectList
from sulla.gateway.wire_schedules import (
    ScheduleAdd,
    ScheduleList,
    SchedulePause,
    ScheduleRemove,
    ScheduleResume,
    ScheduleRun,
)
from sulla.gateway.wire_skills import SkillList
from sulla.gateway.wire_speech import SpeechCancel, SpeechChunk, SpeechFlush, SpeechStatus
from sulla.gateway.wire_system import SystemPause, SystemResume

_log = logging.getLogger("sulla.gateway")


_LISTS: Mapping[type[Wire], Callable[[Commands], Awaitable[JsonObject]]] = {
    AgentList: list_agents,
    ToolList: list_tools,
    SkillList: list_skills,
    ProjectList: list_projects,
}
"""What there is, and who tells it."""


class Calls:
    """Carries requests out, whichever door they came by: what the token allows, within a deadline, with an error that a
    client can read.

    Args:
        commands: who does it.
        tokens: who does what is about tokens.
        limits: sizes of replies, and the deadline.
        clock: for the deadline.
        observer: is told of every request.
        make_id: names what a request has not named.
    """

    def __init__(
        self,
        commands: Commands,
        tokens: TokenOffice,
        limits: Limits,
        clock: Clock,
        observer: Observer,
        make_id: MakeId,
    ) -> None:
        self._commands = commands
        self._tokens = tokens
        self._limits = limits
        self._clock = clock
        self._observer = observer
        self._make_id = make_id

    async def perform(self, asked: Asked, taken: Callable[[], None] | None = None) -> JsonObject:
        """Have a request done. Of a subscription this is the answer; following is the business of who asks.

        Args:
            asked: it.
            taken: is called, by methods that overlap, as soon as the next one may be taken.

        Returns:
            The result, in the form of the method's result model.

        Raises:
            SullaError: whatever the daemon refused it with, that it took too long, or a defect of ours.
        """
        result = await self.answer(asked, self._perform(asked.params, asked.caller, taken))
        note_activity(self._commands, asked.params, asked.caller)
        return result

    async def answer(self, asked: Asked, work: Coroutine[object, object, JsonObject]) -> JsonObject:
        """Do `work` for a request, and tell the observer.

        Raises:
            SullaError: see `perform`.
        """
        code, began_s = GIVEN_UP, self._clock.elapsed()
        try:
            _check_scope(asked)
            with trail(**_names(asked)):
                async with self._clock.timeout(self._limits.call_s):
                    result = await work
            code = OK
            return result
        except SullaError as error:
            code = error.code
            raise
        except TimeoutError:
            code = Unavailable.code
            raise Unavailable(f"no answer within {self._limits.call_s:g} s: ask again with the same id") from None
        except Exception:  # noqa: BLE001  # a defect of ours is an answer too: nobody waits for ever
            code = SullaError.code
            _log.exception("a request failed", extra={**_names(asked), "method": asked.method})
            raise SullaError("something went wrong inside the daemon; its log has the details") from None
        finally:
            work.close()  # it never began if it was refused
            self._observer.done(Done(asked, code, self._clock.elapsed() - began_s))

    async def _perform(self, params: Wire, asker: Caller, taken: Callable[[], None] | None) -> JsonObject:
        caller = asker.principal
        if isinstance(params, WorkflowRequest):
            office = self._commands.playbooks
            return await perform_workflow(office, params, caller, self._limits, self._make_id)
        match params:
            case TokenCreate() | TokenList() | TokenRevoke() | TokenTicket():
                return await perform_token(self._tokens, params, caller)
            case AgentList() | ToolList() | SkillList() | ProjectList():
                return await _LISTS[type(params)](self._commands)
            case SpeechChunk() | SpeechFlush() | SpeechCancel() | SpeechStatus():
                return await perform_speech(self._commands.speech, params, caller.name, taken)
            case ScheduleList() | ScheduleAdd() | ScheduleRemove() | ScheduleRun() | SchedulePause() | ScheduleResume():
                return await perform_schedule(self._commands.schedules, params, caller.name)
            case SystemPause() | SystemResume():
                return await perform_switch(self._commands.switch, params, caller.name)
            case PresenceReport() | PresenceList() | NoticeSubscribe() | NoticeList() | NoticeSeen():
                return await perform_people(self._commands, params, asker, round(self._clock.now() * 1000))
            case HeartbeatStatus() | HeartbeatTrigger() | HeartbeatPause() | HeartbeatResume() | HeartbeatLog():
                return await perform_heartbeat(self._commands.beats, params, caller.name)
            case EnvironmentReport() | ApprovalRules() | ApprovalForget() | ProjectGet():
                return await _about_home(self._commands, params, caller)
            case _:
                return await _perform(self._commands, self._limits, params, caller)


def _names(asked: Asked) -> dict[str, str]:
    return {"session": asked.caller.session, "request_id": asked.request_id}


def _check_scope(asked: Asked) -> None:
    scope = asked.scope
    if scope is not None and scope not in asked.caller.principal.scopes:
        raise Forbidden(f"{asked.method!r} needs a token with the scope {scope!r}")


async def _about_home(
    commands: Commands, params: EnvironmentReport | ApprovalRules | ApprovalForget | ProjectGet, caller: Principal
) -> JsonObject:
    match params:
        case EnvironmentReport():
            return await report_environment(commands, params, caller.name)
        case ApprovalRules():
            return await list_rules(commands)
        case ApprovalForget(rule=rule):
            return await forget_rule(commands, rule)
        case ProjectGet(project=name):
            return await get_project(commands, name)


async def _perform(commands: Commands, limits: Limits, params: Wire, caller: Principal) -> JsonObject:
    match params:
        case wire.TurnSend() | wire.TurnStop() | wire.TurnContinue():
            return await _turns(commands, params, caller.name)
        case wire.ApprovalList():
            return await _questions(commands, params)
        case wire.ApprovalAnswer(thread_id=thread_id, id=question, verdict=verdict, text=text):
            return wire.Answered(seq=await commands.answer(thread_id, question, verdict, text)).model_dump()
        case wire.SystemStatus():
            return await commands.status()
        case wire.SystemCheck():
            return await commands.check()
        case _:
            return await _threads(commands, limits, params)


async def _turns(
    commands: Commands, params: wire.TurnSend | wire.TurnStop | wire.TurnContinue, caller: str
) -> JsonObject:
    match params:
        case wire.TurnSend(thread_id=thread_id, message_id=message_id, text=text, mode=mode, agent=agent):
            sent = await commands.send(thread_id, message_id, text, mode, agent, caller)
            return wire.TurnSent(run_id=sent.run_id, seq=sent.seq).model_dump()
        case wire.TurnStop(thread_id=thread_id, request_id=request_id):
            return wire.TurnAsked(seq=await commands.stop(thread_id, request_id)).model_dump()
        case wire.TurnContinue(thread_id=thread_id, request_id=request_id):
            return wire.TurnAsked(seq=await commands.resume_turns(thread_id, request_id)).model_dump()


async def _threads(commands: Commands, limits: Limits, params: Wire) -> JsonObject:
    match params:
        case wire.ThreadCreate(agent=agent, title=title, project=project, request_id=request_id, channel=channel):
            made = await commands.create_thread(agent, title, project, request_id, channel)
            return wire.ThreadCreated(thread_id=made).model_dump()
        case wire.ThreadDelete(thread_id=thread_id):
            await commands.delete_thread(thread_id)
            return wire.ThreadDeleted(thread_id=thread_id).model_dump()
        case wire.ThreadList():
            return await _list(commands, params)
        case wire.ThreadGet(thread_id=thread_id):
            return _row(await commands.get_thread(thread_id)).model_dump()
        case wire.ThreadHistory():
            return await _history(commands, limits, params)
        case wire.EventsSubscribe(thread_id=thread_id, after=after):
            return await _place(commands, thread_id, after)
        case wire.EventsUnsubscribe():
            return wire.Unsubscribed(ended=False).model_dump()  # whoever follows knows better
        case _:
            raise TypeError(f"{type(params).__name__} is in the table of methods, but nobody does it")


async def _list(commands: Commands, params: wire.ThreadList) -> JsonObject:
    infos = list(await commands.list_threads(params.after, params.limit + 1))
    page = infos[: params.limit]
    following = page[-1].thread_id if len(infos) > params.limit else None
    return wire.Threads(threads=[_row(info) for info in page], next=following).model_dump()


def _row(info: ThreadInfo) -> wire.ThreadRow:
    return wire.ThreadRow(
        thread_id=info.thread_id,
        title=info.title,
        agent=info.agent,
        status=info.status,
        last_seq=info.last_seq,
        created_at=stamp(info.created_ms),
        waiting=info.waiting,
        channel=info.channel,
        model=info.model,
        loops=info.loops,
        noticed=list(info.noticed),
    )


async def _questions(commands: Commands, params: wire.ApprovalList) -> JsonObject:
    threads = list(await commands.list_questions(params.after, params.limit + 1))
    page = threads[: params.limit]
    rows = [
        wire.QuestionRow(
            thread_id=item.thread_id,
            run_id=item.run_id,
            id=item.id,
            prompt=item.prompt,
            expires_at=None if item.expires_ms is None else stamp(item.expires_ms),
            tool=item.tool,
            target=item.target,
            choices=[*item.choices],
        )
        for waiting in page
        for item in waiting.questions
    ]
    following = page[-1].thread_id if len(threads) > params.limit else None
    return wire.Questions(questions=rows, next=following).model_dump()


async def _place(commands: Commands, thread_id: str, after: int) -> JsonObject:
    """Where a thread ends that somebody wants to follow; whoever asks does the following."""
    last = await commands.last_seq(thread_id)
    if after > last:
        raise InvalidInput(f"after: got {after}, but {thread_id!r} ends at {last}: follow it again from 0")
    return wire.Subscribed(seq=last).model_dump()


async def _history(commands: Commands, limits: Limits, params: wire.ThreadHistory) -> JsonObject:
    """Cut by count and by size; at least one event is given, however large, so that a client always gets on."""
    found = await commands.history(params.thread_id, params.after, params.before, params.limit + 1)
    events: list[Json] = []
    size = 0
    for event in found[: params.limit]:
        value = event_json(event)
        size += len(orjson.dumps(value))
        if events and size > limits.history_bytes:
            break
        events.append(value)
    return {"events": events, "more": len(events) < len(found)}
