"""Writes appinfo-verdicts.json: what Google's own parser makes of test documents.

    python3 -m venv oracle && oracle/bin/pip install appengine-python-standard==3.1.0
    oracle/bin/python appinfo_oracle.py

AppInfoVerdictsTest compares the verdicts with Petrichor's. A document on which both differ is
explained in disagreements.md.
"""
import json
import os
import re
import warnings

warnings.simplefilter("ignore")

from google.appengine.api import appinfo
from google.appengine.api import dispatchinfo

APP = "runtime: python312\n"


def handler(*lines):
    return APP + "handlers:\n- " + "\n  ".join(lines) + "\n"


def automatic(key, value):
    return f"{APP}automatic_scaling:\n  {key}: {value}\n"


# name -> text of an app.yaml
apps = {}


def each(name, build, values):
    for value in values:
        apps[f"{name} {value}"] = build(value)


each("runtime", lambda v: f"runtime: {v}\n", [
    "python37", "python312", "python313", "nodejs20", "nodejs22", "go122", "go124", "java8",
    "java17", "java21", "python", "python27", "php83", "ruby33", "custom", "Python312", "node",
    "''", "~", "9lives", "gs://bucket/runtime", "[python312]"])
each("service", lambda v: f"{APP}service: {v}\n", [
    "default", "web-1", "-web", "web-", "Web", "a" * 63, "a" * 64, "web.api", "~", "7", "''"])
each("module", lambda v: f"{APP}module: {v}\n", ["web", "-web"])
each("version", lambda v: f"{APP}version: {v}\n", [
    "v1", "1", "20260101t101500", "a-dot-b", "ah-builtin-x", "V1", "1.0", "-1"])
each("project", lambda v: f"{APP}project: {v}\n", ["guestbook", "s~guestbook", "example.com:app", "Guest"])
each("application", lambda v: f"{APP}application: {v}\n", ["guestbook", "a b"])
each("entrypoint", lambda v: f"{APP}entrypoint: {v}\n", [
    "gunicorn -b :$PORT main:app", "exec ./serve", "'[\"./serve\"]'", "~"])
each("instance_class", lambda v: f"{APP}instance_class: {v}\n", ["F1", "F2", "F4_1G", "f1", "F3", "B1"])
each("app_engine_apis", lambda v: f"{APP}app_engine_apis: {v}\n", [
    "true", "false", "yes", "off", "True", "1", "0", "maybe", "'true'", "'false'"])
each("env", lambda v: f"{APP}env: {v}\n", ["standard", "1", "2", "flex", "flexible", "other"])
each("variable", lambda v: f"{APP}env_variables:\n  KEY: {v}\n", [
    "text", "'quoted'", "''", "~", "null", "true", "True", "yes", "NO", "on", "y", "N", "Y", "n", "N", "'yes'", "0", "12",
    "-7", "+7", "0123", "08", "0x1F", "-0x1f", "0b101", "1_000", "1:30", "12:30:45", "1:99", "-1:30",
    "1.5", "1.50", "-1.50", ".5", "5.", "1e3", "1.0e+3", "1e400", "1.0e-5", "0.0001", "0.00001",
    "123456789012345678901234567890", "1e16", "1.5e15", "1234567.125", ".inf", "-.inf", ".nan", "1.2.3",
    "1,000", "2026-01-01", "2026-1-1", "2026-01-01 10:00:00", "postgres://u:p@host/db", "a: b", "[1]", "{a: 1}"])
each("variables", lambda v: f"{APP}env_variables: {v}\n", [
    "{A: 1, b_2: x, _C: y}", "{1A: x}", "{A-B: x}", "{A: x, A: y}", "[A]", "text", "{}", "~"])
