import re
import shutil
import subprocess

import pytest

RUN_SECONDS_MAX = 60
TABLES = (
    "CREATE TABLE author (id INT PRIMARY KEY, name VARCHAR(100) NOT NULL UNIQUE)",
    "CREATE TABLE book (id SERIAL PRIMARY KEY, author_id INT REFERENCES author (id), title TEXT, CHECK (id > 0))",
    "CREATE INDEX book_title ON book (title)",
    "CREATE VIEW titles AS SELECT title FROM book",
)


def run(*command, stdin=""):
    assert shutil.which(command[0]), f"{command[0]} is not on PATH: install PostgreSQL's clients"
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, input=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def psql(url, *statements, stdin=""):
    commands = [word for statement in statements for word in ("-c", statement)]
    return run("psql", "-X", "-v", "ON_ERROR_STOP=1", "-At", url, *commands, stdin=stdin)


@pytest.fixture
def library(url):
    psql(url, *TABLES)
    return url


def test_psql_describes_tables_and_indexes(library):
    assert psql(library, r"\dt") == "public|author|table|postgres\npublic|book|table|postgres\n"
    assert "public|book_title|index|postgres|book" in psql(library, r"\di").splitlines()
    described = run("psql", "-X", library, "-c", r"\d book")
    assert '"book_pkey" PRIMARY KEY, btree (id)' in described and '"book_title" btree (title)' in described
    assert "FOREIGN KEY (author_id) REFERENCES author(id)" in described
    for command in (r"\d", r"\d+ book", r"\dv", r"\ds", r"\dn", r"\du", r"\l", r"\df", r"\dT", r"\d author_name_key"):
        psql(library, command)


def test_psql_copies_files(library, tmp_path):
    source = tmp_path / "authors.csv"
    source.write_text("id,name\n" + "".join(f'{k},"author, {k}"\n' for k in range(1000)))
    assert psql(library, rf"\copy author FROM '{source}' CSV HEADER") == "COPY 1000\n"
    for form in ("text", "csv", "binary"):
        copied = tmp_path / f"authors.{form}"
        psql(library, rf"\copy (SELECT * FROM author ORDER BY id) TO '{copied}' (FORMAT {form})", "DELETE FROM author")
        assert psql(library, rf"\copy author FROM '{copied}' (FORMAT {form})") == "COPY 1000\n"
    assert psql(library, "SELECT name FROM author WHERE id = 999") == "author, 999\n"


def test_psql_runs_a_script(url):
    script = """
        BEGIN;
        CREATE TABLE t (k INT PRIMARY KEY);
        INSERT INTO t VALUES (1), (2);
        SAVEPOINT s;
        DELETE FROM t;
        ROLLBACK TO s;
        COMMIT;
        COPY t FROM STDIN;
3
4
\\.
        SELECT sum(k) FROM t \\gset
        \\echo :sum
    """
    assert psql(url, stdin=script).splitlines()[-1] == "10"


def test_pgbench_in_each_mode(url):
    run("pgbench", "-q", "-i", "-s", "1", url)
    assert psql(url, "SELECT count(*) FROM pgbench_accounts") == "100000\n"
    for mode in ("simple", "extended", "prepared"):
        for script in ("-S", "-N", "-btpcb-like"):
            report = run("pgbench", "-n", script, "-M", mode, "-c", "2", "-t", "50", "--max-tries", "100", url)
            assert "number of transactions actually processed: 100/100" in report, report
            assert re.search(r"number of failed transactions: 0 ", report), report
    # Every transaction of the TPC-B-like script adds the same amount to an account, a teller and a branch.
    sums = "SELECT (SELECT sum(bbalance) FROM pgbench_branches) - (SELECT sum(tbalance) FROM pgbench_tellers)"
    assert psql(url, sums) == "0\n"
    assert psql(url, "SELECT count(*) FROM pgbench_history") == "600\n"
