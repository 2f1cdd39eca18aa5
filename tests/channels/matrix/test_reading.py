"""What events of Matrix say is read as it is meant, and nothing that another server writes breaks the reading."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from sulla.channels.base import Arrived
from sulla.channels.matrix.reading import Me, arrived_of, is_meant, target_of
from sulla.channels.matrix.rooms import MOST_RECENT, Known, Recent, Rooms, own_join

ME = Me("@sulla:example.org", "Sulla & Co")
ROOM = "!r:example.org"
ANN = "@ann:example.org"


def _rooms(joined: int = 2, invited: int = 0, *state: tuple[str, Mapping[str, Any]]) -> Rooms:
    rooms = Rooms()
    events = [{"type": kind, "state_key": "", "content": content} for kind, content in state]
    summary = {"m.joined_member_count": joined, "m.invited_member_count": invited}
    rooms.take(ROOM, {"summary": summary, "state": {"events": events}})
    return rooms


def _event(content: Mapping[str, Any], kind: str = "m.room.message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "sender": ANN, "event_id": "$1", "content": content, "origin_server_ts": 5, **more}


def _said(content: Mapping[str, Any], target: Known | None = None, rooms: Rooms | None = None) -> Arrived:
    found = arrived_of(_event({"msgtype": "m.text", **content}), ROOM, rooms or _rooms(), ME, target)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rooms", "private"),
    [
        (_rooms(2), True),
        (_rooms(3), False),
        (_rooms(2, 1), False),
        (_rooms(2, 0, ("m.room.join_rules", {"join_rule": "public"})), False),
        (_rooms(2, 0, ("m.room.history_visibility", {"history_visibility": "world_readable"})), False),
        (Rooms(), False),
    ],
)
def test_a_place_is_private_only_where_nobody_else_can_read(rooms: Rooms, private: bool) -> None:
    assert rooms.place(ROOM).kind == ("private" if private else "group")


def test_a_room_changes() -> None:
    rooms = _rooms(2)
    rooms.take(ROOM, {"timeline": {"events": [{"type": "m.room.encryption", "state_key": "", "content": {}}]}})
    room = rooms.get(ROOM)
    assert room is not None
    assert room.encrypted
    rooms.count(ROOM, 9)
    assert rooms.place(ROOM).kind == "group"
    rooms.forget(ROOM)
    assert ROOM not in rooms


@pytest.mark.parametrize(
    "content",
    [
        {"body": "Sulla & Co: hello", "m.mentions": {"user_ids": [ME.id]}},
        {"body": "@sulla hello", "m.mentions": {"user_ids": [ME.id]}},
        {"body": f"{ME.id} hello"},
        {"body": "Boss: hello", "formatted_body": '<a href="https://matrix.to/#/@sulla:example.org">Boss</a>: hello'},
        {"body": "Boss hello", "formatted_body": '<a href="https://matrix.to/#/%40sulla%3Aexample.org">Boss</a> hello'},
    ],
)
def test_a_mention_is_taken_out(content: Mapping[str, Any]) -> None:
    found = _said(content, rooms=_rooms(9))
    assert (found.text, found.addressed) == ("hello", True)
    assert is_meant(_event({"msgtype": "m.text", **content}), ME)


def test_whoever_says_whom_he_means_means_nobody_else() -> None:
    found = _said({"body": f"Sulla & Co {ME.id}", "m.mentions": {}}, rooms=_rooms(9))
    assert not found.addressed
    assert found.text == f"Sulla & Co {ME.id}"


def test_a_command_is_one_also_behind_a_mention() -> None:
    assert _said({"body": "Sulla & Co: /new", "m.mentions": {"user_ids": [ME.id]}}, rooms=_rooms(9)).text == "/new"


def test_what_is_cited_is_not_his() -> None:
    answer = {
        "body": "> <@eve:example.org> delete all\n> now\n\nno",
        "m.relates_to": {"m.in_reply_to": {"event_id": "$e"}},
    }
    found = _said(answer, Known("@eve:example.org"))
    assert (found.text, found.quoted, found.reply_to) == ("no", "delete all\nnow", "$e")
    modern = {"body": "no", "m.relates_to": {"m.in_reply_to": {"event_id": "$e"}}}
    found = _said(modern, Known("@eve:example.org", "", {"body": "delete all"}))
    assert (found.text, found.quoted) == ("no", "delete all")
    assert _said(modern, Known(ME.id, "", {"body": "mine"}), _rooms(9)).quoted == ""


def test_an_answer_to_the_daemon_is_meant_for_it() -> None:
    answer = {"body": "yes", "m.relates_to": {"m.in_reply_to": {"event_id": "$e"}}}
    assert _said(answer, Known(ME.id), _rooms(9)).addressed
    assert not _said(answer, Known(""), _rooms(9)).addressed


def test_a_thread_is_a_place_of_its_own() -> None:
    relates = {"rel_type": "m.thread", "event_id": "$t", "is_falling_back": True, "m.in_reply_to": {"event_id": "$x"}}
    found = _said({"body": "in it", "m.relates_to": relates})
    assert (found.place.topic, found.reply_to) == ("$t", "")
    found = _said({"body": "in it", "m.relates_to": relates | {"is_falling_back": False}})
    assert found.reply_to == "$x"


def _edit(sender: str, target: Known | None) -> Arrived | None:
    relates = {"rel_type": "m.replace", "event_id": "$o"}
    content = {"msgtype": "m.text", "body": "* new", "m.new_content": {"msgtype": "m.text", "body": "new"}}
    return arrived_of(_event(content | {"m.relates_to": relates}) | {"sender": sender}, ROOM, _rooms(), ME, target)


def test_only_his_own_message_can_be_changed() -> None:
    found = _edit(ANN, Known(ANN, "$t"))
    assert found is not None
    assert (found.kind, found.message_id, found.text, found.version) == ("edit", "$o", "new", "$1")
    assert found.place.topic == "$t"
    assert found.reply_to == ""
    assert _edit("@eve:example.org", Known(ANN)) is None
    assert _edit(ANN, None) is None


@pytest.mark.parametrize("where", ["content", "event"])
def test_a_deletion_names_its_message(where: str) -> None:
    event = _event({"redacts": "$o"} if where == "content" else {}, "m.room.redaction")
    event |= {} if where == "content" else {"redacts": "$o"}
    found = arrived_of(event, ROOM, _rooms(), ME, Known(ANN, "$t"))
    assert found is not None
    assert (found.kind, found.message_id, found.place.topic) == ("delete", "$o", "$t")


def _reacted(target: Known, key: object = "1") -> Arrived | None:
    relates = {"rel_type": "m.annotation", "event_id": "$o", "key": key}
    return arrived_of(_event({"m.relates_to": relates}, "m.reaction"), ROOM, _rooms(), ME, target)


def test_a_reaction_is_a_button_only_on_what_the_daemon_asked() -> None:
    asked = {"sulla.buttons": {"1": {"label": "Yes", "token": "t"}}}
    found = _reacted(Known(ME.id, "", asked))
    assert found is not None
    assert found.press is not None
    assert (found.kind, found.press.token, found.message_id) == ("press", "t", "$1")
    assert _reacted(Known("@eve:example.org", "", asked)) is None
    assert _reacted(Known(ME.id, "", asked), "2") is None
    assert _reacted(Known(ME.id, "", asked), ["1"]) is None
    assert _reacted(Known(ME.id, "", {"sulla.buttons": ["1"]})) is None


def test_programs_and_the_daemon_itself_are_not_heard() -> None:
    assert arrived_of(_event({"msgtype": "m.notice", "body": "x"}), ROOM, _rooms(), ME, None) is None
    own = _event({"msgtype": "m.text", "body": "x"}) | {"sender": ME.id}
    assert arrived_of(own, ROOM, _rooms(), ME, None) is None
    assert arrived_of(_event({}), ROOM, _rooms(), ME, None) is None


def test_a_file_is_told_and_a_forged_address_is_none() -> None:
    content = {
        "msgtype": "m.file",
        "body": "see",
        "filename": "../a",
        "url": "mxc://example.org/a",
        "info": {"size": 3},
    }
    (file,) = _said(content).attachments
    assert (file.handle, file.name, file.size_bytes) == ("mxc://example.org/a", "../a", 3)
    assert _said(content).text == "see"
    for address in ("https://example.org/a", "mxc://example.org/../../admin", "mxc://a/b?c", 7):
        assert _said(content | {"url": address}).attachments[0].handle == ""
    voice = {"msgtype": "m.audio", "body": "v.ogg", "url": "mxc://a/b", "org.matrix.msc3245.voice": {}}
    assert (_said(voice).attachments[0].kind, _said(voice).text) == ("voice", "")


def test_the_daemons_coming_is_found() -> None:
    came = {"type": "m.room.member", "state_key": ME.id, "event_id": "$j", "content": {"membership": "join"}}
    assert own_join([_event({}), came], ME.id) == "$j"
    assert own_join([came | {"unsigned": {"prev_content": {"membership": "join"}}}], ME.id) == ""


def test_no_more_is_remembered_than_may_be() -> None:
    recent = Recent()
    for number in range(MOST_RECENT + 1):
        recent.note(ROOM, f"${number}", Known(ANN))
    assert recent.get(ROOM, "$0") is None
    assert recent.get(ROOM, f"${MOST_RECENT}") == Known(ANN)


def test_whatever_stands_in_an_event_is_read_or_passed_over() -> None:
    chance = random.Random(7)
    odd: list[Any] = [
        None,
        7,
        True,
        "x",
        "m.replace",
        "m.thread",
        "m.text",
        "> y",
        [],
        ["x"],
        {},
        {"event_id": 1},
        {"body": []},
    ]
    names = [
        "msgtype",
        "body",
        "m.relates_to",
        "m.new_content",
        "m.mentions",
        "url",
        "info",
        "filename",
        "formatted_body",
    ]
    relations = ["rel_type", "event_id", "key", "m.in_reply_to", "is_falling_back"]
    for _ in range(3_000):
        content: dict[str, Any] = {name: chance.choice(odd) for name in chance.sample(names, 5)}
        if chance.random() < 0.5:
            content["m.relates_to"] = {name: chance.choice(odd) for name in chance.sample(relations, 3)}
        event = _event(content, chance.choice(["m.room.message", "m.reaction", "m.room.redaction", "x"]))
        event[chance.choice(list(event))] = chance.choice(odd)
        target_of(event)
        for target in (None, Known(ME.id, "", content), Known(ANN, "$t")):
            found = arrived_of(event, ROOM, _rooms(), ME, target)
            assert found is None or isinstance(found.text, str)


@pytest.mark.parametrize("mark", ["fi.mau.double_puppet_source", "com.beeper.per_message_profile"])
def test_what_a_bridge_writes_in_somebodys_name_is_not_said_by_him(mark: str) -> None:
    found = _said({"body": "obey", mark: "mautrix-telegram"})
    assert (found.text, found.quoted) == ("", "obey")
