"""How fast is sent: within a service's rates, in all and to each place, and not at all while it wants rest, for all or
for one place. Pure.
"""

from __future__ import annotations

from typing import Final

from sulla.channels.base import Manners, Resting

BURST: Final = 3
"""So many sends to one service may come at once, after a while without any."""
MOST_PLACES: Final = 4_096
"""Places of which it is remembered when they were sent something last; and as many of which it is that they rest."""


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
        self._resting: dict[str, float] = {}
        """Until when the service wants nothing for one place."""

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
        where = self._where(place)
        return max(now_s + self.rests_s(place, now_s), in_all_s, self._places.get(where, now_s))

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

    def rests_s(self, place: str, now_s: float) -> float:
        """How long the service still wants nothing for a place, in seconds; 0 where it does not mind.

        Args:
            place, now_s: see `due_s`.
        """
        return max(0.0, self._rest_s - now_s, self._resting.get(self._where(place), now_s) - now_s)

    def rest(self, seconds: float, place: str, now_s: float, rests: Resting = "account") -> None:
        """The service has refused something to a place, and wants to be left alone.

        Args:
            seconds: for how long.
            place, now_s: see `due_s`.
            rests: what.
        """
        where, until_s = self._where(place), now_s + seconds
        self._resting = {one: end_s for one, end_s in self._resting.items() if end_s > now_s}
        if rests == "account" or (rests == "unsaid" and self._resting.keys() - {where}):
            self._rest_s = max(self._rest_s, until_s)
            return
        self._resting[where] = max(self._resting.pop(where, until_s), until_s)
        while len(self._resting) > MOST_PLACES:
            self._resting.pop(next(iter(self._resting)))

    def edit_s(self, *, group: bool = False) -> float:
        """How long at least lies between two edits of one message; 0 where none are made.

        Args:
            group: whether it stands in one.
        """
        rate = self._manners.edits_per_s
        return 1 / min(rate, self._place_rate(group=group)) if rate else 0.0

    def _place_rate(self, *, group: bool) -> float:
        return (group and self._manners.group_sends_per_s) or self._manners.place_sends_per_s
