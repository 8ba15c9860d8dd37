"""google.appengine.api.mail. The server has no SMTP server, so mails are kept and shown on a page."""

import json
import os
import urllib.parse
import urllib.request

import pytest
from google.appengine.api import mail, mail_errors

SERVER = f"http://{os.environ.get('API_HOST')}:{os.environ.get('API_PORT')}"


def get(path):
    with urllib.request.urlopen(SERVER + path) as answer:
        return answer.read().decode()


def kept(app):
    return json.loads(get("/petrichor/v1/mail?" + urllib.parse.urlencode({"project": app.project})))


def send(app, **fields):
    sender = f"Bot <bot@{app.project}.appspotmail.com>"
    mail.send_mail(**{"sender": sender, "to": "you@example.com", "subject": "Hello", "body": "text", **fields})


def test_a_mail_is_kept_with_all_its_parts(app):
    fields = {
        "to": ["you@example.com", "other@example.com"],
        "bcc": "blind@example.com",
        "html": "<b>html</b>",
        "attachments": [mail.Attachment("a.txt", b"attached", content_id="<part>")],
        "headers": {"In-Reply-To": "<1@example.com>"},
    }
    app.run(lambda: send(app, **fields))
    (one,) = kept(app)
    assert one["recipients"] == ["you@example.com", "other@example.com", "blind@example.com"]
    assert (one["state"], one["subject"]) == ("kept", "Hello")
    message = get(f"/petrichor/v1/mail/{app.project}/{one['id']}")
    assert "In-Reply-To: <1@example.com>" in message and "<b>html</b>" in message and "Content-ID: <part>" in message
    assert "blind@example.com" not in message


def test_mails_of_other_apps_are_not_shown(app, make_app):
    app.run(send, app)
    assert kept(make_app()) == []


def test_what_is_refused(app):
    with pytest.raises(mail_errors.InvalidSenderError):
        app.run(send, app, sender="you@example.com")
    with pytest.raises(mail_errors.InvalidAttachmentTypeError):
        app.run(send, app, attachments=[("a.exe", b"program")])
    with pytest.raises(mail_errors.BadRequestError):
        app.run(send, app, subject="Hello\r\nBcc: all@example.com")
    assert kept(app) == []


def test_administrators(app):
    change = {"email": f"admin@{app.project}.example"}
    for action in ({"action": "add"}, {"action": "grant", "project": app.project}):
        body = json.dumps({**change, **action}).encode()
        request = urllib.request.Request(SERVER + "/petrichor/v1/users", body, {"Content-Type": "application/json"})
        urllib.request.urlopen(request).close()
    app.run(mail.send_mail_to_admins, change["email"], "Hello", "text")
    assert [one["recipients"] for one in kept(app)] == [[change["email"]]]
