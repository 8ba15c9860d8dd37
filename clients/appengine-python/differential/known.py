"""The known differences. Each is shown by calls, so that this list and docs/apps/differences.md stay true.

Random operations avoid them. `theirs` and `ours` are what the calls return on a new side.
"""

import io
from typing import Any, Callable, NamedTuple

from google.appengine.api import user_service_pb2
from google.appengine.api.blobstore import blobstore_service_pb2
from google.appengine.api.images import images_service_pb2
from google.appengine.api.taskqueue import taskqueue_service_bytes_pb2
from PIL import Image

from . import images, mail, memcache, platform, taskqueue, urlfetch
from .sides import PULL_QUEUE, Refused

SET, ADD, REPLACE, CAS = (memcache.Policy.SET, memcache.Policy.ADD, memcache.Policy.REPLACE, memcache.Policy.CAS)
UP = memcache.messages.MemcacheIncrementRequest.INCREMENT
TASK_ERROR = taskqueue_service_bytes_pb2.TaskQueueServiceError
REFUSED = Refused(None)  # all that the Java API server says


class Difference(NamedTuple):
    """`what` is the cell of that column in the document; a reference without an answer answers as Petrichor does."""

    what: str
    show: Callable[[Any], Any]
    ours: Any
    theirs: dict


def item(key, value, policy=SET):
    return key, value, 0, policy, False


# --- memcache ---


def missing_counter(side):
    request = memcache.increment_request("", b"k", 1, UP, None)
    answer = memcache.call(side, "Increment", request, memcache.messages.MemcacheIncrementResponse())
    return answer if isinstance(answer, Refused) else answer.HasField("new_value")


def compare_and_set_after_increment(side):
    memcache.put(side, "", [item(b"k", b"1")])
    memcache.get(side, "", [b"k"], True)
    token = side.memory["", b"k"]
    memcache.increment(side, "", b"k", 1, UP, None)
    side.memory["", b"k"] = token
    return memcache.put(side, "", [item(b"k", b"2", CAS)])


def statistics_of_counters(side):
    memcache.increment(side, "", b"k", 1, UP, 0)
    request, response = memcache.messages.MemcacheStatsRequest(), memcache.messages.MemcacheStatsResponse()
    answer = memcache.call(side, "Stats", request, response)
    return answer.stats.hits, answer.stats.items


def relative_expiration(side):
    request = memcache.messages.MemcacheSetRequest()
    request.item.add(key=b"k", value=b"v", expiration_time=600)
    memcache.call(side, "Set", request, memcache.messages.MemcacheSetResponse())
    return memcache.get(side, "", [b"k"], False) != []


def lock_of_missing_item(side):
    memcache.delete(side, "", [(b"k", 600)])
    return memcache.put(side, "", [item(b"k", b"v", ADD)])


def lock_after_increment(side):
    memcache.put(side, "", [item(b"k", b"1")])
    memcache.delete(side, "", [(b"k", 600)])
    memcache.increment(side, "", b"k", 1, UP, 0)
    return memcache.put(side, "", [item(b"k", b"v", REPLACE)])


def unsigned_counters(side):
    memcache.put(side, "", [item(b"k", memcache.UNSIGNED)])
    return memcache.increment_many(side, "", [(b"k", 0, UP, None)])


# --- task queues ---


def push_task(name=b"", **options):
    return taskqueue_service_bytes_pb2.TaskQueueAddRequest(
        **{
            "queue_name": b"default",
            "task_name": name,
            "url": b"/",
            "eta_usec": taskqueue.START + 10_000 * taskqueue.SECOND,
            **options,
        }
    )


def pull_task(name, seconds, **options):
    return push_task(
        name,
        queue_name=PULL_QUEUE.encode(),
        mode=taskqueue.PULL,
        body=b"b",
        eta_usec=taskqueue.START - seconds * taskqueue.SECOND,
        **options,
    )


def results(side, tasks):
    request = taskqueue_service_bytes_pb2.TaskQueueBulkAddRequest(add_request=tasks)
    answer = taskqueue.call(side, "BulkAdd", request, taskqueue_service_bytes_pb2.TaskQueueBulkAddResponse())
    return answer if isinstance(answer, Refused) else [one.result for one in answer.taskresult]


