"""One short question to a model's service, without its library, which takes seconds to load on a busy machine: what a
daemon asks at its start is answered before that.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from typing import IO, Final
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

import certifi

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass

MAX_BYTES: Final = 4 * 1024 * 1024
"""More than any list of models takes up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered."""

    status: int
    body: bytes


async def get(url: str, headers: Mapping[str, str], clock: Clock, timeout_s: float) -> Answer:
    """Ask, by way of the proxies that the environment names.

    Args:
        url: where; only `http` and `https` are asked.
        headers: with the key. They are sent to no other address, whatever the service says.
        clock: for the deadline.
        timeout_s: how long the whole of it may take, in seconds.

    Raises:
        OSError: there is no answer; a `TimeoutError` if there was no time.
    """
    async with clock.timeout(timeout_s):
        return await asyncio.to_thread(_get, url, dict(headers), timeout_s)


def _get(url: str, headers: dict[str, str], timeout_s: float) -> Answer:
    if not url.startswith(("http://", "https://")):
        raise OSError("its address begins neither with http:// nor with https://")
    opener = build_opener(_Stay, HTTPSHandler(context=_trust()))
    try:
        with opener.open(Request(url, headers=headers), timeout=timeout_s) as answer:  # noqa: S310 - seen above
            return Answer(answer.status, answer.read(MAX_BYTES))
    except HTTPError as error:
        with error:
            return Answer(error.code, error.read(MAX_BYTES))
    except URLError as error:
        raise (error.reason if isinstance(error.reason, OSError) else OSError(str(error.reason))) from error
    except ConnectionError:  # some of these are errors of the protocol's library, too
        raise
    except (HTTPException, ValueError) as error:
        raise OSError(f"it does not answer as web servers do ({type(error).__name__})") from error


def _trust() -> ssl.SSLContext:
    """The authorities that the system trusts, and those that came with Python's packages: some systems have none."""
    context = ssl.create_default_context()
    with suppress(OSError):
        context.load_verify_locations(certifi.where())
    return context


class _Stay(HTTPRedirectHandler):
    """Goes nowhere else: the key is for the address that was named."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """See the base: None has the answer itself be the answer."""
