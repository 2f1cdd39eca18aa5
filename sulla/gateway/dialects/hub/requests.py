"""What the original desktop client asks for, as requests of the protocol. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, cast

from sulla.core.cut import cut
from sulla.core.errors import AlreadyAnswered, Conflict, InvalidInput, NotFound, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.dialects.hub.channel import Channel
from sulla.gateway.dialects.hub.context import HubContext
from sulla.gateway.dialects.hub.effects import AskUrgent, Failed, Look
from sulla.gateway.dialects.hub.frames import Conversation, HubEvent, refusal
from sulla.gateway.dialects.hub.places import HubPlace, MessageMeaning
from sulla.gateway.dialects.hub.questions import HubQuestion
from sulla.gateway.dialects.hub.steering import PATIENCE_S, Steering
from sulla.gateway.dialects.hub.wire import Envelope, Words, read_words
from sulla.gateway.dialects.insertions import said_in
from sulla.gateway.dialects.questions import takes_anything, verdict_of
from sulla.gateway.dialects.steps import StepAsked, StepQuestion
from sulla.gateway.problems import problem_of
from sulla.gateway.rest.read import validated
from sulla.gateway.websocket.machine import Effect, Then
from sulla.gateway.wire import QuestionRow as Open
from sulla.heartbeat.rpc_forms import HeartbeatStatus
from sulla.rpc.form import MOST_SEQ, Params
from sulla.rpc.limits import TITLE_CHARS

_OWN: Final = "thr_"
"""What every thread's id begins with; any other name of a conversation is the client's own."""
_NOT_PASSED: Final = "(This was not passed on, because the agent waits for an answer.)"
Mode = Literal["queue", "steer"]


def take(context: HubContext, channel: Channel, envelope: Envelope) -> Sequence[Effect]:
    """What a frame asks for; what nobody knows is acknowledged and passed over.

    Args:
        context: the connection's.
        channel: the frame's.
        envelope: the frame.

    Raises:
        InvalidInput: a value in it is wrong.
    """
    envelope.check()  # a wrong name is refused before anything is done
    match envelope.type:
        case "user_message" | "inject_message":
            mode: Mode = "steer" if envelope.type == "inject_message" else "queue"
            work = _Saying(context, envelope, read_words(envelope), mode).begin
        case "stop_run":
            work = Steering(context, envelope).stop
        case "continue_run":
            work = Steering(context, envelope).go_on
        case "new_conversation":
            work = Steering(context, envelope).leave
        case _:
            return [context.ack(envelope)]
    return context.ready(channel, envelope, work)


def follow_beats(context: HubContext, channel: Channel, envelope: Envelope) -> Sequence[Effect]:
    """Show what agents do by themselves, from now on."""

    def follow_all(result: JsonObject) -> Sequence[Effect]:
        rows = cast(list[JsonObject], result["heartbeats"])
        threads = [str(row["thread_id"]) for row in rows if row["thread_id"]]
        return [_follow_end(context, channel, thread_id) for thread_id in threads if thread_id not in context.where]

    def failed(error: SullaError) -> Sequence[Effect]:
        return context.frames(channel, [refusal(problem_of(error))], envelope)

    return [context.call(HeartbeatStatus(), follow_all, failed)]


def _follow_end(context: HubContext, channel: Channel, thread_id: str) -> Effect:
    def follow(result: JsonObject) -> Sequence[Effect]:
        return context.follow(channel, HubPlace(thread_id, thread_id, cast(int, result["last_seq"])))

    return context.call(wire.ThreadGet(thread_id=thread_id), follow, lambda error: ())


class _Saying:
    """One message on its way: which conversation it belongs to, whether it is an answer, and what else it is.

    Args:
        context: the connection's.
        envelope: the frame.
        words: what is in it.
        mode: what it does to a running turn.
    """

    def __init__(self, context: HubContext, envelope: Envelope, words: Words, mode: Mode) -> None:
        self._context = context
        self._envelope = envelope
        self._words = words
        self._mode = mode
        self._name = envelope.thread
        self._key = envelope.key
        if words.event_id is not None:  # the client's calendar tells a second channel if it thinks nobody heard
            self._key = context.key("calendar", str(words.event_id), words.text)

    def begin(self, channel: Channel) -> Sequence[Effect]:
        """Find the conversation, then go on."""
        given = channel.places.given.get(self._key)
        if given is not None and given.question:
            return self._give(channel, None, given)
        known = channel.named(self._name) if self._name else None
        if known is not None:
            channel.places.enter(channel.place(known))
            return [*self._context.sweep(channel), *self._looked(channel, known)]
        if not self._name.startswith(_OWN):
            return [self._create(channel)]
        try:
            params = validated("thread.get", {"thread_id": self._name})
        except InvalidInput:
            return [self._create(channel)]
        return [self._get(channel, params, lambda error: [self._create(channel)])]

    def _create(self, channel: Channel) -> Effect:
        """A conversation that the client names itself is the same whenever it names it."""
        key = self._context.key(channel.agent or "", self._name) if self._name else self._context.key("new", self._key)
        title = _line(self._name or self._words.text)
        agent = channel.agent or None
        try:
            asked: JsonObject = {"agent": agent, "title": title, "request_id": key, "channel": channel.name}
            params = validated("thread.create", asked)
        except SullaError as error:
            return Then(_giving(self._refuse(channel, error)))

        def made(result: JsonObject) -> Sequence[Effect]:
            thread = wire.ThreadGet(thread_id=cast(str, result["thread_id"]))
            return [self._get(channel, thread, lambda error: self._refuse(channel, error))]

        return self._context.call(params, made, lambda error: self._refuse(channel, error), PATIENCE_S)

    def _get(self, channel: Channel, params: Params, missing: Failed) -> Effect:
        def found(result: JsonObject) -> Sequence[Effect]:
            thread_id, seq = cast(str, result["thread_id"]), cast(int, result["last_seq"])
            return self._join(channel, HubPlace(thread_id, self._name or thread_id, seq))

        def failed(error: SullaError) -> Sequence[Effect]:
            return missing(error) if isinstance(error, NotFound) else self._refuse(channel, error)

        return self._context.call(params, found, failed, PATIENCE_S)

    def _join(self, channel: Channel, place: HubPlace) -> Sequence[Effect]:
        """Note it before anything is said there: who comes back before the end is told the rest."""
        if (known := channel.conversation(place.thread_id)) is not None:
            return self._looked(channel, known)
        left = channel.places.enter(place)
        gone = [effect for one in left for effect in self._context.leave(channel, one.thread_id)]

        def followed() -> Sequence[Effect]:
            conversation = channel.conversation(place.thread_id)
            if conversation is None:
                return self._refuse(channel, NotFound(f"thread {place.thread_id!r} cannot be followed"))
            return self._looked(channel, conversation)

        def noted() -> Sequence[Effect]:
            return self._context.follow(channel, place, followed)

        return [*gone, self._context.note(channel, noted, lambda error: self._refuse(channel, error))]

    def _looked(self, channel: Channel, conversation: Conversation) -> Sequence[Effect]:
        """Go on once it is known what waits for people, there and in the playbooks that were begun there: what comes
        over the log may come later than the client's answer.
        """
        if conversation.questions.looked:
            return self._created(channel, conversation)
        threads = [conversation.thread_id, *channel.plays_of(conversation)]

        def look(left: Sequence[str]) -> Sequence[Effect]:
            if not left:
                conversation.questions.looked = True
                return self._created(channel, conversation)

            def seen(waiting: Sequence[Open]) -> Sequence[Effect]:
                asks = tuple(
                    StepQuestion(one.id, one.prompt, "", one.tool, one.target, one.choices, one.expires_ms)
                    for one in waiting
                )
                conversation.questions.learn(left[0], StepAsked(asks, MOST_SEQ))
                return look(left[1:])

            return [Look(left[0], seen, lambda error: self._refuse(channel, error, conversation))]

        return look(threads)

    def _created(self, channel: Channel, conversation: Conversation) -> Sequence[Effect]:
        """Whoever names no conversation is told how to name it."""
        told = [] if self._name else [HubEvent("thread_created", {"threadId": conversation.name})]
        return [*self._context.frames(channel, told, self._envelope), *self._say(channel, conversation)]

    # ----------------------------------------------------------------------------------------------------- saying it

    def _say(self, channel: Channel, conversation: Conversation) -> Sequence[Effect]:
        said = self._key in channel.places.given  # it comes again: the answer to nothing that was asked since
        if conversation.questions.all and not said and not self._words.by_calendar:  # an event answers for nobody
            question = conversation.questions.answerable
            verdict = question and verdict_of(question.ask.id, question.ask.choices, self._words.text)
            if question is None or verdict is None or takes_anything(question.ask.id, question.ask.choices):
                return [self._unless_urgent(channel, conversation, None if verdict is None else question)]
            return self._answered(channel, conversation, question)
        return self._pass_on(channel, conversation, said=said)

    def _unless_urgent(self, channel: Channel, conversation: Conversation, question: HubQuestion | None) -> Effect:
        """Take a message that must not wait for what it is, any other one for the answer, if it can be one."""

        def seen(urgent: bool) -> Sequence[Effect]:
            if urgent:
                return self._pass_on(channel, conversation, said=False)
            if question is None:
                return self._not_passed(channel, conversation)
            return self._answered(channel, conversation, question)

        words = said_in(self._words.text).text
        failed = partial(self._refuse, channel, conversation=conversation)
        return AskUrgent(conversation.thread_id, words, seen, failed)

    def _answered(self, channel: Channel, conversation: Conversation, question: HubQuestion) -> Sequence[Effect]:
        given = MessageMeaning(question.thread_id, question.ask.id, question.ask.choices)
        channel.places.give(self._key, given)

        def noted() -> Sequence[Effect]:
            return self._give(channel, (conversation, question), given)

        # Noted first: else the message, come again after a crash, would be none to a question that is answered.
        return [self._context.note(channel, noted, lambda error: self._refuse(channel, error, conversation))]

    def _pass_on(self, channel: Channel, conversation: Conversation, *, said: bool) -> Sequence[Effect]:
        said_here = said_in(self._words.text)
        values: JsonObject = {
            "thread_id": conversation.thread_id,
            "message_id": self._key,
            "text": said_here.text,
            "quoted": said_here.quoted,
            "mode": self._mode,
            "agent": self._words.agent,
            "unattended": self._words.by_calendar,
        }
        try:
            params = validated("turn.send", values)
        except SullaError as error:
            return self._refuse(channel, error, conversation)
        conversation.expected = True
        done = [*self._left_out(channel, conversation), *self._acknowledged(channel)]

        def refused(error: SullaError) -> Sequence[Effect]:
            return self._refuse(channel, error, conversation)

        send = self._context.call(params, lambda result: done, refused, PATIENCE_S)
        if said:
            return [send]
        channel.places.give(self._key, MessageMeaning(conversation.thread_id, ""))
        return [self._context.note(channel, lambda: [send], refused)]

    def _give(
        self, channel: Channel, shown: tuple[Conversation, HubQuestion] | None, given: MessageMeaning
    ) -> Sequence[Effect]:
        """Answer a question; once more if the message comes again."""
        verdict, text = verdict_of(given.question, given.choices, self._words.text) or ("result", self._words.text)
        values: JsonObject = {"thread_id": given.thread_id, "id": given.question, "verdict": verdict, "text": text}
        conversation = None if shown is None else shown[0]
        try:
            params = validated("approval.answer", values)
        except SullaError as error:
            return self._refuse(channel, error, conversation)

        def answered(result: JsonObject) -> Sequence[Effect]:
            more = [] if shown is None else shown[0].answered(shown[1])
            return [*self._context.frames(channel, more, self._envelope), *self._acknowledged(channel)]

        def failed(error: SullaError) -> Sequence[Effect]:
            if shown is None and isinstance(error, Conflict | NotFound):
                return self._acknowledged(channel)
            if shown is not None and isinstance(error, AlreadyAnswered | NotFound):
                shown[0].answered(shown[1])
            return self._refuse(channel, error, conversation)

        return [self._context.call(params, answered, failed, PATIENCE_S)]

    def _not_passed(self, channel: Channel, conversation: Conversation) -> Sequence[Effect]:
        told = conversation.ask_next(_NOT_PASSED)
        # Acknowledged first: come again behind the question that it brings, it would seem to be the answer to that.
        return [*self._acknowledged(channel), *self._context.frames(channel, told, self._envelope)]

    def _left_out(self, channel: Channel, conversation: Conversation) -> Sequence[Effect]:
        if not self._words.left_out:
            return ()
        said = f"{self._words.left_out} attached files were not passed on: put them into the workspace and name them."
        data: JsonObject = {"role": "system", "content": said, "thread_id": conversation.name}
        return self._context.frames(channel, [HubEvent("system_message", data)], self._envelope)

    def _acknowledged(self, channel: Channel) -> Sequence[Effect]:
        """It is kept, or needs no keeping."""
        event_id = self._words.event_id
        told = [] if event_id is None else [HubEvent("scheduler_ack", {"eventId": event_id})]
        return [self._context.ack(self._envelope), *self._context.frames(channel, told, self._envelope)]

    def _refuse(
        self, channel: Channel, error: SullaError, conversation: Conversation | None = None
    ) -> Sequence[Effect]:
        return self._context.turn_down(channel, self._envelope, error, conversation)


def _giving(effects: Sequence[Effect]) -> Callable[[], Sequence[Effect]]:
    return lambda: effects


def _line(text: str) -> str:
    """A title: one line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 8 * TITLE_CHARS]).split())
    return cut(line, TITLE_CHARS)
