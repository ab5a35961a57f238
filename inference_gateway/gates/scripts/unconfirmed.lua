-- Costs of calls that began in an earlier ledger, and of calls that end while no ledger is open. Each is booked at once, or
-- when the next ledger opens. The database's sums at the opening may have held it, or a part of it. So for each the database
-- says how much its sums have grown by it since the opening, and that amount replaces what was booked.
local unconfirmed = {}

local function load(id)
  local packed = redis.call('HGET', key('unconfirmed'), id)
  return packed and cmsgpack.unpack(packed)
end

-- Have `amount` booked in this ledger, instead of what was booked of the entry.
local function replace(id, entry, amount)
  local before = entry.epoch == epoch and entry.booked or 0
  budget.book(entry.budgets, amount - before)
  entry.booked, entry.epoch = amount, epoch or -1
  redis.call('HSET', key('unconfirmed'), id, cmsgpack.pack(entry))
end

function unconfirmed.book(id, names, cost, estimated)
  local entry = load(id) or {budgets = names, booked = 0, epoch = -1}
  entry.cost, entry.estimated, entry.answered = cost, estimated, -1
  replace(id, entry, cost)
end

-- The database's answer: its sums have grown by `amount` since it began the epoch `answered`. An answer about an estimate says
-- nothing of a cost that was measured since.
function unconfirmed.answer(id, names, answered, amount, estimated, is_late)
  local entry = load(id)
  if not entry and not is_late then return end -- booked by this ledger, as the database has it
  if entry and entry.estimated == false and estimated then return end
  entry = entry or {budgets = names, booked = 0, epoch = -1, cost = amount}
  entry.estimated, entry.answered, entry.amount = estimated, answered, amount
  if epoch and answered < epoch then amount = 0 end -- the sums at the opening held it
  replace(id, entry, epoch and amount or entry.booked)
end

-- Book in a ledger that has just been opened whatever its sums don't hold, as far as it is known.
function unconfirmed.open()
  local entries = redis.call('HGETALL', key('unconfirmed'))
  for place = 1, #entries, 2 do
    local id, entry = entries[place], cmsgpack.unpack(entries[place + 1])
    if entry.answered >= 0 and entry.answered < epoch then
      redis.call('HDEL', key('unconfirmed'), id)
    else
      replace(id, entry, entry.answered == epoch and entry.amount or entry.cost)
    end
  end
end
