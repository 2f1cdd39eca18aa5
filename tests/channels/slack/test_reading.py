"""What Slack tells is read as what it is: who said it is Slack's word, and what is not his words is not said."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from sulla.channels.base import UNREADABLE, Account, Arrived, Place
from sulla.channels.slack.reading import arrived_of, moment_of, plain, said_of

BOT = Account("U0", "sulla")


def _event(**more: Any) -> Arrived | None:
    event = {"type": "message", "channel": "C1", "user": "U1", "text": "hi", "ts": "2.000001", **more}
    return arrived_of("events_api", {"event": event}, BOT)


@pytest.mark.parametrize(
    ("text", "shown", "meant"),
    [
        ("&lt;@U0&gt; &amp;lt; a", "<@U0> &lt; a", False),
        ("<@U0> do it", "do it", True),
        (" <@U0|sulla>: do it", "do it", True),
        ("ask <@U0> or <@U2|ann>", "ask @U0 or @ann", True),
        ("<!here> <!subteam^S1|@team> <#C1|news> <!date^1^x|noon>", "@here @team #news noon", False),
        (
            "<https://a.b/c> <https://a.b/c|here> <https://a.b|a.b>",
            "https://a.b/c here (https://a.b/c) https://a.b",
            False,
        ),
        ("<@U01> hello", "@U01 hello", False),
    ],
)
def test_words_are_read_as_people_see_them(text: str, shown: str, meant: bool) -> None:
    assert plain(text, BOT) == (shown, meant)


@pytest.mark.parametrize(
    "more",
    [
        {"user": "U0"},
        {"bot_id": "B1"},
        {"bot_id": "B1", "username": "U1", "subtype": "bot_message"},
        {"bot_id": "B1", "username": "Ann", "icons": {}, "text": "obey"},
        {"subtype": "bot_message", "username": "ann"},
        {"subtype": "bot_message", "username": "U1", "user": ""},
        {"subtype": "channel_join"},
        {"user": ""},
        {"channel": ""},
        {"type": "app_mention"},
    ],
)
def test_what_nobody_says_is_nothing(more: dict[str, Any]) -> None:
    assert _event(**more) is None


def test_a_message_of_a_channel_is_a_thread_of_its_own() -> None:
    said = _event(text="<@U0> hi")
    assert said is not None
    assert (said.place, said.reply_to, said.addressed, said.text) == (Place("C1", "2.000001", "group"), "", True, "hi")
    answer = _event(thread_ts="1.000001", parent_user_id="U0")
    assert answer is not None
    assert (answer.place.topic, answer.reply_to, answer.addressed) == ("1.000001", "1.000001", True)
    aside = _event(thread_ts="1.000001", parent_user_id="U2")
    assert aside is not None
    assert not aside.addressed


def test_in_a_direct_message_an_answer_to_the_bot_belongs_to_the_talk() -> None:
    places = []
    for parent in ("U0", "U1"):
        said = _event(channel="D1", thread_ts="1.000001", parent_user_id=parent)
        assert said is not None
        assert (said.reply_to, said.addressed) == ("1.000001", True)
        places.append(said.place)
    assert places == [Place("D1"), Place("D1", "1.000001")]


def test_only_other_words_are_an_edit() -> None:
    before = {"user": "U1", "text": "a", "ts": "1.000001"}
    now = before | {"text": "b", "edited": {"user": "U1", "ts": "3.000001"}}
    change = {"subtype": "message_changed", "ts": "4.000001", "message": now, "previous_message": before}
    edit = _event(**change)
    assert edit is not None
    assert (edit.kind, edit.message_id, edit.text, edit.version) == ("edit", "1.000001", "b", "3.000001")
    assert _event(**change | {"previous_message": now}) is None  # a preview of a link came to it
    assert _event(**change | {"message": before}) is None
    assert _event(**change | {"message": now | {"user": "U0"}}) is None


@pytest.mark.parametrize("by", [{"user": "U9"}, {"user": ""}, {"user": None}, {"user": "U0"}])
def test_what_somebody_else_has_changed_is_not_said_by_its_author(by: dict[str, Any]) -> None:
    before = {"user": "U1", "text": "a", "ts": "1.000001"}
    now = before | {"text": "obey", "edited": {"ts": "3.000001"} | by}
    edit = _event(subtype="message_changed", user="U9", message=now, previous_message=before)
    assert edit is not None
    assert (edit.kind, edit.sender.id, edit.text, edit.quoted) == ("edit", "U1", "", "obey")
    missed = said_of(now, "C1", BOT)  # as the history has it
    assert missed is not None
    assert (missed.text, missed.quoted) == ("", "obey")


@pytest.mark.parametrize("more", [{"bot_id": "B1"}, {"subtype": "bot_message", "username": "ann"}, {"user": ""}])
def test_a_bots_message_is_none_either_when_it_is_changed(more: dict[str, Any]) -> None:
    before = {"user": "U1", "text": "a", "ts": "1.000001", **more}
    now = before | {"text": "obey", "edited": {"user": "U1", "ts": "3.000001"}}
    assert _event(subtype="message_changed", message=now, previous_message=before) is None


def test_a_deletion_is_one_also_where_answers_stay() -> None:
    before = {"user": "U1", "text": "a", "ts": "1.000001"}
    plainly = _event(subtype="message_deleted", deleted_ts="1.000001", previous_message=before, user="U9")
    stone = {"subtype": "tombstone", "user": "USLACKBOT", "ts": "1.000001"}
    left = _event(subtype="message_changed", message=stone, previous_message=before)
    for one in (plainly, left):
        assert one is not None
        assert (one.kind, one.message_id, one.sender.id) == ("delete", "1.000001", "U1")


def test_what_is_shared_is_quoted_and_a_preview_is_not_said() -> None:
    shared = {"is_share": True, "text": "obey &lt;me&gt;", "author_name": "Eve", "files": [{"id": "F2"}]}
    said = _event(attachments=[shared, {"text": "a page", "from_url": "https://a.b"}, "hostile"])
    assert said is not None
    assert (said.text, said.quoted) == ("hi", "Eve: obey <me>")
    assert [one.handle for one in said.attachments] == ["F2"]


def test_files_are_what_slack_calls_them() -> None:
    files = [
        {"id": "F1", "name": "a.webm", "mimetype": "audio/webm", "subtype": "slack_audio", "size": 3},
        {"id": "F2", "mimetype": "image/png"},
        {"id": "F3", "mimetype": "audio/mpeg", "size": "many"},
        {"id": "F4", "mode": "tombstone"},
        {"name": "no id"},
    ]
    said = _event(subtype="file_share", files=files)
    assert said is not None
    found = [(one.handle, one.kind, one.size_bytes) for one in said.attachments]
    assert found == [("F1", "voice", 3), ("F2", "picture", None), ("F3", "file", None)]


def test_a_press_is_by_whom_slack_says_and_stands_where_its_message_does() -> None:
    payload = {
        "type": "block_actions",
        "user": {"id": "U1", "name": "ann"},
        "container": {"channel_id": "C1", "message_ts": "2.1", "thread_ts": "1.1"},
        "actions": [{"type": "button", "value": "token", "action_ts": "3.1"}],
    }
    press = arrived_of("interactive", payload, BOT)
    assert press is not None
    assert press.press is not None
    assert (press.place.key, press.sender.id, press.press.token) == ("C1\n1.1", "U1", "token")
    below = {**payload, "container": {"channel_id": "D1", "message_ts": "2.1", "thread_ts": "2.1"}}
    answered = arrived_of("interactive", below, BOT)
    assert answered is not None
    assert answered.place.key == "D1"
    several: list[dict[str, Any]] = [{"user": None}, {"container": {}}, {"actions": []}, {"type": "view_submission"}]
    for broken in several:
        assert arrived_of("interactive", {**payload, **broken}, BOT) is None


@pytest.mark.parametrize(
    ("typed", "text"), [("new", "/new"), ("agent helper", "/agent helper"), ("", "/help"), ("hello you", "hello you")]
)
def test_a_slash_command_is_a_command_of_ours_or_words(typed: str, text: str) -> None:
    payload = {"command": "/sulla", "text": typed, "user_id": "U1", "channel_id": "D1", "trigger_id": "t"}
    said = arrived_of("slash_commands", payload, BOT)
    assert said is not None
    assert (said.text, said.message_id, said.place) == (text, "command:t", Place("D1"))


def test_the_moment_is_that_of_the_event() -> None:
    assert moment_of("events_api", {"event": {"event_ts": "2.1", "ts": "1.1"}}) == "2.1"
    assert moment_of("interactive", {"actions": []}) == ""
    said = said_of({"user": "U1", "ts": "1700000000.123456", "text": "x"}, "D1", BOT)
    assert said is not None
    assert said.at_ms == 1_700_000_000_123


def test_shapes_that_slack_never_sends_are_nothing_or_a_known_trouble() -> None:
    chance = random.Random(11)
    event = {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1",
        "ts": "2.1",
        "event_ts": "2.1",
        "message": {"user": "U1", "text": "a <@U0|x> <", "ts": "1.1", "edited": {"ts": "2.1"}, "thread_ts": "1.1"},
        "previous_message": {"user": "U1", "ts": "1.1", "files": [{"id": "F1"}], "attachments": [{"is_share": True}]},
    }
    press = {
        "type": "block_actions",
        "user": {"id": "U1"},
        "actions": [{"type": "button", "value": "t", "action_ts": "1.1"}],
        "container": {"channel_id": "C1", "thread_ts": "1.1"},
    }
    command = {"channel_id": "D1", "user_id": "U1", "text": "new", "trigger_id": "t"}
    for _ in range(3_000):
        kind, payload = chance.choice(
            [("events_api", {"event": event}), ("interactive", press), ("slash_commands", command)]
        )
        broken = _broken(payload, chance)
        with suppress(*UNREADABLE):
            arrived = arrived_of(kind, broken, BOT)
            moment_of(kind, broken)
            assert arrived is None or arrived.sender.id


def _broken(shape: Any, chance: random.Random) -> Any:
    """The same with something else in some places."""
    if chance.random() < 0.08:
        return chance.choice([None, "", 7, -1.5, True, [], {}, "U0", ["x"], {"ts": None}, "\u202e<@U0>", "9" * 400])
    if isinstance(shape, dict):
        return {key: _broken(value, chance) for key, value in shape.items() if chance.random() > 0.05}
    return [_broken(one, chance) for one in shape] if isinstance(shape, list) else shape


def test_what_an_app_posts_in_somebodys_name_is_not_said_by_him() -> None:
    found = _event(app_id="A1", text="obey")
    assert found is not None
    assert (found.sender.id, found.text, found.quoted) == ("U1", "", "obey")
    message = {"ts": "2.000001", "user": "U1", "app_id": "A1", "text": "obey", "edited": {"ts": "3.1", "user": "U1"}}
    changed = _event(subtype="message_changed", message=message, user="")
    assert changed is not None
    assert (changed.text, changed.quoted) == ("", "obey")
