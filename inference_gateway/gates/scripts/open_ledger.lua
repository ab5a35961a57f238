-- Open the ledger with the sums of the api's database. What is in flight is reserved again, and what ended since the sums
-- were read is booked again.
local last = redis.call('HMGET', key('ledger'), 'epoch', 'run')
if epoch or number(last[1]) >= arguments.epoch or last[2] ~= arguments.run then
  return cmsgpack.pack({opened = false})
end
redis.call('HSET', key('ledger'), 'state', 'open', 'epoch', arguments.epoch)
epoch = arguments.epoch
for _, each in ipairs(arguments.spent) do
  redis.call('HSET', budget_key(each[1]), 'spent', each[2], 'estimated', each[3], 'reserved', 0)
end
local calls = redis.call('HVALS', key('calls'))
for _, packed in ipairs(calls) do
  local record = cmsgpack.unpack(packed)
  budget.reserve(record.budgets, record.amount)
end
unconfirmed.open()
return cmsgpack.pack({opened = true})
