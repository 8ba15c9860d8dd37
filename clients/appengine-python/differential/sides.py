"""The implementations that are compared: Petrichor, the stubs of the SDK's testbed, and Google's Java API server.

An operation is a function of a `Side`. It returns what an app sees of the answers, without what differs between any
two runs, such as ids and times.
"""

import os
import pathlib
import socket
import subprocess
import tempfile
import time
from typing import Any, Callable, NamedTuple

from google.appengine.api import apiproxy_stub_map, full_app_id
from google.appengine.ext import testbed
from google.appengine.runtime import apiproxy_errors
from PIL import Image

from remote_stub import RemoteStub

PROJECT = "differences"
APP = "s~" + PROJECT
JAVA_SECONDS_MAX = 60
JAVA_PEERS = "PETRICHOR_TEST_PEERS"  # the folder that bench/peers/install filled
PULL_QUEUE = "pull"
UNKNOWN = "unknown"  # the answer of a reference whose defect has no answer


class Refused(NamedTuple):
    """An application error, or the name of another failure."""

    code: Any


class Operation(NamedTuple):
    text: str
    work: Callable[["Side"], Any]


class Side:
    """One implementation. Operations keep in `memory` what a later call sends back, such as ids.

    Without `codes`, all refusals are equal, as those of the Java API server are: its reply to every exception of a
    service is that the call failed.
    """

    def __init__(self, name, send, codes=True, project=PROJECT):
        self.name = name
        self.send = send
        self.codes = codes
        self.project = project
        self.memory = {}

    def call(self, service, method, request, response):
        """Returns the response, or how the call was refused."""
        try:
            self.send(service, method, request, response)
        except apiproxy_errors.ApplicationError as error:
            return Refused(error.application_error if self.codes else None)
        except Exception as error:  # stubs also fail by assertions and defects
            return Refused(type(error).__name__ if self.codes else None)
        return response


def sender(project, address=None):
    """Sends the calls of the app `project`."""
    stubs = {}

    def send(service, method, request, response):
        if service not in stubs:
            stubs[service] = RemoteStub(PROJECT, service, address)
            stubs[service].own = project.encode()
        stubs[service].MakeSyncCall(service, method, request, response)

    return send


def petrichor(codes=True):
    """A new app, without data."""
    project = RemoteStub(PROJECT).own.decode()
    return Side("petrichor", sender(project), codes, project)


if not hasattr(Image, "ANTIALIAS"):
    Image.ANTIALIAS = Image.LANCZOS  # the images stub has the name that older versions of Pillow have


class Testbed:
    """The stubs, in this process. While they are active, the SDK calls them."""

    __test__ = False

    def __enter__(self):
        self.testbed = testbed.Testbed()
        self.testbed.activate()
        self.testbed.setup_env(app_id=APP, overwrite=True)
        full_app_id.put(APP)
        self.testbed.init_all_stubs()
        self.folder = queue_folder()
        self.testbed.init_taskqueue_stub(root_path=self.folder.name)
        stubs = apiproxy_stub_map.apiproxy

        def send(service, method, request, response):
            own = type(request)()
            own.CopyFrom(request)  # stubs change requests
            stubs.GetStub(service).MakeSyncCall(service, method, own, response)

        return Side("testbed", send)

    def __exit__(self, *_):
        self.testbed.deactivate()
        self.folder.cleanup()


class JavaApiServer:
    """The server in a process of its own."""

    def __enter__(self):
        peers = pathlib.Path(os.environ[JAVA_PEERS])
        self.folder = queue_folder("WEB-INF")
        port, app_port = free_port(), free_port()
        command = [
            java_command(),
            "-Xmx256m",
            "-cp",
            f"{peers}/java-api-server/*",
            peers / "ApiServerOnLoopback.java",
            str(port),
            str(app_port),
        ]
        self.process = subprocess.Popen(
            command, cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        await_port(port, self.process)
        return Side("java", sender(PROJECT, ("127.0.0.1", port)), codes=False)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def java_command():
    return pathlib.Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"


def queue_folder(below="."):
    """A folder with the queues of both references."""
    folder = tempfile.TemporaryDirectory(prefix="petrichor-differences-")
    settings = pathlib.Path(folder.name, below)
    settings.mkdir(exist_ok=True)
    (settings / "queue.yaml").write_text(f"queue:\n- name: default\n  rate: 5/s\n- name: {PULL_QUEUE}\n  mode: pull\n")
    return folder


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def await_port(port, process):
    deadline = time.monotonic() + JAVA_SECONDS_MAX
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the Java API server did not start")


REFERENCES = {"testbed": Testbed, **({"java": JavaApiServer} if JAVA_PEERS in os.environ else {})}
