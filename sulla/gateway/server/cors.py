"""What web pages of other origins may read of the answers (Fetch standard, "CORS protocol"). Pure.

Which origins may call is a setting, and judged before. They bring a token like everybody else and no cookies, so they
may send whatever headers they want to.
"""

from __future__ import annotations

import re

Headers = list[tuple[bytes, bytes]]
METHODS = b"GET, POST, DELETE"
EXPOSED = b"retry-after, www-authenticate, x-request-id, x-thread-id"
MAX_AGE_S = 600
_NAMES = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,2048}")


def is_preflight(method: str, headers: Headers) -> bool:
    """Whether a browser asks beforehand if a page may send something. It brings no token."""
    return method == "OPTIONS" and any(name == b"access-control-request-method" for name, _ in headers)


def preflight_headers(headers: Headers) -> Headers:
    """What it is answered, beside `page_headers`.

    Args:
        headers: those of the request.
    """
    wanted = next((value for name, value in headers if name == b"access-control-request-headers"), b"")
    found = [(b"access-control-allow-methods", METHODS), (b"access-control-max-age", str(MAX_AGE_S).encode())]
    if _NAMES.fullmatch(wanted):
        found.append((b"access-control-allow-headers", wanted))
    return found


def page_headers(origin: bytes) -> Headers:
    """What every answer to a page of that origin has, refusals too.

    Args:
        origin: one that may call, as the request has it.
    """
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", EXPOSED),
        (b"vary", b"origin"),
    ]
