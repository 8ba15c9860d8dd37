#!lua flags=no-writes
-- One page of rows, keys and values of the same moment.
-- KEYS  tables, order and values of the table
-- ARGV  1 the table; 2 from; 3 to; 4 'REV' or empty; 5 maximum rows; 6 bytes after which a page ends
-- Returns 1 (more rows may follow) or 0, then keys and values; -1 if the table does not exist.
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then
    return { -1 }
end
local rows = tonumber(ARGV[5])
local keys
if ARGV[4] == 'REV' then
    keys = redis.call('ZRANGE', KEYS[2], ARGV[3], ARGV[2], 'BYLEX', 'REV', 'LIMIT', 0, rows)
else
    keys = redis.call('ZRANGE', KEYS[2], ARGV[2], ARGV[3], 'BYLEX', 'LIMIT', 0, rows)
end
local page = { #keys == rows and 1 or 0 }
local bytes = 0
local bytesMax = tonumber(ARGV[6])
for n = 1, #keys do
    local value = redis.call('HGET', KEYS[3], keys[n])
    page[#page + 1] = keys[n]
    page[#page + 1] = value
    bytes = bytes + #keys[n] + #value
    if bytes >= bytesMax and n < #keys then
        page[1] = 1
        break
    end
end
return page
