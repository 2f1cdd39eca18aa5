"""Decides what is sent where and when: quiet hours, joining, attempts, rates. Pure.

It is told what has happened and says what is to be written down; `apply` takes such a fact in. The same facts give the
same outbox, so a daemon that was killed goes on where the last one stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.core.units import DAY_MS
from sulla.notify import facts as f
from sulla.notify.values import (
    BACKOFF_S,
    BROKEN_AFTER,
    HOUR_MS,
    KNOWN_DAYS,
    MAX_LINES,
    MAX_TRIES,
    MAX_WAITING,
    ChannelState,
    Message,
    News,
    Rules,
)
from sulla.schedules.hours import Hours

_LEVELS: Final = {"low": 0, "normal": 1, "high": 2}
_MINUTE_MS: Final = 60_000
_DAYS: Final = 8
"""How far is looked for the end of quiet hours: a week, and the day it begins on."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How people want to be told."""

    quiet: Hours | None = None
    zone: ZoneInfo = ZoneInfo("UTC")
    urgent_passes: bool = True
    join_ms: int = 600_000
    per_hour: int = 30


class Outbox:
    """What waits to be sent, and what was. It lives as long as what drives it.

    Args:
        channels: what each takes.
        manners: how people want to be told.
    """

    def __init__(self, channels: Sequence[Rules], manners: Manners) -> None:
        self._rules = {one.name: one for one in channels}
        self._manners = manners
        self.states: dict[str, ChannelState] = {}
        self.waiting: dict[str, Message] = {}
        self._known: dict[tuple[str, str], int] = {}
        """When each channel was given each news, by channel and id."""

    # -------------------------------------------------------------------------------------------------- what happens

    def opened(self, now_ms: int) -> Sequence[f.Fact]:
        """It is begun: what was being sent may have arrived, and channels may be new or gone."""
        found: list[f.Fact] = [f.Doubted(one.id, now_ms) for one in self.waiting.values() if one.sending]
        found += [f.ChannelBegan(name, now_ms) for name in self._rules if name not in self.states]
        found += [f.ChannelGone(name) for name in self.states if name not in self._rules]
        return found

    def heard(self, news: News, now_ms: int, *, besides: str = "") -> Sequence[f.Fact]:
        """Something is to be told; what is known already changes nothing.

        Args:
            news: what.
            now_ms: UTC milliseconds.
            besides: a channel that is not told.
        """
        found: list[f.Fact] = []
        for name, rules in self._rules.items():
            state = self.states.get(name)
            if name == besides or state is None or (name, news.id) in self._known or not _takes(rules, news):
                continue
            if news.at_ms < state.since_ms:
                continue
            found += self._put(name, state, news, now_ms)
        return found

    def next_due_ms(self) -> int | None:
        """When the next message may be sent; None if none waits."""
        return min((self._ready_ms(one) for one in self.waiting.values() if not one.sending), default=None)

    def next(self, now_ms: int) -> Message | None:
        """The message that is to be sent now, urgent ones first; None for none."""
        busy = {one.channel for one in self.waiting.values() if one.sending}
        ready = [
            one
            for one in self.waiting.values()
            if not one.sending and one.channel not in busy and self._ready_ms(one) <= now_ms
        ]
        return min(ready, key=lambda one: (not one.urgent, one.due_ms, one.id), default=None)

    def sending(self, id_: str, now_ms: int) -> Sequence[f.Fact]:
        """An attempt is about to be made."""
        return (f.Sending(id_, now_ms),)

    def overtaken(self, id_: str, now_ms: int) -> Sequence[f.Fact]:
        """What a message asks is answered meanwhile: it is not sent, and nothing is missing."""
        return (f.Overtaken(id_, now_ms),)

    @property
    def zone(self) -> ZoneInfo:
        """Whose clock counts for people."""
        return self._manners.zone

    @property
    def left_out(self) -> Mapping[str, int]:
        """How many news each channel was not sent and not told of yet."""
        return {name: state.left_out for name, state in self.states.items()}

    def sent(self, id_: str, now_ms: int) -> Sequence[f.Fact]:
        """A channel took a message."""
        return (f.Sent(id_, now_ms),)

    def failed(self, id_: str, why: str, now_ms: int, *, unknown: bool = False) -> Sequence[f.Fact]:
        """A channel did not take a message, or nobody knows whether it did.

        Args:
            id_: of the message.
            why: for people, without secrets.
            now_ms: UTC milliseconds.
            unknown: whether it may have arrived.
        """
        message = self.waiting[id_]
        if message.tries >= MAX_TRIES:
            return (f.GivenUp(id_, why, now_ms),)
        wait_s = BACKOFF_S[min(message.tries - 1, len(BACKOFF_S) - 1)]
        return (f.Failed(id_, why, now_ms, now_ms + wait_s * 1_000, unknown),)

    def proved(self, channel: str, now_ms: int) -> Sequence[f.Fact]:
        """A channel took a test: what waits for it after failures need not wait any longer."""
        state = self.states.get(channel)
        return (f.Proved(channel, now_ms),) if state is not None and (state.failures or state.why) else ()

    def disproved(self, channel: str, why: str) -> Sequence[f.Fact]:
        """A channel did not take a test: it is not said to be well until it takes something."""
        state = self.states.get(channel)
        return (f.Disproved(channel, why),) if state is not None and state.why != why else ()

    def broken(self) -> Mapping[str, ChannelState]:
        """The channels that count as broken, by name."""
        return {name: state for name, state in self.states.items() if state.broken_ms}

    # ------------------------------------------------------------------------------------------------------- folding

    def apply(self, fact: f.Fact) -> None:
        """Take one more fact in."""
        match fact:
            case f.ChannelBegan() | f.ChannelGone() | f.ChannelKept() | f.Proved() | f.Disproved():
                self._change(fact)
            case f.Known():
                self._know(fact.channel, (fact.news,), fact.at_ms)
                self._lose(fact.channel, int(fact.left_out))
            case f.Queued():
                self.waiting[fact.message.id] = fact.message
                self._know(fact.message.channel, (id_ for id_, *_ in fact.message.news), fact.message.made_ms)
            case f.Joined():
                self._join(fact)
            case f.Dropped():
                self._drop(fact.id)
            case f.Overtaken():
                self.waiting.pop(fact.id, None)
            case f.Sending() | f.Doubted() | f.Failed():
                self._attempt(fact)
            case f.Sent() | f.GivenUp():
                self._end(fact)

    def live(self) -> Iterable[f.Fact]:
        """Facts that make the same outbox, for a file that is written anew."""
        for name, state in self.states.items():
            yield f.ChannelKept(name, state)
        for message in self.waiting.values():
            yield f.Queued(message)
        for (channel, id_), at_ms in self._known.items():
            yield f.Known(channel, id_, at_ms)

    # ------------------------------------------------------------------------------------------------------- private

    def _put(self, channel: str, state: ChannelState, news: News, now_ms: int) -> list[f.Fact]:
        urgent = news.level == "high"
        same = (one for one in self.waiting.values() if one.channel == channel and one.matter == news.matter)
        if (open_ := next((one for one in same if not one.sending and not one.tries), None)) is not None:
            due_ms = min(open_.due_ms, self._due_ms(now_ms, urgent=True)) if urgent else open_.due_ms
            return [f.Joined(open_.id, news.id, news.text, urgent, news.outside, due_ms, now_ms, news.at_ms)]
        last_ms = state.last_by_matter.get(news.matter)
        at_ms = now_ms if urgent or last_ms is None else max(now_ms, last_ms + self._manners.join_ms)
        line = ((news.id, news.text, news.at_ms),)
        due_ms = self._due_ms(at_ms, urgent=urgent)
        id_ = derived_id("out", channel, news.id)
        message = Message(id_, channel, news.matter, news.title, line, urgent, news.outside, due_ms, now_ms)
        found: list[f.Fact] = []
        if len(self.waiting) >= MAX_WAITING:
            calm = [one for one in self.waiting.values() if not one.sending and not (one.urgent and not urgent)]
            if not calm:
                return [f.Known(channel, news.id, now_ms, left_out=True)]
            found.append(f.Dropped(min(calm, key=lambda one: (one.urgent, one.made_ms, one.id)).id, now_ms))
        return [*found, f.Queued(message)]

    def _due_ms(self, at_ms: int, *, urgent: bool) -> int:
        quiet = self._manners.quiet
        if quiet is None or (urgent and self._manners.urgent_passes):
            return at_ms
        return quiet_end(quiet, at_ms, self._manners.zone)

    def _ready_ms(self, message: Message) -> int:
        state = self.states[message.channel]
        ready = max(message.due_ms, state.rest_ms)
        if len(state.sent_ms) >= self._manners.per_hour:
            ready = max(ready, state.sent_ms[-self._manners.per_hour] + HOUR_MS)
        # An attempt after a failure keeps the quiet hours, too.
        return self._due_ms(ready, urgent=message.urgent)

    def _know(self, channel: str, news: Iterable[str], at_ms: int) -> None:
        old = [key for key, known_ms in self._known.items() if known_ms < at_ms - KNOWN_DAYS * DAY_MS]
        for key in old:
            del self._known[key]
        self._known.update({(channel, id_): at_ms for id_ in news})

    def _change(self, fact: f.ChannelBegan | f.ChannelGone | f.ChannelKept | f.Proved | f.Disproved) -> None:
        match fact:
            case f.ChannelBegan():
                self.states[fact.channel] = ChannelState(fact.at_ms)
            case f.ChannelGone():
                self.states.pop(fact.channel, None)
                self.waiting = {id_: one for id_, one in self.waiting.items() if one.channel != fact.channel}
                self._known = {key: at for key, at in self._known.items() if key[0] != fact.channel}
            case f.ChannelKept():
                self.states[fact.channel] = fact.state
            case f.Proved():
                self._cure(fact)
            case f.Disproved() if (state := self.states.get(fact.channel)) is not None:
                self.states[fact.channel] = replace(state, why=fact.why)
            case f.Disproved():
                pass  # the settings have it no more

    def _join(self, fact: f.Joined) -> None:
        if (one := self.waiting.get(fact.id)) is None:
            return
        shown = len(one.news) < MAX_LINES
        self.waiting[fact.id] = replace(
            one,
            news=(*one.news, (fact.news, fact.text, fact.happened_ms)) if shown else one.news,
            more=one.more + (not shown),
            urgent=one.urgent or fact.urgent,
            outside=one.outside or fact.outside,
            due_ms=fact.due_ms,
        )
        self._know(one.channel, (fact.news,), fact.at_ms)

    def _drop(self, id_: str) -> None:
        if (one := self.waiting.pop(id_, None)) is not None:
            self._lose(one.channel, len(one.news) + one.more)

    def _lose(self, channel: str, count: int) -> None:
        if (state := self.states.get(channel)) is not None:
            self.states[channel] = replace(state, left_out=state.left_out + count)

    def _attempt(self, fact: f.Sending | f.Doubted | f.Failed) -> None:
        if (one := self.waiting.get(fact.id)) is None:
            return
        match fact:
            case f.Sending():
                self.waiting[one.id] = replace(one, sending=True, tries=one.tries + 1)
            case f.Doubted():
                self.waiting[one.id] = replace(one, sending=False, doubtful=True)
            case f.Failed():
                self.waiting[one.id] = replace(
                    one, sending=False, doubtful=one.doubtful or fact.unknown, due_ms=fact.again_ms
                )
                self._fail(one.channel, fact.why, fact.at_ms, fact.again_ms)

    def _fail(self, channel: str, why: str, at_ms: int, rest_ms: int) -> None:
        state = self.states[channel]
        failures = state.failures + 1
        broken_ms = state.broken_ms or (at_ms if failures >= BROKEN_AFTER else 0)
        self.states[channel] = replace(state, failures=failures, why=why, rest_ms=rest_ms, broken_ms=broken_ms)

    def _cure(self, fact: f.Proved) -> None:
        if (state := self.states.get(fact.channel)) is None:
            return
        self.states[fact.channel] = replace(state, failures=0, why="", rest_ms=0, broken_ms=0)
        for one in [*self.waiting.values()]:
            if one.channel == fact.channel and one.tries:
                self.waiting[one.id] = replace(one, due_ms=min(one.due_ms, fact.at_ms))

    def _end(self, fact: f.Sent | f.GivenUp) -> None:
        one = self.waiting.pop(fact.id, None)
        if one is None or (state := self.states.get(one.channel)) is None:
            return
        if isinstance(fact, f.GivenUp):
            self._fail(one.channel, fact.why, fact.at_ms, state.rest_ms)
            self._lose(one.channel, len(one.news) + one.more)
            return
        recent = tuple(at_ms for at_ms in state.sent_ms if at_ms > fact.at_ms - HOUR_MS)
        window_ms = max(self._manners.join_ms, 1)
        last = {matter: at_ms for matter, at_ms in state.last_by_matter.items() if at_ms > fact.at_ms - window_ms}
        self.states[one.channel] = replace(
            state,
            sent_ms=(*recent, fact.at_ms),
            last_by_matter={**last, one.matter: fact.at_ms},
            failures=0,
            why="",
            rest_ms=0,
            left_out=0,
            broken_ms=0,
        )


def quiet_end(quiet: Hours, at_ms: int, zone: ZoneInfo) -> int:
    """The first moment from `at_ms` on that is not within quiet hours; after more than a week of them `at_ms` itself,
    for hours that never end are none.

    Args:
        quiet: the hours.
        at_ms: UTC milliseconds.
        zone: whose clock counts.
    """
    if not quiet.contains(at_ms, zone):
        return at_ms
    minute = at_ms // _MINUTE_MS
    ends = (at * _MINUTE_MS for at in range(minute + 1, minute + _DAYS * 1_440 + 1))
    return next((end for end in ends if not quiet.contains(end, zone)), at_ms)


def _takes(rules: Rules, news: News) -> bool:
    return news.kind == "channel" or (news.kind in rules.kinds and _LEVELS[news.level] >= _LEVELS[rules.level])
