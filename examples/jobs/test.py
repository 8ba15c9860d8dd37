"""Runs every example on small inputs, and compares its result with one computed in Python or DuckDB.

    ./run test

For examples/run-tests. Exits with a code other than 0 at the first difference.
"""

import csv
import decimal
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

import duckdb

import data

HERE = pathlib.Path(__file__).resolve().parent
SCALE = 0.03
RECORDS = 200_000
CLUSTERS = 5
SMALLEST = RECORDS // 5


def run(name, source, result, *more):
    subprocess.run([HERE / "run", name, source, result, *map(str, more)], check=True)
    return result


def rows(result):
    with result.open(newline="") as lines:
        return list(csv.reader(lines))[1:]


def same(got, want, tolerance=1e-9):
    """Compares rows of texts with rows of values; floating-point numbers may differ in their last digits."""
    assert len(got) == len(want), f"{len(got)} rows, not {len(want)}"
    for number, (left, right) in enumerate(zip(got, want, strict=True), 1):
        for text, value in zip(left, right, strict=True):
            if isinstance(value, float):
                equal = math.isclose(float(text), value, rel_tol=tolerance, abs_tol=tolerance)
            else:
                equal = text == str(value)
            assert equal, f"row {number} is {left}, not {list(right)}"


# --- each example, and an independent computation of its result -----------------------------------


def word_count(inputs, work):
    counts = {}
    for word in re.findall(r"\w+", (inputs / "lines.txt").read_text(), re.ASCII):
        counts[word.lower()] = counts.get(word.lower(), 0) + 1
    want = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    same(rows(run("word-count", inputs / "lines.txt", work / "words.csv")), want)
    return f"{sum(counts.values()):,} words, {len(counts):,} of them different"


def k_means(inputs, work):
    points = [(float(x), float(y)) for _, x, y in rows(inputs / "points.csv")]
    centres = dict(enumerate(points[:CLUSTERS]))
    rounds, moved = 0, math.inf
    while moved > 1e-9 and rounds < 100:
        members = {}
        for point in points:
            nearest = min(centres, key=lambda number: math.dist(point, centres[number]))
            members.setdefault(nearest, []).append(point)
        after = {number: tuple(map(mean, zip(*members[number]))) for number in members}
        moved = max(math.dist(centres[number], after[number]) for number in after)
        centres = after
        rounds += 1
    want = [(number, *centres[number]) for number in sorted(centres)]
    same(rows(run("k-means", inputs / "points.csv", work / "centres.csv", CLUSTERS)), want, 1e-6)
    return f"{len(points):,} places in {len(centres)} clusters after {rounds} rounds"


def mean(numbers):
    return math.fsum(numbers) / len(numbers)


def page_rank(inputs, work):
    links = {}
    for source, target in rows(inputs / "links.csv"):
        links.setdefault(source, []).append(target)
        links.setdefault(target, [])
    ranks = dict.fromkeys(links, 1 / len(links))
    for _ in range(200):
        lost = sum(ranks[page] for page in links if not links[page])
        after = dict.fromkeys(links, (0.15 + 0.85 * lost) / len(links))
        for page, targets in links.items():
            for target in targets:
                after[target] += 0.85 * ranks[page] / len(targets)
        ranks = after
    got = {page: float(rank) for page, rank in rows(run("page-rank", inputs / "links.csv", work / "ranks.csv"))}
    assert got.keys() == ranks.keys()
    assert list(got.values()) == sorted(got.values(), reverse=True)
    for page, rank in ranks.items():
        # The job stops when no rank changes by more than 1e-9; the remaining error is a few times that.
        assert math.isclose(got[page], rank, abs_tol=1e-8), (page, got[page], rank)
    return f"{len(ranks):,} classes, most weight on {next(iter(got)).rpartition('.')[2]}"


def triangles(inputs, work):
    edges = {tuple(sorted(link)) for link in rows(inputs / "links.csv")}
    beyond = {}
    for smaller, larger in edges:
        beyond.setdefault(smaller, []).append(larger)
    want = sorted(
        (a, *pair)
        for a, ends in beyond.items()
        for pair in itertools.combinations(sorted(ends), 2)
        if pair in edges
    )
    same(rows(run("triangles", inputs / "links.csv", work / "triangles.csv")), want)
    return f"{len(want):,} in {len(edges):,} edges"


def tera_sort(inputs, work):
    content = (inputs / "records.bin").read_bytes()
    want = sorted(content[at : at + 100] for at in range(0, len(content), 100))
    got = run("tera-sort", inputs / "records.bin", work / "sorted.bin").read_bytes()
    assert got == b"".join(want), "the records are not those of the input in the order of their keys"
    return f"{len(want):,} records of 100 bytes in total order"


