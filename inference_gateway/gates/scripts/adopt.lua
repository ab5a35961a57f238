-- Take in what a live process knows and this server may have lost. Calls in flight are adopted beyond every limit.
budget.remember_days(arguments.days or {})
for _, each in ipairs(arguments.calls) do
  if not leases.find(each.id) then
    local record = each.record
    record.minute = 0
    leases.keep(each.id, record, arguments.lease)
    redis.call('SADD', key('in-flight', record.account), each.id)
    budget.reserve(record.budgets, record.amount)
  end
end
-- What ended and is not in the api's database yet. The next ledger may open before it gets there.
for _, each in ipairs(arguments.settlements) do
  if each.epoch ~= epoch then unconfirmed.book(each.id, each.budgets, each.cost, each.estimated) end
  budget.announce(each)
end
return cmsgpack.pack({state = ledger[1] or 'absent'})
