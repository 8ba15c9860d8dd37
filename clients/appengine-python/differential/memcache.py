"""Memcache: all methods, with a few keys and namespaces, so that items are often overwritten, locked and missing."""

import time

from google.appengine.api.memcache import memcache_service_pb2 as messages

from .sides import UNKNOWN, Operation, Refused

Policy = messages.MemcacheSetRequest
LATER = int(time.time()) + 100_000  # an absolute time: the Java API server has no relative ones
LOCK_SECONDS = 1000
LONG = 4  # the flags that the Java SDK gives to counters
NO_TOKEN = 2**50  # an id that no side has given to an item
KEYS = [b"a", b"b", b"c", b"\xff\x00", b"long" * 60]
NAMESPACES = ["", "n"]
VALUES = [b"", b"1", b"17", b"text", b"007", bytes(range(256))]
UNSIGNED = b"18446744073709551615"  # the Java API server counts batches in signed numbers


def call(side, method, request, response):
    return side.call("memcache", method, request, response)


def get(side, namespace, keys, for_cas):
    request = messages.MemcacheGetRequest(key=keys, name_space=namespace, for_cas=for_cas)
    answer = call(side, "Get", request, messages.MemcacheGetResponse())
    if isinstance(answer, Refused):
        return answer
    for item in answer.item if for_cas else ():
        side.memory[namespace, item.key] = item.cas_id
    return sorted((item.key, item.value, item.flags, item.HasField("cas_id")) for item in answer.item)


def put(side, namespace, items):
    """`items` are (key, value, flags, policy, expires)."""
    request = messages.MemcacheSetRequest(name_space=namespace)
    for key, value, flags, policy, expires in items:
        item = request.item.add(key=key, value=value, flags=flags, set_policy=policy)
        if expires:
            item.expiration_time = LATER
        if policy == Policy.CAS:
            item.cas_id = side.memory.get((namespace, key), NO_TOKEN)
    answer = call(side, "Set", request, messages.MemcacheSetResponse())
    return answer if isinstance(answer, Refused) else list(answer.set_status)


def delete(side, namespace, items):
    request = messages.MemcacheDeleteRequest(name_space=namespace)
    for key, seconds in items:
        request.item.add(key=key, delete_time=seconds)
    answer = call(side, "Delete", request, messages.MemcacheDeleteResponse())
    return answer if isinstance(answer, Refused) else list(answer.delete_status)


def increment_request(namespace, key, delta, direction, initial):
    request = messages.MemcacheIncrementRequest(key=key, name_space=namespace, delta=delta, direction=direction)
    if initial is not None:
        request.initial_value, request.initial_flags = initial, LONG
    return request


def increment(side, namespace, key, *rest):
    side.memory.pop((namespace, key), None)
    answer = call(side, "Increment", increment_request(namespace, key, *rest), messages.MemcacheIncrementResponse())
    if isinstance(answer, Refused):
        # The testbed refuses to increment a missing item.
        return None if answer.code == messages.MemcacheServiceError.UNSPECIFIED_ERROR else answer
    return answer.new_value if answer.HasField("new_value") else None


def increment_many(side, namespace, counters):
    request = messages.MemcacheBatchIncrementRequest(name_space=namespace)
    for counter in counters:
        side.memory.pop((namespace, counter[0]), None)
        request.item.append(increment_request(namespace, *counter))
    answer = call(side, "BatchIncrement", request, messages.MemcacheBatchIncrementResponse())
    if isinstance(answer, Refused):
        return answer
    return [(item.increment_status, item.new_value if item.HasField("new_value") else None) for item in answer.item]


def flush(side):
    answer = call(side, "FlushAll", messages.MemcacheFlushRequest(), messages.MemcacheFlushResponse())
    return answer if isinstance(answer, Refused) else "flushed"


def statistics(side):
    answer = call(side, "Stats", messages.MemcacheStatsRequest(), messages.MemcacheStatsResponse())
    if isinstance(answer, Refused):
        return UNKNOWN if answer.code == "ValueError" else answer  # a defect of the testbed's list of items
    return answer.stats.hits, answer.stats.misses


def counter(random):
    direction = random.choice(
        [messages.MemcacheIncrementRequest.INCREMENT, messages.MemcacheIncrementRequest.DECREMENT]
    )
    return random.choice(KEYS), random.choice([0, 1, 5, 1000]), direction, random.choice([None, 0, 10])


def operation(random, reference):
    namespace = random.choice(NAMESPACES)
    values = VALUES if reference == "java" else [*VALUES, UNSIGNED]
    keys = random.sample(KEYS, random.randrange(1, 4))
    choice = random.random()
    if choice < 0.3:
        for_cas = random.random() < 0.5
        return Operation(f"Get {namespace} {keys} {for_cas}", lambda side: get(side, namespace, keys, for_cas))
    if choice < 0.6:
        policies = [Policy.SET, Policy.SET, Policy.ADD, Policy.REPLACE, Policy.CAS, Policy.CAS]
        items = [
            (key, random.choice(values), random.randrange(4), random.choice(policies), random.random() < 0.3)
            for key in keys
        ]
        return Operation(f"Set {namespace} {items}", lambda side: put(side, namespace, items))
    if choice < 0.72:
        items = [(key, random.choice([0, 0, LOCK_SECONDS]) if reference != "java" else 0) for key in keys]
        return Operation(f"Delete {namespace} {items}", lambda side: delete(side, namespace, items))
    if choice < 0.85:
        one = counter(random)
        return Operation(f"Increment {namespace} {one}", lambda side: increment(side, namespace, *one))
    if choice < 0.95:
        many = [counter(random) for _ in range(random.randrange(1, 4))]
        return Operation(f"BatchIncrement {namespace} {many}", lambda side: increment_many(side, namespace, many))
    if choice < 0.98 and reference != "java":
        return Operation("Stats", statistics)
    return Operation("FlushAll", flush)


def operations(random, count, reference):
    return [operation(random, reference) for _ in range(count)]
