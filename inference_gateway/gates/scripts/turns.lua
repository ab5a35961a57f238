-- Waiting for a permit, round robin by team: the team that was served longest ago comes first, and within a team who came
-- first. A ticket that nobody renews is dropped. Who is next is told on the channel of its process (the id's first part).
local turns = {}
local TICKET = 5000

local function drop(account, id)
  local team = redis.call('HGET', key('tickets', account), id)
  if not team then return end
  redis.call('HDEL', key('tickets', account), id)
  redis.call('ZREM', key('ticket-leases', account), id)
  redis.call('ZREM', key('queue', account, team), id)
  if redis.call('ZCARD', key('queue', account, team)) == 0 then
    redis.call('ZREM', key('waiting-teams', account), team)
  end
end
turns.leave = drop

function turns.renew(account, id)
  redis.call('ZADD', key('ticket-leases', account), 'XX', now + TICKET, id)
end

function turns.join(account, team, id)
  if redis.call('HSETNX', key('tickets', account), id, team) == 1 then
    local served = number(redis.call('ZSCORE', key('served', account), team))
    redis.call('ZADD', key('queue', account, team), redis.call('INCR', key('arrivals')), id)
    redis.call('ZADD', key('waiting-teams', account), served, team)
    redis.call('ZADD', key('ticket-leases', account), now + TICKET, id)
  else
    turns.renew(account, id)
  end
end

-- Return the ticket whose turn it is, or nil.
function turns.next(account)
  if redis.call('EXISTS', key('waiting-teams', account)) == 0 then return nil end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('ticket-leases', account), '-inf', now, 'LIMIT', 0, 100)) do
    drop(account, id)
  end
  local team = redis.call('ZRANGE', key('waiting-teams', account), 0, 0)[1]
  return team and redis.call('ZRANGE', key('queue', account, team), 0, 0)[1]
end

function turns.serve(account, team, id)
  local served = redis.call('INCR', key('serves'))
  redis.call('ZADD', key('served', account), served, team)
  redis.call('PEXPIRE', key('served', account), IDLE)
  drop(account, id)
  redis.call('ZADD', key('waiting-teams', account), 'XX', served, team)
end

function turns.tell_next(account)
  local id = turns.next(account)
  if id then
    redis.call('PUBLISH', key('turn', string.match(id, '^[^.]+')), id)
  end
end
