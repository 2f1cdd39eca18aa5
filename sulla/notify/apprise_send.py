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
    for name in ("apprise", "urllib3"):  # what they log may hold the address: it is read here, cleaned, and told by us
        logging.getLogger(name).propagate = False
    logging.getLogger("apprise").setLevel(logging.WARNING)  # whatever the daemon's own log shows
    # Nothing is kept beside our own outbox, and its log shows no addresses.
    asset = apprise.AppriseAsset(async_mode=False, secure_logging=True, storage_mode=apprise.PersistentStoreMode.MEMORY)
    apobj = apprise.Apprise(asset=asset)
    if not apobj.add(address):
        scheme = urlsplit(address).scheme[:20]
        raise SettingsError(f"Apprise cannot send to this {scheme!r} address: `sulla notify list` names the channel")
    # What it says of this message alone: others may be sent at the same time.
    plain = apprise.NotifyFormat.TEXT
    taken = apobj.notify(body=text, title=title, body_format=plain, log_level=logging.WARNING)
    return "" if taken else without_secrets("\n".join(entry.message for entry in taken.logs()), address)


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
