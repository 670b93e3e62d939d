/*
 * Operations that BullMQ lacks, each as one atomic script. They read a job where BullMQ (6.7) keeps
 * it: its hash, and its id in `prioritized`, `wait` or `active`. The contract suite fails if that
 * changes.
 */

/** Scores of the sorted set `prioritized` are priority · 2^32 + a counter. */
const counterSpan = 0x1_0000_0000;

/**
 * BullMQ accepts priorities up to 2^21 - 1. When one reaches this value, all priorities are
 * reduced.
 */
const rebaseFrom = 2 ** 20;

/** If no job was added or finished for this long, the order of the tenants is dropped. */
const turnsMs = 3_600_000;

/**
 * Decides how to handle an offer.
 *
 * KEYS: the job's hash, prioritized, wait, active, delayed, the run's `again` mark, its `rest`
 * mark, turns, clock. ARGV: job id, tenant, how long an `again` mark is kept (ms). Returns {0}: it
 * is already waiting; {1}: it is running, and is marked to run again; {2, priority}: add it with
 * this priority; {3, ms}: it is delayed for this long.
 *
 * A job that is in no list, or is active without a lock, would never end, and its id would block
 * every later offer. So it is removed.
 *
 * Start-time fair queueing (docs/adr/0013): `turns` has the number of each tenant's next job,
 * `clock` the largest number of a finished job. A new job gets the largest of its tenant's number,
 * the clock, and the smallest waiting number. The tenant's number is then increased by one.
 */
export const admitScript = `
local hash, prioritized, wait, active, delayed, again, rest, turns, clock = unpack(KEYS)
local id, tenant, againMs = unpack(ARGV)
if redis.call('EXISTS', hash) == 1 then
  if redis.call('LPOS', active, id) then
    if redis.call('EXISTS', hash .. ':lock') == 1 then
      redis.call('SET', again, '1', 'PX', againMs)
      return {1}
    end
    redis.call('LREM', active, 0, id)
  elseif redis.call('ZSCORE', prioritized, id) or redis.call('LPOS', wait, id) then
    return {0}
  end
  redis.call('ZREM', delayed, id)
  redis.call('DEL', hash, hash .. ':lock')
end

local restMs = redis.call('PTTL', rest)
if restMs > 0 then return {3, restMs} end

local now = tonumber(redis.call('GET', clock) or '1')
local first = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')
if #first > 0 then now = math.max(now, math.floor(tonumber(first[2]) / ${counterSpan})) end
redis.call('ZREMRANGEBYSCORE', turns, '-inf', now)

if now >= ${rebaseFrom} then
  local down = now - 1
  local function lower(key, by)
    local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #entries, 2 do redis.call('ZADD', key, math.max(1, tonumber(entries[i + 1]) - by), entries[i]) end
  end
  lower(prioritized, down * ${counterSpan})
  lower(turns, down)
  now = 1
end

local turn = math.min(math.max(now, tonumber(redis.call('ZSCORE', turns, tenant) or '1')), ${2 * rebaseFrom - 1})
redis.call('ZADD', turns, turn + 1, tenant)
redis.call('PEXPIRE', turns, ${turnsMs})
redis.call('SET', clock, now, 'PX', ${turnsMs})
return {2, turn}
`;

/**
 * Call after a job ends. Advances the clock, and takes the mark left by offers that arrived while
 * the job ran.
 *
 * KEYS: the run's `again` mark, clock. ARGV: the job's priority. Returns 1 if there was a mark,
 * otherwise 0. A number far ahead of the clock dates from before all numbers were reduced, and is
 * ignored.
 */
export const settleScript = `
local again, clock = unpack(KEYS)
local now = tonumber(redis.call('GET', clock) or '1')
local turn = tonumber(ARGV[1])
if turn > now and turn < now + ${rebaseFrom / 2} then redis.call('SET', clock, turn, 'PX', ${turnsMs}) end
return redis.call('DEL', again)
`;
