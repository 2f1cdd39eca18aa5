"""The key that a webhook's secret stands for. Pure."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NoBase64
from contextlib import suppress
from typing import Final

LEAST_KEY_BYTES: Final = 16
"""A shorter key can be guessed from one message and its signature; an empty one is everybody's."""
PREFIX: Final = "whsec_"


def webhook_key(secret: str, *, decodes: bool = True) -> bytes | None:
    """What messages are signed with.

    Args:
        secret: ``whsec_`` and base64, as Standard Webhooks has it; any other is taken as it is written.
        decodes: False where that one is, too: Stripe's begin with ``whsec_`` and are no base64.

    Returns:
        At least `LEAST_KEY_BYTES`; None if the secret holds fewer, so that nothing can be signed with it.
    """
    key = secret.encode()
    if decodes and secret.startswith(PREFIX):
        with suppress(NoBase64):  # then it is only called so
            key = b64decode(secret.removeprefix(PREFIX), validate=True)
    return key if len(key) >= LEAST_KEY_BYTES else None
