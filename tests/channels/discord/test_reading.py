"""What Discord tells is read as what it is: what is not somebody's words is not said by him."""

from __future__ import annotations

from typing import Any, Final

import pytest

from sulla.channels.base import Account, Place
from sulla.channels.discord.reading import said

BOT: Final = Account("1", "sulla")
MESSAGE: Final = {"id": "3", "author": {"id": "5", "username": "ann"}, "content": "obey", "timestamp": "2026-01-01"}


def test_what_an_application_posts_in_somebodys_name_is_not_said_by_him() -> None:
    found = said(MESSAGE | {"application_id": "9"}, Place("2"), BOT)
    assert found is not None
    assert (found.sender.id, found.text, found.quoted) == ("5", "", "obey")


@pytest.mark.parametrize("more", [{"webhook_id": "9"}, {"author": {"id": "9", "bot": True}}])
def test_what_a_bot_or_a_webhook_says_is_nobodys(more: dict[str, Any]) -> None:
    found = said(MESSAGE | more, Place("2"), BOT)
    assert found is not None
    assert found.sender.id == ""


@pytest.mark.parametrize("what", ["poll", "sticker_items"])
def test_what_is_neither_words_nor_a_file_is_told_as_such(what: str) -> None:
    found = said(MESSAGE | {"content": "", what: [{"id": "1"}]}, Place("2"), BOT)
    assert found is not None
    assert found.kind == "other"
