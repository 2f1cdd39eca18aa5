"""What a browser is told beside a file of the console. Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.rpc.pages import PageAnswer, PageRequest

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}
"""By the end of the name; anything else is bytes that no browser runs."""
_OTHER: Final = "application/octet-stream"
_PACKED: Final = frozenset({".png", ".webp", ".woff2"})
"""What is compressed already."""
_HASHED: Final = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.[a-z0-9.]+")
_HOST: Final = re.compile(r"[A-Za-z0-9.\-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_YEAR_S: Final = 31_536_000

SAFE: Final = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
)
"""What every file has."""
_WORKER: Final = (("content-security-policy", "default-src 'none'"),)
"""What a script may load and call where it is a worker, which the page's policy does not reach: nothing."""
_FEATURES: Final = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer"),
    *("midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it is sent."""

    body: bytes
    packed: bytes
    """With gzip; empty where that is not smaller."""
    tag: str
    """Made of the content, so that another content has another one."""


def content_type(name: str) -> str:
    """What a file is.

    Args:
        name: its name.
    """
    return TYPES.get(_ending(name), _OTHER)


def _ending(name: str) -> str:
    _, dot, ending = name.rpartition("/")[2].rpartition(".")
    return dot + ending.lower()


def is_worth_packing(name: str) -> bool:
    """Whether gzip makes it smaller.

    Args:
        name: its name.
    """
    return _ending(name) not in _PACKED


def policy(host: str) -> str:
    """What the page may load, run and call (Content Security Policy): what is served here, and nothing inline.

    Args:
        host: the Host that the browser calls; older browsers take ``'self'`` for no WebSocket, so it is named.
    """
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return (
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"font-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def page_headers(host: str) -> tuple[tuple[str, str], ...]:
    """What the page has beside `SAFE`.

    Args:
        host: the Host that the browser calls.
    """
    denied = ", ".join(f"{feature}=()" for feature in _FEATURES)
    return (
        ("content-security-policy", policy(host)),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", f"microphone=(self), {denied}"),
    )


def answer(request: PageRequest, name: str, kept: Kept) -> PageAnswer:
    """The answer with a file, or that the browser has it already.

    Args:
        request: the browser's.
        name: the file's, below the folder.
        kept: its content.
    """
    packed = bool(kept.packed) and takes_gzip(request.accepts)
    tag = f'"{kept.tag}-gz"' if packed else f'"{kept.tag}"'
    is_page = request.path == "/"
    forever = not is_page and _HASHED.search(name.rpartition("/")[2]) is not None
    headers = [
        ("cache-control", f"public, max-age={_YEAR_S}, immutable" if forever else "no-cache"),
        ("etag", tag),
        ("vary", "accept-encoding"),
        *SAFE,
        *(page_headers(request.host) if is_page else _WORKER if _ending(name) == ".js" else ()),
    ]
    if is_known(request.known, tag):
        return PageAnswer(304, tuple(headers), b"")
    headers.append(("content-type", content_type(name)))
    if packed:
        headers.append(("content-encoding", "gzip"))
    return PageAnswer(200, tuple(headers), kept.packed if packed else kept.body)


def takes_gzip(accepts: str) -> bool:
    """Whether a browser takes gzip (RFC 9110 §12.5.3).

    Args:
        accepts: the header ``Accept-Encoding``.
    """
    said = dict[str, bool]()
    for part in accepts.lower().split(","):
        coding, _, weight = part.strip().partition(";")
        said[coding.strip()] = re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight) is None
    return said.get("gzip", said.get("*", False))


def is_known(known: str, tag: str) -> bool:
    """Whether a browser has this content (RFC 9110 §13.1.2).

    Args:
        known: the header ``If-None-Match``.
        tag: the content's, with its quotes.
    """
    return known.strip() == "*" or tag in {one.strip().removeprefix("W/") for one in known.split(",")}
