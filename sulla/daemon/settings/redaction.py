"""The secrets that the settings hold."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import SecretStr

from sulla.core.redact import MIN_CHARS, Redactor
from sulla.daemon.settings.config import Settings

log = logging.getLogger(__name__)

_QUERY_SECRETS = {"password", "passwd", "pwd", "sslpassword", "secret", "token", "access_token", "key", "api_key"}
"""Fields of a URL's query that hold one."""

_SECRET_WORD = re.compile("KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH", re.IGNORECASE)
"""In the names of variables that hold one. Others hold paths and words, which cannot be taken out of every text."""


def known_secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every secret of the settings, with the name of the setting: keys as they are, and the passwords in URLs."""
    for section in Settings.model_fields:
        kept = getattr(settings, section)
        for name, field in getattr(type(kept), "model_fields", {}).items():
            value = getattr(kept, name)
            if isinstance(value, SecretStr):
                secret = value.get_secret_value()
                found = (secret, *_in_url(secret))
            elif isinstance(value, str) and not field.repr:  # a URL that may hold one
                found = tuple(_in_url(value))
            else:
                continue
            yield from ((f"{section}.{name}", secret) for secret in found if secret)
    for name, kept in settings.playbooks.secrets.items():
        yield from ((f"playbooks.secrets.{name}", one) for one in (kept.get_secret_value(),) if one)
    for name, server in settings.mcp.servers.items():
        kept = [value for word, value in server.env.items() if _SECRET_WORD.search(word)]
        held = [value.get_secret_value() for value in (*kept, *server.headers.values())]
        secrets = (*held, *(value.removeprefix("Bearer ") for value in held), *_in_url(server.url))
        yield from ((f"mcp.servers.{name}", secret) for secret in secrets if secret)


def _in_url(url: str) -> Iterator[str]:
    """The secrets of a URL, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return  # no URL: whoever uses it says so
    yield from (password, unquote(password))
    yield from (value for name, value in parse_qsl(parts.query) if name.lower() in _QUERY_SECRETS)


def hide_known(settings: Settings, redactor: Redactor) -> None:
    """Tell the redactor every secret of the settings, and people which of them it cannot hide."""
    short = sorted({name for name, secret in known_secrets(settings) if not redactor.learn(secret)})
    if short:
        log.warning(
            "fewer than %d characters in %s: too few to be told from ordinary words, so logs may show them",
            MIN_CHARS,
            ", ".join(short),
        )