def smallest_average(inputs, work):
    content = (inputs / "records.bin").read_bytes()
    numbers = []
    for at in range(0, len(content), 100):
        number = 0
        for digit in content[at : at + 10]:
            number = 95 * number + digit - ord(" ")
        numbers.append(number)
    smallest = sorted(numbers)[:SMALLEST]
    want = [(SMALLEST, float(sum(smallest) / SMALLEST))]
    same(rows(run("smallest-average", inputs / "records.bin", work / "average.csv", SMALLEST)), want)
    return f"{want[0][1]:.6g}, of {SMALLEST:,} of {len(numbers):,}"


Q3 = """
SELECT l_orderkey, o_orderdate, o_shippriority, sum(l_extendedprice * (1 - l_discount))::DOUBLE AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
GROUP BY ALL ORDER BY revenue DESC, o_orderdate LIMIT 10
"""
Q10 = """
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount))::DOUBLE AS revenue, c_acctbal::DOUBLE, n_name,
       c_address, c_phone, c_comment
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_returnflag = 'R' AND c_nationkey = n_nationkey
  AND o_orderdate >= '1993-10-01' AND o_orderdate < '1994-01-01'
GROUP BY ALL ORDER BY revenue DESC, c_custkey LIMIT 20
"""
COLUMNS = {
    "customer": "c_custkey:BIGINT c_name c_address c_nationkey:BIGINT c_phone c_acctbal:DECIMAL(15,2) c_mktsegment c_comment",
    "orders": "o_orderkey:BIGINT o_custkey:BIGINT o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk"
    " o_shippriority:INT o_comment",
    "lineitem": "l_orderkey:BIGINT l_partkey l_suppkey l_linenumber l_quantity l_extendedprice:DECIMAL(15,2)"
    " l_discount:DECIMAL(15,2) l_tax l_returnflag l_linestatus l_shipdate l_commitdate l_receiptdate l_shipinstruct"
    " l_shipmode l_comment",
    "nation": "n_nationkey:BIGINT n_name n_regionkey n_comment",
}


def tpch(inputs):
    store = duckdb.connect()
    for table, columns in COLUMNS.items():
        named = dict((column + ":VARCHAR").split(":")[:2] for column in columns.split())
        # Each line ends with a bar, which is one more column.
        named["nothing"] = "VARCHAR"
        store.execute(
            f"CREATE TABLE {table} AS SELECT * FROM read_csv(?, delim='|', header=false, quote='', columns={named})",
            [str(inputs / f"{table}.tbl")],
        )
    return store


def tpch_q3(inputs, work):
    want = tpch(inputs).execute(Q3).fetchall()
    same(rows(run("tpch-q3", inputs, work / "q3.csv")), want)
    return f"{len(want)} orders, the first worth {want[0][3]:,.2f}"


def tpch_q10(inputs, work):
    want = tpch(inputs).execute(Q10).fetchall()
    same(rows(run("tpch-q10", inputs, work / "q10.csv")), want)
    return f"{len(want)} customers, the first lost {want[0][2]:,.2f}"


def tpch_parquet(inputs, work):
    """Converts text to Parquet, which DuckDB and our own queries must read with the same results; then reads
    Parquet of other programs.
    """
    ours = run("tpch-parquet", inputs, work / "parquet")
    store = tpch(inputs)
    for table, columns in COLUMNS.items():
        names = duckdb.sql(f"SELECT * FROM '{ours}/{table}.parquet/*.parquet' LIMIT 0").columns
        held = store.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
        got = duckdb.sql(f"SELECT * FROM '{ours}/{table}.parquet/*.parquet'").fetchall()
        texts = [sorted(tuple(plain(value) for value in row) for row in rows) for rows in (got, held)]
        assert texts[0] == texts[1], table
    same(rows(run("tpch-q3", ours, work / "q3-parquet.csv")), store.execute(Q3).fetchall())
    theirs = work / "tpchgen"
    data.tpch(theirs, SCALE, "parquet")
    same(rows(run("tpch-q10", theirs, work / "q10-parquet.csv")), store.execute(Q10).fetchall())
    return f"{len(COLUMNS)} tables, and both queries over them"


def plain(value):
    """A number in Python's notation, regardless of its type; everything else as text."""
    return f"{float(value):.2f}" if isinstance(value, float | decimal.Decimal) else str(value)


