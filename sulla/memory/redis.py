"""Notes in Redis, found by an index of words that is ours: no module of the server is needed.

All keys have one hash tag, so every script touches one slot of a Redis Cluster:
``sulla:memory:{m}:notes`` (a hash: id to note), ``…:t:<scope>:<word>`` (a sorted set: how much the word counts in each
note), ``…:n:<kind>:<scope>`` (a sorted set: when each note was said), ``…:th:<thread>`` (its episodes), ``…:read`` (a
hash: how far each thread was read), ``…:threads`` and ``…:scopes`` (their names, sorted).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, Protocol

from sulla.core.search.ranking import MOST_MATCHES, impacts, rarity, telling
from sulla.core.search.terms import asked_terms, terms
from sulla.memory.entities import redis as entities
from sulla.memory.fusion import WordSpread
from sulla.memory.note import (
    KINDS,
    MAX_REMOVED,
    TURNS,
    Kind,
    MemoryCapacity,
    MemoryHit,
    MemoryNote,
    ReadPosition,
    note_from_json,
    note_to_json,
)
from sulla.memory.note import progress_from_json as read_progress
from sulla.memory.note import progress_to_json as write_progress
from sulla.memory.redis_vectors import ADDED, REMOVED, RedisCalls, RedisVectors

BASE: Final = "sulla:memory:{m}"

_ADD = f"""
-- ARGV notes (as JSON) thread place
for _, n in ipairs(cjson.decode(ARGV[1])) do
  if redis.call('HSETNX', KEYS[1] .. ':notes', n.id, n.body) == 1 then
    redis.call('ZADD', KEYS[1] .. ':n:' .. n.kind .. ':' .. n.scope, n.at, n.id)
    redis.call('ZADD', KEYS[1] .. ':scopes', 0, n.scope)
    if n.kind ~= 'fact' then redis.call('SADD', KEYS[1] .. ':th:' .. n.thread, n.id) end
    {ADDED}
    for at = 1, #n.words, 2 do
      redis.call('ZADD', KEYS[1] .. ':t:' .. n.scope .. ':' .. n.words[at], n.words[at + 1], n.id)
    end
  end
end
if ARGV[2] ~= '' then redis.call('ZADD', KEYS[1] .. ':threads', 0, ARGV[2]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1] .. ':read', ARGV[2], ARGV[3]) end
return 1
"""

_REMOVE = f"""
-- ARGV notes (as JSON) thread
{entities.DROP}
local gone = 0
for _, n in ipairs(cjson.decode(ARGV[1])) do
  gone = gone + redis.call('HDEL', KEYS[1] .. ':notes', n.id)
  local set = KEYS[1] .. ':n:' .. n.kind .. ':' .. n.scope
  redis.call('ZREM', set, n.id)
  redis.call('SREM', KEYS[1] .. ':th:' .. n.thread, n.id)
  {REMOVED}
  {entities.REMOVED}
  for _, word in ipairs(n.words) do redis.call('ZREM', KEYS[1] .. ':t:' .. n.scope .. ':' .. word, n.id) end
end
if ARGV[2] ~= '' then
  redis.call('HDEL', KEYS[1] .. ':read', ARGV[2])
  redis.call('ZREM', KEYS[1] .. ':threads', ARGV[2])
end
return gone
"""

_SEARCH = """
-- ARGV limit most, then word and weight in turn
local sums, best, limit = {}, {}, tonumber(ARGV[1])
for at = 3, #ARGV, 2 do
  local hits = redis.call('ZREVRANGE', KEYS[1] .. ':t:' .. ARGV[at], 0, ARGV[2] - 1, 'WITHSCORES')
  local weight = tonumber(ARGV[at + 1])
  for n = 1, #hits, 2 do
    local id = hits[n]
    sums[id] = (sums[id] or 0) + hits[n + 1] * weight
  end
