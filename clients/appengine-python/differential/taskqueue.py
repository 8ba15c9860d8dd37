"""Task queues: a push queue whose tasks are due later, and a pull queue with leases, tags and transactions."""

import itertools
import time

from google.appengine.api import api_base_pb2
from google.appengine.api.taskqueue import taskqueue_service_bytes_pb2 as messages
from google.appengine.datastore import datastore_pb

from .sides import APP, PULL_QUEUE, Operation, Refused

DEFAULT = "default"
QUEUES = [DEFAULT, PULL_QUEUE]
PULL = messages.TaskQueueMode.PULL
PUSH = messages.TaskQueueMode.PUSH
TOMBSTONED = messages.TaskQueueServiceError.TOMBSTONED_TASK
UNKNOWN_QUEUE = messages.TaskQueueServiceError.UNKNOWN_QUEUE
START = int(time.time() * 1e6)
CHOSEN = b"chosen"
SECOND = 1_000_000
LEASE_SECONDS = 1000
NAMES = [f"task-{number}" for number in range(12)]
TAGS = [None, b"x", b"y"]


def call(side, method, request, response):
    return side.call("taskqueue", method, request, response)


def start(side):
    """The queues. The references read them from a file."""
    if side.name != "petrichor":
        return
    for name, mode in ((PULL_QUEUE, PULL), (DEFAULT, PUSH)):
        request = messages.TaskQueueUpdateQueueRequest(
            queue_name=name.encode(), bucket_refill_per_second=5.0, bucket_capacity=5, mode=mode
        )
        answer = call(side, "UpdateQueue", request, messages.TaskQueueUpdateQueueResponse())
        assert not isinstance(answer, Refused), answer


def tasks_of(random, queue, most):
    """Their names differ."""
    return [task(random, queue, name) for name in random.sample(NAMES, random.randrange(1, most + 1))]


def task(random, queue, name):
    """Pull tasks are due, each at its own time; push tasks are due in hours, so that none is sent."""
    one = messages.TaskQueueAddRequest(queue_name=queue.encode(), task_name=name.encode())
    one.body = random.choice([b"", b"a=1", b"\x00\xff"])
    if queue == PULL_QUEUE:
        one.mode = PULL
        one.eta_usec = START - random.randrange(1, 100_000) * SECOND
        tag = random.choice(TAGS)
        if tag:
            one.tag = tag
    else:
        one.eta_usec = START + random.randrange(10_000, 20_000) * SECOND
        one.url = random.choice([b"/", b"/work?id=1"])
        one.method = random.choice([messages.TaskQueueAddRequest.POST, messages.TaskQueueAddRequest.PUT])
        one.header.add(key=b"X-Own", value=b"1")
    return one


def add(side, tasks, transaction=None):
    request = messages.TaskQueueBulkAddRequest(add_request=tasks)
    if transaction is not None:
        for one in request.add_request:
            one.transaction.CopyFrom(transaction)
            one.task_name = b""
    answer = call(side, "BulkAdd", request, messages.TaskQueueBulkAddResponse())
    if isinstance(answer, Refused):
        return answer
    results = [one.result for one in answer.taskresult]
    # The testbed refuses each task of an unknown queue, the others refuse the call.
    return Refused(UNKNOWN_QUEUE) if set(results) == {UNKNOWN_QUEUE} else results


def add_in_transaction(side, tasks, end):
    """Names are chosen by the server. The bodies are seen only after the commit."""
    begin = datastore_pb.BeginTransactionRequest(app=APP)
    transaction = side.call("datastore_v3", "BeginTransaction", begin, datastore_pb.Transaction())
    added = add(side, tasks, transaction)
    before = count(side, tasks[0].queue_name.decode())
    response = datastore_pb.CommitResponse() if end == "Commit" else api_base_pb2.VoidProto()
    ended = side.call("datastore_v3", end, transaction, response)
    return added, before, isinstance(ended, Refused) and ended, count(side, tasks[0].queue_name.decode())


