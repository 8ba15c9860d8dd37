"""Users, modules, capabilities and identities of apps."""

import urllib.parse

from google.appengine.api import user_service_pb2
from google.appengine.api.app_identity import app_identity_service_pb2
from google.appengine.api.capabilities import capability_service_pb2
from google.appengine.api.modules import modules_service_pb2

from .sides import Operation, Refused

PATHS = ["/", "/view?id=1", "/a b", "/ü", "", "http://other.example/x?y=z"]
PACKAGES = ["datastore_v3", "memcache", "taskqueue", "images", "urlfetch", "mail", "blobstore"]
MODULES = [None, "default", "unknown"]


def destination(url):
    """The path and the query to which the page returns; its own address differs."""
    target = urllib.parse.urlsplit(url[url.index("continue=") + len("continue=") :])
    parsed = urllib.parse.urlsplit(
        urllib.parse.unquote_plus(target.path + "?" + target.query if target.query else target.path)
    )
    return parsed.path or "/", parsed.query


def login(side, path):
    request = user_service_pb2.CreateLoginURLRequest(destination_url=path)
    answer = side.call("user", "CreateLoginURL", request, user_service_pb2.CreateLoginURLResponse())
    return answer if isinstance(answer, Refused) else destination(answer.login_url)


def logout(side, path):
    request = user_service_pb2.CreateLogoutURLRequest(destination_url=path)
    answer = side.call("user", "CreateLogoutURL", request, user_service_pb2.CreateLogoutURLResponse())
    return answer if isinstance(answer, Refused) else destination(answer.logout_url)


def enabled(side, package, capabilities):
    request = capability_service_pb2.IsEnabledRequest(package=package, capability=capabilities)
    answer = side.call("capability_service", "IsEnabled", request, capability_service_pb2.IsEnabledResponse())
    if isinstance(answer, Refused):
        return answer
    if not side.codes:
        return answer.summary_status  # the Java API server has no more
    return answer.summary_status, [(one.package, one.capability, one.status) for one in answer.config]


def module_request(kind, module):
    request = getattr(modules_service_pb2, kind + "Request")()
    if module is not None:
        request.module = module
    return request


def modules(side, kind, module):
    response = getattr(modules_service_pb2, kind + "Response")()
    answer = side.call("modules", kind, module_request(kind, module), response)
    if isinstance(answer, Refused):
        return answer
    if kind == "GetVersions":
        return len(answer.version)
    return "answered"


def listed_modules(side):
    answer = side.call(
        "modules", "GetModules", modules_service_pb2.GetModulesRequest(), modules_service_pb2.GetModulesResponse()
    )
    return answer if isinstance(answer, Refused) else sorted(answer.module)


def signature(side, data):
    request = app_identity_service_pb2.SignForAppRequest(bytes_to_sign=data)
    answer = side.call("app_identity_service", "SignForApp", request, app_identity_service_pb2.SignForAppResponse())
    if isinstance(answer, Refused):
        return answer
    certificates = side.call(
        "app_identity_service",
        "GetPublicCertificatesForApp",
        app_identity_service_pb2.GetPublicCertificateForAppRequest(),
        app_identity_service_pb2.GetPublicCertificateForAppResponse(),
    )
    names = [one.key_name for one in certificates.public_certificate_list]
    return len(answer.signature_bytes), answer.key_name in names


def operation(random, reference):
    choice = random.randrange(3 if reference == "java" else 5)  # the Java API server knows no modules
    if choice == 0:
        work, path = random.choice([login, logout]), random.choice(PATHS)
        return Operation(f"{work.__name__} {path}", lambda side: work(side, path))
    if choice == 1:
        package = random.choice(PACKAGES)
        return Operation(f"IsEnabled {package}", lambda side: enabled(side, package, ["*"]))
    if choice == 3:
        kind, module = random.choice(["GetVersions", "GetDefaultVersion", "GetHostname"]), random.choice(MODULES)
        return Operation(f"{kind} {module}", lambda side: modules(side, kind, module))
    if choice == 4:
        return Operation("GetModules", listed_modules)
    data = bytes(random.randrange(256) for _ in range(random.randrange(1, 100)))
    return Operation(f"SignForApp {data}", lambda side: signature(side, data))


def operations(random, count, reference):
    return [operation(random, reference) for _ in range(count)]
