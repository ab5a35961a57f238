-- Admit a call past every gate, or past none. Reply: {state = admitted | wait | refused, ...}.
local call = arguments
local account = call.account

local function refused(reason, wait, found)
  turns.leave(account, call.id)
  turns.tell_next(account)
  return cmsgpack.pack({state = 'refused', reason = reason, wait = wait, found = found})
end

leases.take_back(20)
if leases.find(call.id) then -- a reply that was lost: the same call, asked again
  return cmsgpack.pack({state = 'admitted', epoch = epoch})
end
if call.priced and epoch == nil then return refused('ledger-away') end

local closed, is_probe = breaker.wait(account, call.model, call.id)
if closed then return refused('breaker', closed) end
local paused, detail = breaker.identical(account, call.model, call.team)
if paused then return refused('identical-errors', paused, {detail = detail}) end

-- Wait outside of the queue, so that those behind go on.
local function wait_apart(reason, wait, found)
  turns.leave(account, call.id)
  turns.tell_next(account)
  return cmsgpack.pack({state = 'wait', reason = reason, wait = wait, found = found})
end
local pause = breaker.paused(account, call.model)
if pause > 0 then return wait_apart('rate', pause) end

local names = {}
for place, each in ipairs(call.budgets) do names[place] = each.name end
if call.priced then
  local short = budget.short(call.budgets, call.amount)
  if short and not short.may_pass then return refused('budget', nil, short) end
  if short then return wait_apart('budget', 250, short) end -- calls in flight may cost less than they reserved
end

local delay = rate.wait(account, call.tokens, call.limits)
if delay == nil then return refused('rate') end
local state = permits.load(account, call.permits)
local has_permit = permits.in_flight(account) < state.limit
local first = turns.next(account)
if delay > 0 or not has_permit or (first and first ~= call.id) then
  turns.join(account, call.team, call.id)
  return cmsgpack.pack({state = 'wait', reason = delay > 0 and 'rate' or 'busy', wait = delay})
end

turns.serve(account, call.team, call.id)
rate.count(account, call.tokens, call.limits)
permits.take(account, state, call.id)
if is_probe then breaker.probe(account, call.model, call.id) end
budget.reserve(names, call.amount)
leases.keep(call.id, {
  account = account, team = call.team, model = call.model, tokens = call.tokens, minute = minute, amount = call.amount,
  budgets = names, priced = call.priced, sent = call.sent, epoch = epoch or 0,
}, call.lease)
if permits.in_flight(account) < state.limit then turns.tell_next(account) end
return cmsgpack.pack({state = 'admitted', epoch = epoch})
