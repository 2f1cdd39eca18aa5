"""Telling one client what its person has not seen, as long as it is connected."""

from __future__ import annotations

import asyncio
from typing import Protocol

from sulla.gateway.rpc import notice_frame
from sulla.people.inbox import NoticeInbox


class Put(Protocol):
    """Where frames go; waits while the client is slow."""

    async def put(self, frame: bytes) -> None:
        """Send a frame.

        Raises:
            TooSlow: the client takes nothing any more.
        """


async def tell_notices(notices: NoticeInbox, person: str, outbox: Put) -> None:
    """Send what a person has not seen, each notice once, and then whatever comes, until cancelled.

    However much comes while the client is slow, it is one look at what is new; whoever keeps a notice waits for nobody.

    Args:
        notices: what people are told.
        person: the name of the token.
        outbox: the client's.

    Raises:
        TooSlow: the client takes nothing any more.
    """
    changed, number = asyncio.Event(), 0
    with notices.follow(changed.set):
        while True:
            for one in notices.news(person, number):
                await outbox.put(notice_frame(one))
                number = one.number
            await changed.wait()
            changed.clear()