each("build variables", lambda v: f"{APP}build_env_variables: {v}\n", ["{A: true}", "{A B: x}"])
each("platform variable", lambda v: f"{APP}env_variables: {{{v}: x}}\n", ["PORT", "GAE_VERSION"])
each("default_expiration", lambda v: f"{APP}default_expiration: {v}\n", [
    "10", "10s", "5m", "1d 6h", "7d 7d 7d", "'5m 30'", "1D 2H", "' 4d '", "5m30", "1w", "1.5h", "-5m", "0"])
each("inbound_services", lambda v: f"{APP}inbound_services: {v}\n", [
    "[mail]", "[mail, mail_bounce, warmup]", "[warmup, warmup]", "[rest]", "[xmpp_message]",
    "[channel_presence]", "[other]", "[]", "warmup", "{a: b}"])

# Handlers
each("url", lambda v: handler(f"url: {v}", "script: auto"), [
    "/", "/.*", "/a/(.*)", ".*", "'.'", "a", "^/a", "/a$", "'(/a|/b)'", "'(/a|/b)$'", "/a?", "/(a", "/[a-",
    "/a{2,3}", "/(?!api).*", "/(?P<name>.*)", r"/(a)\1", r"/\w+/\d+", "/[[:alpha:]]+", "~", "''",
    r"/a\.b", "/**"])
each("script", lambda v: handler("url: /", f"script: {v}"), ["auto", "main.app", "main.py", "~"])
each("login", lambda v: handler("url: /", "script: auto", f"login: {v}"), [
    "optional", "required", "admin", "Admin", "none"])
each("auth_fail_action", lambda v: handler("url: /", "script: auto", f"auth_fail_action: {v}"), [
    "redirect", "unauthorized", "ignore"])
each("secure", lambda v: handler("url: /", "script: auto", f"secure: {v}"), [
    "optional", "never", "always", "default", "both"])
each("redirect_http_response_code",
     lambda v: handler("url: /", "script: auto", f"redirect_http_response_code: {v}"),
     ["301", "302", "303", "307", "308", "200", "'301'"])
each("static_dir", lambda v: handler("url: /s", f"static_dir: {v}"), [
    "static", "static/", "./static", "a/b", "/static", "../static", "a/../../b", "~", "."])
each("static_files", lambda v: handler("url: /(.*)/(.*)", f"static_files: {v}", "upload: .*"), [
    "index.html", r"static/\1/\2", r"static/\2", r"static/\3", r"static/\0", r"a\\b", r"static/\x", "/etc/passwd",
    "../x"])
apps["static_files without upload"] = handler("url: /", "static_files: a")
apps["static_files with a broken upload"] = handler("url: /", "static_files: a", "upload: (")
each("expiration", lambda v: handler("url: /s", "static_dir: s", f"expiration: {v}"), ["1d", "5m 30", "x"])
each("mime_type", lambda v: handler("url: /s", "static_dir: s", f"mime_type: {v}"), ["text/html", "~"])
each("application_readable",
     lambda v: handler("url: /s", "static_dir: s", f"application_readable: {v}"), ["true", "false"])
each("require_matching_file",
     lambda v: handler("url: /s", "static_dir: s", f"require_matching_file: {v}"), ["true", "false"])
each("headers", lambda v: handler("url: /s", "static_dir: s", f"http_headers: {v}"), [
    "{X-Foo: bar}", "{X-Foo: bar, Access-Control-Allow-Origin: '*'}", "{Content-Length: 5}", "{Host: a}",
    "{Connection: close}", "{X-Appengine-Foo: a}", "{'a b': c}", "{'': c}", "{A: 1}", "{A: é}", "{é: a}",
    "{A: \"a\\tb\"}", "{A: \"a\\nb\"}", "{A: a, a: b}", "{A: ''}", "{}", "[]",
    "{Set-Cookie: " + "a" * 4096 + "}", "{Set-Cookie: " + "a" * 4097 + "}",
    "{A: " + "a" * 494 + "}", "{A: " + "a" * 495 + "}",
    "{Content-Security-Policy: " + "a" * 10240 + "}", "{Location: " + "a" * 2048 + "}",
    "{Upgrade: h2c}", "{Server: x}", "{Date: x}", "{Content-Encoding: gzip}", "{Content-Type: text/html}"])
