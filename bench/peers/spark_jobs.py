"""The measured jobs in Spark: spark_jobs.py JOB INPUT OUTPUT, started by spark-submit, which says how many threads."""

import os
import sys

from pyspark.sql import SparkSession, functions

job, source, target = sys.argv[1:4]
SMALLEST_PARTS = 5
RECORD_BYTES = 100

# The defaults are for clusters: 200 partitions of a few megabytes cost more than they bring here, and the k smallest
# are found faster by sorting than in a queue of two million.
spark = (
    SparkSession.builder.config("spark.sql.shuffle.partitions", "8")
    .config("spark.sql.execution.topKSortFallbackThreshold", "100000")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def sort():
    spark.read.text(source).sort("value").write.text(target)


def empty():
    sort()


def words():
    lines = spark.read.text(source)
    found = lines.select(functions.explode(functions.split("value", " ")).alias("w"))
    counted = found.where("w <> ''").groupBy("w").count()
    counted.write.csv(target, sep="\t")


def smallest():
    lines = spark.read.text(source)
    spark.udf.registerJavaFunction("number", "SparkKeyNumber", "double")
    keys = lines.selectExpr("number(value) AS key")
    count = os.path.getsize(source) // RECORD_BYTES // SMALLEST_PARTS
    keys.sort("key").limit(count).agg(functions.avg("key")).write.csv(target)


def table(name, columns):
    schema = ", ".join(columns)
    spark.read.csv(f"{source}/{name}.tbl", sep="|", schema=schema).createOrReplaceTempView(name)


def q3():
    table(
        "lineitem",
        ["l_orderkey long", "l_partkey long", "l_suppkey long", "l_linenumber long"]
        + ["l_quantity double", "l_extendedprice double", "l_discount double", "l_tax double"]
        + ["l_returnflag string", "l_linestatus string", "l_shipdate string"]
        + ["l_commitdate string", "l_receiptdate string", "l_shipinstruct string"]
        + ["l_shipmode string", "l_comment string"],
    )
    table(
        "orders",
        ["o_orderkey long", "o_custkey long", "o_orderstatus string", "o_totalprice double"]
        + ["o_orderdate string", "o_orderpriority string", "o_clerk string"]
        + ["o_shippriority int", "o_comment string"],
    )
    table(
        "customer",
        ["c_custkey long", "c_name string", "c_address string", "c_nationkey long"]
        + ["c_phone string", "c_acctbal double", "c_mktsegment string", "c_comment string"],
    )
    rows = spark.sql(
        "select l_orderkey, o_orderdate, o_shippriority,"
        " sum(l_extendedprice * (1 - l_discount)) revenue from customer, orders, lineitem"
        " where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey"
        " and o_orderdate < '1995-03-15' and l_shipdate > '1995-03-15'"
        " group by 1, 2, 3 order by revenue desc, o_orderdate limit 10"
    )
    rows.write.csv(target, sep="|")


globals()[job]()
