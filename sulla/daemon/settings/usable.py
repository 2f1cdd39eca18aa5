"""Settings of the right form with which a daemon could not start all the same. `sulla up`, `sulla reload` and the check
`settings` of `sulla doctor` find the same, because all of them read the settings by way of here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.core.errors import SettingsError
from sulla.host.exposure import check_exposure
from sulla.host.sections import DaemonSettings, GatewaySettings, ModelSettings
from sulla.host.settings import HomeSettings
from sulla.host.store_url import named_store, store_file
from sulla.host.zone import home_zone
from sulla.models.catalog import parse_model
from sulla.models.ollama.probe import address

Place = tuple[str, str]
"""A setting: its section and its key."""


def _store(key: str) -> Callable[[HomeSettings], object]:
    def check(settings: HomeSettings) -> None:
        if named_store(settings).source.endswith(f"store.{key}"):
            store_file(settings)

    return check


def _model(key: str) -> Callable[[HomeSettings], object]:
    def check(settings: HomeSettings) -> None:
        if name := getattr(settings.section(ModelSettings), key):
            parse_model(name)

    return check


def _ollama(settings: HomeSettings) -> None:
    try:
        address(settings.section(ModelSettings).ollama_host)
    except SettingsError:  # its message has the address, and that may hold a password
        raise SettingsError("expected host, host:port or a URL with http or https") from None


_CHECKS: Final[tuple[tuple[Place, Callable[[HomeSettings], object]], ...]] = (
    (("gateway", "host"), lambda settings: check_exposure(settings.section(GatewaySettings))),
    (("store", "url"), _store("url")),
    (("store", "postgres_url"), _store("postgres_url")),
    (("store", "redis_url"), _store("redis_url")),
    (("model", "name"), _model("name")),
    (("model", "fallback"), _model("fallback")),
    (("model", "ollama_host"), _ollama),
    (("daemon", "zone"), lambda settings: home_zone(settings.section(DaemonSettings).zone)),
)
"""What each setting has to stand. None of their defaults fails."""


def first_unusable(settings: HomeSettings) -> tuple[Place, str] | None:
    """The first setting that a daemon could not start with, and what is wrong with it; None if it could.

    Args:
        settings: each of the right form.
    """
    for place, check in _CHECKS:
        try:
            check(settings)
        except SettingsError as error:
            return place, error.message
    return None
