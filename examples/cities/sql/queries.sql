-- Queries over the places of examples/cities, for psql and `petrichor sql`.

\echo The countries with the most places, and the share of their largest region:
SELECT country, sum(places) AS places, round(100.0 * max(places) / sum(places)) AS largest_percent
FROM (SELECT country, region, count(*) AS places FROM place GROUP BY country, region) AS regions
GROUP BY country ORDER BY places DESC, country LIMIT 5;

\echo The northernmost two places of each country (window functions):
SELECT country, name, lat FROM (
    SELECT country, name, lat, row_number() OVER (PARTITION BY country ORDER BY lat DESC, name) AS rank
    FROM place) AS ranked
WHERE rank <= 2 ORDER BY country, lat DESC LIMIT 8;

\echo Quartiles of the latitudes (percentiles):
SELECT country, count(*) AS places,
    round(percentile_cont(0.25) WITHIN GROUP (ORDER BY lat)::numeric, 2) AS lower,
    round(percentile_cont(0.5) WITHIN GROUP (ORDER BY lat)::numeric, 2) AS median,
    round(percentile_cont(0.75) WITHIN GROUP (ORDER BY lat)::numeric, 2) AS upper
FROM place GROUP BY country ORDER BY places DESC, country LIMIT 5;

\echo Neighbours, with less than a hundredth of a degree between them (a join of the table with itself):
SELECT a.country, a.name, b.name AS neighbour
FROM place a JOIN place b ON a.country = b.country AND a.id < b.id
    AND abs(a.lat - b.lat) < 0.01 AND abs(a.lng - b.lng) < 0.01
ORDER BY 1, 2, 3 LIMIT 5;
