"""Transactions: isolation, conflicts, retries, read-only transactions. Failures have the documented class."""

import threading

import pytest
from google.api_core import exceptions
from google.cloud import datastore
from google.cloud.datastore.query import PropertyFilter


@pytest.fixture
def account(client, put):
    put("Account", "a", balance=100)
    return client.key("Account", "a")


def other(client):
    """A second client, because a client has one current transaction at a time."""
    return datastore.Client(project=client.project, namespace=client.namespace)


def test_a_transaction_writes_everything_at_once(client, account):
    with client.transaction() as transaction:
        entity = client.get(account)
        entity["balance"] -= 10
        transaction.put(entity)
        log = datastore.Entity(client.key("Log"))
        log["change"] = -10
        transaction.put(log)
        assert other(client).get(account)["balance"] == 100, "nothing is seen before the commit"
    assert client.get(account)["balance"] == 90
    assert client.get(log.key)["change"] == -10


def test_a_failed_block_leaves_nothing_behind(client, account):
    with pytest.raises(ZeroDivisionError):
        with client.transaction() as transaction:
            entity = client.get(account)
            entity["balance"] = 1 // 0
            transaction.put(entity)
    assert client.get(account)["balance"] == 100


def test_a_transaction_reads_one_snapshot(client, account):
    transaction = client.transaction()
    transaction.begin()
    assert client.get(account, transaction=transaction)["balance"] == 100
    entity = datastore.Entity(client.key("Account", "b"))
    entity["balance"] = 5
    client.put(entity)
    late = client.get(entity.key, transaction=transaction)
    assert late is None, "written after the transaction began to read"
    transaction.rollback()


def test_of_two_transactions_on_one_entity_the_second_to_commit_is_aborted(client, account):
    second_client = other(client)
    first, second = client.transaction(), second_client.transaction()
    first.begin()
    second.begin()
    one = client.get(account, transaction=first)
    two = second_client.get(account, transaction=second)
    one["balance"] += 1
    two["balance"] += 1
    first.put(one)
    second.put(two)
    first.commit()
    with pytest.raises(exceptions.Aborted):
        second.commit()
    assert client.get(account)["balance"] == 101


def test_a_retry_after_an_abort_finishes(client, account):
    attempts = 0
    while True:
        attempts += 1
        try:
            with client.transaction() as transaction:
                entity = client.get(account)
                if attempts == 1:
                    rival = datastore.Entity(account)
                    rival["balance"] = 500
                    other(client).put(rival)
                entity["balance"] += 1
                transaction.put(entity)
            break
        except exceptions.Aborted:
            assert attempts < 5
    assert attempts == 2 and client.get(account)["balance"] == 501


def test_a_write_outside_any_transaction_is_a_conflict_too(client, account):
    with pytest.raises(exceptions.Aborted):
        with client.transaction() as transaction:
            entity = client.get(account)
            rival = datastore.Entity(account)
            rival["balance"] = 7
            other(client).put(rival)
            transaction.put(entity)
    assert client.get(account)["balance"] == 7


def test_an_entity_that_was_missing_and_came_is_a_conflict(client):
    key = client.key("Account", "new")
    with pytest.raises(exceptions.Aborted):
        with client.transaction() as transaction:
            assert client.get(key) is None
            rival = datastore.Entity(key)
            rival["by"] = "rival"
            other(client).put(rival)
            mine = datastore.Entity(key)
            mine["by"] = "me"
            transaction.put(mine)
    assert client.get(key)["by"] == "rival"


def test_a_phantom_in_a_query_is_a_conflict(client, account):
    rival = datastore.Entity(client.key("Account", "z"))
    rival["balance"] = 100
    with pytest.raises(exceptions.Aborted):
        with client.transaction() as transaction:
            query = client.query(kind="Account")
            query.add_filter(filter=PropertyFilter("balance", "=", 100))
            total = sum(e["balance"] for e in query.fetch())
            other(client).put(rival)
            sums = datastore.Entity(client.key("Sum", 1))
            sums["total"] = total
            transaction.put(sums)
    assert client.get(client.key("Sum", 1)) is None


def test_write_skew_is_refused(client, put):
    """Each reads what the other writes: serializability requires that one of them is aborted."""
    a, b = put("Doctor", "a", on=True).key, put("Doctor", "b", on=True).key
    second_client = other(client)
    first, second = client.transaction(), second_client.transaction()
    first.begin()
    second.begin()
    for c, t in ((client, first), (second_client, second)):
        assert all(e["on"] for e in c.get_multi([a, b], transaction=t))
    off_a, off_b = datastore.Entity(a), datastore.Entity(b)
    off_a["on"] = off_b["on"] = False
    first.put(off_a)
    second.put(off_b)
    first.commit()
    with pytest.raises(exceptions.Aborted):
        second.commit()
    assert client.get(b)["on"] is True