def unknown_queue(side):
    return results(side, [push_task(b"a", queue_name=b"unknown")])


def same_name_twice(side):
    return results(side, [push_task(b"a"), push_task(b"a")])


def default_url(side):
    return results(side, [push_task(b"a", url=b"")])


def deleted_name(side):
    results(side, [push_task(b"a")])
    taskqueue.delete(side, "default", ["a"])
    return results(side, [push_task(b"a")])


def fetch_of_deleted_task(side):
    results(side, [push_task(b"a")])
    taskqueue.delete(side, "default", ["a"])
    request = taskqueue_service_bytes_pb2.TaskQueueFetchTaskRequest(queue_name=b"default", task_name=b"a")
    return taskqueue.call(side, "FetchTask", request, taskqueue_service_bytes_pb2.TaskQueueFetchTaskResponse())


def oldest_without_tag(side):
    taskqueue.start(side)
    results(side, [pull_task(b"a", 30), pull_task(b"b", 20, tag=b"x"), pull_task(b"c", 10)])
    return len(taskqueue.lease(side, PULL_QUEUE, lease_seconds=60, max_tasks=2, group_by_tag=True))


def lease_of_empty_queue_by_tag(side):
    taskqueue.start(side)
    return taskqueue.lease(side, PULL_QUEUE, lease_seconds=60, max_tasks=1, group_by_tag=True)


def leases_counted(side):
    taskqueue.start(side)
    results(side, [pull_task(b"a", 30)])
    return taskqueue.lease(side, PULL_QUEUE, lease_seconds=60, max_tasks=1)[0][3]


def listing(side):
    return taskqueue.listed(side, "default")


def pausing(side):
    return taskqueue.pause(side, "default", True)


# --- images ---


def plain_image(width, height, mode="RGB", kind="PNG"):
    content = io.BytesIO()
    Image.new(mode, (width, height), 0).save(content, kind)
    return content.getvalue()


def size_after(side, step, width=12, height=20):
    request = images_service_pb2.ImagesTransformRequest()
    request.image.content = plain_image(width, height)
    request.transform.add().CopyFrom(step)
    request.output.mime_type = images.PNG
    answer = images.call(side, "Transform", request, images_service_pb2.ImagesTransformResponse())
    return answer if isinstance(answer, Refused) else Image.open(io.BytesIO(answer.image.content)).size


def quarter_turn(side):
    return size_after(side, images_service_pb2.Transform(rotate=90))


def fraction_of_a_pixel(side):
    return size_after(side, images_service_pb2.Transform(width=16, height=32))


def no_pixel_left(side):
    return size_after(side, images_service_pb2.Transform(width=1, height=1), 10, 30)


# --- mail, users, URL fetch, blobs, platform ---


def unknown_sender(side):
    message = mail.messages.MailMessage(Sender="stranger@example.com", To=["a@example.com"], Subject="s", TextBody="t")
    return mail.send(side, "Send", message)


def mail_to_no_administrators(side):
    message = mail.messages.MailMessage(Sender=mail.SENDERS[0], Subject="s", TextBody="t")
    return mail.send(side, "SendToAdmins", message)


def user_of_oauth(side):
    request = user_service_pb2.GetOAuthUserRequest()
    answer = side.call("user", "GetOAuthUser", request, user_service_pb2.GetOAuthUserResponse())
    return answer if isinstance(answer, Refused) else bool(answer.email)


def address_of_this_machine(side):
    """A port at which nothing listens: a server of the machine itself would be reached."""
    with urlfetch.surroundings("127.0.0.1") as base:
        request = urlfetch.messages.URLFetchRequest(Method=urlfetch.messages.URLFetchRequest.GET, Url=base + "/")
        answer = urlfetch.fetch(side, request)
    return answer if isinstance(answer, Refused) else answer[0]


def unencoded_url(side):
    with urlfetch.surroundings() as base:
        request = urlfetch.messages.URLFetchRequest(
            Method=urlfetch.messages.URLFetchRequest.GET, Url=base + urlfetch.UNENCODED
        )
        answer = urlfetch.fetch(side, request)
    return answer if isinstance(answer, Refused) else answer[0]


def decoded_key(side):
    request = blobstore_service_pb2.DecodeBlobKeyRequest(blob_key=["key"])
    answer = side.call("blobstore", "DecodeBlobKey", request, blobstore_service_pb2.DecodeBlobKeyResponse())
    return answer if isinstance(answer, Refused) else list(answer.decoded)


