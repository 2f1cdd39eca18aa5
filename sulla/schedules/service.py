"""What people and settings do with schedules."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Conflict, InvalidInput, MessageIdReused
from sulla.core.ids import MakeId, derived_id
from sulla.core.redact import Redactor
from sulla.schedules import records as f
from sulla.schedules.calendar import Happening, ahead, behind
from sulla.schedules.decide import following
from sulla.schedules.fields import fields_of
from sulla.schedules.forms import spec_to_json
from sulla.schedules.log import ScheduleLog
from sulla.schedules.rows import NoteRow, ScheduleRow, Status
from sulla.schedules.scheduler import Scheduler
from sulla.schedules.slots import next_slot
from sulla.schedules.spec import (
    At,
    BeatAction,
    Every,
    MessageAction,
    ReminderAction,
    Spec,
    action_text,
    check_spec,
    explain,
)
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore

SETTINGS: Final = "settings"
"""Who has set a schedule that settings ask for."""
PLAYBOOKS: Final = "playbook files"
"""Who has set one that a playbook asks for. No token has such a name."""
SHOWN: Final = 3
"""The next times that are shown of a schedule."""
PREVIEWED: Final = 5
"""Of one that is still being written."""
MOST_IN_CALENDAR: Final = 1_000
"""Schedules that are looked through for a calendar, by id."""
_TRIES: Final = 8


class ScheduleService:
    """Makes schedules, shows and removes them, for people and for other capabilities. It lives as long as the daemon.

    Args:
        schedules: where they are.
        scheduler: fires them.
        clock: all time.
        make_id: for new ones.
        check: refuses a schedule that could not do what it says.
        zone: the name of the time zone of those that name none.
        redactor: takes the daemon's secrets out of what is shown.
    """

    def __init__(
        self,
        schedules: ScheduleStore,
        scheduler: Scheduler,
        clock: Clock,
        make_id: MakeId,
        check: Callable[[Spec], Awaitable[None]],
        zone: str = "UTC",
        redactor: Redactor | None = None,
    ) -> None:
        self.zone = zone
        self._redactor = redactor or Redactor()
        self._schedules = schedules
        self._scheduler = scheduler
        self._clock = clock
        self._make_id = make_id
        self._check = check

    async def add(
        self, spec: Spec, schedule_id: str | None, request_id: str | None, by: str, asked_ms: int | None = None
    ) -> ScheduleRow:
        """Make a schedule.

        Args:
            spec: what it is.
            schedule_id: its id; None for one of its own.
            request_id: the same one makes the same schedule.
            by: the name of the token that it came with.
            asked_ms: UTC milliseconds: when it was asked for, if that took a while to read. Its time was to come then.

        Raises:
            InvalidInput: it cannot be, or would never fire.
            Conflict: there is another one of that id.
        """
        check_spec(spec)
        made = schedule_id or (derived_id("sch", "request", request_id) if request_id else self._make_id("sch"))
        digest, now_ms = _digest(spec), self._now_ms() if asked_ms is None else asked_ms
        if isinstance(spec.when, At) and spec.when.at_ms <= now_ms and self._schedules.find(made) is None:
            raise InvalidInput("at: that time is over; expected one to come")
        spec = _anchored(spec, now_ms)
        if next_slot(made, spec, now_ms) is None and not isinstance(spec.when, At):
            raise InvalidInput(f"it would never fire: {explain(spec)}; look at the active hours")
        await self._check(spec)
        one = await self._schedules.create(made, f.ScheduleSet(spec_to_json(spec), by, now_ms), digest)
        self._scheduler.look_at(made)
        return self._info(one)

    def preview(self, spec: Spec, schedule_id: str, asked_ms: int) -> tuple[int, ...]:
        """When a schedule would fire next, UTC milliseconds; nothing is kept.

        Args:
            spec: what it would be.
            schedule_id: its id, if it has one: by how much each time is put off follows from it.
            asked_ms: UTC milliseconds.

        Raises:
            InvalidInput: it cannot be, or would never fire.
        """
        check_spec(spec)
        found: list[int] = []
        slot = next_slot(schedule_id, _anchored(spec, asked_ms), asked_ms)
        while slot is not None and len(found) < PREVIEWED:
            found.append(slot.due_ms)
            slot = next_slot(schedule_id, _anchored(spec, asked_ms), slot.nominal_ms)
        if not found and isinstance(spec.when, At):
            raise InvalidInput("at: that time is over; expected one to come")
        if not found:
            raise InvalidInput(f"active_hours: it would never fire: {explain(spec)}")
        return tuple(found)

    async def update(self, spec: Spec, schedule_id: str, by: str, asked_ms: int) -> ScheduleRow:
        """Change a schedule; what has happened to it stays, and a paused one stays paused.

        Args:
            spec: what it is from now on.
            schedule_id: which.
            by: the name of the token that it came with.
            asked_ms: UTC milliseconds: see `add`.

        Raises:
            NotFound: there is none of that id.
            InvalidInput: it cannot be, or would never fire.
            Conflict: it is not changed here, or others change it at this moment.
        """
        one = await self._schedules.get(schedule_id)
        state = one.state
        if state is None:
            raise Conflict(f"schedule {schedule_id!r} cannot be read, so it cannot be changed: `sulla doctor` says why")
        if state.by in (SETTINGS, PLAYBOOKS):
            raise Conflict(f"schedule {schedule_id!r} is what {state.by} ask for: change it there")
        spec = _changed(state.spec, spec)
        if spec == state.spec:
            return self._info(one)
        self.preview(spec, schedule_id, asked_ms)
        spec = _anchored(spec, asked_ms)
        await self._check(spec)
        fact = f.ScheduleSet(spec_to_json(spec), by, asked_ms)
        try:
            await one.offer(fact, f"set:{state.revision}", _digest(spec))
        except MessageIdReused:
            raise Conflict(
                f"others change schedule {schedule_id!r} at this moment: look at it, and try again"
            ) from None
        self._schedules.announce(schedule_id)
        self._scheduler.look_at(schedule_id)
        return self._info(one)

    def between(self, since_ms: int, until_ms: int, most: int) -> Sequence[Happening]:
        """What schedules have done, as far as their notes go back, and will do, the soonest first. It may take a while.

        Args:
            since_ms: UTC milliseconds.
            until_ms: UTC milliseconds; not within the span.
            most: how many at the most.
        """
        states = [one.state for one in self._schedules.page("", MOST_IN_CALENDAR) if one.state is not None]
        was = behind(states, since_ms, until_ms)
        to_come = ahead(states, max(since_ms, self._now_ms()), until_ms)
        return [*was, *islice(to_come, max(0, most - len(was)))][:most]

    async def settle(
        self, wanted: Mapping[str, Spec], by: str = SETTINGS, keeps: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Have exactly those schedules by settings that the settings ask for: new ones are made, changed ones set anew,
        others removed. A paused one stays paused. The same for what else asks for schedules.

        Args:
            wanted: by id.
            by: what asks for them; the others of its schedules are removed.
            keeps: says by their ids which of those stay as they are, because nobody can say now what is asked for.
        """
        for schedule_id, spec in wanted.items():
            fact = f.ScheduleSet(spec_to_json(spec), by, self._now_ms())
            one = await self._schedules.look_up(schedule_id)
            state = one.state if one is not None else None
            if one is None or state is None or state.removed:
                one = await self._schedules.create(schedule_id, fact, _digest(spec))
                state = one.state
            if state is not None and state.spec != spec:
                await one.offer(fact, f"set:{state.revision}:{_digest(spec).hex()}", b"set")
                self._schedules.announce(schedule_id)
            self._scheduler.look_at(schedule_id)
        for one in self._schedules.page("", len(self._schedules)):
            if one.state is not None and one.state.by == by and one.id not in wanted and not keeps(one.id):
                await self._end(one, by)

    def has_any(self, by: str) -> bool:
        """Whether there are schedules that something asked for.

        Args:
            by: what asked for them.
        """
        kept = self._schedules.page("", len(self._schedules))
        return any(one.state is not None and one.state.by == by and not one.state.removed for one in kept)

    async def known(self, schedule_id: str) -> ScheduleRow | None:
        """One schedule as it is now; None if there is none of that id, or it was removed."""
        one = await self._schedules.look_up(schedule_id)
        return None if one is None or (one.state is not None and one.state.removed) else self._info(one)

    async def list(self, after: str, limit: int) -> Sequence[ScheduleRow]:
        """Schedules by id, those behind `after` only."""
        return [self._info(one) for one in self._schedules.page(after, limit)]

    async def remove(self, schedule_id: str, by: str) -> None:
        """End a schedule for good.

        Raises:
            NotFound: there is none of that id.
        """
        await self._end(await self._schedules.get(schedule_id), by)

    async def fire(self, schedule_id: str, request_id: str | None, by: str) -> str:
        """Fire now, once for each `request_id`; returns the name of the firing.

        Raises:
            NotFound: there is none of that id.
        """
        slot = await self._scheduler.fire_now(schedule_id, request_id or self._make_id("req"), by)
        self._schedules.announce(schedule_id)
        return slot

    async def pause(self, schedule_id: str, by: str) -> ScheduleRow:
        """Fire no more until resumed, also after a restart.

        Raises:
            NotFound: there is none of that id.
        """
        return await self._turn(schedule_id, by, paused=True)

    async def resume(self, schedule_id: str, by: str) -> ScheduleRow:
        """Fire again; what was due meanwhile is over.

        Raises:
            NotFound: there is none of that id.
        """
        return await self._turn(schedule_id, by, paused=False)

    def waking(self) -> Sequence[tuple[ScheduleRow, BeatAction]]:
        """The schedules that wake agents, each with what it does."""
        found: list[tuple[ScheduleRow, BeatAction]] = []
        for one in self._schedules.page("", len(self._schedules)):
            action = one.state.spec.action if one.state is not None else None
            if isinstance(action, BeatAction):
                found.append((self._info(one), action))
        return found

    async def _turn(self, schedule_id: str, by: str, *, paused: bool) -> ScheduleRow:
        one = await self._schedules.get(schedule_id)
        for _ in range(_TRIES):
            if one.state is None or one.state.paused == paused:
                break
            now_ms, revision = self._now_ms(), one.state.revision
            fact = f.SchedulePaused(by, now_ms) if paused else f.ScheduleResumed(by, now_ms)
            await one.offer(fact, f"{fact.kind}:{revision}", b"turn")
        else:
            raise Conflict(f"others pause and resume schedule {schedule_id!r} at this moment: try again")
        self._schedules.announce(schedule_id)
        self._scheduler.look_at(schedule_id)
        return self._info(one)

    async def _end(self, one: ScheduleLog, by: str) -> None:
        await one.offer(f.ScheduleDeleted(by, self._now_ms()), "removed", b"removed")
        self._schedules.announce(one.id)
        self._scheduler.look_at(one.id)

    def _info(self, one: ScheduleLog) -> ScheduleRow:
        state = one.state
        if state is None:
            why = one.trouble or "it is being read"
            return ScheduleRow(one.id, "", "", "", "unreadable", why, "", (), (), 0, 0, 0, 0)
        try:
            return self._shown(one, state)
        except InvalidInput as error:  # what another machine knows, such as a zone, this one need not
            return ScheduleRow(one.id, state.spec.title, "", "", "unreadable", error.message, "", (), (), 0, 0, 0, 0)

    def _shown(self, one: ScheduleLog, state: ScheduleState) -> ScheduleRow:
        spec, next_ms = state.spec, _next_times(state)
        status: Status = "paused" if state.paused else "active" if next_ms or state.pending else "over"
        return ScheduleRow(
            one.id,
            self._redactor.text(spec.title),
            explain(spec),
            self._redactor.text(action_text(spec.action)),
            status,
            self._why(state, next_ms),
            state.by,
            next_ms,
            tuple(NoteRow(note.at_ms, note.what, note.slot, note.said) for note in state.notes),
            state.fired,
            state.missed,
            state.skipped,
            state.failed,
            isinstance(spec.action, MessageAction | ReminderAction) and spec.action.tainted,
            None if self._redactor.holds(json.dumps(spec_to_json(spec))) else fields_of(spec),
        )

    def _why(self, state: ScheduleState, next_ms: tuple[int, ...]) -> str:
        if state.paused:
            return "paused"
        if state.failures:
            return f"failed {state.failures} times in a row" if state.failures > 1 else "the last one failed"
        if state.pending:
            return "fired, and not begun yet"
        if next_ms and next_ms[0] < self._now_ms():
            return "waits for its active hours"
        return ""

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)


