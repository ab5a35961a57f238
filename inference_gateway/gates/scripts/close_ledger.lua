-- Close the ledger of a server that was started anew, or that never had one. Reply: its state, and when it was closed.
if redis.call('HGET', key('ledger'), 'run') ~= arguments.run then
  redis.call('DEL', key('ledger'))
  redis.call('HSET', key('ledger'), 'state', 'closed', 'run', arguments.run, 'since', now)
end
local found = redis.call('HMGET', key('ledger'), 'state', 'since')
return cmsgpack.pack({state = found[1], since = found[2]})
