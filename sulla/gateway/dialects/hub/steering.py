"""What the original desktop client asks of turns that are there already: to stop, to go on, to be left alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.errors import InvalidInput, NotFound, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.dialects.hub.channel import Channel
from sulla.gateway.dialects.hub.context import HubContext
from sulla.gateway.dialects.hub.effects import Failed
from sulla.gateway.dialects.hub.frames import Conversation, refusal
from sulla.gateway.dialects.hub.wire import Envelope
from sulla.gateway.problems import problem_of
from sulla.gateway.rest.read import validated
from sulla.gateway.websocket.machine import Effect
from sulla.playbooks.rpc_forms import WorkflowCancel
from sulla.rpc.form import Params

PATIENCE_S: Final = 5.0
"""How long something is tried again that could not be kept; the client sends it again after 9 s."""
GO_ON: Final = "Go on."
"""What ``continue_run`` says behind a turn that came to a limit."""


class Steering:
    """A request about turns that are there already.

    Args:
        context: the connection's.
        envelope: the frame.
    """

    def __init__(self, context: HubContext, envelope: Envelope) -> None:
        self._context = context
        self._envelope = envelope

    def stop(self, channel: Channel) -> Sequence[Effect]:
        """Stop what goes on in a conversation, or in the channel if none is named; playbooks too."""
        if self._envelope.thread:
            named = channel.named(self._envelope.thread)
            if named is None:
                return self._stop_unknown(channel)
            wanted = [named]
        else:
            wanted = [one for one in channel.conversations if one.running or one is channel.current]
        found = list[Effect]()
        for one in wanted:
            refused = self._refusing(channel, one)
            for run in channel.plays_of(one):
                found.append(self._context.call(WorkflowCancel(run=run), lambda result: (), refused, PATIENCE_S))
            stop = wire.TurnStop(thread_id=one.thread_id, request_id=self._envelope.key)
            found.append(self._context.call(stop, lambda result: (), refused, PATIENCE_S))
        return [*found, self._context.ack(self._envelope)]

    def go_on(self, channel: Channel) -> Sequence[Effect]:
        """Go on behind a turn that came to a limit, or with what waits since a stop."""
        one = channel.named(self._envelope.thread) if self._envelope.thread else channel.current
        if one is None:
            error = NotFound("there is no conversation in this channel that could go on")
            return self._context.turn_down(channel, self._envelope, error, None)
        params: Params = wire.TurnContinue(thread_id=one.thread_id, request_id=self._envelope.key)
        if one.limited:
            params = wire.TurnSend(thread_id=one.thread_id, message_id=self._envelope.key, text=GO_ON)

        def refused(error: SullaError) -> Sequence[Effect]:
            return self._context.turn_down(channel, self._envelope, error, one)

        return [self._context.call(params, lambda result: [self._context.ack(self._envelope)], refused, PATIENCE_S)]

    def leave(self, channel: Channel) -> Sequence[Effect]:
        """Hear no more of a conversation; it stays where it is."""
        one = channel.named(self._envelope.thread) if self._envelope.thread else None
        if one is None:
            return [self._context.ack(self._envelope)]
        threads = (one.thread_id, *channel.plays_of(one))
        left = [effect for thread_id in threads for effect in self._context.leave(channel, thread_id)]
        return [*left, self._context.note(channel), self._context.ack(self._envelope)]

    def _stop_unknown(self, channel: Channel) -> Sequence[Effect]:
        """A conversation that is not told of in the channel: it is a thread's id, or nothing that could be stopped."""

        def refused(error: SullaError) -> Sequence[Effect]:
            return self._context.turn_down(channel, self._envelope, error)

        values: JsonObject = {"thread_id": self._envelope.thread, "request_id": self._envelope.key}
        try:
            stop = validated("turn.stop", values)
        except InvalidInput:
            return refused(NotFound(f"there is no conversation {self._envelope.thread!r} in this channel"))
        return [self._context.call(stop, lambda result: [self._context.ack(self._envelope)], refused, PATIENCE_S)]

    def _refusing(self, channel: Channel, one: Conversation) -> Failed:
        """Say it, and no more: the frame is acknowledged when all that it asks for was tried."""

        def refused(error: SullaError) -> Sequence[Effect]:
            return self._context.frames(channel, [refusal(problem_of(error), one.name)], self._envelope)

        return refused
