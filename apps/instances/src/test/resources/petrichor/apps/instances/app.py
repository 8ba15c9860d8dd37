"""An app for tests: its first argument is a mode, and it answers questions about itself."""

import errno
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse


def attempt(action):
    try:
        return action()
    except OSError as e:
        return "error: " + type(e).__name__


def text(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def write(path):
    with open(path, "w") as file:
        file.write("written")
    return "written"


def allocate(megabytes):
    kept.append(bytearray(os.urandom(1 << 20) * megabytes))
    return "allocated"


def fill(path, megabytes):
    with open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(bytes(1 << 20))
    return "filled"


def fork(count):
    started = 0
    for _ in range(count):
        try:
            subprocess.Popen(["sleep", "600"])
            started += 1
        except OSError:
            break
    return str(started)


def burn(seconds):
    end = time.monotonic() + seconds
    before = time.process_time()
    while time.monotonic() < end:
        pass
    return str(time.process_time() - before)


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def connect(kind, host, port, seconds=20):
    """Reaches a server in one of several ways."""
    stream = kind in ("tcp", "mptcp", "fast-open")
    protocol = socket.IPPROTO_MPTCP if kind == "mptcp" else 0
    kind_of_socket = socket.SOCK_STREAM if stream else socket.SOCK_DGRAM
    with socket.socket(family(host), kind_of_socket, protocol) as client:
        client.settimeout(seconds)
        if kind == "udp":
            client.sendto(b"datagram", (host, port))
        elif kind == "fast-open":
            client.settimeout(None)
            client.sendto(b"GET / HTTP/1.0\r\n\r\n", socket.MSG_FASTOPEN, (host, port))
        else:
            client.connect((host, port))
            if not stream:
                client.send(b"datagram")
    return "reached"


def begin_connect(host, port):
    """The first packet to a server that need not exist; the name of the error."""
    with socket.socket(family(host), socket.SOCK_STREAM) as client:
        client.setblocking(False)
        return errno.errorcode.get(client.connect_ex((host, port)), "OK")


def listen(host):
    server = socket.create_server((host, 0), family=family(host))
    kept.append(server)
    return str(server.getsockname()[1])


def datagrams(host):
    server = socket.socket(family(host), socket.SOCK_DGRAM)
    server.bind((host, 0))
    kept.append(server)
    return str(server.getsockname()[1])


def daemonise():
    """A process that leaves its parent, its session, its streams and its environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        null = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.closerange(3, 100)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execve("/bin/sleep", sys.argv[2:4], dict(os.environ) if os.environ.get("KEEP") else {})
    os.wait()
    return "daemonised"


kept = []
ANSWERS = {
    "/read": lambda q: text(q["path"]),
    "/list": lambda q: json.dumps(sorted(os.listdir(q["path"]))),
    "/write": lambda q: write(q["path"]),
    "/environ": lambda q: json.dumps(dict(os.environ)),
    "/ids": lambda q: json.dumps([os.getuid(), os.getgid(), os.getgroups()]),
    "/allocate": lambda q: allocate(int(q["megabytes"])),
    "/fill": lambda q: fill(q["path"], int(q["megabytes"])),
    "/fork": lambda q: fork(int(q["count"])),
    "/connect": lambda q: connect(
        q["kind"], q["host"], int(q["port"]), int(q.get("seconds", "20"))
    ),
    "/begin-connect": lambda q: begin_connect(q["host"], int(q["port"])),
    "/listen": lambda q: listen(q["host"]),
    "/datagrams": lambda q: datagrams(q["host"]),
    "/burn": lambda q: burn(float(q["seconds"])),
    "/daemonise": lambda q: daemonise(),
    "/kill": lambda q: str(os.kill(int(q["pid"]), signal.SIGKILL)),
    "/exit": lambda q: os._exit(int(q["status"])),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        print("GET", self.path, flush=True)
        if url.path in ANSWERS:
            self.answer(200, attempt(lambda: ANSWERS[url.path](query)))
        elif url.path == "/_ah/start":
            self.answer(int(os.environ.get("START_STATUS", "200")), self.headers.get("X-Test", ""))
        elif url.path == "/_ah/stop":
            self.answer(200, "")
        else:
            self.answer(500, "unknown")

    def answer(self, status, body):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def serve(address="127.0.0.1"):
    server = http.server.ThreadingHTTPServer((address, int(os.environ["PORT"])), Handler)
    server.serve_forever()


def graceful():
    def end(*_):
        print("got SIGTERM", flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    serve()


def stubborn():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve()


def busy():
    """Needs a part of a second of the processor before it listens."""
    while time.process_time() < float(sys.argv[2]):
        pass
    serve()


def crash():
    for number in range(30):
        print("line", number, file=sys.stderr)
    print("no module named shop", file=sys.stderr)
    sys.exit(3)


def silent():
    print("waiting for nothing", flush=True)
    time.sleep(600)


def flood():
    threading.Thread(target=serve, daemon=True).start()
    per_second = int(sys.argv[2])
    seconds = int(sys.argv[3])
    begin = time.monotonic()
    for number in range(per_second * seconds):
        print("line", number)
        if number % 100 == 99:
            time.sleep(max(0, begin + number / per_second - time.monotonic()))
    sys.stdout.flush()
    print("flood is over", file=sys.stderr, flush=True)
    time.sleep(600)


def hog():
    threading.Thread(target=serve, daemon=True).start()
    while True:
        kept.append(bytearray(os.urandom(1 << 20)))


def bomb():
    threading.Thread(target=serve, daemon=True).start()
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)


MODES = {
    "serve": serve,
    "everywhere": lambda: serve("0.0.0.0"),
    "graceful": graceful,
    "stubborn": stubborn,
    "busy": busy,
    "crash": crash,
    "silent": silent,
    "flood": flood,
    "hog": hog,
    "bomb": bomb,
}
MODES[sys.argv[1]]()
