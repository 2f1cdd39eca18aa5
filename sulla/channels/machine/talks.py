"""The places of a channel's book, which say where a conversation is held without looking through all of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.channels.machine.parts import Parts
from sulla.channels.machine.values import Talk


class Talks(Parts[Talk]):
    """What is known of each place, by its key. It lives as long as the book that has it.

    A conversation is held at one place; of two that claim it, it is at the one that was set last.

    Args:
        talks: those that are written already, in the order in which somebody talked there.
    """

    def __init__(self, talks: Mapping[str, Talk] | None = None) -> None:
        super().__init__(talks)
        self._held: dict[str, str] = {}
        self._played: dict[str, str] = {}
        for key, talk in (talks or {}).items():
            self._remember(key, talk)

    def held_at(self, thread: str) -> str:
        """The key of the place where a conversation is held, or was and is not done; empty for none."""
        return self._held.get(thread, "")

    def played_at(self, thread: str) -> str:
        """The key of the place from which a playbook was begun that has not ended, by its thread; empty for none."""
        return self._played.get(thread, "")

    def __setitem__(self, key: str, talk: Talk) -> None:
        self._forget(key)
        super().__setitem__(key, talk)
        self._remember(key, talk)

    def __delitem__(self, key: str) -> None:
        self._forget(key)
        super().__delitem__(key)

    def _remember(self, key: str, talk: Talk) -> None:
        self._held.update(dict.fromkeys(_threads(talk), key))
        self._played.update(dict.fromkeys(talk.plays, key))

    def _forget(self, key: str) -> None:
        """Take out of the indexes what they have of a place."""
        if (talk := self._parts.get(key)) is None:
            return
        for index, threads in ((self._held, _threads(talk)), (self._played, talk.plays)):
            for thread in threads:
                if index.get(thread) == key:
                    del index[thread]


def _threads(talk: Talk) -> tuple[str, ...]:
    return (*filter(None, (talk.thread,)), *(thread for thread, _ in talk.left))