def test_transactions_on_different_entities_do_not_conflict(client, put):
    a, b = put("Account", "x", n=1).key, put("Account", "y", n=1).key
    second_client = other(client)
    first, second = client.transaction(), second_client.transaction()
    first.begin()
    second.begin()
    one, two = client.get(a, transaction=first), second_client.get(b, transaction=second)
    one["n"] = two["n"] = 2
    first.put(one)
    second.put(two)
    first.commit()
    second.commit()
    assert [e["n"] for e in client.get_multi([a, b])] == [2, 2]


def test_increments_from_many_threads_are_all_counted(client, account, host):
    def work(failures):
        mine = other(client)
        for _ in range(10):
            for _ in range(100):
                try:
                    with mine.transaction() as transaction:
                        entity = mine.get(account)
                        entity["balance"] += 1
                        transaction.put(entity)
                    break
                except exceptions.Aborted:
                    continue
            else:
                failures.append("an increment gave up after 100 attempts")

    failures = []
    threads = [threading.Thread(target=work, args=(failures,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and client.get(account)["balance"] == 140


def test_rollback_forgets_and_closes(client, account):
    transaction = client.transaction()
    transaction.begin()
    client.get(account, transaction=transaction)
    transaction_id = transaction.id
    transaction.rollback()
    with pytest.raises(exceptions.InvalidArgument):
        client._datastore_api.lookup(
            request={
                "project_id": client.project,
                "keys": [account.to_protobuf()],
                "read_options": {"transaction": transaction_id},
            }
        )


def test_a_read_only_transaction_reads_one_snapshot_and_never_conflicts(client, account):
    with client.transaction(read_only=True):
        assert client.get(account)["balance"] == 100
        rival = datastore.Entity(account)
        rival["balance"] = 1
        other(client).put(rival)
        assert client.get(account)["balance"] == 100
        assert [e["balance"] for e in client.query(kind="Account").fetch()] == [100]
    assert client.get(account)["balance"] == 1


def test_a_read_only_transaction_refuses_writes(client, account):
    transaction = client.transaction(read_only=True)
    transaction.begin()
    with pytest.raises(exceptions.InvalidArgument):
        client._datastore_api.commit(
            request={
                "project_id": client.project,
                "mode": "TRANSACTIONAL",
                "transaction": transaction.id,
                "mutations": [{"delete": account.to_protobuf()}],
            }
        )
    assert client.get(account) is not None


def test_a_read_only_transaction_at_a_time_in_the_past(client, account, api):
    then = api.lookup(request={"project_id": client.project, "keys": [account.to_protobuf()]}).read_time
    changed = datastore.Entity(account)
    changed["balance"] = 1
    client.put(changed)
    with client.transaction(read_only=True, read_time=then):
        assert client.get(account)["balance"] == 100
    assert client.get(account)["balance"] == 1


def test_a_transaction_that_begins_with_its_first_read(client, account):
    with client.transaction(begin_later=True) as transaction:
        entity = client.get(account)
        assert transaction.id, "the lookup answered the transaction"
        entity["balance"] += 1
        transaction.put(entity)
    assert client.get(account)["balance"] == 101
    with pytest.raises(exceptions.Aborted):
        with client.transaction(begin_later=True) as transaction:
            entity = client.get(account)  # a query does not report to this client which transaction it started
            rival = datastore.Entity(account)
            rival["balance"] = 7
            other(client).put(rival)
            transaction.put(entity)


def test_queries_and_aggregations_inside_a_transaction(client, account):
    with client.transaction() as transaction:
        query = client.query(kind="Account")
        assert [e["balance"] for e in query.fetch()] == [100]
        count = client.aggregation_query(query).count(alias="n")
        assert [r.value for page in count.fetch() for r in page] == [1]
        entity = client.get(account)
        entity["balance"] = 2
        transaction.put(entity)
    assert client.get(account)["balance"] == 2


def test_ids_are_given_to_incomplete_keys_at_commit(client):
    with client.transaction() as transaction:
        entity = datastore.Entity(client.key("Task"))
        entity["n"] = 1
        transaction.put(entity)
    assert entity.key.id > 0 and client.get(entity.key)["n"] == 1
