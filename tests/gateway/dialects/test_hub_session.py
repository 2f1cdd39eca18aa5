"""A connection of ``/hub`` as a machine: what a test says comes to pass, in the order that it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sulla.access import ALL_SCOPES, Principal
from sulla.core.errors import NotFound, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import Event, Limits, Question
from sulla.gateway.dialects.hub_desk import MOST_CHANNELS
from sulla.gateway.dialects.hub_effects import Look, Note, Recall
from sulla.gateway.dialects.hub_places import Place, Places
from sulla.gateway.dialects.hub_session import HubSession
from sulla.gateway.talk import Call, Close, Effect, Reply, Subscribe, Then, Unsubscribe
from sulla.gateway.wire import ApprovalAnswer, ThreadCreate, ThreadGet, TurnSend
from sulla.gateway.wire_form import Wire

THREAD = "thr_1"
ASKED = Question(THREAD, "run_1", "approval:call_1", "May I?", tool="post")


class Client:
    """A client, and a daemon that does what the test says."""

    def __init__(self) -> None:
        self.session = HubSession("ses", Limits(), Principal("app", ALL_SCOPES), lambda: 7, streaming=False)
        self.noted: str | None = None
        self.waiting: list[Question] = []
        self.refused: dict[type[Wire], SullaError] = {}
        self.asked: list[Wire] = []
        self.frames: list[Any] = []
        self.followed: list[tuple[str, int]] = []
        self.left: list[str] = []
        self.closed: Close | None = None
        self._count = 0

    def say(self, type_: str, data: object = None, channel: str = "sulla-desktop", id_: str = "") -> Client:
        self._count += 1
        frame = {"type": type_, "data": data, "id": id_ or f"m{self._count}", "channel": channel, "timestamp": 1}
        self.do(self.session.hear(json.dumps(frame)))
        return self

    def happens(self, type_: str, seq: int, run_id: str | None = "run_1", **data: Any) -> Client:
        frames, effects = self.session.show(Event(THREAD, seq, run_id, None, "sulla", 0, type_, 7, data))
        self.frames += [json.loads(frame) for frame in frames]
        self.do(effects)
        return self

    def acknowledges(self) -> Client:
        """All that it has been sent."""
        for frame in list(self.frames):
            text = json.dumps({"type": "ack", "id": "a", "originalId": frame["id"]})
            self.do(self.session.hear(text))
        return self

    def do(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            self.do(self._next(effect))

    def _next(self, effect: Effect) -> Sequence[Effect]:
        session = self.session
        match effect:
            case Reply(frame):
                self.frames.append(json.loads(frame))
            case Then(ask):
                return ask()
            case Call(id_, params):
                return self._called(id_, params)
            case Subscribe(id_, params):
                self.followed.append((params.thread_id, params.after))
                return session.answered(id_, {"seq": params.after})
            case Unsubscribe(params=params):
                self.left.append(params.thread_id)
            case Recall(then=then):
                return then(self.noted)
            case Note(places=places, then=after):
                self.noted = places.noted(self.noted)
                return after()
            case Look(_, see):
                return see(self.waiting)
            case _:
                assert isinstance(effect, Close), effect
                self.closed = effect
        return ()

    def _called(self, id_: str | int, params: Wire) -> Sequence[Effect]:
        self.asked.append(params)
        if type(params) in self.refused:
            return self.session.failed(id_, self.refused[type(params)])
        return self.session.answered(id_, _answer(params))

    def told(self, type_: str) -> list[Any]:
        return [frame["data"] for frame in self.frames if frame["type"] == type_]

    def wanted(self, kind: type[Wire]) -> list[Any]:
        return [params for params in self.asked if isinstance(params, kind)]


def _answer(params: Wire) -> JsonObject:
    match params:
        case ThreadCreate():
            return {"thread_id": THREAD}
        case ThreadGet(thread_id=thread_id):
            return {"thread_id": thread_id, "last_seq": 1}
        case TurnSend():
            return {"run_id": "run_1", "seq": 2}
        case _:
            return {"seq": 9, "heartbeats": [{"thread_id": "thr_beat"}, {"thread_id": ""}]}


def noted(*places: Place) -> str:
    found = Places()
    for place in places:
        found.enter(place)
    return found.noted(None)


def words(text: str, **more: object) -> dict[str, object]:
    return {"content": text, **more}


def test_a_message_is_noted_and_followed_before_it_is_sent_and_acknowledged_after() -> None:
    client = Client().say("user_message", words("hello"), id_="first")
    assert client.followed == [(THREAD, 1)]
    (sent,) = client.wanted(TurnSend)
    assert (sent.thread_id, sent.message_id, sent.text, sent.mode) == (THREAD, "first", "hello", "queue")
    assert [frame["type"] for frame in client.frames] == ["thread_created", "ack"]
    assert client.frames[-1]["originalId"] == "first"
    assert THREAD in (client.noted or "")


def test_who_comes_back_is_told_from_where_it_was() -> None:
    client = Client()
    client.noted = noted(Place(THREAD, "one", 7), Place("thr_2", "one", 3, THREAD))
    client.say("subscribe").say("subscribe")
    assert client.followed == [(THREAD, 7), ("thr_2", 3)]


@pytest.mark.parametrize(("seen", "answers"), [("approval:call_1", 1), ("", 0), ("approval:other", 0)])
def test_a_yes_is_one_only_to_the_question_that_was_seen(seen: str, answers: int) -> None:
    client = Client()
    client.noted = noted(Place(THREAD, "one", 7, asked=seen))
    client.waiting = [ASKED]
    client.say("subscribe").say("user_message", words("yes", threadId="one"))
    assert len(client.wanted(ApprovalAnswer)) == answers
    assert client.wanted(TurnSend) == []
    if not answers:
        assert client.told("assistant_message")[-1]["content"].startswith("(This was not passed on")
        client.say("user_message", words("yes", threadId="one"))
        assert len(client.wanted(ApprovalAnswer)) == 1


def test_what_waits_keeps_the_place_before_the_question() -> None:
    client = Client().say("user_message", words("hello"))
    client.happens("RUN_STARTED", 3)
    client.happens("TEXT_MESSAGE_END", 4, message_id="msg", text="I would post it.")
    client.happens("SUSPENDED", 5, waits=[{"wait_id": "approval:call_1", "prompt": "May I?"}]).acknowledges()
    again = Client()
    again.noted = client.noted
    again.say("subscribe")
    assert again.followed == [(THREAD, 4)]


def test_a_place_moves_only_when_all_of_an_event_is_acknowledged() -> None:
    client = Client().say("user_message", words("hello"))
    client.happens("RUN_FINISHED", 3, outcome={"status": "done"}, usage={"input_tokens": 1})
    tokens, end = client.frames[-2:]
    assert (tokens["type"], end["type"]) == ("token_info", "transfer_data")
    for frame, place in ((tokens, 2), (end, 3)):
        client.do(client.session.hear(json.dumps({"type": "ack", "id": "a", "originalId": frame["id"]})))
        again = Client()
        again.noted = client.noted
        again.say("subscribe")
        assert again.followed == [(THREAD, place)]


def test_a_thread_that_is_gone_is_the_client_s_own_name_for_a_new_one() -> None:
    client = Client()
    client.refused[ThreadGet] = NotFound("no thread")
    client.say("user_message", words("hello", threadId="thr_gone"))
    (made,) = client.wanted(ThreadCreate)
    assert made.title == "thr_gone"


def test_a_conversation_that_can_no_longer_be_followed_is_said_to_have_ended() -> None:
    client = Client().say("user_message", words("hello"))
    client.do(client.session.ended(THREAD, NotFound("no thread 'thr_1'")))
    assert client.told("system_message")[-1]["content"] == "Error: no thread 'thr_1'"
    assert client.told("transfer_data")[-1]["stopReason"] == "error"
    assert THREAD not in (client.noted or "")


def test_heartbeats_are_shown_on_their_channel() -> None:
    client = Client().say("subscribe", channel="heartbeat")
    assert client.followed == [("thr_beat", 1)]


def test_a_ping_on_a_channel_that_nobody_has_subscribed_to_opens_none() -> None:
    client = Client().say("ping", channel="heartbeat", id_="p")
    (frame,) = client.frames
    assert (frame["type"], frame["originalId"], client.session.channels) == ("pong", "p", [])


def test_what_nobody_knows_is_acknowledged_and_passed_over() -> None:
    client = Client().say("emote", {"smile": True}, id_="e")
    assert [(frame["type"], frame["originalId"]) for frame in client.frames] == [("ack", "e")]


def test_there_are_only_so_many_channels() -> None:
    client = Client()
    for number in range(MOST_CHANNELS):
        client.say("subscribe", channel=f"agent_{number}")
    client.say("subscribe", channel="one-more")
    assert "more are not possible" in client.told("system_message")[0]["content"]


def test_attachments_are_said_to_be_left_out() -> None:
    client = Client().say("user_message", words("look", metadata={"attachments": [{"type": "image"}]}))
    assert "1 attached files were not passed on" in client.told("system_message")[0]["content"]


def test_text_frames_alone_are_taken() -> None:
    client = Client()
    client.do(client.session.hear_binary())
    assert client.closed is not None
    assert client.closed.code == 1003


@pytest.mark.parametrize(
    "do", [lambda one: one.say("stop_run"), lambda one: one.say("new_conversation", {"threadId": "x"})]
)
def test_what_there_is_nothing_to_do_for_is_acknowledged(do: Callable[[Client], Client]) -> None:
    client = do(Client())
    assert [frame["type"] for frame in client.frames] == ["ack"]


def test_to_go_on_where_nothing_was_is_an_error() -> None:
    client = Client().say("continue_run")
    assert "no conversation" in client.told("system_message")[0]["content"]
    assert client.frames[-1]["type"] == "ack"


def test_the_thirteenth_conversation_ends_the_listening_to_the_first() -> None:
    client = Client()
    client.noted = noted(*(Place(f"thr_{number}", f"name {number}", 0) for number in range(10, 22)))
    client.say("subscribe").say("user_message", words("hello"))
    assert client.left == ["thr_10"]
