"""One connection of the original desktop client as a state machine: its frames in, effects out; events in, its frames
out. Pure; docs/clients.md describes it for people.

A frame is acknowledged once what it asks for is kept, or never will be: whatever is not acknowledged, the client sends
again, under the same id, and the same id never does the same thing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sulla.access.principal import Principal
from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.dialects.hub.channel import Channel
from sulla.gateway.dialects.hub.context import HubContext
from sulla.gateway.dialects.hub.effects import Relay
from sulla.gateway.dialects.hub.frames import Conversation, HubEvent, refusal
from sulla.gateway.dialects.hub.places import HubPlace
from sulla.gateway.dialects.hub.requests import follow_beats, take
from sulla.gateway.dialects.hub.wire import CALENDAR, HEARTBEAT, RELAYED, SILENT, Envelope, read_envelope
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.problems import problem_of
from sulla.gateway.rpc import RequestId
from sulla.gateway.websocket.machine import Close, Effect, Out, SendFrame
from sulla.gateway.websocket.session import NOT_TEXT, too_big
from sulla.people.notices import NoticeInfo
from sulla.people.notices_rpc import NoticeSubscribe
from sulla.rpc.caller import Way
from sulla.rpc.limits import Limits


def _nothing(answer: object) -> Sequence[Effect]:
    return ()


class HubSession:
    """Keeps `Talk` for one connection.

    Args:
        id: names the connection.
        limits: sizes.
        principal: whose it is.
        now_ms: what a frame that comes of no event is stamped with, UTC milliseconds.
        streaming: see `Conversation`.
    """

    way: Final[Way] = "ws"
    client: Final = "hub"
    open: Final = True

    def __init__(
        self, id: str, limits: Limits, principal: Principal, now_ms: Callable[[], int], *, streaming: bool
    ) -> None:
        self.id = id
        self.principal = principal
        self._limits = limits
        self._context = HubContext(id, principal, now_ms, streaming=streaming)

    @property
    def channels(self) -> Sequence[str]:
        """The names of its channels."""
        return [*self._context.channels]

    def follows(self, thread_id: str) -> bool:
        """Whether it shows what happens in a thread."""
        return thread_id in self._context.where

    # ---------------------------------------------------------------------------------------------------- what comes in

    def begin(self) -> Sequence[Effect]:
        """It is for the client to speak first."""
        return ()

    def hear(self, text: str) -> Sequence[Effect]:
        """Take a text frame."""
        if (close := too_big(text, self._limits, known=True)) is not None:
            return (close,)
        try:
            envelope = read_envelope(text)
        except SullaError as error:
            return [self._context.bare(refusal(problem_of(error)))]
        try:
            return self._heard(envelope)
        except SullaError as error:
            return self._context.turn_down(self._context.channels.get(envelope.channel), envelope, error)

    def hear_binary(self) -> Sequence[Effect]:
        """Take a binary frame."""
        return (Close(NOT_TEXT, "/hub takes text frames"),)

    def _heard(self, envelope: Envelope) -> Sequence[Effect]:
        context = self._context
        match envelope.type:
            case "ack":
                seen = [id_ for one in context.channels.values() if (id_ := one.see_notice(envelope.original_id))]
                shown = [one.see_shown(envelope.original_id) for one in context.channels.values()]
                moved = [one for one in context.channels.values() if one.acknowledge(envelope.original_id)]
                return [
                    *context.see(seen),
                    *context.see_shown([one for one in shown if one is not None]),
                    *(context.note(one) for one in moved),
                ]
            case "ping":
                return [context.reply("pong", envelope)]
            case _ if envelope.type in SILENT:
                return ()
            case "subscribe":
                return context.ready(context.channel(envelope), envelope, self._subscribed(envelope))
            case _ if envelope.type in RELAYED and envelope.channel == CALENDAR:
                return [Relay(CALENDAR, envelope.raw), context.ack(envelope)]
            case _:
                return take(context, context.channel(envelope), envelope)

    def _subscribed(self, envelope: Envelope) -> Callable[[Channel], Sequence[Effect]]:
        """On the agents' own channel it is shown what they do by themselves."""
        context = self._context
        if envelope.channel != HEARTBEAT:
            return lambda channel: [context.ack(envelope)]
        return lambda channel: [
            context.ack(envelope),
            *follow_beats(context, channel, envelope),
            *self._begin_notices(),
        ]

    def _begin_notices(self) -> Sequence[Effect]:
        """Once for a connection, however often it subscribes."""
        if self._context.notices_since_ms is not None:
            return ()
        self._context.notices_since_ms = self._context.now_ms()
        return [self._context.call(NoticeSubscribe(), _nothing, _nothing)]

    # ------------------------------------------------------------------------------------------------- what comes of it

    def answered(self, id_: RequestId, result: JsonObject) -> Sequence[Effect]:
        """What was asked for under `id_` is done."""
        return self._context.answered(id_, result)

    def failed(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """What was asked for under `id_` was refused."""
        return self._context.failed(id_, error)

    def admit(self, id_: RequestId, principal: Principal) -> Sequence[Effect]:
        """Whoever is here was asked before the upgrade."""
        return ()

    def refuse(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """See `admit`."""
        return ()

    def ended(self, thread_id: str, error: SullaError) -> Sequence[Effect]:
        """A thread can no longer be followed."""
        channel = self._context.where.get(thread_id)
        if channel is None:
            return ()
        view = channel.unfollow(thread_id)
        self._context.drop(channel, thread_id)
        told = list[HubEvent]()
        if isinstance(view, Conversation):
            told = [refusal(problem_of(error), view.name), view.complete("error")]
        elif view is not None:
            told = view.conversation.play_ended(thread_id)
        frames = channel.frames(told, self._context.now_ms(), self.id, self._context.number())
        return [*map(SendFrame, frames), self._context.note(channel)]

    def forget(self, thread_id: str) -> None:
        """`ended`, or whoever asked for it, is told too."""

    def untold(self) -> None:
        """It could not be told of notices: the next subscription asks again."""
        self._context.notices_since_ms = None

    # ---------------------------------------------------------------------------------------------------- what goes out

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """The client has no word for a hole in a thread's log."""
        return b""

    def sink(self, out: Out, end: Callable[[Close], None]) -> EventSink:
        """The connection has a sink of its own, which shows events by `show`."""
        return out

    def show(self, event: Event) -> tuple[list[bytes], Sequence[Effect]]:
        """An event as frames, and what else it asks for."""
        channel = self._context.where.get(event.thread_id)
        if channel is None:
            return [], ()
        frames = channel.show(event)
        match event.type, event.data:
            case "PLAYBOOK_BEGAN", {"thread_id": str(play)} if play not in self._context.where:
                return frames, self._begin_play(channel, event.thread_id, play)
        return frames, ()

    def notice(self, notice: NoticeInfo) -> bytes:
        """What people are told, wherever it comes from; empty where a conversation shows it as it happens."""
        channel, shown_in = self._context.channels.get(HEARTBEAT), self._context.where.get(notice.thread_id)
        # Beats are followed from their ends on: what they told before shows nowhere else.
        is_old = shown_in is channel and notice.at_ms < (self._context.notices_since_ms or 0)
        return b"" if channel is None or (shown_in is not None and not is_old) else channel.notice(notice)

    def _begin_play(self, channel: Channel, thread_id: str, play: str) -> Sequence[Effect]:
        view = channel.conversation(thread_id)
        if view is None:
            return ()
        swept = self._context.sweep(channel)
        # The conversation stays the one that was talked in last.
        left = [
            *channel.places.enter(channel.place(view)),
            *channel.places.enter(HubPlace(play, view.name, 0, thread_id)),
        ]
        gone = [effect for place in left for effect in self._context.leave(channel, place.thread_id)]
        return [
            *swept,
            *gone,
            *self._context.follow(channel, HubPlace(play, view.name, 0, thread_id)),
            self._context.note(channel),
        ]
