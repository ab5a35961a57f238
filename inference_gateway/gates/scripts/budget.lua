-- The ledger. A budget is a hash of nanodollars: `spent`, `estimated` (what of that nobody has measured: reservations that
-- were booked, and costs that the database may hold already) and `reserved`. Its key holds the epoch of the ledger, so that a
-- ledger that was rebuilt never meets sums of the one before.
local budget = {}
local ledger = redis.call('HMGET', key('ledger'), 'state', 'epoch')
local epoch = ledger[1] == 'open' and number(ledger[2]) or nil

local function budget_key(name)
  return key('budget', epoch, name)
end

-- Return nil where every budget holds the amount, else the budget's name, its sums, and whether waiting may help.
function budget.short(budgets, amount)
  for _, each in ipairs(budgets) do
    local sums = redis.call('HMGET', budget_key(each.name), 'spent', 'reserved', 'estimated')
    local spent, reserved = number(sums[1]), number(sums[2])
    if spent + reserved + amount > each.limit then
      return {name = each.name, spent = spent, reserved = reserved, estimated = number(sums[3]), limit = each.limit,
              may_pass = spent + amount <= each.limit}
    end
  end
  return nil
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
