"""Responses that exceed the 4 MiB limit of gRPC clients arrive in parts."""

from google.cloud import datastore


def store(client, kind, count, size):
    keys = []
    batch = max(1, 5_000_000 // size)
    for start in range(0, count, batch):
        entities = []
        for number in range(start, min(count, start + batch)):
            entity = datastore.Entity(client.key(kind, f"{number:06}"), exclude_from_indexes=("blob",))
            entity["blob"] = number.to_bytes(4, "big") * (size // 4)
            entities.append(entity)
        client.put_multi(entities)
        keys.extend(entity.key for entity in entities)
    return keys


def test_query_of_ten_thousand_entities_of_ten_kilobytes(client):
    store(client, "Ten", 10_000, 10_000)
    names = [entity.key.name for entity in client.query(kind="Ten").fetch()]
    assert names == [f"{number:06}" for number in range(10_000)]


def test_lookup_of_a_thousand_keys_of_a_hundred_kilobytes(client):
    keys = store(client, "Hundred", 1_000, 100_000)
    found = {entity.key.name: len(entity["blob"]) for entity in client.get_multi(keys)}
    assert found == {key.name: 100_000 for key in keys}
