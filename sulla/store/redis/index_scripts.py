"""What runs inside Redis to keep the index: one script for each step on a shard.

The index may say too much, never too little, and a log's head decides. A step that makes a log *findable* somewhere
runs in three parts, in this order on one connection:

1. `ANNOUNCE`: the log stands under ``pending``, where every search looks;
2. the step on the log itself (another slot, so not in the same script);
3. `SETTLE`: the log stands where it has to be found, with a new stamp, and no longer under ``pending``.

Whatever is cut off after the first part leaves a pending entry, and a search that finds an old one settles it. `CLEAN`
takes out what a head did not bear out, unless the stamp is another one than it was before the head was read: then
somebody has settled the log since. What a shard has
lies below its one key (`redis_keys.index_key`), in the same slot. Pure.
"""

from __future__ import annotations

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

ANNOUNCE = (
    _NOW
    + """
-- ARGV entry
redis.call('ZADD', KEYS[1] .. ':pending', now, ARGV[1])
return 1
"""
)

SETTLE = """
-- ARGV entry kind awake suspended due
local name = string.match(ARGV[1], '^%Z+')
redis.call('ZREM', KEYS[1] .. ':pending', ARGV[1])
redis.call('HSET', KEYS[1] .. ':stamps', name, redis.call('INCR', KEYS[1] .. ':clock'))
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1] .. ':logs', 0, name)
  redis.call('ZADD', KEYS[1] .. ':kinds', 0, ARGV[2] .. '\\0' .. name)
end
if ARGV[3] == '1' then redis.call('ZADD', KEYS[1] .. ':awake', 0, name) end
if ARGV[4] == '1' then redis.call('ZADD', KEYS[1] .. ':suspended', 0, name) end
if ARGV[5] ~= '' then
  -- Never later than before: if the step was refused, the earlier time still holds.
  local was = redis.call('ZSCORE', KEYS[1] .. ':due', name)
  if not was or tonumber(was) > tonumber(ARGV[5]) then redis.call('ZADD', KEYS[1] .. ':due', ARGV[5], name) end
end
return 1
"""

CANDIDATES = (
    _NOW
    + """
-- ARGV place min max limit due grace skip
local function stamps(members, skip)
  local found = {}
  for at, member in ipairs(members) do
    found[at] = redis.call('HGET', KEYS[1] .. ':stamps', string.sub(member, skip)) or ''
  end
  return found
end
local pending = redis.call('ZRANGE', KEYS[1] .. ':pending', 0, -1)
local old = redis.call('ZCOUNT', KEYS[1] .. ':pending', '-inf', now - ARGV[6])
local named, due = {}, {}
if ARGV[1] ~= '' then
  named = redis.call('ZRANGEBYLEX', KEYS[1] .. ':' .. ARGV[1], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
end
if ARGV[5] ~= '' then due = redis.call('ZRANGEBYSCORE', KEYS[1] .. ':due', '-inf', ARGV[5]) end
return {pending, old, named, stamps(named, tonumber(ARGV[7])), due, stamps(due, 1)}
"""
)
"""Answers the pending entries, how many of them (the first) are old, and names by place and by time with stamps."""

CLEAN = """
-- ARGV name stamp kind places due
if redis.call('HGET', KEYS[1] .. ':stamps', ARGV[1]) ~= ARGV[2] then return 0 end
local function asked(letter) return string.find(ARGV[4], letter, 1, true) end
if asked('l') then redis.call('ZREM', KEYS[1] .. ':logs', ARGV[1]) end
if asked('k') then redis.call('ZREM', KEYS[1] .. ':kinds', ARGV[3] .. '\\0' .. ARGV[1]) end
if asked('a') then redis.call('ZREM', KEYS[1] .. ':awake', ARGV[1]) end
if asked('s') then redis.call('ZREM', KEYS[1] .. ':suspended', ARGV[1]) end
if asked('d') then
  redis.call('ZREM', KEYS[1] .. ':due', ARGV[1])
  if ARGV[5] ~= '' then redis.call('ZADD', KEYS[1] .. ':due', ARGV[5], ARGV[1]) end
end
if asked('x') then redis.call('HDEL', KEYS[1] .. ':stamps', ARGV[1]) end
return 1
"""
"""Takes a name out of places: (l)ogs, (k)inds, (a)wake, (s)uspended, (d)ue (or sets its time), and the stamp (x)."""
