"""Messages that are signed with a shared secret, as Standard Webhooks has them. Pure.

The form is that of https://www.standardwebhooks.com: three headers, and HMAC-SHA256 over ``id.timestamp.body``.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from collections.abc import Mapping

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.webhook_key import LEAST_KEY_BYTES, webhook_key

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE_S = 300
"""How far a message's clock may be from ours, either way: the reference implementations' figure."""
SIGNATURES = 8
"""Signatures of one message that are looked at; more than one while a secret is changed."""
_VERSION = "v1,"
_ID = re.compile(r"[\x21-\x7e]{1,256}")
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Signed:
    """What a message's headers say; nothing of it is proven yet."""

    id: str
    """Names the message: the same one may come several times."""
    at_s: int
    """When it was sent, UTC seconds since 1970."""
    signatures: tuple[str, ...]
    """In base64."""


def read_signed(headers: Mapping[str, str]) -> Signed | None:
    """What the headers of a message say.

    Args:
        headers: by lower-case name.

    Returns:
        None if one of the three is missing or of another form.
    """
    id_, at_s = headers.get(ID, ""), headers.get(TIMESTAMP, "")
    said = headers.get(SIGNATURE, "").split(" ")[:SIGNATURES]
    signatures = tuple(one.removeprefix(_VERSION) for one in said if one.startswith(_VERSION) and one.isascii())
    if _ID.fullmatch(id_) is None or _SECONDS.fullmatch(at_s) is None or not signatures:
        return None
    return Signed(id_, int(at_s), signatures)


def is_timely(signed: Signed, now_s: float) -> bool:
    """Whether a message was sent just now: one that somebody recorded cannot be sent again later."""
    return abs(now_s - signed.at_s) <= TOLERANCE_S


def is_genuine(signed: Signed, secret: str, body: bytes) -> bool:
    """Whether one of a message's signatures was made with the secret; takes as long whichever is wrong.

    Args:
        signed: its headers.
        secret: see `webhook_key`; with one that is too short nothing is genuine.
        body: byte for byte as it came.
    """
    if (key := webhook_key(secret)) is None:
        return False
    signature = _signature(key, signed.id, signed.at_s, body)
    found = False
    for one in signed.signatures:
        found |= hmac.compare_digest(one, signature)
    return found


def sign(secret: str, id_: str, at_s: int, body: bytes) -> str:
    """The signature of a message, as the header has it.

    Args:
        secret: see `is_genuine`.
        id_: the message's.
        at_s: when it is sent, UTC seconds since 1970.
        body: what is sent.

    Raises:
        InvalidInput: the secret is too short.
    """
    if (key := webhook_key(secret)) is None:
        raise InvalidInput(f"the secret of the webhook is too short: expected at least {LEAST_KEY_BYTES} bytes")
    return _VERSION + _signature(key, id_, at_s, body)


def payload_of(content_type: str, body: bytes) -> Json:
    """What a message says: JSON if it is said to be that, else text.

    Raises:
        InvalidInput: it is not what it is said to be.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        try:
            found: Json = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise InvalidInput(f"the body is not JSON: {error}") from None
        return found
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not UTF-8 (byte {error.start + 1}): send JSON or text") from None


def _signature(key: bytes, id_: str, at_s: int, body: bytes) -> str:
    return b64encode(hmac.digest(key, f"{id_}.{at_s}.".encode() + body, hashlib.sha256)).decode()
