-- What every script begins with. KEYS[1]: the prefix of all keys; its hash tag keeps them on one node of a cluster.
-- ARGV[1]: the arguments, a MessagePack map. Times are milliseconds of this server's clock, or of the one that is handed in.
-- Replies are MessagePack.
local arguments = cmsgpack.unpack(ARGV[1])
local clock = redis.call('TIME')
local now = arguments.now or clock[1] * 1000 + math.floor(clock[2] / 1000)

local function key(...)
  return KEYS[1] .. '|' .. table.concat({...}, '|')
end

local function number(value)
  return tonumber(value or 0) or 0
end

local IDLE = 86400000 -- what is kept of an upstream or an old ledger goes after a day without a call
