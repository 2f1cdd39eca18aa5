"""A channel is written into `sulla.toml`, and taken out, and all else there stays as it stands."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from sulla.channels.cli.file import added, notices_by, removed, write
from sulla.core.errors import Conflict, NotFound, SettingsError

TEXT = '# mine\n[agent]\nname = "x"  # [[channels.accounts]]\n\n[notify]\nquiet = "22:00-07:00"\n'


def test_what_was_added_is_read_and_can_be_removed() -> None:
    once = added(TEXT, "home", "telegram", {}, {"token": 'a"\\b'})
    twice = added(once, "work", "telegram", {"api": "http://x"}, {"token": "t2"})
    accounts = tomllib.loads(twice)["channels"]["accounts"]
    assert [one["name"] for one in accounts] == ["home", "work"]
    assert accounts[0]["secrets"] == {"token": 'a"\\b'}
    assert accounts[1]["options"] == {"api": "http://x"}
    assert removed(removed(twice, "home"), "work") == TEXT
    assert tomllib.loads(removed(twice, "work")) == tomllib.loads(once)


def test_a_section_below_goes_with_it_and_what_follows_stays() -> None:
    text = '[[channels.accounts]]\nname = "a"\nkind = "k"\n[channels.accounts.secrets]\ntoken = "t"\n[agent]\nx = 1\n'
    assert removed(text, "a") == "[agent]\nx = 1\n"


def test_the_notices_that_go_by_a_channel_are_named() -> None:
    text = """
[notify]
channels = [
    { name = "phone", address = "channel://tg/5001" },
    { name = "work", secret = "work" },
    { name = "mail", address = "mailto://tg/5001" },
    { name = "odd" },
    { name = "other", address = "channel://tgx/1" },
]
[notify.secrets]
work = "channel://tg/-7"
"""
    assert notices_by(text, "tg") == ["phone", "work"]
    assert notices_by(TEXT, "tg") == notices_by("notify = 7", "tg") == []


def test_two_of_a_name_and_one_that_is_not_there_are_refused() -> None:
    once = added(TEXT, "home", "telegram", {}, {})
    with pytest.raises(Conflict):
        added(once, "home", "telegram", {}, {})
    with pytest.raises(NotFound, match="home"):
        removed(once, "work")
    with pytest.raises(NotFound, match="by hand"):
        removed('channels.accounts = [{ name = "a", kind = "k" }]\n', "a")
    with pytest.raises(Conflict, match="by hand"):
        added('channels.accounts = [{ name = "a", kind = "k" }]\n', "b", "k", {}, {})
    with pytest.raises(SettingsError):
        removed("[", "a")


def test_nobody_else_can_read_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "sulla.toml"
    path.write_text("old")
    path.chmod(0o644)
    write(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
