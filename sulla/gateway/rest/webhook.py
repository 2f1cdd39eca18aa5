"""Messages that are signed with a shared secret: what their headers say, and whether it is true.

Each sender has a form of its own (`definition.WebhookForm`); in all of them the signature is an HMAC-SHA256 over
the body with something before it:

========  ============================================================  ===============  ===================
form      headers                                                       before the body  names the message
========  ============================================================  ===============  ===================
standard  ``webhook-id``, ``webhook-timestamp``, ``webhook-signature``  ``id.time.``     its id
github    ``x-hub-signature-256``, ``x-github-delivery``                nothing          its delivery
stripe    ``stripe-signature``: ``t=…,v1=…``                            ``time.``        ``id`` of the event
slack     ``x-slack-request-timestamp``, ``x-slack-signature``          ``v0:time:``     ``event_id``
hmac      what the playbook says                                        nothing          what it says
========  ============================================================  ===============  ===================

Where nothing names a message, what was signed does.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import parse_qsl

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import WebhookForm
from sulla.playbooks.webhook_key import LEAST_KEY_BYTES, webhook_key
from sulla.playbooks.webhook_message import HookMessage

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
SIGNATURES = 8
"""Signatures of one message that are looked at; more than one while a secret is changed."""
NOBODYS = "nobody has this one"
"""A signature is worked out with it where there is no playbook, so that the time taken says nothing."""
_ID_CHARS: Final = 256
_ID = re.compile(rf"[\x21-\x7e]{{1,{_ID_CHARS}}}")
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_PROOFS: Final = frozenset(
    (
        *("authorization", "proxy-authorization", "cookie", SIGNATURE),
        *("x-hub-signature", "x-hub-signature-256", "stripe-signature", "x-slack-signature"),
    )
)
"""Headers that prove something; they are for nobody but the door."""


@dataclass(frozen=True, slots=True)
class Signed:
    """What a message's headers say; nothing of it is proven yet."""

    signatures: tuple[bytes, ...]
    """As they are written."""
    before: bytes = b""
    """What was signed before the body."""
    at_s: int | None = None
    """When it was sent, UTC seconds since 1970; None where nothing says so."""
    id: str = ""
    """Names the message: the same one may come several times. Empty where the body does."""


