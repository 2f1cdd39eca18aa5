"""A person sets a channel up: what the kind asks for is asked, tried at its service, and written down."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import SecretStr

from sulla.channels.cli.file import added
from sulla.channels.cli.setup import TRIES, set_up
from sulla.channels.kinds import KINDS
from sulla.channels.opened import making
from sulla.channels.settings import AccountSettings
from sulla.core.errors import InvalidInput, SettingsError
from sulla.terminal.exits import Exit
from sulla.testing.channels.mail.wire import ADDRESS, PASSWORD, MailWire
from sulla.testing.channels.slack import APP_TOKEN, BOT_TOKEN, SlackWire
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from sulla.testing.clock import ManualClock

KIND = KINDS[0]._replace(
    asks=MappingProxyType({"api": "Where is the Bot API", "poll_s": "How long may a look wait"}),
    may=MappingProxyType({"word": "a word, if there is one"}),
)


class Person:
    """Answers what a wizard asks, from a list."""

    def __init__(self, *answers: str | None) -> None:
        self.left = list(answers)
        self.asked: list[tuple[str, bool]] = []

    async def __call__(self, prompt: str, /, *, hidden: bool) -> str | None:
        self.asked.append((prompt, hidden))
        return self.left.pop(0)


@pytest.fixture
async def wire() -> AsyncIterator[TelegramWire]:
    wire = TelegramWire(ManualClock())
    await wire.start()
    yield wire
    await wire.stop()


def _account(home: Path) -> dict[str, Any]:
    (account,) = tomllib.loads((home / "sulla.toml").read_text())["channels"]["accounts"]
    assert isinstance(account, dict)
    return account


async def test_options_are_asked_for_and_shown_and_secrets_are_not(wire: TelegramWire, tmp_path: Path) -> None:
    person = Person(f" {wire.api} ", "", TOKEN, "")
    assert await set_up(KIND, "home", tmp_path / "sulla.toml", person) == Exit.OK
    assert [hidden for _, hidden in person.asked] == [False, False, True, True]
    # Empty answers are left out: the poll has its default, and the word is none.
    assert _account(tmp_path) == {
        "name": "home",
        "kind": "telegram",
        "options": {"api": wire.api},
        "secrets": {"token": TOKEN},
    }
    assert stat.S_IMODE((tmp_path / "sulla.toml").stat().st_mode) == 0o600


async def test_a_wrong_option_is_told_before_any_secret_is_asked_for(
    wire: TelegramWire, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Person(wire.api, "soon", "1", TOKEN, "plenty")
    assert await set_up(KIND, "home", tmp_path / "sulla.toml", person) == Exit.OK
    assert "it was not taken: Input should be" in "".join(capsys.readouterr())
    account = _account(tmp_path)
    assert account["options"] == {"api": wire.api, "poll_s": 1}
    assert account["secrets"] == {"token": TOKEN, "word": "plenty"}


async def test_what_is_never_taken_or_left_open_writes_nothing(wire: TelegramWire, tmp_path: Path) -> None:
    wrong = TOKEN[:-6] + "xxxxxx"
    person = Person(wire.api, "", wrong, "", *[wrong] * (TRIES - 1))
    assert await set_up(KIND, "home", tmp_path / "sulla.toml", person) == Exit.FAILED
    assert not person.left
    with pytest.raises(InvalidInput, match="left open"):
        await set_up(KIND, "home", tmp_path / "sulla.toml", Person(wire.api, None))
    with pytest.raises(InvalidInput, match="often enough"):
        await set_up(KIND, "home", tmp_path / "sulla.toml", Person(wire.api, *["soon"] * TRIES))
    assert not (tmp_path / "sulla.toml").exists()


async def test_a_wrong_password_of_a_mailbox_is_asked_for_alone_and_an_address_that_is_none_at_once(
    tmp_path: Path,
) -> None:
    wire = MailWire(ManualClock())
    await wire.start()
    options = wire.options()
    answers = (options["imap"], options["smtp"], options["authserv"])
    person = Person("", "no address", ADDRESS, *answers, "wrong", PASSWORD)
    mail = next(one for one in KINDS if one.name == "mail")
    assert await set_up(mail, "post", tmp_path / "sulla.toml", person) == Exit.OK
    assert [hidden for _, hidden in person.asked] == [False] * 6 + [True] * 2
    assert not [one for one, _ in person.asked if "behind a +" in one]  # its server is believed, so no word is
    word = Person(*answers[:2], "", PASSWORD, "abcdefgh12345678")
    assert await set_up(mail, "other", tmp_path / "other.toml", word, {"address": ADDRESS}) == Exit.OK
    assert word.asked[-1][0] == (
        "Give the word that people write behind a + in the address, 16 to 40 small letters and digits by chance, or "
        "nothing (it is not shown): "
    )
    account = _account(tmp_path)
    assert (account["options"], account["secrets"]) == (options, {"password": PASSWORD})
    await wire.stop()


async def test_of_two_tokens_the_wrong_one_is_asked_for_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = SlackWire(ManualClock())
    await wire.start()
    slack = next(one for one in KINDS if one.name == "slack")
    wrong = f"{APP_TOKEN[:-4]}xxxx"
    person = Person(BOT_TOKEN, wrong, APP_TOKEN)
    assert await set_up(slack, "work", tmp_path / "sulla.toml", person, {"api": wire.api}) == Exit.OK
    assert [one.partition("(x")[2][:3] for one, _ in person.asked] == ["oxb", "app", "app"]
    assert "does not take the app_token (invalid_auth)" in "".join(capsys.readouterr())
    assert _account(tmp_path)["secrets"] == {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN}
    await wire.stop()


def test_yes_or_no_is_written_as_such() -> None:
    made = added("", "dc", "discord", {"message_content": True, "api": "https://x.example/true"}, {})
    (account,) = tomllib.loads(made)["channels"]["accounts"]
    assert account["options"] == {"message_content": True, "api": "https://x.example/true"}


def test_secrets_that_need_not_be_are_known_and_others_are_not() -> None:
    def made(**secrets: str) -> AccountSettings:
        return AccountSettings(name="home", kind="telegram", secrets={k: SecretStr(v) for k, v in secrets.items()})

    making(made(token=TOKEN), KIND, ManualClock())
    making(made(token=TOKEN, word="plenty"), KIND, ManualClock())
    with pytest.raises(SettingsError, match=r"no secrets\.token"):
        making(made(word="plenty"), KIND, ManualClock())
    with pytest.raises(SettingsError, match=r"secrets\.other; its kind knows: token, word"):
        making(made(token=TOKEN, other="x"), KIND, ManualClock())
