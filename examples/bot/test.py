"""Lets a user with a chat program talk to the bot. The server must send the app's requests to PORT; XMPP_PORT is the port of
the XMPP server, with the account admin@apps.test and the password "secret". Exits with 0 on success."""

import asyncio
import http.client
import os
import threading
import urllib.parse

import slixmpp
from werkzeug.serving import make_server

import main

WITHIN_SECONDS = 60
USER = "admin@apps.test"
BOT = f"{os.environ['GOOGLE_CLOUD_PROJECT']}@apps.test"


class Chat(slixmpp.ClientXMPP):
    """A chat program; the texts of its conversation."""

    def __init__(self):
        super().__init__(USER, "secret")
        self["feature_mechanisms"].unencrypted_scram = True
        self.texts = asyncio.Queue()
        self.started = asyncio.Event()
        self.add_event_handler("session_start", self.start)
        self.add_event_handler("message", self.receive)
        self.add_event_handler("message_error", self.receive)

    async def start(self, _):
        self.send_presence()
        await self.get_roster()
        self.started.set()

    def receive(self, message):
        self.texts.put_nowait(message["body"] if message["type"] != "error" else f"error: {message['error']['condition']}")

    async def next(self):
        return await asyncio.wait_for(self.texts.get(), WITHIN_SECONDS)

    async def says(self, text):
        self.send_message(mto=BOT, mbody=text, mtype="chat")
        return await self.next()


def post(path, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", main.PORT, timeout=WITHIN_SECONDS)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, body=urllib.parse.urlencode(fields), headers=headers)
    return connection.getresponse().status


async def talk():
    chat = Chat()
    chat.connect(("127.0.0.1", int(os.environ.get("XMPP_PORT", "5222"))), disable_starttls=True)
    await asyncio.wait_for(chat.started.wait(), WITHIN_SECONDS)
    sent = await asyncio.to_thread(post, "/note", address=USER, text="from the form <&>")
    assert sent == 200, sent
    assert await chat.next() == "from the form <&>"
    chat.send_presence_subscription(pto=BOT)
    assert await chat.next() == f"Welcome! {main.HELP}"

    assert await chat.says("list") == "no notes"
    assert await chat.says("add buy <milk> & bread 🥖") == "added; you have 1"
    assert await chat.says("add call Bob") == "added; you have 2"
    assert await chat.says("list") == "1. buy <milk> & bread 🥖\n2. call Bob"
    assert await chat.says("delete 3") == "there is no note 3"
    assert await chat.says("delete 1") == "deleted"
    assert await chat.says("list") == "1. call Bob"
    assert await chat.says("what?") == main.HELP
    assert await asyncio.to_thread(post, "/note", address="no address", text="x") == 400
    await chat.disconnect()


server = make_server("127.0.0.1", main.PORT, main.app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(talk())
print("bot: a user kept notes in a chat of 10 messages")
