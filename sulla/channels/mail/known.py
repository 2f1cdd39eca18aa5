"""The last mails of conversations, which answers name. Pure."""

from __future__ import annotations

from typing import Final

from sulla.channels.base import Place

_MOST: Final = 1_000


class KnownMails:
    """What one channel has seen come and go: of each place the last mail, and the last mails' subjects, as one
    conversation may have several.
    """

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._subjects: dict[str, str] = {}

    def note(self, place: Place, message_id: str) -> None:
        """A mail came, or went.

        Args:
            place: where, with its subject.
            message_id: its id.
        """
        self._last[place.key] = message_id
        self._subjects[message_id] = place.name
        for some in (self._last, self._subjects):
            while len(some) > _MOST:
                some.pop(next(iter(some)))

    def last(self, place: Place) -> str:
        """The id of the last mail at a place; empty where none was seen."""
        return self._last.get(place.key, "")

    def subject(self, message_id: str, place: Place) -> str:
        """What a mail is about; where it was not seen, what its place's newest is about."""
        return self._subjects.get(message_id, place.name)
