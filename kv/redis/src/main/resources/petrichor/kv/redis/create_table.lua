#!lua
-- KEYS  tables, order and values of the table, writes
-- ARGV  1 the table
-- Returns the number of writes; 0 if values of other programs exist under the table's names.
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then
    if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then
        return 0
    end
    redis.call('SADD', KEYS[1], ARGV[1])
end
return redis.call('INCR', KEYS[4])
