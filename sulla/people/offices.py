"""What clients and the gateway may ask about people. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from sulla.people.notices import NoticeInfo
from sulla.people.presence import PersonInfo


class People(Protocol):
    """Takes in what clients tell of their people. What does not await never waits nor raises."""

    def come(self, session: str, person: str, client: str) -> None:
        """A client is connected.

        Args:
            session: the connection.
            person: the name of its token.
            client: what it calls itself.
        """

    def leave(self, session: str) -> None:
        """It is connected no more."""

    def active(self, session: str, person: str, way: str, ago_s: float = 0.0) -> None:
        """A person did something.

        Args:
            session: the connection.
            person: the name of their token.
            way: what is told in the place of a client that is not connected, e.g. ``rest``.
            ago_s: how long ago, in seconds.
        """

    def report(self, session: str, available: bool | None, activity: str | None) -> None:
        """A client says how its person is.

        Args:
            session: the connection.
            available: whether they may be disturbed; None for as before.
            activity: what they do; None for as before.
        """

    async def look(self) -> Sequence[PersonInfo]:
        """Everybody who is there or was, in all daemons on the store, who was active last first.

        Raises:
            StoreUnavailable: the store does not answer.
        """


class Notices(Protocol):
    """What people are told. Implemented by `NoticeInbox`."""

    async def list(self, after: str, limit: int, unseen_by: str) -> Sequence[NoticeInfo]:
        """Notices, the newest first.

        Args:
            after: only those that stand behind this one in the list; empty for all.
            limit: how many at the most.
            unseen_by: only those that this person has not seen; empty for all.

        Raises:
            NotFound: there is no notice `after`.
        """

    async def seen(self, ids: Sequence[str], by: str) -> int:
        """A person has seen some.

        Args:
            ids: those.
            by: the name of their token.

        Returns:
            How many they had not seen before.

        Raises:
            NotFound: one of them is not there; none is marked then.
        """

    async def waiting(self, person: str) -> int:
        """How many a person has not seen; what `news` tells is up to date then."""

    def news(self, person: str, after: int) -> Sequence[NoticeInfo]:
        """What a person has not seen, the oldest first, as far as it is known here.

        Args:
            person: the name of their token.
            after: only those with a higher number; 0 for the newest `MOST_NEWS` of all.
        """

    def follow(self, changed: Callable[[], None]) -> AbstractContextManager[None]:
        """Have `changed` called whenever there may be news, for as long as the block lasts. It must not wait."""
