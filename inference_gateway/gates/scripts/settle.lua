-- End a call: its money, its permit, and what its outcome tells the controller and the breakers.
local done = arguments
local record = leases.find(done.id)
if not record then
  local settled = nil
  if done.outcome ~= 'unsent' then
    settled = leases.correct(done.id, done.cost, done.estimated)
      or done.record and leases.settle_lost(done.id, done.record, done.cost, done.estimated)
  end
  return cmsgpack.pack({known = settled and true or false, settlement = settled or nil})
end
local account = record.account
local settlement
if done.outcome == 'unsent' then
  leases.release(done.id, record)
else
  settlement = leases.settle(done.id, record, done.cost, done.estimated)
  rate.correct(account, record.minute, 0, done.tokens - record.tokens)
end

local opened = false
if done.outcome == 'success' then
  if done.attempt == 1 then permits.succeeded(account, done.permits) end
  breaker.answered(account, record.model, done.id)
  breaker.accepted(account, record.model, record.team)
elseif done.outcome == 'rate-limited' then
  permits.rate_limited(account, done.permits)
  breaker.rate_limited(account, record.model, done.retry_after, done.longest_pause)
elseif done.outcome == 'rejected' then
  breaker.answered(account, record.model, done.id)
  breaker.rejected(account, record.model, record.team, done.detail, done.identical_errors, done.identical_pause)
elseif done.outcome ~= 'unsent' and done.outcome ~= 'unknown' then
  permits.failed(account)
  opened = breaker.failed(account, record.model, done.id, done.breaker_failures, done.breaker_pause)
end
if permits.in_flight(account) < permits.load(account, done.permits).limit then turns.tell_next(account) end
return cmsgpack.pack({known = true, opened = opened, settlement = settlement})
