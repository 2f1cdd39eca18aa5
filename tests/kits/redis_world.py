"""The world of a store in Redis: our clock moves by hand, and what the server lets expire comes nearer by as much."""

from __future__ import annotations

from redis import Redis

from sulla.store.redis.store import RedisStore
from tests.kits.store_world import ManualWorld


class RedisWorld(ManualWorld):
    """One database of a server.

    The server judges leases and times to live by its own clock, which nobody can move; so `pass_time` brings every end
    nearer instead.

    Args:
        url: the database; nobody else uses it.
        direct: whether the store writes past redis-py.
    """

    def __init__(self, url: str, *, direct: bool = True) -> None:
        super().__init__(lambda clock, make_id: RedisStore(url, clock, make_id, direct=direct))
        self.url = url

    async def pass_time(self, seconds: float) -> None:
        """Move our clock, and all that expires on the server."""
        await super().pass_time(seconds)
        with Redis.from_url(self.url) as server:
            for key in server.scan_iter(count=1000):
                left_ms = int(server.pttl(key))
                if left_ms >= 0:
                    server.pexpire(key, max(0, left_ms - round(seconds * 1000)))
