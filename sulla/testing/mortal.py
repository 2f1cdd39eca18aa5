"""A store whose process dies at a change of what is kept: to kill at each of them in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Final

from sulla.store.base import Store

CHANGES: Final = ("acquire", "append", "offer")
"""What a turn changes in a store: leases, decisions, inputs."""


class Killed(BaseException):
    """The process is gone."""


class Mortal:
    """Implements `sulla.store.Store` by passing everything on, until its process dies; from then on nothing is done.

    Args:
        inner: the store that does the work, and outlives it.
        dies_at: which change it dies at, counted from 1.
        after: whether that change is still kept.
        changes: the methods that count.
    """

    def __init__(self, inner: Store, dies_at: int, *, after: bool, changes: Collection[str] = CHANGES) -> None:
        self._inner = inner
        self._left = dies_at
        self._after = after
        self._changes = changes
        self.dead = False

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name in ("publish", "is_heard", "subscribe"):  # lossy, and done without waiting
            method: Callable[..., object] = getattr(self._inner, name)
            return method

        async def call(*args: object, **kwargs: object) -> object:
            if self.dead:
                raise Killed
            self._left -= name in self._changes
            dying = name in self._changes and self._left == 0
            if dying and not self._after:
                self.dead = True
                raise Killed
            answer: object = await getattr(self._inner, name)(*args, **kwargs)
            if dying:
                self.dead = True
                raise Killed
            return answer

        return call


def is_kill(error: BaseException) -> bool:
    """Whether an error is a death, or came of one.

    Args:
        error: what a process that was killed raised.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_kill, error.exceptions))
    return isinstance(error, Killed | asyncio.CancelledError)