def count(side, queue):
    return len(listed(side, queue))


def listed(side, queue, **options):
    request = messages.TaskQueueQueryTasksRequest(queue_name=queue.encode(), **{"max_rows": 200, **options})
    answer = call(side, "QueryTasks", request, messages.TaskQueueQueryTasksResponse())
    return answer if isinstance(answer, Refused) else list(answer.task)


def view(one, queue):
    name = one.task_name if one.task_name.decode() in NAMES else CHOSEN
    if queue == PULL_QUEUE:  # leases have times of their own
        return name, one.body, one.tag, one.retry_count
    own = [(header.key, header.value) for header in one.header if header.key == b"X-Own"]
    return name, one.eta_usec, one.url, one.method, one.body, own, one.retry_count


def query(side, queue, **options):
    """A page ends at the first name that a side has chosen, since it sorts differently on the other one."""
    tasks = listed(side, queue, **options)
    if isinstance(tasks, Refused):
        return tasks
    seen = [view(one, queue) for one in tasks]
    if not options:
        return sorted(seen)
    return list(itertools.takewhile(lambda one: one[0] != CHOSEN, seen))


def gone(answer):
    """The testbed distinguishes tasks that were deleted from unknown ones also where Petrichor does not."""
    return Refused(messages.TaskQueueServiceError.UNKNOWN_TASK) if answer.code == TOMBSTONED else answer


def fetch(side, queue, name):
    request = messages.TaskQueueFetchTaskRequest(queue_name=queue.encode(), task_name=name.encode())
    answer = call(side, "FetchTask", request, messages.TaskQueueFetchTaskResponse())
    return gone(answer) if isinstance(answer, Refused) else [view(one, queue) for one in answer.task.task]


def delete(side, queue, names):
    request = messages.TaskQueueDeleteRequest(queue_name=queue.encode(), task_name=[name.encode() for name in names])
    answer = call(side, "Delete", request, messages.TaskQueueDeleteResponse())
    return answer if isinstance(answer, Refused) else list(answer.result)


def lease(side, queue, **options):
    request = messages.TaskQueueQueryAndOwnTasksRequest(queue_name=queue.encode(), **options)
    answer = call(side, "QueryAndOwnTasks", request, messages.TaskQueueQueryAndOwnTasksResponse())
    if isinstance(answer, Refused):
        return answer
    for one in answer.task:
        side.memory[one.task_name] = one.eta_usec
    return [view(one, queue) for one in answer.task]


def modify_lease(side, name, seconds):
    request = messages.TaskQueueModifyTaskLeaseRequest(
        queue_name=PULL_QUEUE.encode(),
        task_name=name.encode(),
        eta_usec=side.memory.get(name.encode(), START),
        lease_seconds=seconds,
    )
    answer = call(side, "ModifyTaskLease", request, messages.TaskQueueModifyTaskLeaseResponse())
    if isinstance(answer, Refused):
        return gone(answer)
    side.memory[name.encode()] = answer.updated_eta_usec
    return "modified"


def statistics(side, queues):
    request = messages.TaskQueueFetchQueueStatsRequest(queue_name=[queue.encode() for queue in queues])
    answer = call(side, "FetchQueueStats", request, messages.TaskQueueFetchQueueStatsResponse())
    if isinstance(answer, Refused):
        return answer
    return [
        (one.num_tasks, one.oldest_eta_usec if queue == DEFAULT else 0) for queue, one in zip(queues, answer.queuestats)
    ]


def purge(side, queue):
    request = messages.TaskQueuePurgeQueueRequest(queue_name=queue.encode())
    answer = call(side, "PurgeQueue", request, messages.TaskQueuePurgeQueueResponse())
    return answer if isinstance(answer, Refused) else "purged"


