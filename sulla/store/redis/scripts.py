"""What runs inside Redis: one script for each step on a log, each atomic, each in one slot.

The rules are those of `sulla/store/rules.py`. A step that is refused changes nothing and answers with the log as it is;
then the rule itself says what is wrong, in its own words. The one key is that of the head; the others of the log
follow from it and lie in the same slot (`redis_keys.head_key`); named, each would cost every step sixty bytes. Pure.
"""

from __future__ import annotations

from sulla.store.redis.keys import FIELDS

_LOG = f"""
local HEAD = KEYS[1]
local BASE = string.sub(HEAD, 1, -6)
local LOG, IDS, LOCK = BASE .. ':log', BASE .. ':ids', 'sulla:lock:' .. string.sub(BASE, 19)
local function log() return redis.call('HMGET', HEAD, {", ".join(f"'{name}'" for name in FIELDS)}) end
local function damaged(last)
  local there = redis.call('LLEN', LOG)
  if there == tonumber(last) then return false end
  return redis.error_reply('CORRUPT ' .. HEAD .. ' counts ' .. last .. ' records, and ' .. there .. ' are there')
end
local function push(first)
  for at = first, #ARGV, 1000 do
    redis.call('RPUSH', LOG, unpack(ARGV, at, math.min(at + 999, #ARGV)))
  end
end
local function ours(life, epoch, owner) return life == ARGV[1] and epoch == ARGV[2] and owner == ARGV[3] end
"""
"""At most a thousand records at once: Lua's stack ends soon after."""

OFFER = (
    _LOG
    + """
-- ARGV id digest wakes room make now kind status agent due consumed body record
local h = redis.call('HMGET', HEAD, 'life', 'last', 'waking', 'consumed')
local last, waking, consumed = 0, 0, tonumber(ARGV[11])
if h[1] then
  local known = redis.call('HGET', IDS, ARGV[1])
  if known then return {0, known} end
  last, waking, consumed = tonumber(h[2]), tonumber(h[3]), tonumber(h[4])
  local bad = damaged(h[2])
  if bad then return bad end
elseif ARGV[5] == '0' then
  return {2}
end
if ARGV[4] ~= '' and waking - consumed >= tonumber(ARGV[4]) then return {3, waking, consumed} end
if not h[1] then
  -- Never given twice to logs of one name: whoever holds a lease on a deleted log must not match the next one.
  local now = redis.call('TIME')
  redis.call('HSET', HEAD, 'life', now[1] .. string.format('%06d', tonumber(now[2])), 'created', ARGV[6],
    'waking', 0, 'woken', 0, 'claimed', 0, 'epoch', 0, 'owner', '', 'freed', 0, 'write', 0, 'answer', 0,
    'kind', ARGV[7], 'status', ARGV[8], 'agent', ARGV[9], 'due', ARGV[10], 'consumed', ARGV[11], 'body', ARGV[12])
end
push(13)
redis.call('HSET', IDS, ARGV[1], (last + 1) .. ':' .. ARGV[2])
if ARGV[3] == '1' then
  redis.call('HSET', HEAD, 'last', last + 1, 'waking', waking + 1, 'woken', last + 1)
else
  redis.call('HSET', HEAD, 'last', last + 1)
end
return {1, last + 1}
"""
)
"""Answers {1, seq} added, {0, kept} known, {2} no such log, {3, waking, consumed} no room."""

ACQUIRE = (
    _LOG
    + """
-- ARGV owner home ttl after limit
local h = redis.call('HMGET', HEAD, 'life', 'last', 'epoch', 'owner')
if not h[1] then return false end
if redis.call('EXISTS', LOCK) == 1
  and (h[4] == ARGV[1] or string.sub(h[4], 1, string.len(ARGV[2])) ~= ARGV[2]) then return false end
local bad = damaged(h[2])
if bad then return bad end
redis.call('HSET', HEAD, 'epoch', h[3] + 1, 'owner', ARGV[1], 'freed', 0, 'write', 0, 'answer', 0)
redis.call('SET', LOCK, ARGV[1], 'PX', ARGV[3])
local tail = {}
if ARGV[4] ~= '' then tail = redis.call('LRANGE', LOG, ARGV[4], ARGV[4] + ARGV[5] - 1) end
return {log(), tail}
"""
)
"""Answers nothing, or the log under its new lease and the records that were asked for."""

