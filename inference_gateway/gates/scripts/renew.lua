-- Renew the leases and tickets of one process, all at once, and take in what its calls of a day have cost. Reply: calls that
-- this server does not know, and the ledger's state.
budget.remember_days(arguments.days or {})
local unknown = {}
for _, id in ipairs(arguments.calls) do
  if redis.call('ZADD', key('leases'), 'XX', 'CH', now + arguments.lease, id) == 0 and not leases.find(id)
     and redis.call('HEXISTS', key('taken-back'), id) == 0 then
    unknown[#unknown + 1] = id
  end
end
for _, ticket in ipairs(arguments.tickets) do turns.renew(ticket[1], ticket[2]) end
leases.take_back(200)
return cmsgpack.pack({unknown = unknown, state = ledger[1] or 'absent', epoch = number(ledger[2])})
