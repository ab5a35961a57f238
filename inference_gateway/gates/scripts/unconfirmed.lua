-- Costs of calls that began in an earlier ledger, and of calls that end while no ledger is open. Each is booked at once, or
-- when the next ledger opens. The database's sums at the opening may have held it, or a part of it. So for each the database
-- says how much its sums have grown by it since the opening, and that amount replaces what was booked. Until then all of it
-- counts as estimated.
local unconfirmed = {}

local function load(id)
  local packed = redis.call('HGET', key('unconfirmed'), id)
  return packed and cmsgpack.unpack(packed)
end

-- Have `amount` booked in this ledger, and `estimates` of it as estimated, instead of what was booked of the entry.
local function replace(id, entry, amount, estimates)
  local is_booked = entry.epoch == epoch
  budget.book(entry.budgets, amount - (is_booked and entry.booked or 0), estimates - (is_booked and entry.estimates or 0))
  entry.booked, entry.estimates, entry.epoch = amount, estimates, epoch or -1
  redis.call('HSET', key('unconfirmed'), id, cmsgpack.pack(entry))
end

function unconfirmed.book(id, names, cost, estimated)
  local entry = load(id) or {budgets = names, booked = 0, estimates = 0, epoch = -1}
  entry.cost, entry.estimated, entry.answered = cost, estimated, -1
  replace(id, entry, cost, cost)
end

-- The database's answer: how its sums have grown by the settlement since it began the epoch `answered`. An answer about an
-- estimate says nothing of a cost that was measured since.
function unconfirmed.answer(id, answered, kept)
  local entry = load(id)
  if not entry and not kept.is_late then return end -- booked by this ledger, as the database has it
  if entry and entry.estimated == false and kept.estimated then return end
  entry = entry or {budgets = kept.budgets, booked = 0, estimates = 0, epoch = -1, cost = kept.grown}
  entry.estimated, entry.answered, entry.grown, entry.estimates_grown = kept.estimated, answered, kept.grown, kept.estimates_grown
  local is_held = epoch and answered < epoch -- the sums at the opening held it
  if epoch then
    replace(id, entry, is_held and 0 or kept.grown, is_held and 0 or kept.estimates_grown)
  else
    replace(id, entry, entry.booked, entry.estimates)
  end
end

-- Book in a ledger that has just been opened whatever its sums don't hold, as far as it is known.
function unconfirmed.open()
  local entries = redis.call('HGETALL', key('unconfirmed'))
  for place = 1, #entries, 2 do
    local id, entry = entries[place], cmsgpack.unpack(entries[place + 1])
    if entry.answered >= 0 and entry.answered < epoch then
      redis.call('HDEL', key('unconfirmed'), id)
    elseif entry.answered == epoch then
      replace(id, entry, entry.grown, entry.estimates_grown)
    else
      replace(id, entry, entry.cost, entry.cost)
    end
  end
end
