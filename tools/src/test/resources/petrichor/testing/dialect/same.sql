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
SELECT d + interval '1 month', d - interval '2 hours', d + 1, max(d) + interval '1 day' FROM (VALUES (date '2024-01-31')) v(d) GROUP BY d
SELECT t + interval '1 month', t - interval '2 hours' FROM (VALUES (timestamp '2024-01-31 10:00:00')) v(t)
SELECT date '2024-05-01' - date '2024-04-01', '2024-05-01'::date - '2024-04-01'::date + 1, d - e FROM (VALUES (date '2024-05-01', date '2024-01-01')) v(d, e)
SELECT interval '1' day, interval '3 days', timestamp '2024-05-01' - timestamp '2024-04-01'
SELECT current_date - interval '1 day' < current_date, current_date - date '2024-01-01' > 30
SELECT '23:59:59.999999'::time, time '10:00:00.5', '10:00'::time + interval '1 hour'
SELECT pg_typeof(current_date - date '2024-01-01'), pg_typeof(now()), pg_typeof(ARRAY['a']), pg_typeof(ARRAY[1]), pg_typeof(now() - now())
SELECT round(2.3, 3), round(2.345, 2), round(1234.5, -2), round(2.5), round(NULL, 2)
SELECT rpad('hi', 5, 'xy'), lpad('hi', 5, 'xy'), lpad('hello', 2), rpad('hi', 4) || '|'
SELECT '{"a":1}'::jsonb || '{"a":2,"b":3}'::jsonb, '[1]'::jsonb || '[2]'::jsonb, '1'::jsonb || '{}'::jsonb
SELECT '{"a":1,"b":2}'::jsonb - 'a', '["a","b"]'::jsonb - 'a', '[1,2]'::jsonb - 1, '{"a":1,"b":2}'::jsonb - '{a,b}'::text[]
SELECT '{"a":1}'::jsonb - 1
SELECT data - 'x' FROM (VALUES ('{"x": 1, "y": 2}'::jsonb)) v(data)
SELECT id, names FROM tag JOIN (VALUES (1, 'q'), (2, 'r')) v(id, x) USING (id) WHERE id > 1 ORDER BY id
SELECT s FROM tag a JOIN tag b USING (id, s) ORDER BY s DESC
SELECT array_remove(ARRAY[1,2,1], 1), array_upper(ARRAY[1,2], 1)
WITH x AS MATERIALIZED (SELECT 1 AS a), y AS NOT MATERIALIZED (SELECT 2 AS b) SELECT * FROM x, y
DELETE FROM tag USING (VALUES (3)) v(x) WHERE id = x RETURNING id
SELECT id, x FROM tag, unnest(names) x ORDER BY id, x
SELECT t.id, u.x, u.n FROM tag t, unnest(t.names) WITH ORDINALITY AS u(x, n) WHERE u.x <> 'q' OR u.n > 5 ORDER BY t.id, u.n
SELECT id, x FROM tag LEFT JOIN LATERAL unnest(names) x ON x <> 'x' ORDER BY id
SELECT id, x FROM tag CROSS JOIN LATERAL generate_series(1, id) x ORDER BY id, x
SELECT id, unnest(names) FROM tag ORDER BY 1, 2
SELECT id, generate_series(1, id) * 10 AS n, 'n' || s FROM tag ORDER BY id, n
SELECT count(*) FROM tag, generate_series(1, id) a, generate_series(a, 3) b
SELECT id, (SELECT count(*) FROM unnest(tag.names) u), ARRAY(SELECT x || '?' FROM unnest(names) x ORDER BY x) FROM tag ORDER BY id
SELECT x, n FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(x, n) ORDER BY n DESC
SELECT * FROM generate_series(5, 1, -2) WITH ORDINALITY
SELECT * FROM jsonb_array_elements('[1, {"a": 2}, null]'::jsonb)
SELECT value ->> 'a' FROM jsonb_array_elements('[{"a": 1}, {"a": "x"}]'::jsonb) ORDER BY 1
SELECT e, v.j FROM (VALUES ('{"a": ["p", "q"]}'::jsonb)) v(j), jsonb_array_elements_text(v.j -> 'a') e ORDER BY e
SELECT key, value FROM jsonb_each('{"a": 1, "b": "x"}'::jsonb) ORDER BY key
SELECT k, t FROM jsonb_each_text('{"a": 1, "b": null}'::jsonb) AS x(k, t) ORDER BY k
SELECT jsonb_object_keys('{"a": 1, "b": 2}'::jsonb)
SELECT regexp_split_to_table('a  b', ' +'), 1
SELECT string_to_table('a,b', ',')
SELECT generate_series(timestamp '2024-01-31', timestamp '2024-05-01', interval '1 month')
SELECT d::date FROM generate_series('2024-02-28'::date, '2024-03-02'::date, '1 day'::interval) d
SELECT generate_series(1, 3, 0)
SELECT jsonb_array_elements('{"a": 1}'::jsonb)
SELECT a, b, sum(n), grouping(a, b) FROM (VALUES ('x', 1, 10), ('x', 2, 20), ('y', 1, 30)) v(a, b, n) GROUP BY ROLLUP (a, b) ORDER BY a, b
SELECT a, sum(n) AS total FROM (VALUES ('x', 1, 10), ('x', 2, 20), ('y', 1, 30)) v(a, b, n) GROUP BY CUBE (a, b) HAVING sum(n) > 10 ORDER BY total, a
SELECT coalesce(a, 'all') AS name, count(*) FILTER (WHERE b = 1) FROM (VALUES ('x', 1), ('x', 2), ('y', 1)) v(a, b) GROUP BY GROUPING SETS ((a), ()) ORDER BY name LIMIT 2
SELECT a, b, count(*) FROM (VALUES ('x', 1), ('x', 2), ('y', 1)) v(a, b) GROUP BY a, ROLLUP (2) ORDER BY 1, 2
SELECT count(*) FROM (SELECT a FROM (VALUES ('x', 1), ('y', 2)) v(a, b) GROUP BY CUBE (a, b)) s
SELECT sum(n) FROM (VALUES (1)) v(n) WHERE n > 5 GROUP BY ()
SELECT a FROM (VALUES ('x', 1)) v(a, b) GROUP BY ROLLUP (a) UNION ALL SELECT 'z' ORDER BY a
SELECT id, count(*) OVER (PARTITION BY id ORDER BY id) FROM tag a JOIN tag b USING (id) ORDER BY id
SELECT x, row_number() OVER (ORDER BY x) FROM tag, unnest(names) x ORDER BY 1, 2
SELECT timestamp '19970210 173201', round(5e-300, 300) = 5e-300
SELECT '3000000 months'::interval * 1000