def _anchored(spec: Spec, now_ms: int) -> Spec:
    """With a period that is counted from now on, unless it says from when."""
    if isinstance(spec.when, Every) and not spec.when.anchor_ms:
        return replace(spec, when=replace(spec.when, anchor_ms=now_ms))
    return spec


def _changed(before: Spec, after: Spec) -> Spec:
    """What a schedule is changed to: the same period goes on, and the same words stay as trusted as they were."""
    when, action, known = after.when, after.action, before.action
    if isinstance(when, Every) and isinstance(before.when, Every) and when.period_s == before.when.period_s:
        when = replace(when, anchor_ms=before.when.anchor_ms)
    if isinstance(action, MessageAction) and isinstance(known, MessageAction | ReminderAction):
        action = replace(action, tainted=action.text == known.text and known.tainted)
    return replace(after, when=when, action=action)


def _next_times(state: ScheduleState) -> tuple[int, ...]:
    found: list[int] = []
    slot = None if state.paused else following(state, state.settled_ms)
    while slot is not None and len(found) < SHOWN:
        found.append(slot.due_ms)
        slot = following(state, slot.nominal_ms)
    return tuple(found)


def _digest(spec: Spec) -> bytes:
    """What identifies a schedule that somebody asks for; from where a period is counted is added later."""
    return blake2b(json.dumps(spec_to_json(spec), sort_keys=True).encode(), digest_size=16).digest()
