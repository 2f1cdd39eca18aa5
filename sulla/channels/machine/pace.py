"""How fast is sent: within a service's rates, in all and to each place, and not at all while it wants rest. Pure."""

from __future__ import annotations

from typing import Final

from sulla.channels.base import Manners

BURST: Final = 3
"""So many sends to one service may come at once, after a while without any."""
MOST_PLACES: Final = 4_096
"""Places of which it is remembered when they were sent something last."""


class Pace:
    """Says when the next thing may be sent. It lives as long as its channel is open.

    Args:
        manners: the service's.
    """

    def __init__(self, manners: Manners) -> None:
        self._manners = manners
        self._next_s = float("-inf")
        """When the next send would be due if none came in a burst."""
        self._next_edit_s = float("-inf")
        """The same of edits."""
        self._rest_s = float("-inf")
        self._places: dict[str, float] = {}
        """From when on each place may be sent something again."""

    def due_s(self, place: str, now_s: float, *, edit: bool = False) -> float:
        """When something may be sent to a place.

        Args:
            place: where to.
            now_s: by `Clock.elapsed`, as the answer.
            edit: whether it changes a message.
        """
        in_all_s = self._next_s - (BURST - 1) / self._manners.sends_per_s
        if edit and (rate := self._manners.all_edits_per_s):
            in_all_s = max(in_all_s, self._next_edit_s - (BURST - 1) / rate)
        return max(now_s, in_all_s, self._rest_s, self._places.get(self._where(place), now_s))

    def take(self, place: str, now_s: float, *, edit: bool = False, group: bool = False) -> float:
        """Take the next turn at a place; when that is, as `due_s` says it: nobody else gets it.

        Args:
            place, now_s, edit: see there.
            group: whether the place is one.
        """
        due_s, place = self.due_s(place, now_s, edit=edit), self._where(place)
        # By now, not by when its place is free: others do not wait for that.
        self._next_s = max(self._next_s, now_s) + 1 / self._manners.sends_per_s
        if edit and (rate := self._manners.all_edits_per_s):
            self._next_edit_s = max(self._next_edit_s, now_s) + 1 / rate
        self._places.pop(place, None)
        self._places[place] = due_s + 1 / self._place_rate(group=group)
        while len(self._places) > MOST_PLACES:
            self._places.pop(next(iter(self._places)))
        return due_s

    def _where(self, place: str) -> str:
        """What has a pace of its own: a place's key, or the service's id of it (`Place.key`)."""
        return place if self._manners.threads_apart else place.partition("\n")[0]

    def rests_s(self, now_s: float) -> float:
        """How long the service still wants nothing, in seconds; 0 where it does not mind."""
        return max(0.0, self._rest_s - now_s)

    def rest(self, seconds: float, now_s: float) -> None:
        """The service wants nothing for a while."""
        self._rest_s = max(self._rest_s, now_s + seconds)

    def edit_s(self, *, group: bool = False) -> float:
        """How long at least lies between two edits of one message; 0 where none are made.

        Args:
            group: whether it stands in one.
        """
        rate = self._manners.edits_per_s
        return 1 / min(rate, self._place_rate(group=group)) if rate else 0.0

    def _place_rate(self, *, group: bool) -> float:
        return (group and self._manners.group_sends_per_s) or self._manners.place_sends_per_s
