-- Open the ledger with the sums of the api's database. What live processes have in flight is reserved again.
if number(redis.call('HGET', key('ledger'), 'epoch')) >= arguments.epoch or redis.call('HGET', key('ledger'), 'run') ~= arguments.run then
  return cmsgpack.pack({opened = false})
end
redis.call('HSET', key('ledger'), 'state', 'open', 'epoch', arguments.epoch)
epoch = arguments.epoch
for _, each in ipairs(arguments.spent) do redis.call('HSET', budget_key(each[1]), 'spent', each[2], 'reserved', 0) end
local calls = redis.call('HGETALL', key('calls'))
for place = 1, #calls, 2 do
  local record = cmsgpack.unpack(calls[place + 1])
  if record.epoch == -1 then
    record.epoch = epoch
    redis.call('HSET', key('calls'), calls[place], cmsgpack.pack(record))
  end
  budget.reserve(record.budgets, record.amount)
end
return cmsgpack.pack({opened = true})
