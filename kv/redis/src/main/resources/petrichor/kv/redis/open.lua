#!lua
-- Reports what exists under our name, and marks the name as ours if nothing does.
-- KEYS  format, tables, fences, last fence, writes
-- ARGV  1 our format; 2 '1' if the name may be new
-- Returns the format (empty: keys of another program; '-': no keys) and the number of writes.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
    if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) > 0 then
        return { '', '0' }
    end
    if ARGV[2] ~= '1' then
        return { '-', '0' }
    end
    redis.call('SET', KEYS[1], ARGV[1])
    return { ARGV[1], '0' }
end
if kind ~= 'string' then
    return { '', '0' }
end
local kinds = { 'set', 'hash', 'string', 'string' }
for n = 1, 4 do
    local found = redis.call('TYPE', KEYS[n + 1]).ok
    if found ~= 'none' and found ~= kinds[n] then
        return { '', '0' }
    end
end
return { redis.call('GET', KEYS[1]), redis.call('GET', KEYS[5]) or '0' }
