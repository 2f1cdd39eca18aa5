"""Sends messages through the library Apprise."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote, urlsplit

import apprise

from sulla.core.errors import SettingsError

WHY_CHARS: Final = 300
"""Of why a channel did not take a message."""
_LEAST_SECRET: Final = 3


def send(address: str, title: str, text: str) -> str:
    """Send a message; see `sending.Send`."""
    if why := fault_of(address):
        raise SettingsError(f"{why}: `sulla notify list` names the channel")
    apobj = apprise.Apprise(asset=_asset())
    apobj.add(address)
    # What it says of this message alone: others may be sent at the same time.
    plain = apprise.NotifyFormat.TEXT
    taken = apobj.notify(body=text, title=title, body_format=plain, log_level=logging.WARNING)
    return "" if taken else without_secrets("\n".join(entry.message for entry in taken.logs()), address)


def fault_of(address: str) -> str:
    """Why nothing can be sent to an address; see `sending.FaultOf`."""
    for name in ("apprise", "urllib3"):  # what they log may hold the address: it is read here, cleaned, and told by us
        logging.getLogger(name).propagate = False
    logging.getLogger("apprise").setLevel(logging.WARNING)  # whatever the daemon's own log shows
    if apprise.Apprise(asset=_asset()).add(address):
        return ""
    scheme = address.partition("://")[0][:20]
    return f"Apprise cannot send to this {scheme!r} address"


def _asset() -> apprise.AppriseAsset:
    """Nothing is kept beside our own outbox, and its log shows no addresses."""
    return apprise.AppriseAsset(async_mode=False, secure_logging=True, storage_mode=apprise.PersistentStoreMode.MEMORY)


def without_secrets(said: str, address: str) -> str:
    """Why something was not taken, in a line, without any part of the address.

    Args:
        said: what the library said.
        address: where it was to go.
    """
    line = " ".join(said.split()) or "the service did not take it"
    for part in sorted(_parts(address), key=len, reverse=True):
        line = line.replace(part, "[redacted]")
    return line[:WHY_CHARS]


def _parts(address: str) -> Iterable[str]:
    parts = urlsplit(address)
    raw = [address, *address.replace("://", "/").replace("?", "/").replace("&", "/").replace("@", "/").split("/")]
    found = {piece for one in raw for piece in (one, *one.split(":"), *one.split("="))}
    found -= {parts.scheme}
    return {form for one in found for form in (one, unquote(one)) if len(form) >= _LEAST_SECRET and not form.isdigit()}
