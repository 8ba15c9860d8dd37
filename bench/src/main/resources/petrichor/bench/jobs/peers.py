"""The measured jobs in DuckDB, Polars, NumPy, DataFusion and chDB: peers.py ENGINE JOB INPUT OUTPUT
SCRATCH, two threads."""

import os
import sys

os.environ["POLARS_MAX_THREADS"] = "2"
engine, job, source, target, scratch = sys.argv[1:6]
SMALLEST_PARTS = 5
RECORD_BYTES = 100
KEY_LENGTH = 10
SMALLEST_COUNT = os.path.getsize(source) // RECORD_BYTES // SMALLEST_PARTS
BLANK = "columns={'l':'VARCHAR'}, delim='\x01', quote='', escape='', header=false, auto_detect=false"


def duckdb_connection():
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads=2; set memory_limit='3GB'; set temp_directory='{scratch}'")
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
    connection.execute(
        f"copy (select avg(v) from (select v from keys order by v limit {SMALLEST_COUNT})) to '{target}'"
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


def polars_smallest():
    import polars

    number = polars.lit(0.0)
    for i in range(KEY_LENGTH):
        character = polars.col("l").cast(polars.Binary).bin.slice(i, 1)
        number = number * 95 + character.bin.reinterpret(dtype=polars.UInt8) - 32
    keys = polars_lines().select(number.alias("v")).bottom_k(SMALLEST_COUNT, by="v")
    keys.select(polars.col("v").mean()).sink_csv(target, include_header=False)


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
    count = SMALLEST_COUNT
    with open(target, "w") as out:
        print(repr(float(numpy.partition(keys, count)[:count].mean())), file=out)


def datafusion_context():
    import datafusion

    config = datafusion.SessionConfig().with_target_partitions(2)
    # Rows are dealt out to so many files: in several of them they would be in no order.
    config = config.set("datafusion.execution.minimum_parallel_output_files", "1")
    return datafusion.SessionContext(config)


def datafusion_lines(context):
    # No line holds these characters: every line is one field.
    context.sql(
        f"CREATE EXTERNAL TABLE lines (l VARCHAR) STORED AS CSV LOCATION '{source}' OPTIONS"
        " ('format.has_header' 'false', 'format.delimiter' '\x01', 'format.quote' '\x02')"
    )


def datafusion_copy(context, query, delimiter):
    context.sql(
        f"COPY ({query}) TO '{target}' STORED AS CSV OPTIONS ('format.has_header' 'false',"
        f" 'format.delimiter' '{delimiter}', 'format.quote' '\x02')"
    ).collect()


def datafusion_sort():
    context = datafusion_context()
    datafusion_lines(context)
    datafusion_copy(context, "SELECT l FROM lines ORDER BY l", "\x01")


def datafusion_words():
    context = datafusion_context()
    datafusion_lines(context)
    words = "SELECT unnest(string_to_array(l, ' ')) w FROM lines"
    datafusion_copy(
        context, f"SELECT w, count(*) FROM ({words}) WHERE w <> '' GROUP BY w", "\t"
    )


def datafusion_smallest():
    context = datafusion_context()
    datafusion_lines(context)
    number = "CAST(0 AS DOUBLE)"
    for i in range(1, KEY_LENGTH + 1):
        number = f"({number} * 95 + (ascii(substr(l, {i}, 1)) - 32))"
    datafusion_copy(
        context,
        f"SELECT avg(v) FROM (SELECT {number} v FROM lines ORDER BY v LIMIT {SMALLEST_COUNT})",
        ",",
    )


TPCH = {
    "lineitem": "l_orderkey int64, l_partkey int64, l_suppkey int64, l_linenumber int64,"
    " l_quantity float64, l_extendedprice float64, l_discount float64, l_tax float64,"
    " l_returnflag string, l_linestatus string, l_shipdate string, l_commitdate string,"
    " l_receiptdate string, l_shipinstruct string, l_shipmode string, l_comment string",
    "orders": "o_orderkey int64, o_custkey int64, o_orderstatus string, o_totalprice float64,"
    " o_orderdate string, o_orderpriority string, o_clerk string, o_shippriority int32,"
    " o_comment string",
    "customer": "c_custkey int64, c_name string, c_address string, c_nationkey int64,"
    " c_phone string, c_acctbal float64, c_mktsegment string, c_comment string",
}
Q3 = (
    "SELECT l_orderkey, o_orderdate, o_shippriority,"
    " sum(l_extendedprice * (1 - l_discount)) AS revenue"
    " FROM {customer} AS c, {orders} AS o, {lineitem} AS l"
    " WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey"
    " AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'"
    " GROUP BY l_orderkey, o_orderdate, o_shippriority"
    " ORDER BY revenue DESC, o_orderdate LIMIT 10"
)


def datafusion_q3():
    import pyarrow

    context = datafusion_context()
    for name, columns in TPCH.items():
        # Every line ends with a separator, which makes one column more.
        fields = [column.split() for column in columns.split(", ")] + [["nothing", "string"]]
        context.register_csv(
            name,
            f"{source}/{name}.tbl",
            schema=pyarrow.schema([(n, getattr(pyarrow, t)()) for n, t in fields]),
            has_header=False,
            delimiter="|",
            file_extension=".tbl",
        )
    datafusion_copy(context, Q3.format(**{name: name for name in TPCH}), "|")


def chdb_query(query):
    import chdb

    chdb.query(
        f"{query} SETTINGS max_threads=2, max_memory_usage=3000000000,"
        " max_bytes_before_external_sort=1500000000, max_bytes_before_external_group_by=1500000000,"
        " format_csv_delimiter='|', format_csv_allow_double_quotes=0"
    )


def chdb_into(query, form):
    chdb_query(f"INSERT INTO FUNCTION file('{target}', '{form}') {query}")


def chdb_sort():
    lines = f"SELECT line FROM file('{source}', 'LineAsString', 'line String')"
    chdb_into(f"{lines} ORDER BY line", "TSVRaw")


def chdb_words():
    words = (
        "SELECT arrayJoin(splitByChar(' ', line)) AS w"
        f" FROM file('{source}', 'LineAsString', 'line String')"
    )
    chdb_into(f"SELECT w, count() FROM ({words}) WHERE w <> '' GROUP BY w", "TSVRaw")


def chdb_smallest():
    number = "toFloat64(0)"
    for i in range(1, KEY_LENGTH + 1):
        number = f"({number} * 95 + (reinterpretAsUInt8(substring(line, {i}, 1)) - 32))"
    keys = f"SELECT {number} AS v FROM file('{source}', 'LineAsString', 'line String')"
    chdb_into(f"SELECT avg(v) FROM ({keys} ORDER BY v LIMIT {SMALLEST_COUNT})", "TSVRaw")


def chdb_q3():
    kinds = {"int64": "Int64", "int32": "Int32", "float64": "Float64", "string": "String"}
    tables = {}
    for name, columns in TPCH.items():
        fields = [column.split() for column in columns.split(", ")] + [["nothing", "string"]]
        described = ", ".join(f"{n} {kinds[t]}" for n, t in fields)
        tables[name] = f"file('{source}/{name}.tbl', 'CSV', '{described}')"
    row = "concat(l_orderkey, '|', o_orderdate, '|', o_shippriority, '|', revenue)"
    chdb_into(f"SELECT {row} FROM ({Q3.format(**tables)})", "TSVRaw")


# The sort of one line: what an engine costs before it has done anything.
globals()[f"{engine}_{'sort' if job == 'empty' else job}"]()
