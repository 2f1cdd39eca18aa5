"""No sink shows a key: the settings' secrets are known (tests/telemetry/test_lines.py: what the log makes of them)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sulla.core.redact import MARK, Redactor
from sulla.daemon.settings.config import load_settings
from sulla.daemon.settings.redaction import hide_known, known_secrets
from sulla.daemon.settings.sources import FOREIGN_NAMES
from sulla.terminal.exits import Exit
from tests.daemon.running import Place

KEY = "sk-ant-0123456789"


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
def test_a_key_is_known(tmp_path: Path, name: str) -> None:
    settings = load_settings({name: KEY}, {}, tmp_path)
    assert list(known_secrets(settings)) == [(".".join(FOREIGN_NAMES[name]), KEY)]


_SCHEMES = {
    "POSTGRES_URL": "postgresql",
    "REDIS_URL": "redis",
    "SULLA_STORE": "redis",
    "ANTHROPIC_BASE_URL": "https",
    "OLLAMA_HOST": "http",
}


@pytest.mark.parametrize("name", _SCHEMES)
@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("scheme://me:p%40ssword@host:1/db", {"p%40ssword", "p@ssword"}),
        ("scheme://:password@host", {"password"}),
        ("scheme://host/db?user=me&password=p%40ssword&sslmode=require", {"p@ssword"}),
        ("scheme://host/db", set()),
        ("", set()),
    ],
)
def test_the_password_in_a_url_is_known_as_it_is_written_and_as_it_is_meant(
    tmp_path: Path, name: str, url: str, secrets: set[str]
) -> None:
    url = url.replace("scheme", _SCHEMES[name])
    settings = load_settings({name: url}, {}, tmp_path)
    found = {secret for _, secret in known_secrets(settings)}
    whole = {url} if name in ("POSTGRES_URL", "REDIS_URL") and secrets else set()
    assert found == secrets | whole


def test_the_address_of_the_queue_is_shown_where_it_holds_no_password(tmp_path: Path) -> None:
    shown = "postgresql://sulla@127.0.0.1:5432/sulla"
    for url, seen in ((shown, shown), (f"{shown}?options=-csearch_path%3Dx", MARK), (f"{shown[:-6]}/?token=x", MARK)):
        redactor = Redactor()
        hide_known(load_settings({"SULLA_WORK__DATABASE_URL": url}, {}, tmp_path), redactor)
        assert redactor.text(f"the PostgreSQL {url} is away") == f"the PostgreSQL {seen} is away"


def test_a_url_that_is_none_holds_no_secret_that_anybody_could_tell(tmp_path: Path) -> None:
    settings = load_settings({"ANTHROPIC_BASE_URL": "https://[host"}, {}, tmp_path)
    assert list(known_secrets(settings)) == []


def test_every_secret_of_the_settings_is_hidden(tmp_path: Path) -> None:
    environ = {name: f"{_SCHEMES.get(name, 'https')}://me:{KEY}@host" for name in FOREIGN_NAMES}
    redactor = Redactor()
    hide_known(load_settings(environ, {}, tmp_path), redactor)
    assert redactor.text(f"{KEY} {environ['REDIS_URL']}") == f"{MARK} {MARK}"


def test_what_is_too_short_to_be_hidden_is_told_by_its_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = load_settings({"OPENAI_API_KEY": "EMPTY", "ANTHROPIC_API_KEY": KEY}, {}, tmp_path)
    hide_known(settings, Redactor())
    (told,) = caplog.messages
    assert told.startswith("fewer than 8 characters in model.openai_api_key: ")
    assert "EMPTY" not in told


# ------------------------------------------------------------------------------------------ a daemon that fails

_BREAKS = f"""
import sys
from sulla.cli import up
from sulla.cli.main import main
from sulla.core.errors import SettingsError, StoreUnavailable

async def broken(*given, redactor, **more):
    redactor.learn({KEY!r})
    raise sys.modules["__main__"].error

up.run_daemon = broken
error = {{}}
sys.exit(main(["up", "--home", sys.argv[1]]))
"""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (f"RuntimeError('with {KEY}')", Exit.FAILED, f"RuntimeError: with {MARK}"),
        (f"ExceptionGroup('all', [RuntimeError('with {KEY}')])", Exit.FAILED, f"RuntimeError: with {MARK}"),
        (f"ExceptionGroup('all', [SettingsError('with {KEY}')])", Exit.SETTINGS, f"sulla: with {MARK}"),
        (f"StoreUnavailable('with {KEY}')", Exit.SETTINGS, f"sulla: with {MARK}"),
    ],
)
def test_a_daemon_that_fails_shows_no_key(tmp_path: Path, error: str, code: Exit, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BREAKS.format(error), str(tmp_path)],
        env=Place(tmp_path / "home").environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert KEY not in done.stdout + done.stderr
