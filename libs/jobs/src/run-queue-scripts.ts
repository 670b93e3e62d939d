/*
 * What BullMQ has no command for, each as one atomic script. They read where BullMQ (6.7) keeps a job: its hash, and the id in one of
 * `prioritized`, `delayed`, `wait` or `active`; the contract suite notices when that changes.
 */

/** Scores of the sorted set `prioritized` are priority · 2^32 + a counter. */
const counterSpan = 0x1_0000_0000;

/** BullMQ takes priorities up to 2^21 - 1; from here on all of them are moved down. */
const rebaseFrom = 2 ** 20;

/**
 * Decides what an offer comes to.
 *
 * KEYS: the job's hash, prioritized, delayed, wait, active, the run's `again` mark, its `rest` mark, the turns of the tenants.
 * ARGV: job id, tenant, how long an `again` mark is kept (ms), prefix of the jobs' hashes.
 * Returns {0}: it waits already; {1}: it runs, and is marked to run again; {2, priority, delay in ms}: add it with these.
 *
 * Turns: every tenant has a number, that of its next job. A job gets the larger of it and of the smallest number that waits, and the
 * tenant's number goes up by one; jobs start in the order of their numbers (start-time fair queueing, docs/adr/0013).
 */
export const admitScript = `
local hash, prioritized, delayed, wait, active, again, rest, turns = unpack(KEYS)
local id, tenant, againMs, prefix = unpack(ARGV)
if redis.call('EXISTS', hash) == 1 then
  if redis.call('LPOS', active, id) then
    redis.call('SET', again, '1', 'PX', againMs)
    return {1}
  end
  if redis.call('ZSCORE', prioritized, id) or redis.call('ZSCORE', delayed, id) or redis.call('LPOS', wait, id) then
    return {0}
  end
  redis.call('DEL', hash, hash .. ':lock') -- in no list: nobody would ever start it, and its id would keep others out
end

local function turnOf(score) return math.floor(score / ${counterSpan}) end
local first = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')
local now = 1
if #first == 0 then
  redis.call('DEL', turns)
else
  now = math.max(1, turnOf(tonumber(first[2])))
end

if now >= ${rebaseFrom} then
  local down = now - 1
  local function lower(jobId)
    local turn = tonumber(redis.call('HGET', prefix .. jobId, 'priority'))
    if turn then redis.call('HSET', prefix .. jobId, 'priority', math.max(1, turn - down)) end
  end
  local jobs = redis.call('ZRANGE', prioritized, 0, -1, 'WITHSCORES')
  for i = 1, #jobs, 2 do
    redis.call('ZADD', prioritized, tonumber(jobs[i + 1]) - down * ${counterSpan}, jobs[i])
    lower(jobs[i])
  end
  for _, jobId in ipairs(redis.call('ZRANGE', delayed, 0, -1)) do lower(jobId) end
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
redis.call('PEXPIRE', turns, 3600000)
return {2, turn, math.max(0, redis.call('PTTL', rest))}
`;
