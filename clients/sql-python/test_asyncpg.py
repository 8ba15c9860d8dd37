import asyncio
import datetime
import io

import asyncpg
import pytest

TABLE = "CREATE TABLE city (id INT PRIMARY KEY, name TEXT, people BIGINT, founded DATE, tags TEXT[])"


def run(url, test):
    async def connected():
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(TABLE)
            await test(connection)
        finally:
            await connection.close()

    asyncio.run(connected())


def test_statements_and_cursors(url):
    async def test(connection):
        rows = [(k, f"city {k}", k * 1_000_000_000, datetime.date(1900, 1, 1), ["a", None]) for k in range(200)]
        await connection.executemany("INSERT INTO city VALUES ($1, $2, $3, $4, $5)", rows)
        statement = await connection.prepare("SELECT * FROM city WHERE id = $1")
        assert [attribute.name for attribute in statement.get_attributes()] == ["id", "name", "people", "founded", "tags"]
        assert tuple(await statement.fetchrow(7)) == rows[7]
        async with connection.transaction():
            seen = [row["id"] async for row in connection.cursor("SELECT id FROM city ORDER BY id", prefetch=30)]
        assert seen == list(range(200))

    run(url, test)


def test_copy_in_the_binary_format(url):
    async def test(connection):
        rows = [(k, f"city\t{k}", None, datetime.date(1900, 1, 1), ["a", "b,c"]) for k in range(500)]
        assert await connection.copy_records_to_table("city", records=rows) == "COPY 500"
        assert [tuple(row) for row in await connection.fetch("SELECT * FROM city ORDER BY id")] == rows
        out = io.BytesIO()
        await connection.copy_from_query("SELECT * FROM city WHERE id < 250", output=out, format="binary")
        await connection.execute("DELETE FROM city")
        out.seek(0)
        assert await connection.copy_to_table("city", source=out, format="binary") == "COPY 250"
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.copy_records_to_table("city", records=[(1, None, None, None, None)])

    run(url, test)


def test_pools_and_errors(url):
    async def test():
        async with asyncpg.create_pool(url, min_size=1, max_size=4) as pool:
            await pool.execute(TABLE)
            await pool.execute("INSERT INTO city (id, name, people) VALUES (1, 'Lyon', 0)")
            change = "UPDATE city SET people = people + 1 WHERE id = 1"
            await asyncio.gather(*(pool.execute(change) for _ in range(20)))
            assert await pool.fetchval("SELECT people FROM city") == 20
            async with pool.acquire() as connection:
                with pytest.raises(asyncpg.UniqueViolationError):
                    async with connection.transaction():
                        await connection.execute("INSERT INTO city (id) VALUES (1)")
                assert await connection.fetchval("SELECT count(*) FROM city") == 1

    asyncio.run(test())
