"""Mail: which messages are accepted. docs/apps/users-mail-fetch-images.md has what becomes of them."""

from google.appengine.api import api_base_pb2
from google.appengine.api import mail_service_pb2 as messages

from .sides import PROJECT, Operation, Refused

SENDERS = [f"app@{PROJECT}.appspotmail.com", f"App <app@{PROJECT}.appspotmail.com>"]
MAILS_MAX = 100  # the server's limit per minute and app
RECIPIENTS = ["a@example.com", "B <b@example.com>", "ü@example.com"]
FILES = ["a.txt", "photo.JPG", "b.exe", ".hidden", "noextension", "archive.tar.gz", "run.BAT", "c.pdf"]
HEADERS = [("In-Reply-To", "<1@example.com>"), ("References", "<1@example.com>"), ("List-Id", "list")]


def send(side, method, message):
    answer = side.call("mail", method, message, api_base_pb2.VoidProto())
    return answer if isinstance(answer, Refused) else "sent"


def message(random):
    one = messages.MailMessage(Sender=random.choice(SENDERS), Subject=random.choice(["", "Hello", "ü" * 40]))
    for field in (one.To, one.Cc, one.Bcc):
        field.extend(random.sample(RECIPIENTS, random.randrange(0, 3)))
    if not (one.To or one.Cc or one.Bcc):
        one.To.append(RECIPIENTS[0])
    one.TextBody = "text"
    if random.random() < 0.4:
        one.HtmlBody = "<p>text</p>"
    if random.random() < 0.2:
        one.ReplyTo = "reply@example.com"
    for name in random.sample(FILES, random.randrange(0, 3)):
        one.Attachment.add(FileName=name, Data=b"data")
    if random.random() < 0.2:
        name, value = random.choice(HEADERS)
        one.Header.add(name=name, value=value)
    return one


def operation(random):
    one = message(random)
    return Operation(f"Send {one}", lambda side: send(side, "Send", one))


def operations(random, count, reference):
    return [operation(random) for _ in range(min(count, MAILS_MAX))]
