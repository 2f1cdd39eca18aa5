"""The secrets that the settings hold."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from pydantic import SecretStr

from sulla.core.errors import SettingsError
from sulla.core.redact import MIN_CHARS, Redactor
from sulla.daemon.settings.config import Settings
from sulla.host.section import Section
from sulla.host.store_url import POSTGRES, REDIS
from sulla.store.url import check_login, secrets_in_url

log = logging.getLogger(__name__)


def known_secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every secret of the settings, with the name of the setting: keys as they are, and the passwords in URLs."""
    for section in type(settings).model_fields:
        kept = getattr(settings, section)
        for name, field in getattr(type(kept), "model_fields", {}).items():
            value = getattr(kept, name)
            if isinstance(value, SecretStr):
                secret = value.get_secret_value()
                found = () if _is_address(secret) else (secret, *secrets_in_url(secret))
            elif isinstance(value, str) and not field.repr:  # a URL that may hold one
                found = tuple(secrets_in_url(value))
            else:
                continue
            yield from ((f"{section}.{name}", secret) for secret in found if secret)
        if isinstance(kept, Section):
            yield from ((f"{section}.{name}", secret) for name, secret in kept.more_secrets() if secret)


def _is_address(value: str) -> bool:
    """Whether it is a server's URL that says only where that is. It is told in messages, which have no options."""
    scheme, _, rest = value.partition("://")
    return scheme in (*POSTGRES, *REDIS) and "?" not in rest and not any(secrets_in_url(value)) and _can_be_read(value)


def _can_be_read(url: str) -> bool:
    try:
        check_login(url)
    except SettingsError:
        return False  # a password that is not encoded; whoever uses the URL says so
    return True


def hide_known(settings: Settings, redactor: Redactor) -> None:
    """Tell the redactor every secret of the settings, and people which of them it cannot hide."""
    short = sorted({name for name, secret in known_secrets(settings) if not redactor.learn(secret)})
    if short:
        log.warning(
            "fewer than %d characters in %s: too few to be told from ordinary words, so logs may show them",
            MIN_CHARS,
            ", ".join(short),
        )
