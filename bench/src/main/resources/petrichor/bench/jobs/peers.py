"""The measured jobs in DuckDB, Polars and NumPy: peers.py ENGINE JOB INPUT OUTPUT, two threads."""

import os
import sys

os.environ["POLARS_MAX_THREADS"] = "2"
engine, job, source, target = sys.argv[1:5]
SMALLEST_PARTS = 5
BLANK = "columns={'l':'VARCHAR'}, delim='\x01', quote='', escape='', header=false, auto_detect=false"


def duckdb_connection():
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads=2; set memory_limit='3GB'")
    return connection


def duckdb_sort():
    duckdb_connection().execute(
        f"copy (select l from read_csv('{source}', {BLANK}) order by l) to '{target}'"
        " (header false, quote '', delimiter '\x01')"
    )


def duckdb_words():
    duckdb_connection().execute(
        "copy (select w, count(*) from"
        f" (select unnest(string_split(l, ' ')) w from read_csv('{source}', {BLANK}))"
        f" where w <> '' group by w) to '{target}' (header false, delimiter '\t')"
    )


def duckdb_smallest():
    number = "0.0::double"
    for i in range(1, 11):
        number = f"({number} * 95 + (ascii(l[{i}]) - 32))"
    connection = duckdb_connection()
    connection.execute(
        f"create view keys as select {number} v from read_csv('{source}', {BLANK})"
    )
    count = os.path.getsize(source) // 100 // SMALLEST_PARTS
    connection.execute(
        f"copy (select avg(v) from (select v from keys order by v limit {count})) to '{target}'"
        " (header false)"
    )


def duckdb_table(name, columns):
    described = ", ".join(f"'{c}': '{t}'" for c, t in columns + [("nothing", "VARCHAR")])
    return (
        f"read_csv('{source}/{name}.tbl', delim='|', header=false, auto_detect=false,"
        f" null_padding=true, columns={{{described}}})"
    )


def duckdb_q3():
    money, text, number = "DECIMAL(15,2)", "VARCHAR", "BIGINT"
    items = duckdb_table(
        "lineitem",
        [("l_orderkey", number), ("l_partkey", number), ("l_suppkey", number)]
        + [("l_linenumber", number), ("l_quantity", money), ("l_extendedprice", money)]
        + [("l_discount", money), ("l_tax", money), ("l_returnflag", text), ("l_linestatus", text)]
        + [("l_shipdate", "DATE"), ("l_commitdate", "DATE"), ("l_receiptdate", "DATE")]
        + [("l_shipinstruct", text), ("l_shipmode", text), ("l_comment", text)],
    )
    orders = duckdb_table(
        "orders",
        [("o_orderkey", number), ("o_custkey", number), ("o_orderstatus", text)]
        + [("o_totalprice", money), ("o_orderdate", "DATE"), ("o_orderpriority", text)]
        + [("o_clerk", text), ("o_shippriority", number), ("o_comment", text)],
    )
    customers = duckdb_table(
        "customer",
        [("c_custkey", number), ("c_name", text), ("c_address", text), ("c_nationkey", number)]
        + [("c_phone", text), ("c_acctbal", money), ("c_mktsegment", text), ("c_comment", text)],
    )
    duckdb_connection().execute(
        "copy (select l_orderkey, o_orderdate, o_shippriority,"
        f" sum(l_extendedprice * (1 - l_discount)) revenue from {customers}, {orders}, {items}"
        " where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey"
        " and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'"
        " group by 1, 2, 3 order by revenue desc, o_orderdate limit 10)"
        f" to '{target}' (header false, delimiter '|')"
    )


def polars_lines():
    import polars

    return polars.scan_csv(
        source, has_header=False, separator="\x01", quote_char=None, new_columns=["l"]
    )


def polars_sort():
    polars_lines().sort("l").sink_csv(
        target, include_header=False, separator="\x01", quote_style="never"
    )


def polars_words():
    import polars

    words = polars_lines().select(polars.col("l").str.split(" ").explode().alias("w"))
    counted = words.filter(polars.col("w") != "").group_by("w").len()
    counted.sink_csv(target, include_header=False, separator="\t")


def polars_q3():
    import polars

    def table(name, columns):
        scanned = polars.scan_csv(f"{source}/{name}.tbl", has_header=False, separator="|")
        names = scanned.collect_schema().names()
        return scanned.select(
            polars.col(names[number]).alias(column) for number, column in columns.items()
        )

    customers = table("customer", {0: "custkey", 6: "segment"})
    orders = table("orders", {0: "orderkey", 1: "custkey", 4: "orderdate", 7: "priority"})
    items = table("lineitem", {0: "orderkey", 5: "price", 6: "discount", 10: "shipdate"})
    revenue = (polars.col("price") * (1 - polars.col("discount"))).sum().alias("revenue")
    rows = (
        customers.filter(polars.col("segment") == "BUILDING")
        .join(orders.filter(polars.col("orderdate") < "1995-03-15"), on="custkey")
        .join(items.filter(polars.col("shipdate") > "1995-03-15"), on="orderkey")
        .group_by("orderkey", "orderdate", "priority")
        .agg(revenue)
        .sort("revenue", "orderdate", descending=[True, False])
        .head(10)
    )
    rows.sink_csv(target, include_header=False, separator="|")


def numpy_smallest():
    import numpy

    characters = numpy.fromfile(source, dtype=numpy.uint8).reshape(-1, 100)[:, :10]
    keys = (characters.astype(numpy.float64) - 32) @ (95.0 ** numpy.arange(9, -1, -1))
    count = len(keys) // SMALLEST_PARTS
    with open(target, "w") as out:
        print(repr(float(numpy.partition(keys, count)[:count].mean())), file=out)


globals()[f"{engine}_{job}"]()
