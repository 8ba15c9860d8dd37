"""google.appengine.api.users, and the pages where users sign in."""

import http.cookiejar
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

import pytest
from google.appengine.api import oauth, users

SERVER = f"http://{os.environ.get('API_HOST')}:{os.environ.get('API_PORT')}"
PASSWORD = "correct horse"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture
def browser():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), Stay())


def ask(browser, path, form=None):
    """The status, the target of a redirect, and the page."""
    try:
        with browser.open(SERVER + path, form and urllib.parse.urlencode(form).encode()) as answer:
            return answer.status, None, answer.read().decode()
    except urllib.error.HTTPError as other:
        return other.code, other.headers.get("Location"), other.read().decode()


def sign_in(browser, path, email, password):
    status, _, page = ask(browser, path)
    assert status == 200
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    return ask(browser, "/_ah/login", {**fields, "email": email, "password": password})


def add(email):
    body = json.dumps({"action": "add", "email": email, "password": PASSWORD}).encode()
    urllib.request.urlopen(
        urllib.request.Request(SERVER + "/petrichor/v1/users", body, {"Content-Type": "application/json"})
    ).close()


def test_urls(app):
    assert app.run(users.create_login_url, "/a?b=c") == "/_ah/login?continue=%2Fa%3Fb%3Dc"
    assert app.run(users.create_logout_url, "/") == "/_ah/logout?continue=%2F"
    with pytest.raises(users.RedirectTooLongError):
        app.run(users.create_login_url, "/" + 3000 * "a")


def test_the_user_of_a_request(app):
    headers = {
        "X-Appengine-User-Email": "ann@example.com",
        "X-Appengine-User-Id": "1234",
        "X-Appengine-Auth-Domain": "example.com",
        "X-Appengine-User-Is-Admin": "1",
    }
    user = app.run(users.get_current_user, headers=headers)
    assert (user.nickname(), user.email(), user.user_id()) == ("ann", "ann@example.com", "1234")
    assert app.run(users.is_current_user_admin, headers=headers)
    assert app.run(users.get_current_user) is None


def test_oauth_is_not_supported(app):
    with pytest.raises(oauth.InvalidOAuthParametersError):
        app.run(oauth.get_current_user)


def test_signing_in_and_out(app, browser):
    email = f"ann@{app.project}.example"
    add(email)
    login = app.run(users.create_login_url, "/there")
    status, _, page = sign_in(browser, login, email, "wrong password")
    assert status == 401 and 'role="alert"' in page
    assert sign_in(browser, login, email, PASSWORD)[:2] == (302, "/there")
    assert ask(browser, app.run(users.create_logout_url, "/bye"))[:2] == (302, "/bye")


def test_no_link_leads_elsewhere(app, browser):
    email = f"ann@{app.project}.example"
    add(email)
    for target in ("http://evil.example/", "//evil.example/", "/\\evil.example/"):
        login = app.run(users.create_login_url, target)
        assert sign_in(browser, login, email, PASSWORD)[:2] == (302, "/")