APPEND = (
    _LOG
    + """
-- ARGV life epoch owner number count claimed release kind status agent due consumed body record...
local h = redis.call('HMGET', HEAD, 'life', 'epoch', 'owner', 'freed', 'write', 'last', 'claimed', 'answer')
local mine = h[1] and ours(h[1], h[2], h[3])
if mine and h[5] == ARGV[4] and ARGV[4] ~= '0' then return tonumber(h[8]) end
if not mine or h[4] == '1' or tonumber(ARGV[4]) ~= h[5] + 1 then return log() end
local last = h[6] + ARGV[5]
if tonumber(ARGV[6]) > last then return log() end
local bad = damaged(h[6])
if bad then return bad end
push(14)
redis.call('HSET', HEAD, 'last', last, 'claimed', math.max(tonumber(h[7]), tonumber(ARGV[6])), 'freed', ARGV[7],
  'write', ARGV[4], 'answer', last, 'kind', ARGV[8], 'status', ARGV[9], 'agent', ARGV[10], 'due', ARGV[11],
  'consumed', ARGV[12], 'body', ARGV[13])
if ARGV[7] == '1' then redis.call('DEL', LOCK) end
return last
"""
)
"""Answers the last number, or the log that does not take the write."""

RENEW = (
    _LOG
    + """
-- ARGV life epoch owner ttl
local h = redis.call('HMGET', HEAD, 'life', 'epoch', 'owner', 'freed')
if not h[1] or not ours(h[1], h[2], h[3]) or h[4] == '1' then return log() end
redis.call('SET', LOCK, ARGV[3], 'PX', ARGV[4])
return 1
"""
)

RELEASE = (
    _LOG
    + """
-- ARGV life epoch owner
local h = redis.call('HMGET', HEAD, 'life', 'epoch', 'owner', 'freed')
if h[1] and ours(h[1], h[2], h[3]) and h[4] ~= '1' then
  redis.call('HSET', HEAD, 'freed', 1)
  redis.call('DEL', LOCK)
end
return 1
"""
)

DELETE = (
    _LOG
    + """
-- ARGV life epoch owner last
local h = redis.call('HMGET', HEAD, 'life', 'epoch', 'owner', 'freed', 'kind', 'last')
if not h[1] or not ours(h[1], h[2], h[3]) or h[4] == '1' then return log() end
if ARGV[4] ~= '' and ARGV[4] ~= h[6] then return 0 end
redis.call('UNLINK', HEAD, LOG, LOCK, IDS)
return h[5]
"""
)
"""Answers the kind that the log had, 0 if it has grown, or the log that is not ours."""

READ = (
    _LOG
    + """
-- ARGV after before limit reverse
local last = redis.call('HGET', HEAD, 'last')
if not last then return {} end
local bad = damaged(last)
if bad then return bad end
local start, stop = tonumber(ARGV[1]), tonumber(last)
if ARGV[2] ~= '' then stop = math.min(stop, ARGV[2] - 1) end
if ARGV[4] == '1' then start = math.max(start, stop - ARGV[3]) else stop = math.min(stop, start + ARGV[3]) end
if start >= stop then return {} end
return {start + 1, redis.call('LRANGE', LOG, start, stop - 1)}
"""
)
"""Answers the first number and the records from there on; nothing if there are none."""

SWAP = """
-- ARGV new ttl [old]
local there = redis.call('GET', KEYS[1])
if there ~= ARGV[1] and there ~= (ARGV[3] or false) then return 0 end
if ARGV[2] == '' then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1
"""
"""On one small value. Answers whether the new one is there."""

LOOK = (
    _LOG
    + """
return {log(), redis.call('EXISTS', LOCK)}
"""
)
