"""Task queues as far as the Java API server has them: adding, deleting and purging tasks, and leases.

It neither lists tasks nor keeps the names of deleted ones, and it does not count leases; so names are used once, and
what is stored is seen by leases and deletions only.
"""

from .sides import PULL_QUEUE, Operation, Refused
from .taskqueue import (
    LEASE_SECONDS,
    QUEUES,
    SECOND,
    START,
    TAGS,
    add,
    delete,
    lease,
    messages,
    modify_lease,
    purge,
    start,
    task,
)


class Names:
    """The tasks of each queue that the operations so far have left."""

    def __init__(self, random):
        self.random = random
        self.used = 0
        self.live = {queue: [] for queue in QUEUES}

    def of_new_task(self, queue):
        if self.live[queue] and self.random.random() < 0.15:
            return self.random.choice(self.live[queue])
        self.used += 1
        self.live[queue].append(f"new-{self.used}")
        return self.live[queue][-1]

    def deleted(self, queue):
        if not self.live[queue]:
            return "never-added"
        name = self.random.choice(self.live[queue])
        self.live[queue].remove(name)
        return name

    def leased(self):
        return self.random.choice(self.live[PULL_QUEUE] or ["never-added"])


def lease_uncounted(side, **options):
    answer = lease(side, PULL_QUEUE, **options)
    return answer if isinstance(answer, Refused) else [(body, tag) for _, body, tag, _ in answer]


def invalid(random, queue):
    one = task(random, queue, "invalid")
    random.choice(
        [
            lambda: one.MergeFrom(messages.TaskQueueAddRequest(queue_name=b"unknown")),
            lambda: one.MergeFrom(messages.TaskQueueAddRequest(task_name=b"not valid!")),
            lambda: one.MergeFrom(messages.TaskQueueAddRequest(eta_usec=START + 40 * 86_400 * SECOND)),
        ]
    )()
    return one


def operation(random, names):
    queue = random.choice(QUEUES)
    choice = random.random()
    if choice < 0.4:
        own = {names.of_new_task(queue) for _ in range(random.randrange(1, 4))}
        tasks = [task(random, queue, name) for name in sorted(own)]
        return Operation(f"BulkAdd {tasks}", lambda side: add(side, tasks))
    if choice < 0.46:
        one = invalid(random, queue)
        return Operation(f"BulkAdd {one}", lambda side: add(side, [one]))
    if choice < 0.6:
        name = names.deleted(queue)
        return Operation(f"Delete {queue} {name}", lambda side: delete(side, queue, [name]))
    if choice < 0.63:
        names.live[queue].clear()
        return Operation(f"PurgeQueue {queue}", lambda side: purge(side, queue))
    if choice < 0.8:
        name, seconds = names.leased(), random.choice([0, LEASE_SECONDS])
        return Operation(f"ModifyTaskLease {name} {seconds}", lambda side: modify_lease(side, name, seconds))
    options = {"lease_seconds": LEASE_SECONDS, "max_tasks": random.randrange(1, 4)}
    if random.random() < 0.5:
        options.update(group_by_tag=True, tag=random.choice(TAGS[1:]))
    return Operation(f"QueryAndOwnTasks {options}", lambda side: lease_uncounted(side, **options))


def operations(random, count, reference):
    names = Names(random)
    return [Operation("start", start), *(operation(random, names) for _ in range(count))]
