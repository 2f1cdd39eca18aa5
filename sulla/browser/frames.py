"""Looking at a page and acting on it from a JavaScript world of our own, which the page's scripts cannot reach.

They share the document with us and nothing else: a page that has put functions of its own in the place of the
browser's lies to itself alone. Frames of other sites are processes of their own, each with a session of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from playwright.async_api import CDPSession, Error, Page

from sulla.browser.snapshot import MAX_ELEMENTS, MAX_TEXT, Snapshot, snapshot_of
from sulla.core.dataclass import dataclass

MAX_FRAMES: Final = 20
"""Frames of one page that are looked at."""
WORLD: Final = "sulla"
"""The name of our world in each document."""


@dataclass(frozen=True, slots=True)
class DocumentFrame:
    """One document of a page."""

    session: CDPSession
    context: int
    """Our world in it, which ends with the document."""

    async def call(self, function: str, *args: object, gesture: bool = False) -> Any:  # noqa: ANN401 - JSON
        """Have our script do something.

        Args:
            function: one of those in `page_script.js`.
            args: JSON.
            gesture: whether it counts as a person's: a link may open a page then.

        Raises:
            playwright.async_api.Error: the document is gone, or does not answer.
        """
        given: dict[str, Any] = {
            "functionDeclaration": f"function (...args) {{ return sullaPage.{function}(...args); }}",
            "executionContextId": self.context,
            "arguments": [{"value": each} for each in args],
            "returnByValue": True,
            "userGesture": gesture,
        }
        answer = await self.session.send("Runtime.callFunctionOn", given)
        if "exceptionDetails" in answer:
            raise LookupError(str(answer["exceptionDetails"].get("text", ""))[:200])
        return answer["result"].get("value")


class PageLooks:
    """The looks at the pages of one conversation; what is done to an element is done in the documents of the newest."""

    def __init__(self) -> None:
        self._documents: list[DocumentFrame] = []
        self._count = 0

    async def look(self, page: Page) -> Snapshot:
        """Look at a page.

        Args:
            page: the page.

        Raises:
            playwright.async_api.Error, LookupError: it went on to another document while it was looked at.
        """
        for session in {id(one.session): one.session for one in self._documents}.values():
            with suppress(Error):  # its page is gone
                await session.detach()
        self._documents = await documents(page)
        found = [await one.call("look", MAX_TEXT, MAX_ELEMENTS) for one in self._documents]
        self._count += 1
        return snapshot_of(self._count, found)

    def document(self, number: int) -> DocumentFrame:
        """One of the documents of the newest look.

        Args:
            number: from 0.

        Raises:
            LookupError: it had fewer.
        """
        return self._documents[number]

    async def height(self, page: Page) -> int:
        """How high a page is, in pixels.

        Args:
            page: the page.
        """
        outermost, *_ = await documents(page)
        return int(await outermost.call("height"))


async def documents(page: Page) -> list[DocumentFrame]:
    """The documents of a page, the outermost first, with our script in each.

    Args:
        page: the page.
    """
    sessions = [await page.context.new_cdp_session(page)]
    for frame in page.frames[1 : MAX_FRAMES + 1]:
        with suppress(Error):  # it is in the process of the page, or gone
            sessions.append(await page.context.new_cdp_session(frame))
    found: list[DocumentFrame] = []
    for session in sessions:
        with suppress(Error):
            tree = (await session.send("Page.getFrameTree"))["frameTree"]
            for frame_id in _ids(tree):
                if len(found) < MAX_FRAMES:
                    found.append(await _enter(session, frame_id))
    return found


async def _enter(session: CDPSession, frame_id: str) -> DocumentFrame:
    made = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    context = made["executionContextId"]
    await session.send("Runtime.evaluate", {"expression": page_script(), "contextId": context})
    return DocumentFrame(session, context)


def _ids(tree: dict[str, Any]) -> Iterator[str]:
    """The frames of a site, those of its extensions' and of Chromium's own pages left out."""
    if not str(tree["frame"].get("url", "")).startswith("chrome"):
        yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _ids(child)


@cache
def page_script() -> str:
    """Our script."""
    return Path(__file__).with_name("page_script.js").read_text("utf-8")
