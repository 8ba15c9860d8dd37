#!lua
-- KEYS  tables, order and values of the table, writes
-- ARGV  1 the table
-- Returns the number of writes. The rows' memory is freed in the background.
if redis.call('SREM', KEYS[1], ARGV[1]) == 1 then
    redis.call('UNLINK', KEYS[2], KEYS[3])
end
return redis.call('INCR', KEYS[4])
