"""What a capability serves to browsers, and how the gateway asks for it. Pure."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass

ASSETS: Final = "/assets/"
"""Below here is what a page loads; the page itself is at ``/``."""
BESIDE: Final = frozenset({"/favicon.ico", "/icon.svg", "/manifest.webmanifest"})
"""What browsers look for beside the page."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for one of the files. It brings no secret, and none is looked at."""

    path: str
    """``/``, one of `BESIDE`, or one below `ASSETS`."""
    host: str
    """The Host that the browser calls, as the perimeter let it through."""
    accepts: str = ""
    """The header ``Accept-Encoding``."""
    known: str = ""
    """The header ``If-None-Match``."""


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What a browser is sent."""

    status: int
    headers: tuple[tuple[str, str], ...]
    """Without ``content-length``."""
    body: bytes


class Pages(Protocol):
    """Keeps the files."""

    async def answer(self, request: PageRequest) -> PageAnswer | None:
        """What is sent for a request; None where there is no such file, of ``/`` because nothing was built.

        Args:
            request: of a browser.
        """