def countries(_, work):
    """Stores the places in a separate project over REST, and reads the countries from there."""
    if "DATASTORE_EMULATOR_HOST" not in os.environ:
        assert "CI" not in os.environ, "DATASTORE_EMULATOR_HOST names no server"
        return "not tried, because DATASTORE_EMULATOR_HOST names no server"
    places = json.loads((data.CITIES / "sample" / "cities.json").read_text())
    entities = [
        {
            "key": key("City", str(number)),
            "properties": {
                "country": {"stringValue": place["country"]},
                "lat": {"doubleValue": float(place["lat"])},
                "lng": {"doubleValue": float(place["lng"])},
            },
        }
        for number, place in enumerate(places)
    ]
    call("commit", mode="NON_TRANSACTIONAL", mutations=[{"upsert": entity} for entity in entities])
    subprocess.run([HERE / "run", "countries"], check=True, env={**os.environ, "DATASTORE_PROJECT_ID": PROJECT})
    found = call("runQuery", query={"kind": [{"name": "Country"}]})["batch"]["entityResults"]
    got = {result["entity"]["key"]["path"][0]["name"]: result["entity"]["properties"] for result in found}
    by_country = {}
    for place in places:
        by_country.setdefault(place["country"], []).append((float(place["lat"]), float(place["lng"])))
    assert got.keys() == by_country.keys()
    for code, coordinates in by_country.items():
        lat, lng = zip(*coordinates)
        want = {"places": len(lat), "lat": mean(lat), "lng": mean(lng), "north": max(lat), "south": min(lat)}
        for name, value in want.items():
            held = got[code][name]
            assert math.isclose(float(held.get("doubleValue", held.get("integerValue"))), value), (code, name, held)
    return f"{len(places):,} entities made {len(got)} others"


JAR = HERE / "target" / "examples-jobs.jar"


def petrichor(*words):
    """Returns the standard output of the command."""
    command = [HERE.parents[1] / "petrichor", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def on_flink(inputs, work):
    """Runs the unmodified jar on a Flink cluster started for it, by a command and by a server with a history."""
    cluster = ["--data", work / "flink"]
    backend = json.loads(petrichor("flink", "start", "--machines", 1, "--json", *cluster))["backend"]
    on_flink = ["job", "run", "--backend", backend, "--json"]
    words = [JAR, "word-count", inputs / "lines.txt"]
    try:
        petrichor(*on_flink, "--local", *words, work / "flink.csv")
        host, port = os.environ.get("DATASTORE_EMULATOR_HOST", "localhost:8081").rsplit(":", 1)
        server = ["--host", host, "--port", port]
        job = json.loads(petrichor(*on_flink, *server, *words, work / "served.csv").splitlines()[-1])["id"]
    finally:
        petrichor("flink", "stop", *cluster)
    same(rows(work / "flink.csv"), rows(work / "words.csv"))
    same(rows(work / "served.csv"), rows(work / "words.csv"))
    assert job in petrichor("job", "history", *server), job
    return "the words counted by Flink, with the same result; the server remembers it"


def on_flink_with_leased_machines(inputs, work):
    """Runs on a Flink cluster that leases machines from the local cloud, with a bill at the end."""
    cluster = ["--json", "--data", work / "leased-flink"]
    backend = json.loads(petrichor("flink", "start", "--cloud", "local", "--machines", 1, *cluster))["backend"]
    try:
        words = [JAR, "word-count", inputs / "lines.txt", work / "leased-flink.csv"]
        petrichor("job", "run", "--backend", backend, "--local", *words)
    finally:
        bill = json.loads(petrichor("flink", "stop", *cluster))
    same(rows(work / "leased-flink.csv"), rows(work / "words.csv"))
    assert float(bill["paid"].lstrip("$")) > 0 and int(bill["leased"]) == 0, bill
    return f"the words counted by Flink on a machine leased for {bill['paid']}, with the same result"


def on_leased_machines(inputs, work):
    """Runs on machines of the local cloud, with a bill at the end."""
    leased = ["--cloud", "local", "--machines", 2, "--cloud-folder", work / "cloud", "--json"]
    said = petrichor("job", "run", *leased, JAR, "word-count", inputs / "lines.txt", work / "leased.csv")
    same(rows(work / "leased.csv"), rows(work / "words.csv"))
    cost = json.loads(said.splitlines()[-1])["cost"]
    assert cost["paidMicros"] > 0 and cost["stages"], cost
    return f"the words counted on machines leased for ${cost['paidMicros'] / 1e6:.4f}, with the same result"


PROJECT = "examples-jobs"


def key(kind, name):
    return {"partitionId": {"projectId": PROJECT}, "path": [{"kind": kind, "name": name}]}


def call(method, **request):
    url = f"http://{os.environ['DATASTORE_EMULATOR_HOST']}/v1/projects/{PROJECT}:{method}"
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(request).encode(), headers)) as answer:
        return json.load(answer)


EXAMPLES = [
    word_count,
    k_means,
    page_rank,
    triangles,
    tera_sort,
    smallest_average,
    tpch_q3,
    tpch_q10,
    tpch_parquet,
    countries,
    on_flink,
    on_flink_with_leased_machines,
    on_leased_machines,
]


def main():
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        inputs = work / "inputs"
        data.make(inputs, SCALE, RECORDS)
        tried = 0
        for example in EXAMPLES:
            said = example(inputs, work)
            tried += not said.startswith("not tried")
            print(f"  {example.__name__.replace('_', '-')}: {said}", flush=True)
    print(f"jobs: {tried} examples gave what was computed without them, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