apps["two types"] = handler("url: /s", "static_dir: s", "mime_type: a/b", "http_headers: {content-TYPE: a/b}")
apps["script and static_dir"] = handler("url: /s", "static_dir: s", "script: auto")
apps["static_dir and static_files"] = handler("url: /s", "static_dir: s", "static_files: a", "upload: a")
apps["static_dir with upload"] = handler("url: /s", "static_dir: s", "upload: s/.*")
apps["script with expiration"] = handler("url: /s", "script: auto", "expiration: 1d")
apps["script with mime_type"] = handler("url: /s", "script: auto", "mime_type: a/b")
apps["no target"] = handler("url: /s", "login: required")
apps["no url"] = handler("script: auto")
apps["position"] = handler("url: /s", "script: auto", "position: head")
apps["api_endpoint"] = handler("url: /s", "api_endpoint: on", "script: a")
apps["unknown key of a handler"] = handler("url: /s", "scirpt: auto")
apps["100 handlers"] = APP + "handlers:\n" + "- {url: /, script: auto}\n" * 100
apps["101 handlers"] = APP + "handlers:\n" + "- {url: /, script: auto}\n" * 101
apps["handlers of one site"] = (
    APP + "handlers:\n"
    "- url: /favicon\\.ico\n  static_files: static/favicon.ico\n  upload: static/favicon\\.ico\n"
    "- url: /(.*\\.(gif|png|jpg))$\n  static_files: static/\\1\n  upload: static/.*\\.(gif|png|jpg)$\n"
    "  expiration: 1d 12h\n"
    "- url: /css\n  static_dir: assets/css\n  mime_type: text/css\n  http_headers: {X-A: b}\n"
    "- url: /admin/.*\n  script: auto\n  login: admin\n  secure: always\n  redirect_http_response_code: 301\n"
    "- url: /.*\n  script: auto\n")
each("error handler", lambda v: APP + f"error_handlers:\n- {v}\n", [
    "{file: e.html}", "{error_code: over_quota, file: e.html}", "{error_code: timeout, file: e.html, mime_type: text/html}",
    "{error_code: default, file: e.html}", "{error_code: dos_api_denial, file: e.html}",
    "{error_code: 404, file: e.html}", "{error_code: timeout}", "{file: /e.html}"])
apps["two error handlers of a code"] = APP + "error_handlers:\n- {file: a}\n- {file: b}\n"

# Scaling
for key in ["min_instances", "max_instances"]:
    each(key, lambda v: automatic(key, v), ["0", "1", "'5'", "1000", "1001", "-1", "2.5", "many", "automatic"])
for key in ["min_idle_instances", "max_idle_instances"]:
    each(key, lambda v: automatic(key, v), ["0", "1", "automatic", "1000", "1001", "-1", "many"])
for key in ["min_pending_latency", "max_pending_latency"]:
    each(key, lambda v: automatic(key, v), [
        "30ms", "5s", "0.5s", "1.234s", "1.2345s", "automatic", "10ms", "9ms", "15s", "16s", "5", "5m", "1.5ms",
        "-1s", "'5 s'"])
each("max_concurrent_requests", lambda v: automatic("max_concurrent_requests", v), [
    "1", "10", "80", "1000", "1001", "0", "-1", "automatic"])
for key in ["target_cpu_utilization", "target_throughput_utilization"]:
    each(key, lambda v: automatic(key, v), ["0.5", "0.6", "0.95", "0.4", "1", "high"])
apps["crossed instances"] = APP + "automatic_scaling: {min_instances: 5, max_instances: 4}\n"
apps["crossed idle instances"] = APP + "automatic_scaling: {min_idle_instances: 5, max_idle_instances: 4}\n"
apps["crossed latencies"] = APP + "automatic_scaling: {min_pending_latency: 5s, max_pending_latency: 4s}\n"
apps["all automatic"] = (
    APP + "instance_class: F2\nautomatic_scaling:\n  min_instances: 1\n  max_instances: 20\n"
    "  min_idle_instances: automatic\n  max_idle_instances: 3\n  min_pending_latency: 30ms\n"
    "  max_pending_latency: automatic\n  max_concurrent_requests: 50\n  target_cpu_utilization: 0.65\n"
    "  target_throughput_utilization: 0.7\n")
