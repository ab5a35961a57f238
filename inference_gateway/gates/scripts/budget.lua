-- The ledger. A budget is a hash of `spent` and `reserved` nanodollars. The key of most holds the epoch of the ledger, so that
-- a ledger that was rebuilt never meets sums of the one before. A budget of a day is the gateway's own: it is of no epoch, is
-- booked also while the ledger is closed, and no answer of the api's database lowers it.
local budget = {}
local DAY = 'day|'
local DAYS_KEPT = 3 * IDLE
local ledger = redis.call('HMGET', key('ledger'), 'state', 'epoch')
local epoch = ledger[1] == 'open' and number(ledger[2]) or nil

local function is_of_day(name)
  return string.sub(name, 1, #DAY) == DAY
end

local function budget_key(name)
  return is_of_day(name) and key('budget', name) or key('budget', epoch, name)
end

-- Return nil where every budget holds the amount, else the budget's name, its sums, and whether waiting may help.
function budget.short(budgets, amount)
  for _, each in ipairs(budgets) do
    local sums = redis.call('HMGET', budget_key(each.name), 'spent', 'reserved')
    local spent, reserved = number(sums[1]), number(sums[2])
    if spent + reserved + amount > each.limit then
      return {name = each.name, spent = spent, reserved = reserved, limit = each.limit,
              may_pass = spent + amount <= each.limit}
    end
  end
  return nil
end

local function add(names, field, amount, in_days, in_epoch)
  if amount == 0 then return end
  for _, name in ipairs(names) do
    if is_of_day(name) then
      if in_days then
        redis.call('HINCRBY', budget_key(name), field, amount)
        if epoch then redis.call('HSETNX', budget_key(name), 'begun', 1) end
        redis.call('PEXPIRE', budget_key(name), DAYS_KEPT)
      end
    elseif in_epoch and epoch then
      redis.call('HINCRBY', budget_key(name), field, amount)
    end
  end
end

function budget.reserve(names, amount)
  add(names, 'reserved', amount, true, true)
end

-- Reserve in a ledger that has just been opened; the days' reservations were kept.
function budget.reserve_again(names, amount)
  add(names, 'reserved', amount, false, true)
end

function budget.book_of_day(names, amount)
  add(names, 'spent', amount, true, false)
end

-- Book in days that this server has lost.
function budget.book_lost_day(names, amount)
  for _, name in ipairs(names) do
    if is_of_day(name) and redis.call('HEXISTS', budget_key(name), 'begun') == 0 then add({name}, 'spent', amount, true, false) end
  end
end

function budget.book(names, amount)
  add(names, 'spent', amount, false, true)
end

-- Begin with the database's sum. A day begins once, so who has the database can't lower what is known of it.
function budget.begin(name, spent)
  if not is_of_day(name) then
    redis.call('HSET', budget_key(name), 'spent', spent, 'reserved', 0)
  elseif redis.call('HEXISTS', budget_key(name), 'begun') == 0 then
    redis.call('HINCRBY', budget_key(name), 'spent', spent)
    redis.call('HSET', budget_key(name), 'begun', 1)
    redis.call('PEXPIRE', budget_key(name), DAYS_KEPT)
  end
end

-- Write a settlement where it waits for the api's database, also when the process that made it dies.
function budget.announce(settlement)
  settlement.entry = redis.call('XADD', key('settlements'), '*', 'settlement', cmsgpack.pack(settlement))
end
