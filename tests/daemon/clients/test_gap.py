"""A log that has lost events: whoever comes back is told, and then gets what there is."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from pathlib import Path

from tests.daemon.running import Daemon, Place
from tests.gateway.peer import Frame, Peer


def _lose(home: Path, *seqs: int) -> None:
    """Somebody has cut into the store."""
    with sqlite3.connect(home / "sulla.db") as database:
        database.executemany("DELETE FROM records WHERE seq = ?", [(seq,) for seq in seqs])
    database.close()


async def _notices(daemon: Daemon, place: Place, thread_id: str, after: int) -> list[Frame]:
    """What a client is told that comes back, up to the log's end."""
    async with Peer.connect(daemon) as peer:
        await peer.hello((place.home / "token").read_text().strip())
        last = (await peer.call("events.subscribe", thread_id=thread_id, after=after))["seq"]
        found = [await peer.notice()]
        while found[-1]["params"].get("seq") != last:
            found.append(await peer.notice())
        return found


def test_who_comes_back_to_a_log_with_holes_is_told_of_each_of_them(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up() as daemon:
        code, _, said = place.run("ask", "who are you")
        assert code == 0, said
        row = json.loads(place.run("thread", "list", "--json")[1])
        daemon.ended(signal.SIGTERM)
    thread_id, last = row["thread_id"], row["last_seq"]
    assert last >= 6
    _lose(place.home, 2, 3, 5)
    with place.up() as daemon:
        whole = asyncio.run(_notices(daemon, place, thread_id, 0))
        behind = asyncio.run(_notices(daemon, place, thread_id, 4))
    gaps = [frame["params"] for frame in whole if frame["method"] == "events.gap"]
    assert gaps == [
        {"thread_id": thread_id, "after": 1, "next": 4},
        {"thread_id": thread_id, "after": 4, "next": 6},
    ]
    seqs = [frame["params"].get("seq") for frame in whole if frame["method"] == "event"]
    assert seqs == [seq for seq in range(1, last + 1) if seq not in (2, 3, 5)]
    assert [frame["params"].get("seq", "gap") for frame in behind] == ["gap", *range(6, last + 1)]
