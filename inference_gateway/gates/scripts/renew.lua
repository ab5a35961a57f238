-- Renew the leases and tickets of one process, all at once. Reply: calls that this server does not know, and the ledger's state.
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
