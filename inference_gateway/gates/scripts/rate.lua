-- Requests and tokens a minute of an upstream: a sliding window of two counters, the running minute and the one before,
-- which weighs less from moment to moment.
local rate = {}
local MINUTE = 60000
local minute = math.floor(now / MINUTE)
local share_left = 1 - (now % MINUTE) / MINUTE -- of the minute before

local function counted(account)
  local kept = redis.call('HMGET', key('rate', account), 'minute', 'requests', 'tokens', 'requests_before', 'tokens_before')
  local age = minute - number(kept[1])
  if age == 0 then
    return {requests = number(kept[2]), tokens = number(kept[3]),
            requests_before = number(kept[4]), tokens_before = number(kept[5])}
  elseif age == 1 then
    return {requests = 0, tokens = 0, requests_before = number(kept[2]), tokens_before = number(kept[3])}
  end
  return {requests = 0, tokens = 0, requests_before = 0, tokens_before = 0}
end

-- Return the milliseconds until `more` fits below the limit; 0 for now, nil for never.
local function until_fits(running, before, more, limit)
  if more > limit then return nil end
  local room = limit - more - running
  if room >= before * share_left then return 0 end
  local rest = MINUTE - now % MINUTE
  if room >= 0 then
    return math.ceil(rest - room / before * MINUTE) -- in the running minute, when the one before weighs little enough
  end
  return math.ceil(rest + (1 - (limit - more) / running) * MINUTE)
end

function rate.wait(account, tokens, limits)
  if not (limits.requests or limits.tokens) then return 0 end
  local sums = counted(account)
  local longest = 0
  for _, each in ipairs({{'requests', 1}, {'tokens', tokens}}) do
    local name, more = each[1], each[2]
    if limits[name] then
      local wait = until_fits(sums[name], sums[name .. '_before'], more, limits[name])
      if wait == nil then return nil end
      longest = math.max(longest, wait)
    end
  end
  return longest
end

function rate.count(account, tokens, limits)
  if not (limits.requests or limits.tokens) then return end
  local sums = counted(account)
  redis.call('HSET', key('rate', account), 'minute', minute, 'requests', sums.requests + 1, 'tokens', sums.tokens + tokens,
             'requests_before', sums.requests_before, 'tokens_before', sums.tokens_before)
  redis.call('PEXPIRE', key('rate', account), 3 * MINUTE)
end

-- Correct what was counted in `counted_in` (a minute) by as much; older minutes count for nothing any more.
function rate.correct(account, counted_in, requests, tokens)
  local kept = number(redis.call('HGET', key('rate', account), 'minute'))
  local suffix = counted_in == kept and '' or counted_in == kept - 1 and '_before' or nil
  if kept == 0 or suffix == nil then return end
  if requests ~= 0 then redis.call('HINCRBY', key('rate', account), 'requests' .. suffix, requests) end
  if tokens ~= 0 then redis.call('HINCRBY', key('rate', account), 'tokens' .. suffix, tokens) end
end
