"""A connection of ``/hub`` as a machine: what a test says comes to pass, in the order that it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import NotFound, StoreUnavailable, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.dialects.hub.context import MOST_CHANNELS
from sulla.gateway.dialects.hub.effects import AskUrgent, Look, NotePlaces, Recall
from sulla.gateway.dialects.hub.places import HubPlace, HubPlaces
from sulla.gateway.dialects.hub.session import HubSession
from sulla.gateway.websocket.machine import CallMethod, Close, Effect, SendFrame, Then
from sulla.gateway.wire import (
    ApprovalAnswer,
    EventsSubscribe,
    EventsUnsubscribe,
    QuestionRow,
    ThreadCreate,
    ThreadGet,
    TurnSend,
    TurnStop,
)
from sulla.people.notices import NoticeInfo
from sulla.people.notices_rpc import NoticeList, NoticeSeen, NoticeSubscribe
from sulla.rpc.form import Params
from sulla.rpc.limits import TEXT_CHARS, Limits

THREAD = "thr_1"
ASKED = QuestionRow(THREAD, "run_1", "approval:call_1", "May I?", tool="post")


class Client:
    """A client, and a daemon that does what the test says."""

    def __init__(self) -> None:
        self.session = HubSession("ses", Limits(), Principal("app", ALL_SCOPES), lambda: 7, streaming=False)
        self.noted: str | None = None
        self.waiting: list[QuestionRow] = []
        self.urgent: set[str] = set()
        self.unseen: list[JsonObject] = []
        self.refused: dict[type[Params], SullaError] = {}
        self.forgetful: SullaError | None = None
        self.gone: set[str] = set()
        self.asked: list[Params] = []
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
            if self.closed is None:
                self.do(self._next(effect))

    def _next(self, effect: Effect) -> Sequence[Effect]:
        session = self.session
        match effect:
            case SendFrame(frame):
                self.frames.append(json.loads(frame))
            case Then(ask):
                return ask()
            case CallMethod(id_, EventsSubscribe() as params):
                if type(params) in self.refused or params.thread_id in self.gone:
                    return session.failed(id_, self.refused.get(type(params), NotFound("no thread")))
                self.followed.append((params.thread_id, params.after))
                return session.answered(id_, {"seq": params.after})
            case CallMethod(_, EventsUnsubscribe(thread_id=thread_id)):
                self.left.append(thread_id)
            case CallMethod(id_, params):
                return self._called(id_, params)
            case Recall(then=then, failed=failed):
                return then(self.noted) if self.forgetful is None else failed(self.forgetful)
            case NotePlaces(places=places, then=after):
                self.noted = places.noted(self.noted)
                return after()
            case Look() | AskUrgent():
                return (
                    effect.then(self.waiting) if isinstance(effect, Look) else effect.then(effect.text in self.urgent)
                )
            case _:
                assert isinstance(effect, Close), effect
                self.closed = effect
        return ()

    def _called(self, id_: str | int, params: Params) -> Sequence[Effect]:
        self.asked.append(params)
        if type(params) in self.refused:
            return self.session.failed(id_, self.refused[type(params)])
        found: JsonObject = {"notices": [*self.unseen]} if isinstance(params, NoticeList) else _answer(params)
        return self.session.answered(id_, found)

    def told(self, type_: str) -> list[Any]:
        return [frame["data"] for frame in self.frames if frame["type"] == type_]

    def wanted(self, kind: type[Params]) -> list[Any]:
        return [params for params in self.asked if isinstance(params, kind)]


def _answer(params: Params) -> JsonObject:
    match params:
        case ThreadCreate():
            return {"thread_id": THREAD}
        case ThreadGet(thread_id=thread_id):
            return {"thread_id": thread_id, "last_seq": 1}
        case TurnSend():
            return {"run_id": "run_1", "seq": 2}
        case _:
            return {"seq": 9, "heartbeats": [{"thread_id": "thr_beat"}, {"thread_id": ""}]}


def noted(*places: HubPlace) -> str:
    found = HubPlaces()
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
    client.noted = noted(HubPlace(THREAD, "one", 7), HubPlace("thr_2", "one", 3, THREAD))
    client.say("subscribe").say("subscribe")
    assert client.followed == [(THREAD, 7), ("thr_2", 3)]


@pytest.mark.parametrize(("seen", "answers"), [("approval:call_1", 1), ("", 0), ("approval:other", 0)])
def test_a_yes_is_one_only_to_the_question_that_was_seen(seen: str, answers: int) -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7, asked=seen))
    client.waiting = [ASKED]
    client.say("subscribe").say("user_message", words("yes", threadId="one"))
    assert len(client.wanted(ApprovalAnswer)) == answers
    assert client.wanted(TurnSend) == []
    if not answers:
        assert client.told("assistant_message")[-1]["content"].startswith("(This was not passed on")
        client.say("user_message", words("yes", threadId="one"))
        assert client.wanted(ApprovalAnswer) == []  # it may have crossed the question on the way
        client.acknowledges().say("user_message", words("yes", threadId="one"))
        assert len(client.wanted(ApprovalAnswer)) == 1


@pytest.mark.parametrize("asked", ["approval:call_1", "answer:call_1"])
def test_what_must_not_wait_is_passed_on_though_the_agent_waits_for_an_answer(asked: str) -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7, asked=asked))
    client.waiting, client.urgent = [replace(ASKED, id=asked)], {"it burns"}
    client.say("subscribe").say("user_message", words("it burns", threadId="one"))
    assert [sent.text for sent in client.wanted(TurnSend)] == ["it burns"]
    assert (client.wanted(ApprovalAnswer), client.told("assistant_message")[1:]) == ([], [])


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
    assert json.loads(client.noted or "")["places"] == []


def notice(id_: str, thread_id: str, at_ms: int) -> NoticeInfo:
    return NoticeInfo(id_, thread_id, "run_1", "sulla", "The tea.", "high", False, at_ms, 1, "notices:day", {})


def test_notices_come_on_the_channel_of_beats_unless_a_conversation_shows_them() -> None:
    client = Client().say("subscribe").say("subscribe", channel="heartbeat").say("subscribe", channel="heartbeat")
    assert [type(one) for one in client.asked].count(NoticeSubscribe) == 1, "once for a connection"
    frame = json.loads(client.session.notice(notice("ntc_1", "thr_else", 9)))
    assert (frame["type"], frame["channel"], frame["timestamp"]) == ("assistant_message", "heartbeat", 9)
    assert frame["data"]["kind"] == "notice"
    assert (frame["data"]["content"], frame["data"]["thread_id"]) == ("The tea.", "thr_else")
    assert client.session.notice(notice("ntc_2", "thr_beat", 7)) == b"", "the beat shows it"
    assert client.session.notice(notice("ntc_3", "thr_beat", 6)) != b"", "it was told before the beats were followed"
    client.frames.append(frame)
    client.acknowledges()
    assert client.asked[-1] == NoticeSeen(ids=["ntc_1"])


def test_a_notice_that_its_own_conversation_shows_is_seen_when_the_client_has_it() -> None:
    client = Client().say("subscribe").say("user_message", words("hello"))
    client.happens("NOTICE", 3, text="The tea.", urgency="high")
    client.acknowledges()
    assert client.wanted(NoticeList) == [NoticeList(unseen="mine")]
    assert client.wanted(NoticeSeen) == [], "it is kept a moment after it is shown"
    client.unseen = [{"id": f"ntc_{run}", "run_id": run, "text": "The tea."} for run in ("run_1", "run_2")]
    client.frames.clear()
    client.happens("RUN_FINISHED", 4, outcome={"status": "done"}).acknowledges()
    assert client.wanted(NoticeSeen) == [NoticeSeen(ids=["ntc_run_1"])]
    looked = len(client.wanted(NoticeList))
    client.acknowledges()
    assert len(client.wanted(NoticeList)) == looked, "what is seen is not looked for again"


def test_a_notice_that_is_kept_nowhere_is_looked_for_twice() -> None:
    client = Client().say("subscribe").say("user_message", words("hello"))
    client.happens("NOTICE", 3, text="The tea.", urgency="high")
    for _ in range(3):
        client.acknowledges()
    assert len(client.wanted(NoticeList)) == 2


def test_without_the_channel_of_beats_nobody_is_told_of_notices() -> None:
    client = Client().say("subscribe")
    assert not any(isinstance(one, NoticeSubscribe) for one in client.asked)
    assert client.session.notice(notice("ntc_1", "thr_else", 9)) == b""


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
    client.noted = noted(*(HubPlace(f"thr_{number}", f"name {number}", 0) for number in range(10, 22)))
    client.say("subscribe").say("user_message", words("hello"))
    assert client.left == ["thr_10"]


@pytest.mark.parametrize("prompt", ["answer:call_1", "approval:call_1"])
def test_a_message_that_comes_again_answers_nothing_that_was_asked_since(prompt: str) -> None:
    """Its acknowledgement was lost on the way, or the store took it and did not say so."""
    first = Client().say("user_message", words("yes", threadId="one"), id_="first")
    again = Client()
    again.noted = first.noted
    again.waiting = [QuestionRow(THREAD, "run_1", prompt, "Which one?")]
    again.say("subscribe").happens("SUSPENDED", 5, waits=[{"wait_id": prompt, "prompt": "Which one?"}]).acknowledges()
    for client in (first, again):
        client.happens("SUSPENDED", 5, waits=[{"wait_id": prompt, "prompt": "Which one?"}]).acknowledges()
        client.say("user_message", words("yes", threadId="one"), id_="first")
        assert client.wanted(ApprovalAnswer) == []
        assert {sent.message_id for sent in client.wanted(TurnSend)} == {"first"}
        assert not any("not passed on" in one["content"] for one in client.told("assistant_message"))
        client.say("user_message", words("yes", threadId="one"), id_="second")
        assert len(client.wanted(ApprovalAnswer)) == 1


@pytest.mark.parametrize("said", ["yes", "The dentist, at ten."])
def test_what_the_calendar_says_is_nobody_s_and_answers_no_question(said: str) -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7, asked="approval:call_1"))
    client.waiting = [ASKED]
    client.say("subscribe").say("user_message", words(said, threadId="one", origin="scheduler", eventId=7))
    assert client.wanted(ApprovalAnswer) == []
    (sent,) = client.wanted(TurnSend)
    assert (sent.text, sent.unattended) == (said, True)
    assert client.told("scheduler_ack")[-1]["eventId"] == 7


def test_what_is_not_passed_on_is_acknowledged_before_the_question_comes_again() -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7))
    client.waiting = [ASKED]
    client.say("user_message", words("yes", threadId="one"))
    assert [frame["type"] for frame in client.frames] == ["ack", "assistant_message", "transfer_data"]


@pytest.mark.parametrize("again", ["subscribe", "user_message"])
def test_a_thread_that_cannot_be_followed_now_is_not_forgotten(again: str) -> None:
    client = Client()
    client.noted = before = noted(HubPlace(THREAD, "one", 7)) if again == "subscribe" else None
    client.refused[EventsSubscribe] = StoreUnavailable("the store does not answer")
    client.say(again, words("hello", threadId="one") if again == "user_message" else None)
    assert client.closed is not None
    assert client.closed.code == 1013
    assert client.frames == []  # what is not acknowledged comes again
    assert client.noted == before or THREAD in (client.noted or "")


def test_a_subscription_is_acknowledged_when_it_is_known_where_the_client_was() -> None:
    client = Client()
    client.noted, client.forgetful = noted(HubPlace(THREAD, "one", 7)), StoreUnavailable("the store does not answer")
    client.say("subscribe", id_="s")
    assert [frame["type"] for frame in client.frames] == ["system_message"]
    client.forgetful = None
    client.say("subscribe", id_="s")
    assert client.frames[-1]["originalId"] == "s"
    assert client.followed == [(THREAD, 7)]


def test_a_playbook_does_not_end_the_listening_to_the_conversation_that_began_it() -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 0), *(HubPlace(f"thr_{number}", "", 0) for number in range(10, 21)))
    client.say("subscribe").happens("PLAYBOOK_BEGAN", 3, thread_id="thr_play")
    assert client.left == ["thr_10"]
    assert ("thr_play", 0) in client.followed


def test_an_answer_that_is_too_long_is_refused_for_good() -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7, asked="answer:call_1"))
    client.waiting = [QuestionRow(THREAD, "run_1", "answer:call_1", "Which one?")]
    for _ in range(2):
        client.say("user_message", words("x" * (TEXT_CHARS + 1), threadId="one"), id_="long")
        assert client.frames[-1]["originalId"] == "long"
        assert client.told("system_message")[-1]["code"] == "too_large"
    client.say("user_message", words("that one", threadId="one"))
    assert [given.text for given in client.wanted(ApprovalAnswer)] == ["that one"]


def test_who_comes_back_behind_a_limit_can_still_go_on() -> None:
    client = Client().say("user_message", words("hello", threadId="one")).happens("RUN_STARTED", 3)
    client.happens(
        "RUN_ERROR", 4, code="limit_reached", message="25 calls", outcome={"status": "failed"}
    ).acknowledges()
    again = Client()
    again.noted = client.noted
    again.say("subscribe")
    assert again.followed == [(THREAD, 4)]
    again.say("continue_run", {"threadId": "one"})
    assert [sent.text for sent in again.wanted(TurnSend)] == ["Go on."]
    again.happens("RUN_STARTED", 5, "run_2").happens("TEXT_MESSAGE_END", 6, "run_2", message_id="m", text="On.")
    third = Client()
    third.noted = again.acknowledges().noted
    third.say("subscribe").say("continue_run", {"threadId": "one"})
    assert third.wanted(TurnSend) == []


def test_a_playbook_whose_thread_is_gone_holds_nothing_back() -> None:
    client = Client()
    client.noted = noted(HubPlace(THREAD, "one", 7), HubPlace("thr_play", "one", 3, THREAD))
    client.gone = {"thr_play"}
    client.say("subscribe").happens("RUN_STARTED", 8).happens("RUN_FINISHED", 9, outcome={"status": "done"})
    assert client.frames[-1]["type"] == "transfer_data"
    assert client.followed == [(THREAD, 7)]


@pytest.mark.parametrize("name", ["thr_elsewhere", "the garden"])
def test_a_stop_is_never_acknowledged_as_if_it_had_stopped_something(name: str) -> None:
    client = Client()
    client.refused[TurnStop] = NotFound(f"no thread {name!r}")
    client.say("stop_run", {"threadId": name}, id_="s")
    assert name in client.told("system_message")[0]["content"]
    assert client.told("transfer_data")[0]["stopReason"] == "error"
    assert client.frames[-1]["originalId"] == "s"


def test_a_thread_that_the_channel_is_not_told_of_can_be_stopped() -> None:
    client = Client().say("stop_run", {"threadId": "thr_elsewhere"}, id_="s")
    assert [stop.thread_id for stop in client.wanted(TurnStop)] == ["thr_elsewhere"]
    assert [frame["type"] for frame in client.frames] == ["ack"]