def upload_url(side):
    request = blobstore_service_pb2.CreateUploadURLRequest(success_path="/uploaded")
    answer = side.call("blobstore", "CreateUploadURL", request, blobstore_service_pb2.CreateUploadURLResponse())
    return answer if isinstance(answer, Refused) else bool(answer.url)


def unknown_capability(side):
    answer = platform.enabled(side, "unknown", ["*"])
    return answer if isinstance(answer, (int, Refused)) else answer[0]


def default_module(side):
    return platform.listed_modules(side)


DIFFERENCES = [
    Difference("increment of a missing item", missing_counter, False, {"testbed": Refused(1)}),
    Difference(
        "compare-and-set after an increment", compare_and_set_after_increment, [4], {"testbed": [1], "java": [1]}
    ),
    Difference("statistics of counters", statistics_of_counters, (0, 1), {"testbed": (0, 0), "java": (1, 1)}),
    Difference("expiration after some seconds", relative_expiration, True, {"java": False}),
    Difference("deletion of a missing item with a lock", lock_of_missing_item, [1], {"java": [2]}),
    Difference("increment of a locked item", lock_after_increment, [1], {"java": [2]}),
    Difference("several counters above 2^63", unsigned_counters, [(1, 2**64 - 1)], {"java": [(2, None)]}),
    Difference(
        "tasks for an unknown queue",
        unknown_queue,
        Refused(TASK_ERROR.UNKNOWN_QUEUE),
        {"testbed": [1], "java": REFUSED},
    ),
    Difference(
        "one name twice in a call",
        same_name_twice,
        Refused(TASK_ERROR.DUPLICATE_TASK_NAME),
        {"testbed": [0, 10], "java": [0, 10]},
    ),
    Difference("push task without a URL", default_url, [0], {"java": [TASK_ERROR.INVALID_URL]}),
    Difference("name of a deleted task", deleted_name, [TASK_ERROR.TOMBSTONED_TASK], {"java": [0]}),
    Difference(
        "fetch of a deleted task",
        fetch_of_deleted_task,
        Refused(TASK_ERROR.UNKNOWN_TASK),
        {"testbed": Refused(TASK_ERROR.TOMBSTONED_TASK), "java": REFUSED},
    ),
    Difference("lease of the oldest tag if that task has none", oldest_without_tag, 2, {"testbed": 1}),
    Difference("lease by tag in an empty queue", lease_of_empty_queue_by_tag, [], {"java": REFUSED}),
    Difference("count of leases", leases_counted, 1, {"java": 0}),
    Difference("list of tasks", listing, [], {"java": REFUSED}),
    Difference("pausing a queue", pausing, "paused", {"java": REFUSED}),
    Difference("quarter turn of an image that is not square", quarter_turn, (20, 12), {"testbed": (12, 20)}),
    Difference("fraction of a pixel after a resize", fraction_of_a_pixel, (16, 26), {"java": (16, 27)}),
    Difference(
        "resize that leaves no pixel", no_pixel_left, (1, 1), {"testbed": Refused("ValueError"), "java": REFUSED}
    ),
    Difference("mail from an unknown sender", unknown_sender, Refused(3), {"testbed": "sent", "java": "sent"}),
    Difference(
        "mail to administrators of an app that has none",
        mail_to_no_administrators,
        Refused(2),
        {"testbed": "sent", "java": "sent"},
    ),
    Difference("user of an OAuth token", user_of_oauth, Refused(4), {"testbed": True, "java": True}),
    Difference("fetch from this machine", address_of_this_machine, Refused(2), {"testbed": 200, "java": 200}),
    Difference("fetch of a URL that is not encoded", unencoded_url, 200, {"testbed": Refused("UnicodeEncodeError")}),
    Difference("decoding of blob keys", decoded_key, ["key"], {"testbed": Refused("AttributeError"), "java": REFUSED}),
    Difference("URL for uploads", upload_url, True, {"java": REFUSED}),
    Difference("capability of an unknown API", unknown_capability, 4, {"testbed": 5, "java": 5}),
    Difference("list of modules", default_module, ["default"], {"java": REFUSED}),
]
