"""One channel of a client of ``/hub``: the conversations in it, their frames, and how much the client has. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.dialects.hub.frames import Conversation, HubEvent
from sulla.gateway.dialects.hub.places import HubPlace, HubPlaces
from sulla.gateway.dialects.hub.play import PlayRun
from sulla.gateway.dialects.hub.wire import agent_of, frame, frame_id
from sulla.people.notices import NoticeInfo

_SENT: Final = 2048
"""Frames that may be acknowledged yet; what the client has of older ones, later acknowledgements say."""


class Channel:
    """A channel.

    Args:
        name: as the client calls it.
        may_answer: see `Conversation`.
        streaming: see `Conversation`.
    """

    def __init__(self, name: str, *, may_answer: bool, streaming: bool) -> None:
        self.name = name
        self.agent = agent_of(name)
        self.places = HubPlaces()
        self.known = False
        """Whether what was noted of it has been learnt."""
        self._may_answer = may_answer
        self._streaming = streaming
        self._views: dict[str, Conversation | PlayRun] = {}
        self._sent: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._asked: OrderedDict[str, tuple[str, str]] = OrderedDict()
        """Frames with questions, and in which conversation each asks what."""
        self._notices: OrderedDict[str, str] = OrderedDict()
        """Frames that tell people something, and which notice each is."""
        self._shown_notices: OrderedDict[str, tuple[str, str]] = OrderedDict()
        """Frames of a conversation that tell people something: by which run, and in which words."""

    @property
    def conversations(self) -> list[Conversation]:
        """Those that are followed."""
        return [view for view in self._views.values() if isinstance(view, Conversation)]

    def conversation(self, thread_id: str) -> Conversation | None:
        """One that is followed."""
        view = self._views.get(thread_id)
        return view if isinstance(view, Conversation) else None

    def named(self, name: str) -> Conversation | None:
        """The one that the client calls so."""
        return next((one for one in self.conversations if one.name == name), None)

    @property
    def current(self) -> Conversation | None:
        """The one that was talked in last."""
        return self.conversation(self.places.current)

    def plays_of(self, conversation: Conversation) -> list[str]:
        """Runs of playbooks that were begun there, and are not over."""
        views = self._views.values()
        return [
            one.thread_id
            for one in views
            if isinstance(one, PlayRun) and one.conversation is conversation and not one.over
        ]

    @property
    def finished(self) -> list[str]:
        """Runs of playbooks that are over."""
        return [one.thread_id for one in self._views.values() if isinstance(one, PlayRun) and one.over]

    def place(self, conversation: Conversation) -> HubPlace:
        """Where the client is in it."""
        usual = HubPlace(conversation.thread_id, conversation.name, 0)
        return self.places.all.get(conversation.thread_id, usual)

    def follow(self, place: HubPlace) -> Conversation | PlayRun | None:
        """Events of this thread will be shown; None for a playbook's run whose conversation is gone."""
        if place.of:
            conversation = self.conversation(place.of)
            if conversation is None:
                return None
            conversation.play_began(place.thread_id)
            self._views[place.thread_id] = run = PlayRun(place.thread_id, conversation)
            return run
        view = Conversation(place.thread_id, place.name, may_answer=self._may_answer, streaming=self._streaming)
        view.questions.told = view.questions.shown = place.asked
        view.limited = place.limited
        self._views[place.thread_id] = view
        return view

    def unfollow(self, thread_id: str) -> Conversation | PlayRun | None:
        """They will not be shown any more."""
        return self._views.pop(thread_id, None)

    # --------------------------------------------------------------------------------------------------------- frames

    def show(self, event: Event) -> list[bytes]:
        """What an event of a followed thread looks like."""
        view = self._views.get(event.thread_id)
        told = [] if view is None else view.take(event)
        if isinstance(view, Conversation):
            self.places.limit(view.thread_id, view.limited)
        if event.seq is None or view is None:
            return [
                self._frame(one, event.at_ms, "live", event.thread_id, str(event.data.get("offset"))) for one in told
            ]
        frames = list[bytes]()
        for number, one in enumerate(told):
            parts = (event.thread_id, str(event.seq), str(number))
            frames.append(self._frame(one, event.at_ms, *parts))
            last = number == len(told) - 1  # only with the last one the client has all of the event
            self._sent[frame_id(self.name, *parts)] = (event.thread_id, event.seq if last else event.seq - 1)
            if event.type == "NOTICE":
                said = str(event.run_id), str(event.data.get("text", ""))
                self._shown_notices[frame_id(self.name, *parts)] = said
        for known in (self._sent, self._shown_notices):
            while len(known) > _SENT:
                known.popitem(last=False)
        return frames

    def frames(self, told: Sequence[HubEvent], at_ms: int, *parts: str) -> list[bytes]:
        """What comes of no event.

        Args:
            told: what is said.
            at_ms: now, UTC milliseconds.
            parts: what the ids are made from: the same for the same.
        """
        return [self._frame(one, at_ms, *parts, str(number)) for number, one in enumerate(told)]

    def acknowledge(self, id_: str) -> bool:
        """The client has a frame; whether its place has moved by that.

        What waits for an answer is told again to a client that comes back, so its place stays before that.
        """
        asked_in, question = self._asked.pop(id_, ("", ""))
        if question and (conversation := self.conversation(asked_in)) is not None:
            conversation.questions.shown = question
        seen = bool(question) and self.places.show(asked_in, question)
        thread_id, seq = self._sent.pop(id_, ("", 0))
        every = [asked for one in self.conversations for asked in one.questions.all]
        before = [asked.seq - 1 for asked in every if asked.thread_id == thread_id]
        return (bool(thread_id) and self.places.move(thread_id, min([seq, *before]))) or seen

    def notice(self, notice: NoticeInfo) -> bytes:
        """What people are told in a conversation that is not followed here."""
        id_ = frame_id(self.name, "notice", notice.id)
        self._notices[id_] = notice.id
        while len(self._notices) > _SENT:
            self._notices.popitem(last=False)
        data: JsonObject = {
            "role": "assistant",
            "content": notice.text,
            "kind": "notice",
            "thread_id": notice.thread_id,
        }
        about: JsonObject = {"agent": notice.agent, "urgency": notice.urgency}
        return frame("assistant_message", data | about, id_, self.name, notice.at_ms)

    def see_notice(self, id_: str) -> str:
        """The client has a frame; the id of the notice in it, empty if it is none."""
        return self._notices.pop(id_, "")

    def see_shown(self, id_: str) -> tuple[str, str] | None:
        """The client has a frame; by which run and in which words people are told something in it, None if it is none
        of a conversation's notices.
        """
        return self._shown_notices.pop(id_, None)

    def _frame(self, told: HubEvent, at_ms: int, *parts: str) -> bytes:
        id_ = frame_id(self.name, *parts)
        match told.data:
            case {"approvalId": str(question), "thread_id": str(name)} if (one := self.named(name)) is not None:
                self._asked[id_] = (one.thread_id, question)
                while len(self._asked) > _SENT:
                    self._asked.popitem(last=False)
        return frame(told.type, told.data, id_, self.name, at_ms)
