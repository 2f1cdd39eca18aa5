"""The least that a turn can be: a frame comes, is kept, a fixed request goes out, its answer is passed on and kept.

The limit that `bench.turn` measures against; it has no agent, no history, no lease and no second chance. As a program:
``python -m bench.bare_turn DATABASE URL BODY...``; a frame ``N text`` asks for the N-th body to be sent.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path

from aiohttp import ClientSession
from websockets.asyncio.server import ServerConnection, serve

ACKNOWLEDGED, FINISHED = b"acknowledged", b"finished"


def open_database(path: Path) -> sqlite3.Connection:
    """A file that keeps what is committed, as the daemon's does."""
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE kept (place INTEGER PRIMARY KEY, what BLOB)")
    return database


async def main(database: sqlite3.Connection, url: str, bodies: list[bytes]) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()

    async def keep(what: bytes) -> None:
        await loop.run_in_executor(None, database.execute, "INSERT INTO kept (what) VALUES (?)", (what,))

    async with ClientSession() as http:

        async def turns(socket: ServerConnection) -> None:
            async for frame in socket:
                assert isinstance(frame, str)
                number, _, text = frame.partition(" ")
                await keep(text.encode())
                await socket.send(ACKNOWLEDGED)
                said = b""
                async with http.post(f"{url}/v1/messages", data=bodies[int(number)]) as answer:
                    async for piece in answer.content.iter_any():
                        await socket.send(piece)
                        said += piece
                await keep(said)
                await socket.send(FINISHED)

        async with serve(turns, "127.0.0.1", 0, compression=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            print(f"ready ws://127.0.0.1:{port}", flush=True)
            await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(main(open_database(Path(sys.argv[1])), sys.argv[2], [Path(name).read_bytes() for name in sys.argv[3:]]))
