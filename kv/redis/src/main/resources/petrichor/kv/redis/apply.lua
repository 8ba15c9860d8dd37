#!lua
-- Checks the fence, and that all tables exist; then applies the changes. Redis does not roll back when a
-- script fails, so all checks precede the first change.
-- KEYS  fences, tables, writes, then the order and the values of each table
-- ARGV  1 domain; 2 fence, empty for a write without one; 3 number of tables; their names; then changes:
--         'put' table count key value key value ...
--         'delete' table count key key ...
--         'range' table from to
--       where table is its number in the list, and counts are small enough for Lua's stack
-- Returns the number of writes; 0 if fenced, -n if the n-th table does not exist.
if ARGV[2] ~= '' and redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
    return 0
end
local tables = tonumber(ARGV[3])
for n = 1, tables do
    if redis.call('SISMEMBER', KEYS[2], ARGV[3 + n]) == 0 then
        return -n
    end
end

local RANGE_ROWS = 1000
local last = #ARGV
local at = 4 + tables
while at <= last do
    local change = ARGV[at]
    local table = tonumber(ARGV[at + 1])
    local order = KEYS[2 + 2 * table]
    local values = KEYS[3 + 2 * table]
    if change == 'range' then
        local from, to = ARGV[at + 2], ARGV[at + 3]
        if from == '-' and to == '+' then
            redis.call('UNLINK', order, values)
        else
            local keys
            repeat
                keys = redis.call('ZRANGE', order, from, to, 'BYLEX', 'LIMIT', 0, RANGE_ROWS)
                if #keys > 0 then
                    redis.call('HDEL', values, unpack(keys))
                    redis.call('ZREM', order, unpack(keys))
                end
            until #keys < RANGE_ROWS
        end
        at = at + 4
    elseif change == 'delete' then
        local first = at + 3
        local beyond = first + tonumber(ARGV[at + 2])
        if redis.call('HDEL', values, unpack(ARGV, first, beyond - 1)) > 0 then
            redis.call('ZREM', order, unpack(ARGV, first, beyond - 1))
        end
        at = beyond
    else
        local first = at + 3
        local beyond = first + 2 * tonumber(ARGV[at + 2])
        -- Existing rows are in the sorted set already.
        if redis.call('HSET', values, unpack(ARGV, first, beyond - 1)) > 0 then
            local scored = {}
            for key = first, beyond - 1, 2 do
                scored[#scored + 1] = '0'
                scored[#scored + 1] = ARGV[key]
            end
            redis.call('ZADD', order, unpack(scored))
        end
        at = beyond
    end
end
return redis.call('INCR', KEYS[3])
