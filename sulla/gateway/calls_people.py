"""Requests about people: who is there, and what they are told."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway import wire
from sulla.gateway import wire_people as people
from sulla.gateway.commands import Commands
from sulla.gateway.observing import Caller
from sulla.gateway.rpc import notice_row
from sulla.gateway.wire_environment import EnvironmentReport
from sulla.gateway.wire_form import Wire
from sulla.gateway.wire_speech import SpeechChunk
from sulla.people import PersonInfo

PeopleRequest = (
    people.PresenceReport | people.PresenceList | people.NoticeSubscribe | people.NoticeList | people.NoticeSeen
)

_ACTIVITY: Final = (wire.TurnSend, wire.TurnStop, wire.TurnContinue, wire.ApprovalAnswer, SpeechChunk)
"""What people do. All else a client may ask for by itself, and proves nothing."""


async def perform_people(commands: Commands, params: PeopleRequest, caller: Caller, now_ms: int) -> JsonObject:
    """Take in how people are, list them, or list and mark what they are told.

    Args:
        commands: does it.
        params: what is asked for.
        caller: who asks.
        now_ms: UTC milliseconds.
    """
    person = caller.principal.name
    match params:
        case people.PresenceReport(available=available, activity=activity):
            commands.people.report(caller.session, available, activity)
            return people.PresenceReported(taken=caller.way == "ws" or params.idle_s is not None).model_dump()
        case people.PresenceList():
            rows = [_person(one, now_ms) for one in await commands.people.look()]
            return people.Persons(people=rows).model_dump()
        case people.NoticeSubscribe():
            return people.NoticeSubscribed(waiting=await commands.notices.waiting(person)).model_dump()
        case people.NoticeList(after=after, limit=limit, unseen=unseen):
            found = list(await commands.notices.list(after or "", limit + 1, person if unseen else ""))
            following = found[limit - 1].id if len(found) > limit else None
            rows_ = [notice_row(one) for one in found[:limit]]
            return people.NoticeRows(notices=rows_, next=following).model_dump()
        case people.NoticeSeen(ids=ids):
            return people.NoticesSeen(new=await commands.notices.seen(ids, person)).model_dump()


def note_activity(commands: Commands, params: Wire, caller: Caller) -> None:
    """A request was carried out: if only a person makes it, they are there.

    Args:
        commands: remembers it.
        params: what was asked for.
        caller: who asked.
    """
    if (ago_s := _ago_s(params)) is not None:
        commands.people.active(caller.session, caller.principal.name, caller.way, ago_s)


def _ago_s(params: Wire) -> float | None:
    """How long ago a person did what a request says; None if it says nothing of a person."""
    match params:
        case people.PresenceReport(idle_s=idle_s):
            return idle_s
        case EnvironmentReport(events=events):
            return min(event.ago_s for event in events)
        case _:
            return 0.0 if isinstance(params, _ACTIVITY) else None


def _person(one: PersonInfo, now_ms: int) -> people.PersonRow:
    return people.PersonRow(
        person=one.name,
        connected=list(one.clients),
        active_at=stamp(one.active_ms) if one.active_ms else None,
        idle_s=one.idle_s(now_ms),
        client=one.client,
        available=one.available,
        activity=one.activity,
    )