for key, value in [("cool_down_period_sec", 60), ("cpu_utilization", "{target_utilization: 0.5}"),
                   ("min_num_instances", 1), ("max_num_instances", 2), ("target_request_count_per_sec", 5)]:
    apps[f"flexible {key}"] = automatic(key, value)
apps["unknown key of scaling"] = automatic("max_instance", 1)
each("basic", lambda v: APP + f"instance_class: B1\nbasic_scaling: {v}\n", [
    "{max_instances: 3}", "{max_instances: 3, idle_timeout: 10m}", "{max_instances: 3, idle_timeout: 90s}",
    "{idle_timeout: 10m}", "{max_instances: 0}", "{max_instances: 3, idle_timeout: 1h}",
    "{max_instances: 3, idle_timeout: 0s}", "{max_instances: many}", "~"])
each("manual", lambda v: APP + f"instance_class: B2\nmanual_scaling: {v}\n", [
    "{instances: 3}", "{instances: 0}", "{instances: -1}", "{}", "{instances: 3, idle_timeout: 1m}", "5"])
apps["basic without class"] = APP + "basic_scaling: {max_instances: 3}\n"
apps["basic with F"] = APP + "instance_class: F2\nbasic_scaling: {max_instances: 3}\n"
apps["automatic with B"] = APP + "instance_class: B2\nautomatic_scaling: {max_instances: 3}\n"
apps["two kinds"] = APP + "basic_scaling: {max_instances: 3}\nmanual_scaling: {instances: 3}\n"

# Files
SAMPLES = ["main.py", "main.pyc", "a/b.pyc", ".env", "a/.git/config", "notes~", "a/RCS/x", "static/a.css",
           "tests/test_a.py", "#a#", "readme.md"]
apps["skip_files of nothing"] = APP
each("skip_files", lambda v: APP + f"skip_files: {v}\n", [
    "tests/.*", "['^(.*/)?.*\\.md$', '^tests/']", "|\n  ^(.*/)?(\n  (.*\\.md)|\n  (tests/.*)\n  )$", "'('",
    "'(?!main)'", "~", "[]"])

# Other keys, and the form of the file
each("other key", lambda v: APP + f"{v}\n", [
    "api_version: 1", "threadsafe: true", "service_account: a@example.com", "vpc_access_connector: {name: a/b}",
    "network: {name: default}", "includes: [a.yaml]", "builtins: [{deferred: on}]", "beta_settings: {a: b}",
    "vm: true", "runtime_config: {python_version: 3}", "resources: {cpu: 1}", "main: ./cmd/web", "standard_websocket: true",
    "endpoints_api_service: {name: a, rollout_strategy: managed}", "readiness_check: {path: /}", "zones: [a]",
    "auto_id_policy: default", "code_lock: true", "admin_console: {pages: [{name: a, url: /a}]}",
    "libraries: [{name: flask, version: latest}]", "labels: {a: b}", "entry_point: a", "Runtime: a",
    "app_engine_bundled_services: [mail]"])
apps["empty"] = ""
apps["a comment"] = "# nothing\n"
apps["a list"] = "- runtime: python312\n"
apps["no runtime"] = "service: web\n"
apps["a key twice"] = APP + APP
apps["two documents"] = APP + "---\n" + APP
apps["not closed"] = APP + "handlers: [\n"
apps["a tab"] = APP + "handlers:\n\t- url: /\n"
apps["an alias"] = APP + "handlers:\n- &one {url: /a, script: auto}\n- *one\n"
apps["project and application"] = APP + "project: a\napplication: b\n"
apps["service and module"] = APP + "service: a\nmodule: b\n"

