"""google.appengine.api.capabilities."""

from google.appengine.api import capabilities


def enabled(package):
    return capabilities.CapabilitySet(package).is_enabled()


def test_apis_of_the_server_are_enabled(app):
    assert app.run(enabled, "memcache") is True
    assert app.run(lambda: capabilities.CapabilitySet("memcache", methods=["get"]).is_enabled()) is True


def test_apis_that_do_not_exist_are_not(app):
    assert app.run(enabled, "nothing") is False
