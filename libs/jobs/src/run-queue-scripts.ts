/*
 * What BullMQ has no command for, each as one atomic script. They read where BullMQ (6.7) keeps a job: its hash, and the id in one of
 * `prioritized`, `wait` or `active`; the contract suite notices when that changes.
 */

/** Scores of the sorted set `prioritized` are priority · 2^32 + a counter. */
const counterSpan = 0x1_0000_0000;

/** BullMQ takes priorities up to 2^21 - 1; from here on all of them are moved down. */
const rebaseFrom = 2 ** 20;

/** When nothing was added for so long, the turns are forgotten. */
const turnsMs = 3_600_000;

/**
 * Decides what an offer comes to.
 *
 * KEYS: the job's hash, prioritized, wait, active, delayed, the run's `again` mark, its `rest` mark, the turns of the tenants.
 * ARGV: job id, tenant, how long an `again` mark is kept (ms), prefix of the jobs' hashes.
 * Returns {0}: it waits already; {1}: it runs, and is marked to run once more; {2, priority}: add it with that; {3, ms}: it rests for so long.
 *
 * A job that is in no list, or runs without a lock, has nobody who would ever end it, and its id would keep out every later offer: it is removed.
 *
 * Turns: every tenant has a number, that of its next job. A job gets the larger of it and of the smallest number that waits, and the
 * tenant's number goes up by one; jobs start in the order of their numbers (start-time fair queueing, docs/adr/0013).
 */
export const admitScript = `
local hash, prioritized, wait, active, delayed, again, rest, turns = unpack(KEYS)
local id, tenant, againMs, jobs = unpack(ARGV)
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

local first = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')
local now = 1
if #first == 0 then
  redis.call('DEL', turns)
else
  now = math.max(1, math.floor(tonumber(first[2]) / ${counterSpan}))
end

if now >= ${rebaseFrom} then
  local down = now - 1
  local waiting = redis.call('ZRANGE', prioritized, 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do
    redis.call('ZADD', prioritized, tonumber(waiting[i + 1]) - down * ${counterSpan}, waiting[i])
  end
  local old = redis.call('HGETALL', turns)
  redis.call('DEL', turns)
  for i = 1, #old, 2 do
    local turn = tonumber(old[i + 1]) - down
    if turn > 1 then redis.call('HSET', turns, old[i], turn) end
  end
  now = 1
end

local turn = math.min(math.max(now, tonumber(redis.call('HGET', turns, tenant) or '1')), ${2 * rebaseFrom - 1})
redis.call('HSET', turns, tenant, turn + 1)
redis.call('PEXPIRE', turns, ${turnsMs})
return {2, turn}
`;
