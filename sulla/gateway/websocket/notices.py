"""Telling one client what its person has not seen, as long as it is connected."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sulla.people.inbox import NoticeInbox
from sulla.people.notices import NoticeInfo

Put = Callable[[NoticeInfo], Awaitable[None]]
"""Sends one, as the client knows it; waits while the client is slow, and raises `TooSlow` if it takes nothing."""


async def tell_notices(notices: NoticeInbox, person: str, put: Put) -> None:
    """Send what a person has not seen, each notice once, and then whatever comes, until cancelled.

    However much comes while the client is slow, it is one look at what is new; whoever keeps a notice waits for nobody.

    Args:
        notices: what people are told.
        person: the name of the token.
        put: sends one to the client.

    Raises:
        TooSlow: the client takes nothing any more.
    """
    changed, number = asyncio.Event(), 0
    with notices.follow(changed.set):
        while True:
            for one in notices.news(person, number):
                await put(one)
                number = one.number
            await changed.wait()
            changed.clear()
