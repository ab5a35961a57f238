-- Two breakers. That of a model at its upstream opens after so many failures in a row (5xx, time-outs, lost connections);
-- when its pause is over one call at a time, with a lease, tries it. That for identical errors stops a team whose calls of
-- a model get the same 4xx again and again. A 429 holds the calls of its model back, too: other models of the account go on.
local breaker = {}
local PROBE_WAIT = 1000 -- to ask again while another call tries the upstream

local function breaker_key(account, model)
  return key('breaker', account, model)
end

-- Return nil where a call may pass, else the milliseconds until it may ask again; and whether the call would be a probe.
function breaker.wait(account, model, id)
  local kept = redis.call('HMGET', breaker_key(account, model), 'open_until', 'probe')
  local open_until = number(kept[1])
  if open_until == 0 then return nil, false end
  if now < open_until then return open_until - now, false end
  if kept[2] and kept[2] ~= id and redis.call('HEXISTS', key('calls'), kept[2]) == 1 then return PROBE_WAIT, false end
  return nil, true
end

function breaker.probe(account, model, id)
  redis.call('HSET', breaker_key(account, model), 'probe', id)
end

function breaker.failed(account, model, id, most, pause)
  local kept = breaker_key(account, model)
  local failures = redis.call('HINCRBY', kept, 'failures', 1)
  local was_probe = redis.call('HGET', kept, 'probe') == id
  local open_until = number(redis.call('HGET', kept, 'open_until'))
  redis.call('PEXPIRE', kept, IDLE)
  if was_probe or (open_until == 0 and failures >= most) then
    redis.call('HSET', kept, 'open_until', now + pause)
    redis.call('HDEL', kept, 'probe')
    return true
  end
  return false
end

-- The upstream answered. A call that began before the breaker opened does not close it: only the probe does.
function breaker.answered(account, model, id)
  local kept = redis.call('HMGET', breaker_key(account, model), 'failures', 'open_until', 'probe')
  if number(kept[2]) ~= 0 and kept[3] ~= id then return end
  if kept[1] or kept[2] then redis.call('HDEL', breaker_key(account, model), 'failures', 'open_until', 'probe') end
end

function breaker.rate_limited(account, model, retry_after, longest)
  if retry_after <= 0 then return end
  local kept = breaker_key(account, model)
  local until_then = now + math.min(retry_after, longest)
  redis.call('HSET', kept, 'paused_until', math.max(number(redis.call('HGET', kept, 'paused_until')), until_then))
  redis.call('PEXPIRE', kept, IDLE)
end

-- Return the milliseconds until the pause that a 429 asked for ends; 0 where there is none.
function breaker.paused(account, model)
  return math.max(0, number(redis.call('HGET', breaker_key(account, model), 'paused_until')) - now)
end

local function errors_key(account, model, team)
  return key('errors', account, model, team)
end

-- Return nil, or the milliseconds until the pause after identical errors ends, and the error.
function breaker.identical(account, model, team)
  local kept = redis.call('HMGET', errors_key(account, model, team), 'until', 'detail')
  if number(kept[1]) > now then return number(kept[1]) - now, kept[2] end
  return nil
end

function breaker.rejected(account, model, team, detail, most, pause)
  local errors = errors_key(account, model, team)
  if redis.call('HGET', errors, 'detail') ~= detail then
    redis.call('DEL', errors)
    redis.call('HSET', errors, 'detail', detail)
  end
  if redis.call('HINCRBY', errors, 'count', 1) >= most then
    redis.call('HSET', errors, 'until', now + pause)
  end
  redis.call('PEXPIRE', errors, 10 * pause)
end

function breaker.accepted(account, model, team)
  redis.call('DEL', errors_key(account, model, team))
end
