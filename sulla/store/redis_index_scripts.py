"""What runs inside Redis to keep the index: one script for each step on a shard.

The index may say too much, never too little, and a log's head decides. A step that makes a log *findable* somewhere runs
in three parts, in this order on one connection:

1. `ANNOUNCE`: the log stands under ``pending``, where every search looks;
2. the step on the log itself (another slot, so not in the same script);
3. `SETTLE`: the log stands where it has to be found, with a new stamp, and no longer under ``pending``.

Whatever is cut off after the first part leaves a pending entry, and a search that finds an old one settles it. `CLEAN` takes
out what a head did not bear out, unless the stamp is another one than it was before the head was read: then somebody has
settled the log since. KEYS are those of `redis_keys.index_keys`.
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
redis.call('ZADD', KEYS[1], now, ARGV[1])
return 1
"""
)

SETTLE = """
-- ARGV entry name kind awake suspended due
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[2], redis.call('INCR', KEYS[3]))
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[4], 0, ARGV[2])
  redis.call('ZADD', KEYS[5], 0, ARGV[3] .. '\\0' .. ARGV[2])
end
if ARGV[4] == '1' then redis.call('ZADD', KEYS[6], 0, ARGV[2]) end
if ARGV[5] == '1' then redis.call('ZADD', KEYS[7], 0, ARGV[2]) end
if ARGV[6] ~= '' then
  -- Never later than before: if the step was refused, the earlier time still holds.
  local was = redis.call('ZSCORE', KEYS[8], ARGV[2])
  if not was or tonumber(was) > tonumber(ARGV[6]) then redis.call('ZADD', KEYS[8], ARGV[6], ARGV[2]) end
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
    found[at] = redis.call('HGET', KEYS[2], string.sub(member, skip)) or ''
  end
  return found
end
local pending = redis.call('ZRANGE', KEYS[1], 0, -1)
local old = redis.call('ZCOUNT', KEYS[1], '-inf', now - ARGV[6])
local named, due = {}, {}
if ARGV[1] ~= '0' then
  named = redis.call('ZRANGEBYLEX', KEYS[tonumber(ARGV[1])], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
end
if ARGV[5] ~= '' then due = redis.call('ZRANGEBYSCORE', KEYS[8], '-inf', ARGV[5]) end
return {pending, old, named, stamps(named, tonumber(ARGV[7])), due, stamps(due, 1)}
"""
)
"""Answers the pending entries, how many of them (the first ones) are old, and names by place and by time with stamps."""

CLEAN = """
-- ARGV name stamp kind places due
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
local function asked(letter) return string.find(ARGV[4], letter, 1, true) end
if asked('l') then redis.call('ZREM', KEYS[4], ARGV[1]) end
if asked('k') then redis.call('ZREM', KEYS[5], ARGV[3] .. '\\0' .. ARGV[1]) end
if asked('a') then redis.call('ZREM', KEYS[6], ARGV[1]) end
if asked('s') then redis.call('ZREM', KEYS[7], ARGV[1]) end
if asked('d') then
  if ARGV[5] == '' then redis.call('ZREM', KEYS[8], ARGV[1]) else redis.call('ZADD', KEYS[8], ARGV[5], ARGV[1]) end
end
if asked('x') then redis.call('HDEL', KEYS[2], ARGV[1]) end
return 1
"""
"""Takes a name out of places: (l)ogs, (k)inds, (a)wake, (s)uspended, (d)ue (or sets its time), and the stamp (x)."""
