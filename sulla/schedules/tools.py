"""What an agent can do with schedules: remind people, have itself asked again at set times, and take that back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Final

from sulla.core.errors import InvalidInput, QueueFull, Refused
from sulla.core.ids import derived_id
from sulla.core.words import Words, agent, joined, ours
from sulla.schedules.plain_time import read_time, shown
from sulla.schedules.rows import ScheduleRow
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import At, Cron, Every, MessageAction, ReminderAction, Spec, When
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds

MOST_OF_AN_AGENT: Final = 50
"""Schedules that one agent may have at once: more are no reminders but a mistake."""
MIN_MINUTES: Final = 15
"""The shortest period that an agent may ask for; a person may ask for any."""
MOST_MINUTES: Final = 366 * 24 * 60
TEXT_CHARS: Final = 2_000
_PAGE: Final = 200


def schedule_tools(service: ScheduleService) -> tuple[Tool, ...]:
    """The tools. What makes or ends a schedule reaches beyond the conversation, so the policy asks where nobody is
    there, and where text from outside may be behind it.

    Args:
        service: makes, lists and ends schedules.
    """
    tools = _ScheduleTools(service)
    make = partial(define, category="time", timeout_s=30.0)
    return (
        make(tools.remind_user, effect="idempotent", reach="outward"),
        make(tools.schedule_task, effect="idempotent", reach="outward"),
        make(tools.list_schedules, effect="pure", reach="inward"),
        make(tools.cancel_schedule, effect="idempotent", reach="outward"),
    )


class _ScheduleTools:
    """The tools' functions."""

    def __init__(self, service: ScheduleService) -> None:
        self._service = service

    async def remind_user(
        self, context: ToolContext, *, text: Annotated[str, Bounds(1, TEXT_CHARS)], at: Annotated[str, Bounds(1, 80)]
    ) -> Result:
        """Remind the person once: they get a notice with your text then.

        Args:
            text: What they are told; understandable by itself.
            at: E.g. tomorrow 9:00 UTC, friday 14:30, in 20 minutes.
        """
        asked_ms = _now_ms(context)
        when = await self._at(at, asked_ms)
        action = ReminderAction(context.redact(text), context.thread_id, context.agent, context.tainted)
        return await self._made(context, Spec(when, action, self._service.zone, missed="once"), asked_ms)

    async def schedule_task(
        self,
        context: ToolContext,
        *,
        message: Annotated[str, Bounds(1, TEXT_CHARS)],
        at: Annotated[str, Bounds(0, 80)] = "",
        cron: Annotated[str, Bounds(0, 128)] = "",
        every_minutes: Annotated[int, Bounds(0, MOST_MINUTES)] = 0,
    ) -> Result:
        """Have yourself asked to do something at a time; your answer then reaches the person as a notice. Give one of
        at, cron and every_minutes.

        Args:
            message: What you are asked then; understandable by itself.
            at: Once, as for remind_user.
            cron: Repeatedly, five fields, e.g. 0 9 * * 1-5.
            every_minutes: Repeatedly, 15 or more.
        """
        found: list[When] = []
        asked_ms = _now_ms(context)
        if at:
            found.append(await self._at(at, asked_ms))
        if cron:
            found.append(Cron(cron))
        if every_minutes:
            if every_minutes < MIN_MINUTES:
                raise InvalidInput(f"every_minutes: got {every_minutes}, expected {MIN_MINUTES} or more")
            found.append(Every(every_minutes * 60))
        if len(found) != 1:
            raise InvalidInput(f"give one of at, cron and every_minutes; found {len(found)} of them")
        action = MessageAction(context.redact(message), agent=context.agent, tainted=context.tainted)
        spec = Spec(found[0], action, self._service.zone, missed="once" if at else "skip")
        return await self._made(context, spec, asked_ms)

    async def list_schedules(self, context: ToolContext) -> Result:
        """List the reminders and schedules that you made."""
        rows = [row for row in await self._own(context.agent) if row.status != "over"]
        if not rows:
            return Done(ours("You have made none that is still to come."))
        return Done(joined((_line(row, self._service.zone) for row in rows), "\n"))

    async def cancel_schedule(self, context: ToolContext, *, id: Annotated[str, Bounds(1, 128)]) -> Result:
        """Take back a reminder or schedule that you made.

        Args:
            id: As list_schedules gives it.
        """
        known = await self._service.known(id)
        if known is None:
            return Done(ours(f"There is none of the id {id}: nothing is to come of it."))
        if known.by != _by(context.agent):
            raise Refused(f"{id} was made by {known.by or 'somebody else'}, and only they or a person end it")
        await self._service.remove(id, _by(context.agent))
        line = _line(known, self._service.zone)
        return Done(line.but(f"Cancelled: {line.text}"))

    # --------------------------------------------------------------------------------------------------------- private

    async def _at(self, text: str, asked_ms: int) -> At:
        # What reads plain words takes a moment to load, when it is first asked for.
        return At(await asyncio.to_thread(read_time, text, self._service.zone, asked_ms))

    async def _made(self, context: ToolContext, spec: Spec, asked_ms: int) -> Result:
        # Its id follows from the call: made again after a crash, "in 20 minutes" would be another time.
        made = derived_id("sch", "call", context.thread_id, context.idempotency_key)
        row = await self._service.known(made)
        if row is None:
            own = [one for one in await self._own(context.agent) if one.status != "over"]
            if len(own) >= MOST_OF_AN_AGENT:
                raise QueueFull(f"you have {len(own)} schedules, the most that you may: cancel_schedule ends some")
            row = await self._service.add(spec, made, None, _by(context.agent), asked_ms)
        line = _line(row, self._service.zone)
        return Done(line.but(f"Made: {line.text}. The person can end it with `sulla schedule remove {row.schedule}`."))

    async def _own(self, agent: str) -> list[ScheduleRow]:
        found: list[ScheduleRow] = []
        after = ""
        while page := await self._service.list(after, _PAGE):
            found += [row for row in page if row.by == _by(agent)]
            after = page[-1].schedule
        return found


def _now_ms(context: ToolContext) -> int:
    return round(context.clock.now() * 1000)


def _by(agent: str) -> str:
    """Who has made what an agent makes. No token has such a name."""
    return f"agent {agent}"


def _line(row: ScheduleRow, zone: str) -> Words:
    """A schedule, with all times by the clocks of its owner."""
    once = row.explain.startswith("Once, ")
    coming = f"; next {shown(row.next_ms[0], zone)}" if row.next_ms and not once else ""
    return Words(f"{row.schedule}: {row.explain}: {row.action[:200]}{coming}", agent(tainted=row.tainted))
