"""Vectors in Redis, below the keys of the notes; a script removes a note's together with the note.

``…:v:space`` (the model), ``…:v:seq`` (the last number), ``…:v:bare`` (a sorted set: when each note was said that has
no vector), ``…:v:filling`` (how far that set is filled for another model), ``…:v:of`` (a hash: id to number),
``…:v:id`` and ``…:v:packed`` (hashes: number to id and to vector), ``…:v:s:<scope>`` (a sorted set: number and
signature, by the number).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from sulla.memory.note import MAX_REMOVED, MemoryNote, note_from_json
from sulla.memory.vectors.base import NoteVector, Placed, Signed

_SEQ: Final = 8
"""Bytes of a number before its signature: two notes may have the same one."""

ADDED: Final = """
  if redis.call('EXISTS', KEYS[1] .. ':v:space') == 1 then redis.call('ZADD', KEYS[1] .. ':v:bare', n.at, n.id) end
"""
"""What the notes' script does for a note `n` that it has kept: where vectors are in use, it lacks one."""

REMOVED: Final = """
  local seq = redis.call('HGET', KEYS[1] .. ':v:of', n.id)
  if seq then
    redis.call('ZREMRANGEBYSCORE', KEYS[1] .. ':v:s:' .. n.scope, seq, seq)
    redis.call('HDEL', KEYS[1] .. ':v:id', seq)
    redis.call('HDEL', KEYS[1] .. ':v:packed', seq)
    redis.call('HDEL', KEYS[1] .. ':v:of', n.id)
  end
  redis.call('ZREM', KEYS[1] .. ':v:bare', n.id)
"""
"""What it does for a note `n` that it has removed."""

# Each call takes a page of notes; those that lack a vector already are passed over by the place in the hash of notes.
_USE = """
-- ARGV model most
local space, filling = KEYS[1] .. ':v:space', KEYS[1] .. ':v:filling'
if redis.call('GET', space) == ARGV[1] then return 0 end
if redis.call('EXISTS', filling) == 0 then
  for _, scope in ipairs(redis.call('ZRANGE', KEYS[1] .. ':scopes', 0, -1)) do
    redis.call('UNLINK', KEYS[1] .. ':v:s:' .. scope)
  end
  redis.call('UNLINK', KEYS[1] .. ':v:of', KEYS[1] .. ':v:id', KEYS[1] .. ':v:packed')
  redis.call('SET', space, '')
  redis.call('SET', filling, '0')
end
local page = redis.call('HSCAN', KEYS[1] .. ':notes', redis.call('GET', filling), 'COUNT', ARGV[2])
for at = 1, #page[2], 2 do
  local note = cjson.decode(page[2][at + 1])
  redis.call('ZADD', KEYS[1] .. ':v:bare', string.format('%.0f', note.at_ms), page[2][at])
end
if page[1] ~= '0' then
  redis.call('SET', filling, page[1])
  return 1
end
redis.call('DEL', filling)
redis.call('SET', space, ARGV[1])
return 0
"""

_PUT = """
-- ARGV model, then id, scope, signature and vector in turn
if redis.call('GET', KEYS[1] .. ':v:space') ~= ARGV[1] then return 0 end
local kept = 0
for at = 2, #ARGV, 4 do
  local id = ARGV[at]
  if redis.call('ZREM', KEYS[1] .. ':v:bare', id) == 1 and redis.call('HEXISTS', KEYS[1] .. ':notes', id) == 1 then
    local seq = redis.call('INCR', KEYS[1] .. ':v:seq')
    local name = struct.pack('>I8', seq)
    redis.call('ZADD', KEYS[1] .. ':v:s:' .. ARGV[at + 1], seq, name .. ARGV[at + 2])
    redis.call('HSET', KEYS[1] .. ':v:of', id, seq)
    redis.call('HSET', KEYS[1] .. ':v:id', seq, id)
    redis.call('HSET', KEYS[1] .. ':v:packed', seq, ARGV[at + 3])
    kept = kept + 1
  end
end
return kept
"""

_PLACED = """
-- ARGV scope, then numbers
local found = {}
for at = 2, #ARGV do
  local seq = ARGV[at]
  local id = redis.call('ZCOUNT', KEYS[1] .. ':v:s:' .. ARGV[1], seq, seq) == 1
  id = id and redis.call('HGET', KEYS[1] .. ':v:id', seq)
  local body = id and redis.call('HGET', KEYS[1] .. ':notes', id)
  if body then
    found[#found + 1] = seq
    found[#found + 1] = body
    found[#found + 1] = redis.call('HGET', KEYS[1] .. ':v:packed', seq)
  end
end
return found
"""


class RedisCalls(Protocol):
    """Runs commands in order in one round trip; `store.redis.client.RedisClient` does."""

    async def call(self, *commands: tuple[str | bytes | int, ...]) -> list[Any]:
        """Their answers."""


class RedisVectors:
    """Implements `VectorStore` in Redis, for any number of daemons.

    Args:
        client: connected to the server.
        base: what the keys of the notes begin with.
    """

    def __init__(self, client: RedisCalls, base: str) -> None:
        self._client = client
        self._base = base

    async def use(self, model: str) -> None:
        """Keep vectors of this model from here on."""
        while await self._run(_USE, model, MAX_REMOVED):
            pass

    async def missing(self, limit: int) -> list[MemoryNote]:
        """Notes that have no vector."""
        (ids,) = await self._client.call(("ZREVRANGE", f"{self._base}:v:bare", 0, limit - 1))
        if not ids:
            return []
        (bodies,) = await self._client.call(("HMGET", f"{self._base}:notes", *ids))
        return [note_from_json(body) for body in bodies if body is not None]

    async def put(self, model: str, vectors: Sequence[NoteVector]) -> int:
        """Keep vectors."""
        given = [part for one in vectors for part in (one.note.id, one.note.scope, one.signature, one.packed)]
        return int(await self._run(_PUT, model, *given)) if given else 0

    async def signed(self, scope: str, after: int, limit: int) -> list[Signed]:
        """Signatures of the model in use."""
        key = f"{self._base}:v:s:{scope}"
        (found,) = await self._client.call(("ZRANGEBYSCORE", key, f"({after}", "+inf", "LIMIT", 0, limit))
        return [Signed(int.from_bytes(one[:_SEQ], "big"), one[_SEQ:]) for one in found]

    async def placed(self, scope: str, seqs: Sequence[int]) -> list[Placed]:
        """The notes and vectors under these numbers."""
        found = await self._run(_PLACED, scope, *seqs) if seqs else []
        rows = zip(found[::3], found[1::3], found[2::3], strict=True)
        return [Placed(int(seq), body, packed) for seq, body, packed in rows]

    async def _run(self, script: str, *arguments: str | bytes | int) -> Any:  # noqa: ANN401 - what a script answers
        (answer,) = await self._client.call(("EVAL", script, 1, self._base, *arguments))
        return answer
