SELECT * FROM tag WHERE s = ANY(ARRAY['a', 'x']) ORDER BY id
SELECT id FROM tag WHERE s = ANY('{a,c}') ORDER BY id
SELECT id FROM tag WHERE id = ANY('{1,3}'::int[]) ORDER BY id
SELECT id FROM tag WHERE 'x' = ANY(names) ORDER BY id
SELECT id FROM tag WHERE names[1] = 'x' ORDER BY id
SELECT id FROM tag WHERE s LIKE ANY (ARRAY['a%', 'q']) ORDER BY id
SELECT 'abc' NOT LIKE ALL (ARRAY['x%', '%d']), 'ABC' ILIKE ANY (ARRAY['a%']), 'abc' LIKE ALL ('{a%,%c}')
SELECT id FROM tag WHERE names @> ARRAY['x']::text[] ORDER BY id
SELECT id FROM tag WHERE names && '{y}'::text[] ORDER BY id
SELECT CAST('{1,2}' AS int[]), x::text[] FROM (SELECT '{a,b}' AS x) s
INSERT INTO tag VALUES (4, 'd', '{p,NULL,"q r"}', '\xdead')
INSERT INTO tag VALUES (5, 'e')
UPDATE tag SET names = '{}' WHERE id = 5
SELECT * FROM tag WHERE id > 3 ORDER BY id
SELECT date 'Jan 5 2024', '2024-1-5'::date, date '20240105', date '1/8/1999', date '8-Jan-1999', date 'January 8, 1999'
SELECT timestamp '2024-1-5 3:04 PM', time '04:05 PM'
SELECT 'today'::date = current_date, 'now'::timestamp <= localtimestamp, date 'tomorrow' > current_date
SELECT interval '1 day 2 hours', '90 minutes'::interval, interval '1 year 2 mons', interval '1.5 hours', interval 'P1DT2H'
SELECT timestamp '2024-01-31 10:00' + interval '1 month 1 day 2 hours', timestamp '2024-03-31 10:00' - interval '1 month 1 day'
SELECT interval '36 hours', interval '2 weeks', interval '15 months'
SELECT 'NaN'::numeric, 'inf'::float8, float8 '-Infinity', bool 'yes', 'off'::boolean, bool ' f '
SELECT '\xdeadbeef'::bytea, E'\\xDEAD'::bytea, 'abc'::bytea, CAST('\x01' AS bytea)
SELECT g FROM generate_series(1, 3) g
SELECT * FROM generate_series(1, 2)
SELECT sum(g) FROM generate_series(1, 10) g WHERE g > 5
SELECT generate_series(1, 3)
SELECT id, generate_series(1, 2) AS g FROM tag ORDER BY 1, 2
SELECT id FROM tag WHERE id IN (SELECT unnest(ARRAY[1, 2])) ORDER BY 1
SELECT u FROM unnest(ARRAY[1, 2]) u ORDER BY u
SELECT count(*) FROM (SELECT generate_series(1, 10)) s
SELECT 1 AS true, 2 AS user, 3 AS order
SELECT format('Hello %s, %I, %L, %%, %2$s %1$-5s|', 'w', 'a b', 'it''s')
SELECT regexp_replace('foobarbaz', 'b..', 'X'), regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g')
SELECT regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_split_to_array('a b  c', '\s+')
SELECT encode('\xdeadbeef'::bytea, 'hex'), encode('abc'::bytea, 'base64'), decode('616263', 'hex'), to_hex(255)
SELECT sha256('abc'::bytea), trim_scale(1.500), scale(1.50), width_bucket(5.35, 0.024, 10.06, 5)
SELECT date_part('year', date '2024-05-06')
SELECT '{"b": 1, "a": [1,2], "a": {"x":null}}'::jsonb, '[1, 2]'::jsonb -> 0, '{"a":{"b":1}}'::jsonb ->> 'a'
SELECT jsonb_build_object('a', 1, 'b', 'x')
SELECT date '2024-02-30'
SELECT date 'nope'
SELECT 'oops'::int[]
SELECT format('%s %s', 'a')
BEGIN
DECLARE c SCROLL CURSOR FOR SELECT id FROM tag ORDER BY id
FETCH 1 FROM c
FETCH ALL FROM c
FETCH BACKWARD 1 FROM c
FETCH PRIOR c
FETCH FIRST FROM c
FETCH LAST FROM c
FETCH ABSOLUTE 2 FROM c
FETCH RELATIVE -1 FROM c
MOVE FORWARD 1 IN c
FETCH 0 FROM c
FETCH -1 FROM c
MOVE BACKWARD ALL IN c
FETCH NEXT FROM c
DECLARE d NO SCROLL CURSOR FOR SELECT id FROM tag
FETCH 1 FROM d
FETCH BACKWARD 1 FROM d
ROLLBACK