def pause(side, queue, paused):
    request = messages.TaskQueuePauseQueueRequest(app_id=b"", queue_name=queue.encode(), pause=paused)
    answer = call(side, "PauseQueue", request, messages.TaskQueuePauseQueueResponse())
    return answer if isinstance(answer, Refused) else "paused"


def queues(side):
    answer = call(
        side, "FetchQueues", messages.TaskQueueFetchQueuesRequest(max_rows=10), messages.TaskQueueFetchQueuesResponse()
    )
    if isinstance(answer, Refused):
        return answer
    return [(one.queue_name, one.mode, one.bucket_refill_per_second, one.bucket_capacity) for one in answer.queue]


def invalid(random):
    """Calls that are refused."""
    one = task(random, DEFAULT, random.choice(NAMES))
    changes = [
        lambda: one.MergeFrom(messages.TaskQueueAddRequest(queue_name=b"unknown")),
        lambda: one.MergeFrom(messages.TaskQueueAddRequest(eta_usec=START + 40 * 86_400 * SECOND)),
        lambda: one.MergeFrom(messages.TaskQueueAddRequest(mode=PULL)),
        lambda: one.MergeFrom(messages.TaskQueueAddRequest(eta_usec=-1)),
    ]
    random.choice(changes)()
    return Operation(f"BulkAdd {one}", lambda side: add(side, [one]))


def operation(random):
    queue = random.choice(QUEUES)
    choice = random.random()
    if choice < 0.3:
        tasks = tasks_of(random, queue, 4)
        return Operation(f"BulkAdd {tasks}", lambda side: add(side, tasks))
    if choice < 0.36:
        return invalid(random)
    if choice < 0.42:
        tasks = tasks_of(random, queue, 3)
        end = random.choice(["Commit", "Rollback"])
        return Operation(f"{end} {tasks}", lambda side: add_in_transaction(side, tasks, end))
    if choice < 0.5:
        names = random.sample(NAMES, random.randrange(1, 4))
        return Operation(f"Delete {queue} {names}", lambda side: delete(side, queue, names))
    if choice < 0.62:
        return lease_operation(random)
    if choice < 0.7:
        name, seconds = random.choice(NAMES), random.choice([0, LEASE_SECONDS, 2 * LEASE_SECONDS])
        return Operation(f"ModifyTaskLease {name} {seconds}", lambda side: modify_lease(side, name, seconds))
    if choice < 0.72:
        return Operation(f"PurgeQueue {queue}", lambda side: purge(side, queue))
    return reading(random, queue)


def lease_operation(random):
    options = {"lease_seconds": LEASE_SECONDS, "max_tasks": random.randrange(1, 4)}
    choice = random.random()
    if choice < 0.3:
        options.update(group_by_tag=True, tag=random.choice(TAGS[1:]))
    elif choice < 0.5:
        options.update(group_by_tag=True, max_tasks=1)  # of several, the testbed may return fewer than it has
    return Operation(f"QueryAndOwnTasks {options}", lambda side: lease(side, PULL_QUEUE, **options))


def reading(random, queue):
    choice = random.randrange(5)
    if choice == 0:
        names = random.choice([[DEFAULT], [PULL_QUEUE], [PULL_QUEUE, DEFAULT]])
        return Operation(f"FetchQueueStats {names}", lambda side: statistics(side, names))
    if choice == 1:
        name = random.choice(NAMES)
        return Operation(f"FetchTask {queue} {name}", lambda side: fetch(side, queue, name))
    if choice == 2:
        options = {"start_task_name": random.choice(NAMES).encode(), "max_rows": random.randrange(1, 5)}
        return Operation(f"QueryTasks {queue} {options}", lambda side: query(side, queue, **options))
    if choice == 3:
        return Operation("FetchQueues", queues)
    return Operation(f"QueryTasks {queue}", lambda side: query(side, queue))


def operations(random, count, reference):
    return [Operation("start", start), *(operation(random) for _ in range(count))]
