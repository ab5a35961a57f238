-- Calls in flight. Each has a record and a lease; what a process that is gone left behind is taken back here: a
-- reservation that was never sent returns, one that was sent is settled in full and marked as estimated.
local leases = {}
local REMEMBERED = IDLE -- a call that was taken back can still report its usage for so long

function leases.find(id)
  local packed = redis.call('HGET', key('calls'), id)
  return packed and cmsgpack.unpack(packed)
end

function leases.keep(id, record, lease)
  budget.count_in_days(record.budgets, 'reserved', record.amount)
  redis.call('HSET', key('calls'), id, cmsgpack.pack(record))
  redis.call('ZADD', key('leases'), now + lease, id)
end

local function forget(id, record)
  budget.count_in_days(record.budgets, 'reserved', -record.amount)
  redis.call('HDEL', key('calls'), id)
  redis.call('ZREM', key('leases'), id)
  redis.call('SREM', key('in-flight', record.account), id)
end

function leases.settlement(id, record, cost, estimated)
  return {id = id, epoch = record.epoch, at = now, cost = cost, estimated = estimated, budgets = record.budgets,
          account = record.account, model = record.model, team = record.team}
end

-- Book the cost of a call, instead of the estimate that was booked `before`, and announce it.
local function book(id, record, cost, before, estimated)
  budget.book_in_days(id, record.budgets, cost - before)
  if record.epoch == epoch then
    budget.book(record.budgets, cost - before, (estimated and cost or 0) - before)
  elseif record.priced then
    unconfirmed.book(id, record.budgets, cost, estimated)
  end
  local settlement = leases.settlement(id, record, cost, estimated)
  if record.priced then budget.announce(settlement) end
  return settlement
end

-- End a call: its reservation goes, its cost is booked.
function leases.settle(id, record, cost, estimated)
  forget(id, record)
  local settlement = book(id, record, cost, 0, estimated)
  budget.reserve(record.budgets, -record.amount)
  return settlement
end

-- End a call that this server has lost, or whose end it has booked already: if the ledger is another one since, nobody here
-- can tell, and the database will. A day may then count it twice, which is the safe side.
function leases.settle_lost(id, record, cost, estimated)
  if record.epoch == epoch then return nil end
  return book(id, record, cost, 0, estimated)
end

function leases.release(id, record)
  forget(id, record)
  budget.reserve(record.budgets, -record.amount)
  rate.correct(record.account, record.minute, -1, -record.tokens)
end

-- The end of a call that was taken back at its reservation: book the difference.
function leases.correct(id, cost, estimated)
  local packed = redis.call('HGET', key('taken-back'), id)
  if not packed then return nil end
  local record = cmsgpack.unpack(packed)
  redis.call('HDEL', key('taken-back'), id)
  redis.call('ZREM', key('taken-back-at'), id)
  return book(id, record, cost, record.amount, estimated)
end

function leases.take_back(most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('leases'), '-inf', now, 'LIMIT', 0, most)) do
    local record = leases.find(id)
    if not record then
      redis.call('ZREM', key('leases'), id)
    elseif record.sent then
      leases.settle(id, record, record.amount, true)
      redis.call('HSET', key('taken-back'), id, cmsgpack.pack(record))
      redis.call('ZADD', key('taken-back-at'), now, id)
      turns.tell_next(record.account)
    else
      leases.release(id, record)
      turns.tell_next(record.account)
    end
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('taken-back-at'), '-inf', now - REMEMBERED, 'LIMIT', 0, most)) do
    redis.call('HDEL', key('taken-back'), id)
    redis.call('ZREM', key('taken-back-at'), id)
  end
end
