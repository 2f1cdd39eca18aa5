"""Keys in a file of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.daemon.settings.config import examine_settings, sections
from sulla.daemon.settings.keys import KEYS_FILE, secret_names
from sulla.mcp.settings import McpSettings
from sulla.playbooks.settings import PlaybookSettings


def _write(home: Path, text: str, mode: int = 0o600) -> Path:
    path = home / KEYS_FILE
    path.write_text(text)
    path.chmod(mode)
    return path


def test_they_win_over_the_settings_file_and_the_environment_wins_over_them(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text(
        '[model]\nname = "offline"\nanthropic_api_key = "one"\nopenai_api_key = "two"\n'
    )
    path = _write(tmp_path, '[model]\nanthropic_api_key = "three"\nopenai_api_key = "four"\n')
    found = examine_settings({"OPENAI_API_KEY": "five"}, {}, tmp_path)
    assert found.faults == ()
    model = found.settings.model
    assert (model.anthropic_api_key.get_secret_value(), model.openai_api_key.get_secret_value()) == ("three", "five")
    assert (model.name, found.sources["model", "anthropic_api_key"]) == ("offline", str(path))


def test_secrets_that_stand_deeper_are_put_beside_what_the_settings_file_says(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text('[mcp.servers.git]\ncommand = "git-mcp"\n[playbooks.secrets]\nhook = "one"\n')
    _write(tmp_path, '[mcp.servers.git.env]\nGIT_TOKEN = "two"\n[playbooks.secrets]\nmail = "three"\n')
    found = examine_settings({}, {}, tmp_path)
    assert found.faults == ()
    server = found.settings.section(McpSettings).servers["git"]
    assert (server.command, server.env["GIT_TOKEN"].get_secret_value()) == ("git-mcp", "two")
    assert set(found.settings.section(PlaybookSettings).secrets) == {"hook", "mail"}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o620])
def test_a_file_that_others_can_read_or_write_is_refused_and_nothing_of_it_is_used(tmp_path: Path, mode: int) -> None:
    path = _write(tmp_path, '[model]\nanthropic_api_key = "hunter2"\n', mode)
    found = examine_settings({}, {}, tmp_path)
    (fault,) = found.faults
    assert f"{path}: others may read or write it (mode {mode:04o})" in fault
    assert f"chmod 600 '{path}'" in fault
    assert "hunter2" not in fault
    assert found.settings.model.anthropic_api_key.get_secret_value() == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[model]\nname = "offline"\n', "keys.toml:2: model.name is no secret: write it into sulla.toml"),
        ('[model]\nanthropic_api_kee = "hunter2"\n', "did you mean 'anthropic_api_key'"),
        ("[model]\nanthropic_api_key = 7\n", "keys.toml:2: model.anthropic_api_key: it should be a valid string"),
        ("hunter2", "not valid TOML"),
    ],
)
def test_what_is_wrong_in_it_is_named_with_its_place_and_never_shown(tmp_path: Path, text: str, said: str) -> None:
    _write(tmp_path, text)
    (fault,) = examine_settings({}, {}, tmp_path).faults
    assert said in fault
    assert "hunter2" not in fault


@pytest.mark.parametrize("name", ["sulla.toml", KEYS_FILE])
def test_a_named_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name, 0o600)
    (fault,) = examine_settings({}, {}, tmp_path).faults
    assert fault == f"{tmp_path / name}: cannot be read: it is no regular file: expected one with settings in it"


def test_every_key_may_stand_in_it() -> None:
    secret = secret_names(sections())
    assert {"anthropic_api_key", "openai_api_key"} <= set(secret["model"])
    assert {"redis_url", "postgres_url"} <= set(secret["store"])
    assert "name" not in secret["model"]