def read_signed(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    """What the headers of a message say.

    Args:
        form: how it is to be signed.
        headers: by lower-case name.

    Returns:
        None if one of those that the form has is missing or of another form.
    """
    found = _READERS[form.signed](form, headers)
    if found is None or not found.signatures or (found.id and _ID.fullmatch(found.id) is None):
        return None
    return found


def why_unread(form: WebhookForm, headers: Mapping[str, str]) -> str:
    """What is wrong with headers of which `read_signed` makes nothing, for the log.

    Args:
        form: how the message is to be signed.
        headers: by lower-case name.
    """
    found = _READERS[form.signed](form, headers)
    if found is None or not found.id or _ID.fullmatch(found.id) is not None:
        return f"a header is missing, or of another form, that messages have which are signed as {form.signed!r}"
    if len(found.id) > _ID_CHARS:
        return f"its id has {len(found.id)} characters, and may have {_ID_CHARS} at the most"
    odd = next(char for char in found.id if _ID.fullmatch(char) is None)
    return f"its id holds {odd!a}, and may hold ASCII letters, digits and signs alone, and no blank"


def is_timely(form: WebhookForm, signed: Signed, now_s: float) -> bool:
    """Whether a message was sent just now: one that somebody recorded cannot be sent again later."""
    return signed.at_s is None or abs(now_s - signed.at_s) <= form.tolerance_s


def is_genuine(form: WebhookForm, signed: Signed | None, secret: str, body: bytes) -> bool:
    """Whether one of a message's signatures was made with the secret; takes as long whatever is wrong.

    Args:
        form: how it is to be signed.
        signed: its headers; None if they say nothing.
        secret: see `webhook_key`; with one that is too short nothing is genuine.
        body: byte for byte as it came.
    """
    key = webhook_key(secret, decodes=form.signed == "standard")
    signature = _signature(form, key or NOBODYS.encode(), signed.before if signed is not None else b"", body)
    found = False
    for one in signed.signatures if signed is not None else ():
        found |= hmac.compare_digest(one, signature)
    return found and key is not None


def sign(form: WebhookForm, secret: str, before: str, body: bytes) -> str:
    """The signature of a message, as its header has it.

    Args:
        form: how it is signed.
        secret: see `is_genuine`.
        before: what is signed before the body.
        body: what is sent.

    Raises:
        InvalidInput: the secret is too short.
    """
    if (key := webhook_key(secret, decodes=form.signed == "standard")) is None:
        raise InvalidInput(f"the secret of the webhook is too short: expected at least {LEAST_KEY_BYTES} bytes")
    return _signature(form, key, before.encode(), body).decode()


def message_of(form: WebhookForm, signed: Signed, headers: Mapping[str, str], query: bytes, body: bytes) -> HookMessage:
    """What a message says.

    Args:
        form: how it is signed.
        signed: what its headers say.
        headers: by lower-case name.
        query: of its address.
        body: as it came.

    Raises:
        InvalidInput: the body is not what it is said to be.
    """
    payload = _payload(headers.get("content-type", ""), body, fields=form.signed in ("github", "slack"))
    named = payload.get(_NAMED[form.signed], "") if form.signed in _NAMED and isinstance(payload, Mapping) else ""
    # What was signed is what a recorded message cannot change: an id beside it could be.
    id_ = signed.id or (named if isinstance(named, str) and _ID.fullmatch(named) else "")
    kept = {name: value for name, value in headers.items() if name not in _PROOFS and name != form.header}
    asked = _fields(query.decode("latin-1"))
    return HookMessage(id_ or hashlib.sha256(signed.before + body).hexdigest(), payload, kept, asked)


def challenge_of(form: WebhookForm, payload: Json) -> str | None:
    """What Slack wants to hear before it sends anything; None for all that begins a run."""
    match payload:
        case {"type": "url_verification", "challenge": str(challenge)} if form.signed == "slack":
            return challenge
        case _:
            return None


# ---------------------------------------------------------------------------------------------------------- headers


def _standard(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    id_, at = headers.get(ID, ""), headers.get(TIMESTAMP, "")
    said = headers.get(SIGNATURE, "").split(" ")[:SIGNATURES]
    if not id_ or _SECONDS.fullmatch(at) is None:
        return None
    return Signed(_written(said, "v1,"), f"{id_}.{int(at)}.".encode("latin-1"), int(at), id_)


def _github(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    id_ = headers.get("x-github-delivery", "")
    return Signed(_written([headers.get("x-hub-signature-256", "")], "sha256="), id=id_) if id_ else None


def _stripe(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    said = [part.strip() for part in headers.get("stripe-signature", "").split(",")][: 2 * SIGNATURES]
    at = next((part.removeprefix("t=") for part in said if part.startswith("t=")), "")
    if _SECONDS.fullmatch(at) is None:
        return None
    return Signed(_written(said, "v1="), f"{at}.".encode(), int(at))


def _slack(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    at = headers.get("x-slack-request-timestamp", "")
    if _SECONDS.fullmatch(at) is None:
        return None
    return Signed(_written([headers.get("x-slack-signature", "")], "v0="), f"v0:{at}:".encode(), int(at))


def _hmac(form: WebhookForm, headers: Mapping[str, str]) -> Signed | None:
    id_ = headers.get(form.id, "") if form.id else ""
    if (form.id and not id_) or form.header not in headers:
        return None
    return Signed(_written([headers[form.header]], form.prefix), id=id_)


_READERS: Final[Mapping[str, Callable[[WebhookForm, Mapping[str, str]], Signed | None]]] = {
    "standard": _standard,
    "github": _github,
    "stripe": _stripe,
    "slack": _slack,
    "hmac": _hmac,
}
_NAMED: Final[Mapping[str, str]] = {"stripe": "id", "slack": "event_id"}
"""The field of the body that names the message."""


def _written(said: list[str], mark: str) -> tuple[bytes, ...]:
    """The signatures of a kind, without what says so."""
    found = (one.removeprefix(mark) for one in said if one.startswith(mark))
    return tuple(one.encode() for one in found if one.isascii())[:SIGNATURES]


def _signature(form: WebhookForm, key: bytes, before: bytes, body: bytes) -> bytes:
    made = hmac.digest(key, before + body, hashlib.sha256)
    encoding = "base64" if form.signed == "standard" else form.encoding
    return b64encode(made) if encoding == "base64" else made.hex().encode()


# ------------------------------------------------------------------------------------------------------------- body


def _payload(content_type: str, body: bytes, *, fields: bool) -> Json:
    """JSON if it is said to be that, the fields of a form where the sender sends forms, else text.

    Raises:
        InvalidInput: it is not what it is said to be.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return _json(body, "the body")
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not UTF-8 (byte {error.start + 1}): send JSON or text") from None
    if not fields or kind != "application/x-www-form-urlencoded":
        return text
    found = _fields(text)
    sent = found.get("payload")
    # GitHub's forms, and what people do in Slack: all that is said is JSON in this one field.
    return _json(sent.encode(), "the field 'payload'") if isinstance(sent, str) and len(found) == 1 else found


def _json(text: bytes, what: str) -> Json:
    try:
        found: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{what} is not JSON: {error}") from None
    return found


def _fields(text: str) -> JsonObject:
    """Of a form or an address: a text by name; where a name stands several times, all of its values."""
    found: dict[str, list[Json]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
