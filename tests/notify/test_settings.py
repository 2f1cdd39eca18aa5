"""Channels are named once, their addresses are shown nowhere, and what cannot be is said."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sulla.core.redact import Redactor
from sulla.notify.settings import NotifySettings

MAIL = {"name": "mail", "address": "mailtos://ann:geheim-91xz@example.org"}


def made(*channels: dict[str, Any], **more: Any) -> NotifySettings:
    return NotifySettings.model_validate({"channels": channels, **more})


def test_an_address_or_the_name_of_one_is_taken_and_shown_nowhere() -> None:
    phone = {"name": "phone", "secret": "p"}
    found = made(MAIL, phone, secrets={"p": "ntfys://topic-91xz-91xz"})
    assert [found.address_of(one) for one in found.channels] == [MAIL["address"], "ntfys://topic-91xz-91xz"]
    assert "91xz" not in repr(found) + str(found.channels)
    hidden = {secret for _, secret in found.more_secrets()}
    assert {MAIL["address"], "geheim-91xz", "topic-91xz-91xz"} <= hidden
    assert "example.org" not in hidden


@pytest.mark.parametrize(
    "address", ["json://127.0.0.1:8423/n1", "json://homeassistant.local:8423/hook", "json://homeassistant.local:8423/"]
)
def test_an_address_without_a_key_keeps_no_page_of_its_host_from_being_asked(address: str) -> None:
    found = made(
        {"name": "home", "address": address}, {"name": "keyed", "address": "json://nas.local:8423/hooktoken01"}
    )
    redactor = Redactor(secret for _, secret in found.more_secrets())
    page = address.replace("json", "http") + "away"
    assert not redactor.holds(page)
    assert not redactor.is_spread_over(page, "")
    assert not redactor.is_spread_over("http://nas.local:8423/lovelace", "")
    assert redactor.holds("http://elsewhere.example/?q=hooktoken01")


@pytest.mark.parametrize(
    ("channels", "more", "said"),
    [
        ([MAIL, MAIL], {}, "two are called 'mail'"),
        ([{"name": "mail"}], {}, "expected one of address and secret"),
        ([{**MAIL, "secret": "x"}], {}, "expected one of address and secret"),
        ([{"name": "mail", "secret": "x"}], {}, r"\[notify.secrets\] has none"),
        ([{**MAIL, "address": "ann@example.org"}], {}, "expected an Apprise address"),
        ([{**MAIL, "kinds": ["news"]}], {}, "kinds"),
        ([], {"quiet": "late"}, "quiet"),
    ],
)
def test_what_cannot_be_is_said_without_the_address(channels: list[Any], more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said) as raised:
        made(*channels, **more)
    assert "91xz" not in str(raised.value)
