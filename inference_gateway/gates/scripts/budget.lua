-- The ledger. A budget is a hash of nanodollars: `spent`, `estimated` (what of that nobody has measured: reservations that
-- were booked, and costs that the database may hold already) and `reserved`. Its key holds the epoch of the ledger, so that a
-- ledger that was rebuilt never meets sums of the one before.
--
-- A budget of a day is the gateway's own bound. It is counted a second time, in a hash of no epoch: what this server admits
-- and ends. No answer of the api's database changes that, so an api that lies about the ledger's sums can't raise the bound.
-- Beside what all have spent stands what the calls of each process have. Processes keep that, too, and tell it: if this
-- server has lost it, it is as high again.
local budget = {}
local DAY = 'day|'
local DAYS_KEPT = 3 * IDLE
local ledger = redis.call('HMGET', key('ledger'), 'state', 'epoch')
local epoch = ledger[1] == 'open' and number(ledger[2]) or nil

local function budget_key(name)
  return key('budget', epoch, name)
end

local function is_of_day(name)
  return string.sub(name, 1, #DAY) == DAY
end

local function short_in(hash, each, amount)
  local sums = redis.call('HMGET', hash, 'spent', 'reserved', 'estimated')
  local spent, reserved = number(sums[1]), number(sums[2])
  if spent + reserved + amount <= each.limit then return nil end
  return {name = each.name, spent = spent, reserved = reserved, estimated = number(sums[3]), limit = each.limit,
          may_pass = spent + amount <= each.limit}
end

-- Return nil where every budget holds the amount, else the budget's name, its sums, and whether waiting may help.
function budget.short(budgets, amount)
  for _, each in ipairs(budgets) do
    local short = short_in(budget_key(each.name), each, amount)
      or is_of_day(each.name) and short_in(key('day', each.name), each, amount)
    if short then return short end
  end
  return nil
end

-- Count in the days' own sums, also while the ledger is closed. This comes before whatever may fail in a script: sums that
-- the database told may be so large that Redis refuses to add to them.
function budget.count_in_days(names, field, amount)
  for _, name in ipairs(names) do
    if is_of_day(name) and amount ~= 0 then
      redis.call('HINCRBY', key('day', name), field, amount)
      redis.call('PEXPIRE', key('day', name), DAYS_KEPT)
    end
  end
end

local function field_of(process)
  return 'by ' .. process
end

-- Book the cost of a call in its days. The first part of its id names its process.
function budget.book_in_days(id, names, amount)
  budget.count_in_days(names, 'spent', amount)
  budget.count_in_days(names, field_of(string.match(id, '^[^.]+')), amount)
end

-- Take in what calls of processes have cost: {process, name, amount} each.
function budget.remember_days(costs)
  for _, each in ipairs(costs) do
    local process, name, amount = each[1], each[2], each[3]
    local missing = amount - number(redis.call('HGET', key('day', name), field_of(process)))
    if missing > 0 then budget.book_in_days(process, {name}, missing) end
  end
end

local function add(names, field, amount)
  if epoch == nil or amount == 0 then return end
  for _, name in ipairs(names) do
    redis.call('HINCRBY', budget_key(name), field, amount)
  end
end

function budget.reserve(names, amount)
  add(names, 'reserved', amount)
end

-- Book an amount, of which `estimated` was not measured. Both are negative where less is booked than before.
function budget.book(names, amount, estimated)
  add(names, 'spent', amount)
  add(names, 'estimated', estimated)
end

-- Write a settlement where it waits for the api's database, also when the process that made it dies.
function budget.announce(settlement)
  settlement.entry = redis.call('XADD', key('settlements'), '*', 'settlement', cmsgpack.pack(settlement))
end
