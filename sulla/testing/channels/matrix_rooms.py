"""What a fake homeserver keeps: rooms, their events in one stream, and what was sent under which transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from sulla.core.clock import Clock

BOT: Final = "@sulla:example.org"
NAME: Final = "Sulla"
_STATE: Final = frozenset({"m.room.member", "m.room.join_rules", "m.room.encryption", "m.room.name"})


class Room:
    """A room, as long as its homeserver.

    Args:
        born: where in the stream it began, or where the daemon came into it.
        members: who is in it, and how (`join`, `invite`).
    """

    def __init__(self, born: int, members: dict[str, str]) -> None:
        self.born = born
        self.members = members
        self.events: list[tuple[int, dict[str, Any]]] = []
        """Each with its place in the stream."""
        self.counted = born
        """When its members changed."""

    def summary(self) -> dict[str, int]:
        """How many are in it."""
        every = list(self.members.values())
        return {"m.joined_member_count": every.count("join"), "m.invited_member_count": every.count("invite")}

    def between(self, after: int, until: int) -> list[tuple[int, dict[str, Any]]]:
        """Its events in a part of the stream."""
        return [one for one in self.events if after < one[0] <= until]


class Rooms:
    """All of them.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ids = count(1)
        self.rooms: dict[str, Room] = {}
        self.at = 1
        """How long the stream is."""
        self.told = 0
        """Up to where somebody has been told of it."""
        self.news = asyncio.Event()
        self.sent: dict[tuple[str, str, str], str] = {}
        """Events by room, type and transaction."""

    def have(self, room_id: str, members: Mapping[str, str]) -> Room:
        """A room, made if there is none."""
        if room_id not in self.rooms:
            self.at += 1
            self.rooms[room_id] = Room(self.at, dict(members))
        return self.rooms[room_id]

    def add(self, room_id: str, kind: str, sender: str, content: Mapping[str, Any], **more: Any) -> str:  # noqa: ANN401 - an event's
        """Something happens in a room; its id."""
        event_id = f"$e{next(self._ids)}"
        event = {"type": kind, "sender": sender, "content": dict(content), "event_id": event_id, **more}
        self.put(room_id, event | {"origin_server_ts": round(self._clock.now() * 1_000), "room_id": room_id})
        return event_id

    def put(self, room_id: str, event: dict[str, Any]) -> None:
        """Put an event at the end of the stream, once more if it stands there already."""
        self.at += 1
        self.rooms[room_id].events.append((self.at, event))
        self.news.set()

    def member(self, room_id: str, user_id: str, membership: str, by: str = "") -> str:
        """Somebody comes, goes, or is invited."""
        room = self.rooms[room_id]
        before, room.members[user_id] = room.members.get(user_id, "leave"), membership
        unsigned = {"prev_content": {"membership": before}}
        done = {"membership": membership}
        found = self.add(room_id, "m.room.member", by or user_id, done, state_key=user_id, unsigned=unsigned)
        room.counted = self.at
        if user_id == BOT and membership == "join":
            room.born = self.at
        return found

    def find(self, room_id: str, event_id: str) -> dict[str, Any] | None:
        """An event of a room."""
        room = self.rooms.get(room_id)
        every = room.events if room is not None else []
        return next((event for _, event in every if event["event_id"] == event_id), None)

    def redact(self, room_id: str, event_id: str, sender: str) -> str:
        """Take the content of an event away."""
        found = self.find(room_id, event_id)
        if found is not None:
            found["content"] = {}
        return self.add(room_id, "m.room.redaction", sender, {"redacts": event_id}, redacts=event_id)

    def sync(self, since: int, limit: int) -> dict[str, Any]:
        """What is new behind a place in the stream."""
        rooms: dict[str, dict[str, Any]] = {"join": {}, "invite": {}, "leave": {}}
        for room_id, room in self.rooms.items():
            state = [event for _, event in room.events if event["type"] in _STATE and "state_key" in event]
            match room.members.get(BOT):
                case "join" if told := self._joined(room, since, limit, state):
                    rooms["join"][room_id] = told
                case "invite" if not since or room.between(since, self.at):
                    rooms["invite"][room_id] = {"invite_state": {"events": state}}
                case "leave" if room.between(since, self.at):
                    rooms["leave"][room_id] = {}
        self.told = max(self.told, self.at)
        return {"next_batch": f"s{self.at}", "rooms": rooms}

    def _joined(self, room: Room, since: int, limit: int, state: Sequence[dict[str, Any]]) -> dict[str, Any]:
        whole = room.born > since
        fresh = room.between(0 if whole else since, self.at)
        if not fresh and not whole:
            return {}
        shown = fresh[-limit:]
        timeline: dict[str, Any] = {"events": [event for _, event in shown], "limited": len(fresh) > limit}
        if shown:
            timeline["prev_batch"] = f"t{shown[0][0] - 1}"
        told: dict[str, Any] = {"timeline": timeline, "state": {"events": list(state) if whole else []}}
        return told | ({"summary": room.summary()} if whole or room.counted > since else {})

    def page(self, room_id: str, query: Mapping[str, str], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """A page of a room's events, as `/messages` gives it."""
        limit, room = int(query["limit"]), self.rooms[room_id]
        if query["dir"] == "b":
            every = [event for _, event in reversed(room.events) if fits(event)]
            return {"chunk": every[:limit], "start": f"t{self.at}"}
        found = [one for one in room.between(int(query["from"][1:]), int(query["to"][1:])) if fits(one[1])]
        more = {"end": f"t{found[limit - 1][0]}"} if len(found) > limit else {}
        return {"chunk": [event for _, event in found[:limit]], "start": query["from"], **more}

    async def wait(self, since: int, seconds: float) -> None:
        """Until something is new behind a place, but no longer than so many seconds."""
        if self.at > since or not seconds:
            return
        self.news.clear()
        try:
            async with self._clock.timeout(seconds):
                await self.news.wait()
        except TimeoutError:
            return
