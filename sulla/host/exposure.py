"""Whether others than this machine may knock: what has to be said and be so before the daemon listens beyond it.
Pure.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

from sulla.core.errors import SettingsError
from sulla.host.sections import GatewaySettings

MIN_TOKEN_CHARS: Final = 32
"""A shorter owner's token could be one that somebody made up."""

PROXY: Final = "put a proxy with TLS before it: nothing that goes over the network is encrypted by the daemon itself"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address. Of names only ``localhost`` is known to."""
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_exposure(gateway: GatewaySettings) -> None:
    """Do nothing if the daemon may listen where the settings say.

    Raises:
        SettingsError: it would be reached from elsewhere, and nobody said that this is meant.
    """
    if not is_loopback(gateway.host) and not gateway.expose:
        raise SettingsError(
            f"gateway.host is {gateway.host!r}, so other machines could reach the daemon. If that is meant, set "
            f"gateway.expose (SULLA_GATEWAY__EXPOSE=true) too, and {PROXY}; else leave it at 127.0.0.1"
        )


def check_owner_token(gateway: GatewaySettings, token: str) -> None:
    """Do nothing if the owner's token is good enough for where the daemon listens.

    Raises:
        SettingsError: others could guess it.
    """
    if not is_loopback(gateway.host) and len(token) < MIN_TOKEN_CHARS:
        raise SettingsError(
            f"the owner's token has {len(token)} characters, and one that others can try needs {MIN_TOKEN_CHARS}: "
            "make another one with `sulla token revoke owner`"
        )


def exposure_warnings(gateway: GatewaySettings) -> list[str]:
    """What people should know about where the daemon listens; nothing if only this machine reaches it."""
    if is_loopback(gateway.host):
        return []
    said = [f"other machines can reach {gateway.host}:{gateway.port}: {PROXY}"]
    if not gateway.allowed_hosts:
        said.append(
            "gateway.allowed_hosts is empty, so clients are only served if they address the daemon as localhost or by "
            "a loopback address: list the name that they use"
        )
    return said
