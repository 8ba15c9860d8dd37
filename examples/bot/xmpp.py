"""App Engine's XMPP API, which is not part of the SDK for Python 3: messages to users of chat programs."""

from google.appengine.api import apiproxy_stub_map
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

STRING = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
INT32 = descriptor_pb2.FieldDescriptorProto.TYPE_INT32
OPTIONAL, REPEATED = 1, 3
NO_ERROR = 0


def _messages(**fields):
    """Classes of messages; fields are given as {name of the message: [(number, name, type, label), ...]}."""
    file = descriptor_pb2.FileDescriptorProto(name="xmpp.proto", package="bot", syntax="proto2")
    for name, members in fields.items():
        message = file.message_type.add(name=name)
        for number, member, kind, label in members:
            message.field.add(number=number, name=member, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(f"bot.{name}")) for name in fields]


MessageRequest, MessageResponse, InviteRequest, InviteResponse = _messages(
    MessageRequest=[(1, "jid", STRING, REPEATED), (2, "body", STRING, OPTIONAL)],
    MessageResponse=[(1, "status", INT32, REPEATED)],
    InviteRequest=[(1, "jid", STRING, OPTIONAL)],
    InviteResponse=[],
)


def send_message(addresses, body):
    """Sends a text to users; returns the addresses that the server could not reach."""
    response = MessageResponse()
    apiproxy_stub_map.MakeSyncCall("xmpp", "SendMessage", MessageRequest(jid=addresses, body=body), response)
    return [address for address, status in zip(addresses, response.status) if status != NO_ERROR]


def send_invite(address):
    """Asks a user to show its presence to the app."""
    apiproxy_stub_map.MakeSyncCall("xmpp", "SendInvite", InviteRequest(jid=address), InviteResponse())