dispatches = {}
for url in ["example.com/*", "*/mobile/*", "*/", "*.example.com/a", "*example.com/", "*-a.example.com/", "*.example.com/*/b",
            "example.com", "/a", "EXAMPLE.com/", "192.168.0.1/*", "999.1.1.1/*", "a..b/", "-a.com/", "a-.com/", "*./",
            "*-/", "*a*/", "**/", "exa_mple.com/", "*.-a/", "*-/x", "*a.b/*", "localhost/*", "a.b:8080/*", "*/a*b*"]:
    dispatches[f"dispatch {url}"] = f"dispatch:\n- url: '{url}'\n  service: web\n"
dispatches["dispatch with module"] = "dispatch:\n- {url: '*/', module: web}\n"
dispatches["dispatch with service and module"] = "dispatch:\n- {url: '*/', module: web, service: api}\n"
dispatches["dispatch without service"] = "dispatch:\n- {url: '*/'}\n"
dispatches["dispatch without url"] = "dispatch:\n- {service: web}\n"
dispatches["dispatch to Web"] = "dispatch:\n- {url: '*/', service: Web}\n"
dispatches["dispatch nothing"] = "dispatch: []\n"
dispatches["dispatch empty"] = ""
dispatches["dispatch with application"] = "application: a\ndispatch:\n- {url: '*/a/*', service: web}\n- {url: '*/*', service: api}\n"
dispatches["dispatch 20"] = "dispatch:\n" + "- {url: '*/', service: web}\n" * 20
dispatches["dispatch 21"] = "dispatch:\n" + "- {url: '*/', service: web}\n" * 21
dispatches["dispatch of 101 characters"] = "dispatch:\n- {url: '*/" + "a" * 99 + "', service: web}\n"
dispatches["dispatch unknown key"] = "dispatch:\n- {url: '*/', service: web, host: a}\n"

REQUESTS = [("example.com", "/"), ("example.com", "/a"), ("www.example.com", "/a"), ("a-a.example.com", "/"),
            ("mobile.example.com", "/mobile/x"), ("localhost", "/mobile"), ("example.com", "/a/b")]
PATHS = ["/", "/favicon.ico", "/a.png", "/x/y.jpg", "/css/a.css", "/css/", "/css", "/admin/x", "/a/b", "/s/x", "/ab"]


def expiration(text):
    return None if text is None else int(appinfo.ParseExpiration(text))


def milliseconds(text):
    if text is None or text == "automatic":
        return text
    number, unit = re.match(r"^(\d+(?:\.\d+)?)(ms|s|m)$", text).groups()
    return round(float(number) * {"ms": 1, "s": 1000, "m": 60000}[unit])


def string(value):
    return None if value is None else str(value)


def set_values(values):
    return {key: value for key, value in values.items() if value is not None}


def handler_values(h):
    return set_values({
        "url": h.url, "script": h.script, "static_dir": h.static_dir, "static_files": h.static_files,
        "upload": h.upload, "login": h.login, "auth_fail_action": h.auth_fail_action, "secure": h.secure,
        "redirect_http_response_code": string(h.redirect_http_response_code), "mime_type": h.mime_type,
        "expiration": expiration(h.expiration),
        "http_headers": None if h.http_headers is None else {k: str(v) for k, v in h.http_headers.items()},
        "application_readable": h.application_readable, "require_matching_file": h.require_matching_file})


def route(handlers, path):
    """As Google's development server: the first handler whose expression matches the complete path.

    A file whose name is empty is a folder, for which the server responds with 404.
    """
    index, file = first(handlers, path)
    return [index, "404" if file.endswith("/") else file]


def first(handlers, path):
    for index, h in enumerate(handlers):
        if h.static_dir is not None:
            match = re.match((h.url if h.url.endswith("/") else h.url + "/") + "(?P<file>.*)$", path)
            if match:
                return [index, h.static_dir.rstrip("/") + "/" + match.group("file")]
        else:
            match = re.match(h.url + "$", path)
            if match:
                return [index, match.expand(h.static_files) if h.static_files else "app"]
    return [-1, "app"]


