-- The adaptive limit of concurrent calls of an upstream (the controller of Inspect, with its numbers): it doubles for each
-- clean round until the first 429, then grows by a twentieth; a 429 takes a fifth, once in an episode.
local permits = {}
local LEAST_ROUND = 4 -- successes
local FULL = 0.8 -- a round counts only if so much of the limit was in use
local CUT = 0.8
local GROWTH = 0.05
local EPISODE = 15000

function permits.in_flight(account)
  return redis.call('SCARD', key('in-flight', account))
end

function permits.load(account, bounds)
  local kept = redis.call('HMGET', key('upstream', account), 'limit', 'streak', 'peak', 'cut_before', 'episode_until')
  local limit = kept[1] and number(kept[1]) or bounds.start
  return {limit = math.min(math.max(limit, bounds.least), bounds.most), streak = number(kept[2]), peak = number(kept[3]),
          cut_before = number(kept[4]), episode_until = number(kept[5])}
end

local function save(account, state)
  redis.call('HSET', key('upstream', account), 'limit', state.limit, 'streak', state.streak, 'peak', state.peak,
             'cut_before', state.cut_before, 'episode_until', state.episode_until)
  redis.call('PEXPIRE', key('upstream', account), IDLE)
end

function permits.take(account, state, id)
  redis.call('SADD', key('in-flight', account), id)
  local used = permits.in_flight(account)
  if used > state.peak then
    redis.call('HSET', key('upstream', account), 'limit', state.limit, 'peak', used)
    redis.call('PEXPIRE', key('upstream', account), IDLE)
  end
end

-- A success of a first attempt; one during an episode counts for nothing.
function permits.succeeded(account, bounds)
  local state = permits.load(account, bounds)
  if now < state.episode_until then return end
  state.streak = state.streak + 1
  if state.streak >= math.max(state.limit, LEAST_ROUND) then
    if state.peak >= FULL * state.limit then
      local grown = state.cut_before == 0 and state.limit * 2
        or state.limit + math.max(1, math.floor(state.limit * GROWTH))
      state.limit = math.min(grown, bounds.most)
    end
    state.streak = 0
    state.peak = permits.in_flight(account)
  end
  save(account, state)
end

function permits.rate_limited(account, bounds)
  local state = permits.load(account, bounds)
  if now >= state.episode_until then
    state.limit = math.max(bounds.least, math.floor(state.limit * CUT))
    state.peak = 0
  end
  state.cut_before = 1
  state.streak = 0
  state.episode_until = now + EPISODE
  save(account, state)
end

function permits.failed(account)
  redis.call('HSET', key('upstream', account), 'streak', 0)
end
