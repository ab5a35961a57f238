-- Take in calls that are in flight in a live process and that this server lost. They are adopted beyond every limit.
-- While the ledger is closed they belong to the one that is opened next.
for _, each in ipairs(arguments.calls) do
  if not leases.find(each.id) then
    local record = each.record
    if epoch == nil or record.epoch ~= epoch then record.epoch = epoch or -1 end
    record.minute = 0
    leases.keep(each.id, record, arguments.lease)
    redis.call('SADD', key('in-flight', record.account), each.id)
    budget.reserve(record.budgets, record.amount)
  end
end
return cmsgpack.pack({state = ledger[1] or 'absent'})
