-- Mark a reservation as sent: from here on it never returns unsettled. Reply: whether there is such a call.
local record = leases.find(arguments.id)
if not record then return cmsgpack.pack({known = false}) end
record.sent = true
redis.call('HSET', key('calls'), arguments.id, cmsgpack.pack(record))
return cmsgpack.pack({known = true})
