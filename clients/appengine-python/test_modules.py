"""google.appengine.api.modules, for an app with one version."""

import pytest
from google.appengine.api import modules


def test_services_and_versions(app):
    assert app.run(modules.get_modules) == ["default"]
    assert app.run(modules.get_versions) == ["v1"]
    assert app.run(modules.get_versions, "default") == ["v1"]
    assert app.run(modules.get_default_version) == "v1"
    assert app.run(modules.get_num_instances) == 1
    assert app.run(modules.get_hostname) == "localhost:8080"


def test_what_does_not_exist(app):
    with pytest.raises(modules.InvalidModuleError):
        app.run(modules.get_versions, "nothing")
    with pytest.raises(modules.InvalidVersionError):
        app.run(modules.get_num_instances, version="v9")


def test_a_version_that_scales_automatically_is_not_changed(app):
    with pytest.raises(modules.InvalidVersionError):
        app.run(modules.set_num_instances, 2)
    with pytest.raises(modules.InvalidVersionError):
        app.run(modules.stop_version)
    with pytest.raises(modules.InvalidVersionError):
        app.run(modules.start_version, "default", "v1")
