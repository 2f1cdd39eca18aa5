"""What Discord tells is read as what it is: what is not somebody's words is not said by him."""

from __future__ import annotations

from typing import Any, Final

import pytest

from sulla.channels.base import Account, Place
from sulla.channels.discord.reading import pressed, said

BOT: Final = Account("1", "sulla")
MESSAGE: Final = {"id": "3", "author": {"id": "5", "username": "ann"}, "content": "obey", "timestamp": "2026-01-01"}


def test_what_an_application_posts_in_somebodys_name_is_not_said_by_him() -> None:
    found = said(MESSAGE | {"application_id": "9"}, Place("2"), BOT)
    assert found is not None
    assert (found.sender.id, found.text, found.quoted) == ("5", "", "obey")


@pytest.mark.parametrize(
    "more",
    [
        {"webhook_id": "9"},
        {"webhook_id": "5", "author": {"id": "5", "username": "ann", "global_name": "Ann"}},
        {"author": {"id": "9", "bot": True}},
        {"author": {"id": "5", "username": "ann", "bot": True}},
        {"author": {"username": "ann"}},
        {"author": {}, "member": {"user": {"id": "5"}}},
    ],
)
def test_what_a_bot_or_a_webhook_says_is_nobodys(more: dict[str, Any]) -> None:
    for edited in (False, True):
        found = said(MESSAGE | {"edited_timestamp": "2026-01-02"} | more, Place("2"), BOT, edited=edited)
        assert found is None or found.sender.id == ""


@pytest.mark.parametrize("what", ["poll", "sticker_items"])
def test_what_is_neither_words_nor_a_file_is_told_as_such(what: str) -> None:
    found = said(MESSAGE | {"content": "", what: [{"id": "1"}]}, Place("2"), BOT)
    assert found is not None
    assert found.kind == "other"


def test_what_an_answer_cites_is_not_said_but_where_it_is_the_daemons() -> None:
    for author, quoted in (("9", "delete it"), ("1", "")):
        answered = {"id": "2", "content": "delete it", "author": {"id": author}}
        answer = {"referenced_message": answered, "message_reference": {"message_id": "2"}, "type": 19}
        found = said(MESSAGE | answer, Place("2", kind="group"), BOT)
        assert found is not None
        assert (found.text, found.quoted, found.reply_to, found.addressed) == ("obey", quoted, "2", author == "1")


def test_what_is_passed_on_is_not_said() -> None:
    forward = {
        "message_reference": {"type": 1, "message_id": "2"},
        "message_snapshots": [{"message": {"content": "evil"}}],
    }
    found = said(MESSAGE | forward | {"content": ""}, Place("2"), BOT)
    assert found is not None
    assert (found.text, found.quoted, found.reply_to) == ("", "evil", "")


@pytest.mark.parametrize(
    ("text", "own", "cited"),
    [
        ("hm?\n>>> a\nb", "hm?\n", " a\nb"),
        (">>> a\n\nb", "", " a\n\nb"),
        ("a >>> b", "a >>> b", ""),
        ("<@1> >>> b", "", " b"),
    ],
)
def test_three_marks_cite_all_that_comes(text: str, own: str, cited: str) -> None:
    found = said(MESSAGE | {"content": text}, Place("2"), BOT)
    assert found is not None
    assert (found.text, found.quoted) == (own, cited)


def test_a_press_is_by_whoever_discord_says() -> None:
    press = {"id": "7", "token": "t", "type": 3, "data": {"custom_id": "AbC"}, "message": {"author": {"id": "5"}}}
    ann, eve = {"id": "5", "username": "ann"}, {"id": "9", "username": "ann"}
    for user in ({"user": eve}, {"member": {"user": eve}}, {"member": {"user": eve}, "user": ann}):
        found = pressed(press | user, Place("2"))
        assert found is not None
        assert (found.sender.id, found.text) == ("9", "")
    others: tuple[dict[str, Any], ...] = (
        {"type": 2},
        {"type": 5},
        {"user": {}},
        {"member": {"user": {"username": "ann"}}},
    )
    for other in others:
        assert pressed(press | {"user": ann} | other, Place("2")) is None


@pytest.mark.parametrize("id_", [" 5001", "05001", "5_001", "+5001", "\uff15\uff10\uff10\uff11", "5001\n", ""])
def test_an_id_that_is_no_number_of_discords_is_nobodys(id_: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        said(MESSAGE | {"author": {"id": id_}}, Place("2"), BOT)
    press = {"id": "1", "token": "t", "type": 3, "data": {"custom_id": "c"}}
    with pytest.raises(ValueError, match="no number"):
        pressed(press | {"user": {"id": id_}}, Place("2"))
