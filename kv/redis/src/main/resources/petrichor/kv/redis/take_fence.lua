#!lua
-- KEYS  fences, last fence
-- ARGV  1 the domain
-- Returns the domain's new fence. One counter for all domains: no number is ever reused.
local fence = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[1], ARGV[1], redis.call('GET', KEYS[2]))
return fence
