-- The shards of a fleet's binomial ladder: one string of SHARD bytes each, made by nm1_make alone.
-- Bit i of a page is bit i % 8 (0 the lowest) of its byte i / 8, as in the file; BITFIELD counts from the highest.
-- Functions have the rights of whoever calls them: each command here is one that an agent may run by itself. BITFIELD
-- and APPEND are all that writes, and neither makes anything but a string, nor makes one shorter: what is longer than
-- a shard still has the shard in front.
local SHARD, PAGE, BUCKETS = 65536, 4096, 1024
-- Bytes of one BITFIELD: four arguments for each 32 bits, and Lua passes at most 8,000.
local PIECE = 4096
-- The longest request: four arguments and 128 random numbers, 128 places. A function that has written cannot be ended, so
-- that a longer one would hold the node.
local ARGUMENTS, PLACES = 132, 256
local TOO_LONG = 'ERR longer than any request'

local function is_too_long(args)
  return #args > ARGUMENTS or #(args[2] or '') > PLACES
end


-- Writes whole words of eight bytes, from the word with this number on.
local function write(key, word, bytes)
  for first = 1, #bytes, PIECE do
    local piece = {}
    for i = first, math.min(first + PIECE, #bytes + 1) - 1, 4 do
      local a, b, c, d = bytes:byte(i, i + 3)
      piece[#piece + 1] = 'SET'
      piece[#piece + 1] = 'u32'
      piece[#piece + 1] = word * 64 + (i - 1) * 8
      piece[#piece + 1] = ((a * 256 + b) * 256 + c) * 256 + d
    end
    redis.call('BITFIELD', key, unpack(piece))
  end
end


-- page, packed 16-bit places (little-endian) -> height, zero places; -1: there is no whole shard
local function read(keys, args)
  if redis.call('STRLEN', keys[1]) < SHARD then return -1, {} end
  local first = tonumber(args[1]) * PAGE
  local page, places = redis.call('GETRANGE', keys[1], first, first + PAGE - 1), args[2]
  local height, zeros = 0, {}
  for i = 1, #places, 2 do
    local low, high = places:byte(i, i + 1)
    local place = high * 256 + low
    if bit.band(bit.rshift(page:byte(bit.rshift(place, 3) + 1), bit.band(place, 7)), 1) == 1 then
      height = height + 1
    else
      zeros[#zeros + 1] = place
    end
  end
  return height, zeros
end


-- One step for each of the random numbers from args[from] on: a random zero rung becomes a one.
local function climb(keys, args, zeros, from)
  for i = from, #args do
    if #zeros == 0 then return end
    local place = table.remove(zeros, tonumber(args[i]) % #zeros + 1)
    redis.call('BITFIELD', keys[1], 'SET', 'u1', tonumber(args[1]) * PAGE * 8 + place + 7 - 2 * (place % 8), 1)
  end
end


-- page, places -> height
redis.register_function{function_name = 'nm1_height', flags = {'no-writes'}, callback = function(keys, args)
  if is_too_long(args) then return redis.error_reply(TOO_LONG) end
  local height = read(keys, args)
  return height
end}


-- page, places, a random number for each step -> height before
redis.register_function('nm1_step', function(keys, args)
  if is_too_long(args) then return redis.error_reply(TOO_LONG) end
  local height, zeros = read(keys, args)
  climb(keys, args, zeros, 3)
  return height
end)


-- A step unless this failed login was seen lately: args are page, places, word, fingerprint (one byte, not 0), a
-- random number for each step -> height before, whether it was counted. The second key is the queue set beside the
-- shard: words of eight fingerprints, newest first, made by its first write, since zeros are an empty set.
redis.register_function('nm1_observe', function(keys, args)
  if is_too_long(args) then return redis.error_reply(TOO_LONG) end
  local word, print = tonumber(args[3]), args[4]
  if word >= BUCKETS or #print ~= 1 then return redis.error_reply('ERR not a word or a fingerprint') end
  local height, zeros = read(keys, args)
  if height < 0 then return {-1, 0} end
  local queue = redis.call('GETRANGE', keys[2], word * 8, word * 8 + 7)
  queue = queue .. string.rep('\0', 8 - #queue)
  local place = queue:find(print, 1, true)
  if place ~= 1 then
    local rest = queue:sub(1, (place or 8) - 1) .. queue:sub((place or 8) + 1)
    write(keys[2], word, print .. rest)
  end
  if place then return {height, 0} end
  climb(keys, args, zeros, 5)
  return {height, 1}
end)


-- pairs of a bit of the shard and its value -> 0; -1: there is no whole shard
redis.register_function('nm1_put', function(keys, args)
  if is_too_long(args) then return redis.error_reply(TOO_LONG) end
  if redis.call('STRLEN', keys[1]) < SHARD then return -1 end
  for i = 1, #args, 2 do
    local place = tonumber(args[i])
    if place >= SHARD * 8 then return redis.error_reply('ERR not a bit of a shard') end
    redis.call('BITFIELD', keys[1], 'SET', 'u1', place + 7 - 2 * (place % 8), args[i + 1])
  end
  return 0
end)


-- SHARD random bytes of the caller -> 1; 0 and no change where there is a whole shard
redis.register_function('nm1_make', function(keys, args)
  if #args[1] ~= SHARD then return redis.error_reply('ERR a shard has 65536 bytes') end
  local length = redis.call('STRLEN', keys[1])
  if length >= SHARD then return 0 end
  redis.call('APPEND', keys[1], args[1]:sub(length + 1))
  -- A part that somebody else began; the functions never do.
  if length > 0 then write(keys[1], 0, args[1]:sub(1, length + 7 - (length + 7) % 8)) end
  return 1
end)
