"""Sending requests of HTTP."""

from __future__ import annotations

import base64
import json as json_text
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Annotated, Final, Literal

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.pattern import late_pattern
from sulla.core.words import Words
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext
from sulla.tools.builtin.charsets import charset_of, media_type, seen
from sulla.tools.builtin.web import refuses_address, status_told
from sulla.tools.define import define, giving, value
from sulla.tools.schema import Bounds
from sulla.tools.web.answer_time import late_answer
from sulla.tools.web.fetch import CALL_S, Fetcher, HttpAnswer
from sulla.tools.web.urls import MAX_URL

MAX_FIELDS: Final = 50
MAX_FIELD_CHARS: Final = 8_192
"""Of one header field; servers take no more."""
MAX_BODY_BYTES: Final = 4 * 1024 * 1024
KEY: Final = "idempotency-key"
"""Says to a server that a request is the same one again (draft-ietf-httpapi-idempotency-key-header)."""

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]

_OURS: Final = frozenset(
    "host connection content-length transfer-encoding accept-encoding upgrade te trailer expect keep-alive".split()
)
"""Fields that say how a request is sent, which nobody else may."""
_FIELD_NAME: Final = late_pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_MAY_PASS: Final = (408, 409, 423, 425, 429)
"""Answers from 400 to 499 that another time may be none."""


def http_tool(fetcher: Fetcher) -> Tool:
    """`http`.

    Args:
        fetcher: sends requests, to addresses that may be asked alone.
    """

    async def http(
        context: ToolContext,
        *,
        url: Annotated[str, Bounds(1, MAX_URL)],
        method: Method = "GET",
        headers: dict[str, str] | None = None,
        json: object = None,
        body: str = "",
        accept: list[int] | None = None,
    ) -> Result:
        """Send a request to an API; a status from 300 on is an error.

        Args:
            url: The whole address.
            method: The method.
            headers: Further fields.
            json: What to send.
            body: The same as text.
            accept: Statuses that are no error.
        """
        fields, raw = _request(method, headers or {}, json, body, context)
        answer = await fetcher.send(url, context.clock, method, fields, raw)
        return _told(answer, accept or [], context.clock.now())

    tool = define(http, effect="once", category="web", timeout_s=CALL_S)
    return giving(
        replace(
            tool,
            effect_of=effect_of,
            refuses=refuses_address(fetcher),
            remarks=True,
            addressed=True,
            late=late_answer,
            sorts_failures=True,
        ),
        status=value("integer", "of HTTP"),
        headers=value("object", "the answer's fields, names in small letters"),
        value={"description": "what the body says, where it is JSON; else null"},
        base64=value("string", "the body where it is no text; else empty"),
        url=value("string", "what was asked"),
    )


def effect_of(args: FrozenJson) -> Effect:
    """What a repeat of a request does, as RFC 9110 §9.2 has it; with a key of the author's a server knows it again."""
    match args.get("method", "GET"), args.get("headers"):
        case (("GET" | "HEAD"), _):
            return "pure"
        case (("PUT" | "DELETE"), _):
            return "idempotent"
        case _, Mapping() as headers if any(str(name).lower() == KEY for name in headers):
            return "idempotent"
    return "once"


def _request(
    method: Method, headers: Mapping[str, str], json: object, body: str, context: ToolContext
) -> tuple[dict[str, str], bytes]:
    if json is not None and body:
        raise InvalidInput("give json or body, not both")
    if method in ("GET", "HEAD") and (json is not None or body):
        raise InvalidInput(f"a {method} request has no body: put what it asks for in the address")
    if len(headers) > MAX_FIELDS:
        raise InvalidInput(f"{len(headers)} header fields; at most {MAX_FIELDS} are sent")
    fields: dict[str, str] = {}
    for name, said in headers.items():
        if name.lower() in _OURS or not _FIELD_NAME.fullmatch(name):
            raise InvalidInput(f"the header field {name[:100]!r} cannot be set")
        # Not quoted: it may be a key.
        if len(said) > MAX_FIELD_CHARS or not said.isascii() or not said.isprintable():
            raise InvalidInput(
                f"the header field {name!r} has to be at most {MAX_FIELD_CHARS} printable characters of ASCII"
            )
        fields[name] = said.strip()
    known = {name.lower() for name in fields}
    if method in ("POST", "PATCH") and KEY not in known:
        fields["Idempotency-Key"] = blake2b(context.idempotency_key.encode(), digest_size=16).hexdigest()
    if (json is not None or body) and "content-type" not in known:
        fields["Content-Type"] = "application/json" if json is not None else "text/plain; charset=utf-8"
    raw = (body if json is None else json_text.dumps(json, ensure_ascii=False)).encode()
    if len(raw) > MAX_BODY_BYTES:
        raise InvalidInput(f"the body has {len(raw)} bytes; at most {MAX_BODY_BYTES} are sent")
    return fields, raw


def _told(answer: HttpAnswer, accept: list[int], now_s: float) -> Done:
    text = _text(answer)
    kind = media_type(answer.fields.get("content-type", ""))
    note = f"[{status_told(answer.status)}, {kind or 'of no known kind'}, {len(answer.body)} bytes]"
    shown = "(no text)" if text is None else seen(text.replace("\r\n", "\n"))
    failed = answer.status >= 300 and answer.status not in accept
    data: JsonObject = {
        "text": text or "",
        "status": answer.status,
        "headers": dict(answer.fields),
        "value": _value(text, kind),
        "base64": base64.b64encode(answer.body).decode() if text is None else "",
        "url": answer.url,
    }
    return Done(
        Words(f"{note}\n{shown}" if answer.body else note),
        failed,
        "web",
        passing=failed and (answer.status >= 500 or answer.status in _MAY_PASS),
        retry_after_s=_seconds_until(answer.fields.get("retry-after", ""), now_s),
        refused=failed and answer.status < 500 and answer.status not in _MAY_PASS,
        data=data,
        cut="" if answer.whole else f"the answer has more than the {len(answer.body)} bytes that are taken of one",
    )


def _text(answer: HttpAnswer) -> str | None:
    """The body as text, to the letter; None if it is none."""
    if b"\0" in answer.body:
        return None
    try:
        return answer.body.decode(charset_of(answer.body, answer.fields.get("content-type", "")).removesuffix("-sig"))
    except UnicodeDecodeError:
        return None


def _value(text: str | None, kind: str) -> Json:
    if text is None or not (kind == "application/json" or kind.endswith("+json")):
        return None
    try:
        found: Json = json_text.loads(text)
    except (ValueError, RecursionError):
        return None  # the text is there, and says what is wrong
    return found


def _seconds_until(retry_after: str, now_s: float) -> float | None:
    """How long a server wants to be left alone, of seconds or a date (RFC 9110 §10.2.3); None where it does not say."""
    if retry_after.isdecimal() and len(retry_after) <= 6:
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now_s)
    except (ValueError, OverflowError):
        return None
