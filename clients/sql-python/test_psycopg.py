import datetime
import decimal
import uuid

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

KINDS = (
    "CREATE TABLE kinds (k INT PRIMARY KEY, b BIGINT, n NUMERIC(10,2), f FLOAT8, t TEXT, y BYTEA, x BOOLEAN,"
    " day DATE, added TIMESTAMPTZ, u UUID, j JSONB, a INT[], s TEXT[])"
)
ROW = (
    1, 1 << 40, decimal.Decimal("12.50"), 0.1, "é\t\n", b"\x00\xff", True, datetime.date(1815, 12, 10),
    datetime.datetime(2026, 11, 28, 1, 2, 3, 4, datetime.timezone.utc), uuid.UUID(int=7), {"a": [1, None]},
    [1, None, 3], ["a", "b,c", None],
)


def parameters(row):
    return [Jsonb(value) if isinstance(value, dict) else value for value in row]


@pytest.mark.parametrize("binary", [False, True])
def test_types(url, binary):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(KINDS)
        marks = ", ".join(["%b" if binary else "%s"] * len(ROW))
        connection.execute(f"INSERT INTO kinds VALUES ({marks})", parameters(ROW))
        for _ in range(8):  # it is prepared by the server after the fifth time
            row = connection.execute("SELECT * FROM kinds WHERE k = %s", [1], binary=binary).fetchone()
            assert row == ROW


@pytest.mark.parametrize("format", ["TEXT", "CSV", "BINARY"])
def test_copy(url, format):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(KINDS)
        connection.execute("CREATE TABLE copied (k INT PRIMARY KEY, b BIGINT, t TEXT, day DATE, u UUID, a INT[])")
        for k in range(300):
            connection.execute("INSERT INTO kinds (k, t, a) VALUES (%s, %s, %s)", [k, f"line\t{k}\n", [k]])
        query = "COPY (SELECT k, b, t, day, u, a FROM kinds ORDER BY k) TO STDOUT"
        with connection.cursor().copy(f"{query} (FORMAT {format})") as out:
            copied = b"".join(out)
        with connection.cursor().copy(f"COPY copied FROM STDIN (FORMAT {format})") as into:
            into.write(copied)
        rows = connection.execute("SELECT k, t, a, day FROM copied ORDER BY k").fetchall()
        assert rows == [(k, f"line\t{k}\n", [k], None) for k in range(300)]


def test_rows_are_copied_with_types(url):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(KINDS)
        with connection.cursor().copy("COPY kinds (k, n, added) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "numeric", "timestamptz"])
            for k in range(250):
                copy.write_row((k, decimal.Decimal(k) / 4, ROW[8]))
        with connection.cursor().copy("COPY (SELECT k, n FROM kinds WHERE k < 3 ORDER BY k) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "numeric"])
            assert list(copy.rows()) == [(0, 0), (1, decimal.Decimal("0.25")), (2, decimal.Decimal("0.5"))]
        with pytest.raises(psycopg.errors.UniqueViolation):
            with connection.cursor().copy("COPY kinds (k) FROM STDIN") as copy:
                copy.write_row((1,))


def test_transactions_savepoints_and_errors(url):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE t (k INT PRIMARY KEY)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            with connection.transaction():
                connection.execute("INSERT INTO t VALUES (1)")
                connection.execute("INSERT INTO t VALUES (1)")
        with connection.transaction():
            connection.execute("INSERT INTO t VALUES (2)")
        assert connection.execute("SELECT k FROM t").fetchall() == [(2,)]
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute("SELECT * FROM tt")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT 1")
        connection.rollback()


def test_pipelines_and_server_side_cursors(url):
    with psycopg.connect(url, row_factory=dict_row) as connection:
        connection.execute("CREATE TABLE t (k INT PRIMARY KEY)")
        with connection.pipeline():
            connection.cursor().executemany("INSERT INTO t VALUES (%s)", [(k,) for k in range(1000)])
        with connection.cursor("reading") as cursor:
            cursor.itersize = 100
            cursor.execute("SELECT k FROM t WHERE k >= %s ORDER BY k", [10])
            assert [row["k"] for row in cursor] == list(range(10, 1000))


def test_a_query_is_canceled(url):
    with psycopg.connect(url) as connection:
        connection.execute("SET statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b")
