-- The database has kept settlements: they wait here no more, and what it says of late ones is booked. Reply: whether that was
-- done. If another epoch was begun there since this ledger opened, its sums are not those of the ledger: it is closed, to be
-- opened anew.
if epoch and arguments.epoch > epoch then
  redis.call('HSET', key('ledger'), 'state', 'closed', 'since', now)
  return cmsgpack.pack({confirmed = false})
end
for _, each in ipairs(arguments.kept) do
  unconfirmed.answer(each.id, arguments.epoch, each)
end
for _, entry in ipairs(arguments.entries) do redis.call('XDEL', key('settlements'), entry) end
return cmsgpack.pack({confirmed = true})
