"""What is known of rooms, and of events that others name. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from sulla.channels.base import Place
from sulla.core.dataclass import dataclass

STATE: Final = ("m.room.name", "m.room.join_rules", "m.room.history_visibility", "m.room.encryption", "m.room.member")
"""What of a room's state is read."""
MOST_RECENT: Final = 1_024
"""Events of which it is remembered who sent them; others are asked for."""
_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Room:
    """A room in which the daemon is."""

    joined: int | None = None
    """Members; None where the homeserver did not say."""
    invited: int = 0
    open: bool = False
    """Whether anybody may join."""
    readable: bool = False
    """Whether anybody may read."""
    encrypted: bool = False
    name: str = ""

    @property
    def private(self) -> bool:
        """Whether nobody but the daemon and one other can read."""
        return self.joined is not None and self.joined + self.invited <= 2 and not self.open and not self.readable


@dataclass(frozen=True, slots=True)
class Known:
    """Of an event that another one names."""

    sender: str
    """Empty where it was the daemon's and somebody has taken it away."""
    topic: str = ""
    """The thread in which it stands."""
    content: Mapping[str, Any] | None = None
    """Where it was asked for."""
    reply: str = ""
    """The event that it answers; an edit of it says nothing of that."""


class Rooms:
    """The rooms in which the daemon is. It lives as long as its channel is open."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}

    def __len__(self) -> int:
        return len(self._rooms)

    def __contains__(self, room_id: str) -> bool:
        return room_id in self._rooms

    def get(self, room_id: str) -> Room | None:
        """A room; None where the daemon is not in it, or has not heard of it."""
        return self._rooms.get(room_id)

    def place(self, room_id: str, topic: str = "") -> Place:
        """A room, or a thread in it, as a place. A room of which too little is known is a group."""
        room = self._rooms.get(room_id, Room())
        return Place(room_id, topic, "private" if room.private else "group", room.name)

    def take(self, room_id: str, told: Mapping[str, Any]) -> None:
        """What a sync says of a room.

        Args:
            room_id: it.
            told: as the client-server API writes it.
        """
        room = self._rooms.get(room_id, Room())
        summary = mapping(told.get("summary"))
        joined, invited = summary.get("m.joined_member_count"), summary.get("m.invited_member_count")
        room = replace(
            room,
            joined=joined if isinstance(joined, int) else room.joined,
            invited=invited if isinstance(invited, int) else room.invited,
        )
        for event in (*events_of(told.get("state")), *events_of(told.get("timeline"))):
            if event.get("state_key") == "":
                room = _changed(room, event)
        self._rooms[room_id] = room

    def count(self, room_id: str, joined: int) -> None:
        """How many are in a room was asked for."""
        self._rooms[room_id] = replace(self._rooms.get(room_id, Room()), joined=joined)

    def forget(self, room_id: str) -> None:
        """The daemon is no longer in a room."""
        self._rooms.pop(room_id, None)


class Recent:
    """Who sent the last events, and where they stand. It lives as long as its channel is open."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}

    def note(self, room_id: str, event_id: str, known: Known) -> None:
        """Remember one.

        Args:
            room_id, event_id: which.
            known: of it; its content is not kept.
        """
        key = f"{room_id}\n{event_id}"
        self._known.pop(key, None)
        self._known[key] = replace(known, content=None)
        while len(self._known) > MOST_RECENT:
            self._known.pop(next(iter(self._known)))

    def get(self, room_id: str, event_id: str) -> Known | None:
        """What is remembered of one."""
        return self._known.get(f"{room_id}\n{event_id}")


def mapping(value: object) -> Mapping[str, Any]:
    """What should be an object; an empty one where it is none."""
    return value if isinstance(value, Mapping) else {}


def events_of(told: object) -> Iterator[Mapping[str, Any]]:
    """The events of a part of a sync."""
    events = mapping(told).get("events")
    return (one for one in events if isinstance(one, Mapping)) if isinstance(events, list) else iter(())


def own_join(events: Iterable[Mapping[str, Any]], user_id: str) -> str:
    """The event by which the daemon came into a room; empty where it was there before.

    Args:
        events: some of the room's.
        user_id: the daemon's.
    """
    for event in events:
        if event.get("type") == "m.room.member" and event.get("state_key") == user_id:
            before = mapping(mapping(event.get("unsigned")).get("prev_content")) or mapping(event.get("prev_content"))
            if mapping(event.get("content")).get("membership") == "join" != before.get("membership"):
                return str(event.get("event_id") or "")
    return ""


def _changed(room: Room, event: Mapping[str, Any]) -> Room:
    content = mapping(event.get("content"))
    match event.get("type"):
        case "m.room.name":
            name = content.get("name")
            return replace(room, name=name[:_NAME_CHARS] if isinstance(name, str) else "")
        case "m.room.join_rules":
            return replace(room, open=content.get("join_rule") == "public")
        case "m.room.history_visibility":
            return replace(room, readable=content.get("history_visibility") == "world_readable")
        case "m.room.encryption":
            return replace(room, encrypted=True)
        case _:
            return room
