"""No sink shows a key: the settings' secrets are known, and the log takes them out of everything."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.cli.exits import Exit
from sulla.core.redact import MARK, Redactor
from sulla.daemon import load_settings
from sulla.daemon.redaction import FORM, RedactingFormatter, hide_known, known_secrets
from sulla.daemon.sources import FOREIGN_NAMES
from tests.daemon.running import Place

KEY = "sk-ant-0123456789"


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
def test_a_key_is_known(tmp_path: Path, name: str) -> None:
    settings = load_settings({name: KEY}, {}, tmp_path)
    assert list(known_secrets(settings)) == [(".".join(FOREIGN_NAMES[name]), KEY)]


@pytest.mark.parametrize("name", ["POSTGRES_URL", "REDIS_URL", "SULLA_STORE", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"])
@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("scheme://me:p%40ssword@host:1/db", {"p%40ssword", "p@ssword"}),
        ("scheme://:password@host", {"password"}),
        ("scheme://host/db?user=me&password=p%40ssword&sslmode=require", {"p@ssword"}),
        ("scheme://host/db", set()),
        ("scheme://[host", set()),
        ("", set()),
    ],
)
def test_the_password_in_a_url_is_known_as_it_is_written_and_as_it_is_meant(
    tmp_path: Path, name: str, url: str, secrets: set[str]
) -> None:
    settings = load_settings({name: url}, {}, tmp_path)
    found = {secret for _, secret in known_secrets(settings)}
    whole = {url} if name in ("POSTGRES_URL", "REDIS_URL") and url else set()
    assert found == secrets | whole


def test_every_secret_of_the_settings_is_hidden(tmp_path: Path) -> None:
    environ = dict.fromkeys(FOREIGN_NAMES, f"scheme://me:{KEY}@host")
    redactor = Redactor()
    hide_known(load_settings(environ, {}, tmp_path), redactor)
    assert redactor.text(f"{KEY} {environ['REDIS_URL']}") == f"{MARK} {MARK}"


def test_what_is_too_short_to_be_hidden_is_told_by_its_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = load_settings({"OPENAI_API_KEY": "EMPTY", "ANTHROPIC_API_KEY": KEY}, {}, tmp_path)
    hide_known(settings, Redactor())
    (told,) = caplog.messages
    assert told.startswith("fewer than 8 characters in model.openai_api_key: ")
    assert "EMPTY" not in told


# ------------------------------------------------------------------------------------------------------------- logs


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    """What a log of its own wrote."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter(FORM, Redactor([KEY])))
    logger = logging.getLogger("redacted")
    logger.propagate = False
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


def _deep(key: str) -> None:
    try:
        raise ValueError(f"the inner one: {key!r}")
    except ValueError as inner:
        raise RuntimeError(f"cannot open https://host/?key={key}") from inner


def test_a_log_shows_no_key_in_its_message_or_arguments(out: io.StringIO) -> None:
    logging.getLogger("redacted").error("asked with %s and %r", KEY, {"x-api-key": KEY})
    assert out.getvalue().endswith(f"ERROR redacted: asked with {MARK} and {{'x-api-key': '{MARK}'}}\n")


def test_a_log_shows_no_key_in_an_exception_its_cause_its_notes_or_the_stack(out: io.StringIO) -> None:
    try:
        _deep(KEY)
    except RuntimeError as error:
        error.add_note(f"seen with {KEY}")
        logging.getLogger("redacted").exception("failed", stack_info=True)
    said = out.getvalue()
    assert KEY not in said
    assert said.count(MARK) == 3
    assert "Traceback" in said
    assert "_deep" in said


_BREAKS = f"""
import sys
from sulla.cli import up, main
from sulla.core.errors import StoreUnavailable

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
