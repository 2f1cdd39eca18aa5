"""What a connection of ``/hub`` knows and asks for: its channels, and what comes next when an answer is there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Final

from sulla.access.principal import Principal
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.ids import derived_id
from sulla.core.jsontypes import JsonObject
from sulla.gateway.dialects.hub.channel import Channel
from sulla.gateway.dialects.hub.effects import Failed, NotePlaces, Recall
from sulla.gateway.dialects.hub.frames import Conversation, HubEvent
from sulla.gateway.dialects.hub.places import HubPlace, places_key
from sulla.gateway.dialects.hub.play import PlayRun
from sulla.gateway.dialects.hub.wire import Envelope, frame, frame_id
from sulla.gateway.problems import problem_of
from sulla.gateway.rpc import RequestId
from sulla.gateway.websocket.machine import CallMethod, Close, Effect, SendFrame
from sulla.gateway.wire import EventsSubscribe, EventsUnsubscribe
from sulla.people.notices_rpc import NoticeList, NoticeSeen
from sulla.rpc.form import Params

TRY_AGAIN: Final = 1013
"""The close code of a connection that may succeed later (registry of RFC 6455 §11.7)."""
MOST_CHANNELS: Final = 8
"""Of one connection; the client has one for each."""

Then = Callable[[JsonObject], Sequence[Effect]]
"""What comes next."""


def _nothing(answer: object) -> Sequence[Effect]:
    return ()


def _rows(found: JsonObject) -> Iterator[JsonObject]:
    rows = found.get("notices")
    return (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else iter(())


class HubContext:
    """One connection's.

    Args:
        id: names the connection.
        principal: whose it is.
        now_ms: what a frame that comes of no event is stamped with, UTC milliseconds.
        streaming: see `Conversation`.
    """

    def __init__(self, id: str, principal: Principal, now_ms: Callable[[], int], *, streaming: bool) -> None:
        self.id = id
        self.principal = principal
        self.now_ms = now_ms
        self.where: dict[str, Channel] = {}
        """In which channel a thread is shown."""
        self.channels: dict[str, Channel] = {}
        """By name."""
        self.notices_since_ms: int | None = None
        """Since when it is told what people are told, UTC milliseconds; None while it is not."""
        self._shown_notices: dict[tuple[str, str], bool] = {}
        """Notices that a conversation has shown and that are not marked as seen yet, by their run and words; each with
        whether it was looked for in vain.
        """
        self._streaming = streaming
        self._numbers = count(1)
        self._then: dict[RequestId, tuple[Then, Failed]] = {}

    def channel(self, envelope: Envelope) -> Channel:
        """The channel of a frame.

        Raises:
            InvalidInput: the connection has as many as it may have.
        """
        name = envelope.channel
        if name not in self.channels:
            if len(self.channels) >= MOST_CHANNELS:
                raise InvalidInput(f"this connection has {MOST_CHANNELS} channels, more are not possible")
            may_answer = "approve" in self.principal.scopes
            self.channels[name] = Channel(name, may_answer=may_answer, streaming=self._streaming)
        return self.channels[name]

    def ready(
        self, channel: Channel, envelope: Envelope, then: Callable[[Channel], Sequence[Effect]]
    ) -> Sequence[Effect]:
        """Go on once it is known where the client was."""
        if channel.known:
            return then(channel)

        def learn(noted: str | None) -> Sequence[Effect]:
            if channel.known:  # by another frame, meanwhile
                return then(channel)
            channel.known = True
            channel.places.learn(noted)
            places = sorted(channel.places.all.values(), key=lambda place: bool(place.of))
            back = [effect for place in places for effect in self.follow(channel, place)]
            return [*back, *then(channel)]

        return [Recall(self._key(channel), learn, lambda error: self.turn_down(channel, envelope, error))]

    def follow(
        self, channel: Channel, place: HubPlace, then: Callable[[], Sequence[Effect]] = lambda: ()
    ) -> Sequence[Effect]:
        """Show what happens in a thread from there on, then go on."""
        if (before := self.where.get(place.thread_id)) is not None and before.unfollow(place.thread_id) is not None:
            self.where[place.thread_id] = channel  # the socket follows it already
            channel.follow(place)
            return then()
        if channel.follow(place) is None:
            return then()
        self.where[place.thread_id] = channel
        params = EventsSubscribe(thread_id=place.thread_id, after=place.seq)

        def gone(error: SullaError) -> Sequence[Effect]:
            if error.retryable:  # the place stays noted: the client comes back, and is told the rest then
                return [Close(TRY_AGAIN, f"thread {place.thread_id!r} cannot be followed now: {error.message}")]
            view = channel.unfollow(place.thread_id)
            self.drop(channel, place.thread_id)
            told = view.conversation.play_ended(place.thread_id) if isinstance(view, PlayRun) else []
            said = map(SendFrame, channel.frames(told, self.now_ms(), self.id, self.number()))
            return [*said, self.note(channel), *then()]

        return [CallMethod(self.remember(lambda result: then(), gone), params, self.principal)]

    def leave(self, channel: Channel, thread_id: str) -> Sequence[Effect]:
        """Show no more of a thread."""
        if not self.drop(channel, thread_id):
            return ()
        id_ = self.remember(lambda result: (), lambda error: ())
        return [CallMethod(id_, EventsUnsubscribe(thread_id=thread_id), self.principal)]

    def sweep(self, channel: Channel) -> Sequence[Effect]:
        """Show no more of playbooks that are over."""
        return [effect for thread_id in channel.finished for effect in self.leave(channel, thread_id)]

    def drop(self, channel: Channel, thread_id: str) -> bool:
        """It is not shown any more; whether it was."""
        channel.unfollow(thread_id)
        if thread_id in channel.places.all:
            channel.places.leave(thread_id)
        return self.where.pop(thread_id, None) is not None

    def call(self, params: Params, then: Then, failed: Failed, patience_s: float = 0.0) -> CallMethod:
        """Have something done."""
        return CallMethod(self.remember(then, failed), params, self.principal, patience_s)

    def see(self, ids: Sequence[str]) -> Sequence[Effect]:
        """The client has these notices."""
        return [self.call(NoticeSeen(ids=[*ids]), _nothing, _nothing)] if ids else ()

    def see_shown(self, shown: Sequence[tuple[str, str]]) -> Sequence[Effect]:
        """The client has notices that a conversation has shown, whose ids are not known there.

        One is kept a moment after it is shown: if it is not found, it is looked for once more with the next frame that
        the client has.

        Args:
            shown: of each its run and its words.
        """
        self._shown_notices |= dict.fromkeys(shown, False)
        sought = self._shown_notices.copy()

        def look(found: JsonObject) -> Sequence[Effect]:
            rows = [row for row in _rows(found) if (row["run_id"], row["text"]) in sought]
            there = {(row["run_id"], row["text"]) for row in rows}
            for one, in_vain in sought.items():
                if one in there or in_vain:
                    self._shown_notices.pop(one, None)
                elif one in self._shown_notices:
                    self._shown_notices[one] = True
            return self.see([str(row["id"]) for row in rows])

        return [self.call(NoticeList(unseen="mine"), look, _nothing)] if sought else ()

    def remember(self, then: Then, failed: Failed) -> RequestId:
        """What comes next when a request is answered."""
        id_ = next(self._numbers)
        self._then[id_] = then, failed
        return id_

    def note(
        self, channel: Channel, then: Callable[[], Sequence[Effect]] = lambda: (), failed: Failed = lambda error: ()
    ) -> NotePlaces:
        """Note where the client is; if nobody needs it, a failure costs no more than a repetition later."""
        return NotePlaces(self._key(channel), channel.places, then, failed)

    def ack(self, envelope: Envelope) -> SendFrame:
        """The client need not send it again."""
        return self.reply("ack", envelope)

    def turn_down(
        self, channel: Channel | None, envelope: Envelope, error: SullaError, conversation: Conversation | None = None
    ) -> Sequence[Effect]:
        """Say that a frame came to nothing. If it may succeed later it is not acknowledged: so it comes again."""
        view = conversation or Conversation("", envelope.thread, may_answer=False, streaming=False)
        told = view.refuse(problem_of(error), ends=not error.retryable)
        return [*self.frames(channel, told, envelope), *([] if error.retryable else [self.ack(envelope)])]

    def frames(self, channel: Channel | None, told: Sequence[HubEvent], envelope: Envelope) -> list[Effect]:
        """What a frame is answered with beside its acknowledgement."""
        if channel is None:
            return [self.bare(one) for one in told]
        return [
            SendFrame(one)
            for one in channel.frames(told, self.now_ms(), self.id, str(next(self._numbers)), envelope.id)
        ]

    def reply(self, type_: str, envelope: Envelope) -> SendFrame:
        """The protocol's own answer to a frame."""
        id_ = frame_id(type_, self.id, envelope.id)
        return SendFrame(frame(type_, None, id_, envelope.channel, self.now_ms(), envelope.id))

    def bare(self, told: HubEvent) -> SendFrame:
        """What is said outside of all channels."""
        id_ = frame_id(self.id, str(next(self._numbers)))
        return SendFrame(frame(told.type, told.data, id_, "", self.now_ms()))

    def _key(self, channel: Channel) -> str:
        return places_key(self.principal.name, channel.name)

    def key(self, *parts: str) -> str:
        """A name for what a frame asks for, made of what it says."""
        return derived_id("req", "hub", self.principal.name, *parts)

    # ------------------------------------------------------------------------------------------------- what comes of it

    def answered(self, id_: RequestId, result: JsonObject) -> Sequence[Effect]:
        """What was asked for under `id_` is done."""
        then, _ = self._then.pop(id_)
        return then(result)

    def failed(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """What was asked for under `id_` was refused."""
        _, failed = self._then.pop(id_)
        return failed(error)

    def number(self) -> str:
        """A number that was not there before."""
        return str(next(self._numbers))