end
-- A few are wanted of some thousand: to keep the best so far in order costs a part of sorting all.
for id, sum in pairs(sums) do
  local n = #best
  local last = n == limit and sums[best[n]]
  if not last or sum > last or (sum == last and id > best[n]) then
    if not last then n = n + 1 end
    while n > 1 and (sum > sums[best[n - 1]] or (sum == sums[best[n - 1]] and id > best[n - 1])) do
      best[n] = best[n - 1]
      n = n - 1
    end
    best[n] = id
  end
end
local found = {}
for _, id in ipairs(best) do
  local body = redis.call('HGET', KEYS[1] .. ':notes', id)
  if body then
    found[#found + 1] = body
    found[#found + 1] = string.format('%.6f', sums[id])
  end
end
return found
"""

_BATCH = 200
"""Notes that one call adds or removes, so that nobody else waits long for the server."""


class RedisCommands(RedisCalls, Protocol):
    """The same, opened and closed by whoever owns it."""

    def open(self) -> None:
        """Take calls."""

    async def close(self) -> None:
        """Take no more calls."""


class RedisMemory:
    """Implements `MemoryIndex` in Redis, for any number of daemons.

    Args:
        client: connected to the server.
        capacity: how much is kept.
    """

    def __init__(self, client: RedisCommands, capacity: MemoryCapacity | None = None) -> None:
        self.vectors = RedisVectors(client, BASE)
        """Keeps the notes' vectors below the same keys."""
        self.statements = entities.RedisStatements(client, BASE)
        """Keeps what was drawn from them there too."""
        self._client = client
        self._capacity = capacity if capacity is not None else MemoryCapacity()

    async def open(self) -> None:
        """See whether the server answers."""
        self._client.open()
        await self._client.call()

    async def close(self) -> None:
        """Disconnect."""
        await self._client.close()

    async def add(self, notes: Sequence[MemoryNote], read: tuple[str, ReadPosition] | None = None) -> None:
        """Keep notes, and how far a thread has been read: that comes with the last one, so a cut leaves nothing out.

        The thread's name comes with the first, so that what is left of it is found if it is deleted before the rest.
        """
        thread, place = (read[0], write_progress(read[1])) if read is not None else ("", "")
        for start in range(0, max(1, len(notes)), _BATCH):
            last = start + _BATCH >= len(notes)
            batch = _packed(notes[start : start + _BATCH], weighed=True)
            await self._run(_ADD, batch, thread, place if last else "")
        for scope, kind in sorted({(note.scope, note.kind) for note in notes if note.kind in TURNS}):
            over = await self.count(scope, kind) - self._capacity.most(kind)
            if over > 0:
                upto = min(over, MAX_REMOVED) - 1
                (oldest,) = await self._client.call(("ZRANGE", f"{BASE}:n:{kind}:{scope}", 0, upto))
                await self.delete([one.decode() for one in oldest])

    async def search(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """The notes that fit best."""
        words = [f"{scope}:{term}" for scope in scopes for term in asked_terms(question)]
        if not words:
            return []
        sets = [f"{BASE}:n:{kind}:{scope}" for scope in scopes for kind in KINDS]
        counts = await self._client.call(
            *(("ZCARD", key) for key in sets), *(("ZCARD", f"{BASE}:t:{w}") for w in words)
        )
        notes = sum(counts[: len(sets)])
        having = dict(zip(words, counts[len(sets) :], strict=True))
        chosen = ((word, f"{rarity(notes, having[word]):.6f}") for word in telling(words, having))
        rows = await self._run(_SEARCH, limit, MOST_MATCHES, *chain.from_iterable(chosen))
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return [MemoryHit(note_from_json(body), float(score)) for body, score in pairs]

    async def spread(self, scopes: Sequence[str], words: Sequence[str]) -> WordSpread:
        """How usual words are."""
        sets = [f"{BASE}:n:{kind}:{scope}" for scope in scopes for kind in KINDS]
        lists = [f"{BASE}:t:{scope}:{word}" for scope in scopes for word in words]
        counts = await self._client.call(*(("ZCARD", key) for key in (*sets, *lists)))
        having = Counter[str]()
        for word, notes in zip(list(words) * len(scopes), counts[len(sets) :], strict=True):
            having[word] += notes
        return WordSpread(sum(counts[: len(sets)]), having)

    async def recent(
        self, scopes: Sequence[str], kind: Kind, limit: int, before_ms: int | None = None
    ) -> list[MemoryNote]:
        """Notes of a kind, the newest first."""
        newest = f"({before_ms}" if before_ms is not None else "+inf"
        asked = ("-inf", "LIMIT", 0, limit)
        found = await self._client.call(*(("ZREVRANGEBYSCORE", f"{BASE}:n:{kind}:{s}", newest, *asked) for s in scopes))
        notes = await self.get([one.decode() for one in chain.from_iterable(found)])
        return sorted(notes, key=lambda note: -note.at_ms)[:limit]

    async def scopes(self) -> list[str]:
        """Every scope that has notes."""
        (names,) = await self._client.call(("ZRANGE", f"{BASE}:scopes", 0, -1))
        return [
            scope for scope in (name.decode() for name in names) if [1 for k in KINDS if await self.count(scope, k)]
        ]

    async def count(self, scope: str, kind: Kind) -> int:
        """How many notes there are."""
        (notes,) = await self._client.call(("ZCARD", f"{BASE}:n:{kind}:{scope}"))
        return int(notes)

    async def get(self, ids: Sequence[str]) -> list[MemoryNote]:
        """The notes with these ids."""
        if not ids:
            return []
        (bodies,) = await self._client.call(("HMGET", f"{BASE}:notes", *ids))
        return [note_from_json(body) for body in bodies if body is not None]

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove notes for good."""
        return await self._remove(list(dict.fromkeys(ids)))

    async def progress(self, thread_id: str) -> ReadPosition | None:
        """How far a thread has been read."""
        (place,) = await self._client.call(("HGET", f"{BASE}:read", thread_id))
        return read_progress(place) if place is not None else None

    async def threads(self, after: str, limit: int) -> list[str]:
        """Threads that have been read."""
        lowest = f"({after}" if after else "-"
        (found,) = await self._client.call(("ZRANGEBYLEX", f"{BASE}:threads", lowest, "+", "LIMIT", 0, limit))
        return [key.decode() for key in found]

    async def drop_thread(self, thread_id: str) -> int:
        """Remove a thread's episodes."""
        (ids,) = await self._client.call(("SMEMBERS", f"{BASE}:th:{thread_id}"))
        gone = await self._remove([one.decode() for one in ids])
        await self._run(_REMOVE, "[]", thread_id)
        return gone

    async def compact(self) -> None:
        """Nothing of it is on this machine."""

    async def _remove(self, ids: Sequence[str]) -> int:
        gone = 0
        for start in range(0, len(ids), _BATCH):
            notes = await self.get(ids[start : start + _BATCH])
            gone += await self._run(_REMOVE, _packed(notes, weighed=False), "") if notes else 0
        return gone

    async def _run(self, script: str, *arguments: str | bytes | int) -> Any:  # noqa: ANN401 - what a script answers
        (answer,) = await self._client.call(("EVAL", script, 1, BASE, *arguments))
        return answer


def _packed(notes: Sequence[MemoryNote], *, weighed: bool) -> str:
    """Notes as the scripts take them."""
    return json.dumps(
        [
            {
                "id": note.id,
                "body": note_to_json(note),
                "scope": note.scope,
                "kind": note.kind,
                "thread": note.thread_id,
                "at": str(note.at_ms),
                "words": [*chain.from_iterable(impacts(note.words).items())]
                if weighed
                else [*dict.fromkeys(terms(note.words))],
            }
            for note in notes
        ]
    )
