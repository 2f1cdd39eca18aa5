"""What a Redis must be like to keep promises: looked at once, when the store is opened."""

from __future__ import annotations

import logging
import re

from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.store.redis.client import RedisClient
from sulla.store.redis.line import RedisRefusal

log = logging.getLogger(__name__)


async def look_at(client: RedisClient) -> None:
    """Refuse a server that would lose what it was given without a word; warn about one that might.

    A server that does not tell (some managed ones don't) is taken as it is.

    Raises:
        StoreUnavailable: it may throw away what is kept when its memory is full, or it is a replica.
    """
    try:
        (found,) = await client.first(("INFO",))
    except (StoreUnavailable, CorruptRecord) as error:
        if isinstance(error.__cause__, RedisRefusal):
            log.warning(
                "the store %s does not tell how it is set up: see docs/redis.md for what it must be", client.where
            )
            return
        raise
    facts = dict(re.findall(r"^(\w+):(.*?)\r?$", found.decode() if isinstance(found, bytes) else "", re.MULTILINE))
    if facts.get("role") == "slave":
        raise StoreUnavailable(f"the store {client.where} is a read-only replica: name the primary")
    if facts.get("maxmemory", "0") != "0" and facts.get("maxmemory_policy", "").startswith("allkeys"):
        raise StoreUnavailable(
            f"the store {client.where} throws away what is kept when its memory is full (maxmemory-policy "
            f"{facts['maxmemory_policy']}): set maxmemory-policy noeviction"
        )
    if facts.get("aof_enabled") == "0":
        log.warning(
            "the store %s keeps no append-only file: what was acknowledged since its last snapshot is lost when it "
            "ends; set appendonly yes (docs/redis.md)",
            client.where,
        )