def routes(handlers):
    """Nothing if an expression is broken: Google's parser does not compile it."""
    try:
        return [route(handlers, path) for path in PATHS] if handlers else None
    except (re.error, IndexError):
        return None


def app_values(info):
    a, b, m = info.automatic_scaling, info.basic_scaling, info.manual_scaling
    handlers = info.handlers or []
    return set_values({
        "project": info.application, "service": info.service or info.module, "version": info.version,
        "runtime": info.runtime, "entrypoint": info.entrypoint and re.sub("^exec ", "", info.entrypoint),
        "instance_class": info.instance_class, "app_engine_apis": info.app_engine_apis, "main": info.main,
        "env_variables": None if info.env_variables is None else dict(info.env_variables),
        "build_env_variables": None if info.build_env_variables is None else dict(info.build_env_variables),
        "default_expiration": expiration(info.default_expiration),
        "handlers": [handler_values(h) for h in handlers],
        "routes": routes(handlers),
        "error_handlers": None if info.error_handlers is None else [
            set_values({"error_code": e.error_code, "file": e.file, "mime_type": e.mime_type})
            for e in info.error_handlers],
        "inbound_services": None if info.inbound_services is None else sorted(set(info.inbound_services)),
        "automatic_scaling": None if a is None else set_values({
            "min_instances": string(a.min_instances), "max_instances": string(a.max_instances),
            "min_idle_instances": a.min_idle_instances, "max_idle_instances": a.max_idle_instances,
            "min_pending_latency": string(milliseconds(a.min_pending_latency)),
            "max_pending_latency": string(milliseconds(a.max_pending_latency)),
            "max_concurrent_requests": a.max_concurrent_requests,
            "target_cpu_utilization": string(a.target_cpu_utilization),
            "target_throughput_utilization": string(a.target_throughput_utilization)}),
        "basic_scaling": None if b is None else set_values({
            "max_instances": b.max_instances, "idle_timeout": string(milliseconds(b.idle_timeout))}),
        "manual_scaling": None if m is None else {"instances": m.instances},
        "skipped": [path for path in SAMPLES if re.match(str(info.skip_files), path)]})


def dispatch_values(info):
    def service(host, path):
        for entry in info.dispatch or []:
            url = dispatchinfo.ParsedURL(entry.url)
            if (host == url.host if url.host_exact else host.endswith(url.host)) and (
                    path == url.path if url.path_exact else path.startswith(url.path)):
                return entry.service or entry.module
        return ""
    return {"rules": [[entry.url, entry.service or entry.module] for entry in info.dispatch or []],
            "services": [service(host, path) for host, path in REQUESTS]}


def verdict(kind, name, text, load, values):
    entry = {"name": name, "kind": kind, "text": text}
    try:
        entry["accepted"] = True
        entry["values"] = values(load(text))
    except Exception as refused:  # Google's parser has many kinds, TypeError among them.
        entry["accepted"] = False
        entry.pop("values", None)
        entry["error"] = f"{type(refused).__name__}: {refused}".split("\n")[0][:200]
    return entry


verdicts = [verdict("app", name, text, appinfo.LoadSingleAppInfo, app_values) for name, text in apps.items()]
verdicts += [verdict("dispatch", name, text, dispatchinfo.LoadSingleDispatch, dispatch_values)
             for name, text in dispatches.items()]
target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "appinfo-verdicts.json")
with open(target, "w", encoding="utf-8") as out:
    out.write(json.dumps({"samples": SAMPLES, "paths": PATHS, "requests": REQUESTS}) + "\n")
    for entry in verdicts:
        out.write(json.dumps(entry, ensure_ascii=False) + "\n")
print(len(verdicts), "documents,", sum(e["accepted"] for e in verdicts), "accepted")
