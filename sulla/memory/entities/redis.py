"""Statements in Redis, below the keys of the notes; a script removes a note's together with the note.

``…:e:seq`` (the last number), ``…:e:body`` (a hash: id to statement), ``…:e:s:<scope>`` (a sorted set: ids by their
number), ``…:e:m:<scope>`` (the same of those alone that models drew), ``…:e:of:<note>`` (the ids drawn from a note),
``…:e:gone`` (a hash: how often some of a scope were removed), ``…:e:drawn`` (the notes from which all was drawn),
``…:e:scopes`` (the scopes' names).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sulla.memory.entities.base import DRAWN_KINDS, NEWEST, Kept, Revision
from sulla.memory.entities.statement import Statement, statement_from_json, statement_to_json
from sulla.memory.note import MemoryNote, note_from_json
from sulla.memory.redis_vectors import RedisCalls

DROP: Final = """
local function drop(id)
  local body = redis.call('HGET', KEYS[1] .. ':e:body', id)
  if not body then return 0 end
  local one = cjson.decode(body)
  for _, source in ipairs(one.source) do redis.call('SREM', KEYS[1] .. ':e:of:' .. source, id) end
  redis.call('ZREM', KEYS[1] .. ':e:s:' .. one.scope, id)
  redis.call('ZREM', KEYS[1] .. ':e:m:' .. one.scope, id)
  redis.call('HDEL', KEYS[1] .. ':e:body', id)
  redis.call('HINCRBY', KEYS[1] .. ':e:gone', one.scope, 1)
  return 1
end
"""
"""What a script that uses `REMOVED` begins with."""

REMOVED: Final = """
  for _, id in ipairs(redis.call('SMEMBERS', KEYS[1] .. ':e:of:' .. n.id)) do drop(id) end
  redis.call('SREM', KEYS[1] .. ':e:drawn', n.id)
"""
"""What the notes' script does for a note `n` that it has removed."""

_PUT = f"""
-- ARGV scope, statements (as JSON), ids of notes (as JSON), most
{DROP}
local marks = KEYS[1] .. ':e:drawn'
local drawn = cjson.decode(ARGV[3])
for _, note in ipairs(drawn) do if redis.call('SISMEMBER', marks, note) == 1 then return 0 end end
for _, note in ipairs(drawn) do
  if redis.call('HEXISTS', KEYS[1] .. ':notes', note) == 1 then redis.call('SADD', marks, note) end
end
for _, one in ipairs(cjson.decode(ARGV[2])) do
  local whole = redis.call('HEXISTS', KEYS[1] .. ':e:body', one.id) == 0
  for _, source in ipairs(one.source) do
    whole = whole and redis.call('HEXISTS', KEYS[1] .. ':notes', source) == 1
  end
  if whole then
    local seq = redis.call('INCR', KEYS[1] .. ':e:seq')
    redis.call('HSET', KEYS[1] .. ':e:body', one.id, one.body)
    redis.call('ZADD', KEYS[1] .. ':e:s:' .. one.scope, seq, one.id)
    redis.call('ZADD', KEYS[1] .. ':e:scopes', 0, one.scope)
    if #one.source > 0 then redis.call('ZADD', KEYS[1] .. ':e:m:' .. one.scope, seq, one.id) end
    for _, source in ipairs(one.source) do redis.call('SADD', KEYS[1] .. ':e:of:' .. source, one.id) end
  end
end
local most = tonumber(ARGV[4])
if most >= 0 then
  local over = redis.call('ZCARD', KEYS[1] .. ':e:m:' .. ARGV[1]) - most
  if over > 0 then
    for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. ':e:m:' .. ARGV[1], 0, over - 1)) do drop(id) end
  end
end
return 1
"""

_REMOVE = f"""
-- ARGV ids
{DROP}
local gone = 0
for _, id in ipairs(ARGV) do gone = gone + drop(id) end
return gone
"""

_UNDRAWN = """
-- ARGV scope newest, then kinds
local found = {}
for at = 3, #ARGV do
  for _, id in ipairs(redis.call('ZREVRANGE', KEYS[1] .. ':n:' .. ARGV[at] .. ':' .. ARGV[1], 0, ARGV[2] - 1)) do
    if redis.call('SISMEMBER', KEYS[1] .. ':e:drawn', id) == 0 then found[#found + 1] = id end
  end
end
return found
"""

_SINCE = """
-- ARGV scope after limit
local found = {}
local key = KEYS[1] .. ':e:s:' .. ARGV[1]
local rows = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for at = 1, #rows, 2 do
  found[#found + 1] = rows[at + 1]
  found[#found + 1] = redis.call('HGET', KEYS[1] .. ':e:body', rows[at])
end
return found
"""


class RedisStatements:
    """Implements `StatementStore` in Redis, for any number of daemons.

    Args:
        client: connected to the server.
        base: what the keys of the notes begin with.
    """

    def __init__(self, client: RedisCalls, base: str) -> None:
        self._client = client
        self._base = base

    async def undrawn(self, scope: str, limit: int) -> list[MemoryNote]:
        """Notes from which nothing was drawn yet."""
        ids = await self._run(_UNDRAWN, scope, NEWEST, *DRAWN_KINDS)
        if not ids:
            return []
        (bodies,) = await self._client.call(("HMGET", f"{self._base}:notes", *ids))
        notes = [note_from_json(body) for body in bodies if body is not None]
        return sorted(notes, key=lambda note: (note.at_ms, note.id))[:limit]

    async def put(
        self, scope: str, statements: Sequence[Statement], drawn: Sequence[str] = (), most: int | None = None
    ) -> bool:
        """Keep statements, and what they were drawn from."""
        given = [
            {"id": one.id, "scope": one.scope, "source": list(one.source), "body": statement_to_json(one)}
            for one in statements
        ]
        answer = await self._run(_PUT, scope, json.dumps(given), json.dumps(list(drawn)), -1 if most is None else most)
        return bool(answer)

    async def revision(self, scope: str) -> Revision:
        """How a memory's statements are by now."""
        newest, removed = await self._client.call(
            ("ZREVRANGE", f"{self._base}:e:s:{scope}", 0, 0, "WITHSCORES"), ("HGET", f"{self._base}:e:gone", scope)
        )
        return Revision(int(float(_flat(newest)[1])) if newest else 0, int(removed or 0))

    async def since(self, scope: str, after: int, limit: int) -> list[Kept]:
        """Statements in their order."""
        found = await self._run(_SINCE, scope, after, limit)
        rows = zip(found[::2], found[1::2], strict=True)
        return [Kept(int(float(seq)), statement_from_json(body)) for seq, body in rows]

    async def scopes(self) -> list[str]:
        """Every memory that has statements."""
        (names,) = await self._client.call(("ZRANGE", f"{self._base}:e:scopes", 0, -1))
        known = [name.decode() for name in names]
        sizes = await self._client.call(*(("ZCARD", f"{self._base}:e:s:{scope}") for scope in known))
        return [scope for scope, size in zip(known, sizes, strict=True) if size]

    async def remove(self, ids: Sequence[str]) -> int:
        """Remove statements."""
        return int(await self._run(_REMOVE, *ids)) if ids else 0

    async def _run(self, script: str, *arguments: str | bytes | int) -> Any:  # noqa: ANN401 - what a script answers
        (answer,) = await self._client.call(("EVAL", script, 1, self._base, *arguments))
        return answer


def _flat(found: Sequence[Any]) -> Sequence[Any]:
    """The newest protocol gives pairs, the older one a list."""
    return found[0] if isinstance(found[0], list | tuple) else found
