-- Two breakers. That of an upstream opens after so many failures in a row (5xx, time-outs, lost connections); when its
-- pause is over one call at a time, with a lease, tries it. That for identical errors stops a team whose calls of a model
-- get the same 4xx again and again.
local breaker = {}
local PROBE_WAIT = 1000 -- to ask again while another call tries the upstream

-- Return nil where a call may pass, else the milliseconds until it may ask again; and whether the call would be a probe.
function breaker.wait(account, id)
  local kept = redis.call('HMGET', key('upstream', account), 'open_until', 'probe')
  local open_until = number(kept[1])
  if open_until == 0 then return nil, false end
  if now < open_until then return open_until - now, false end
  if kept[2] and kept[2] ~= id and redis.call('HEXISTS', key('calls'), kept[2]) == 1 then return PROBE_WAIT, false end
  return nil, true
end

function breaker.probe(account, id)
  redis.call('HSET', key('upstream', account), 'probe', id)
end

function breaker.failed(account, id, most, pause)
  local upstream = key('upstream', account)
  local failures = redis.call('HINCRBY', upstream, 'failures', 1)
  local was_probe = redis.call('HGET', upstream, 'probe') == id
  local open_until = number(redis.call('HGET', upstream, 'open_until'))
  if was_probe or (open_until == 0 and failures >= most) then
    redis.call('HSET', upstream, 'open_until', now + pause)
    redis.call('HDEL', upstream, 'probe')
    return true
  end
  return false
end

-- The upstream answered. A call that began before the breaker opened does not close it: only the probe does.
function breaker.answered(account, id)
  local upstream = key('upstream', account)
  local kept = redis.call('HMGET', upstream, 'failures', 'open_until', 'probe')
  if number(kept[2]) ~= 0 and kept[3] ~= id then return end
  if kept[1] or kept[2] then redis.call('HDEL', upstream, 'failures', 'open_until', 'probe') end
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
