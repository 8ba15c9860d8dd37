"""App Engine's Channel API, which is not part of the SDK for Python 3: messages to pages in browsers."""

from google.appengine.api import apiproxy_stub_map
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

STRING = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
INT32 = descriptor_pb2.FieldDescriptorProto.TYPE_INT32


def _messages(**fields):
    """Classes of messages; fields are given as {name of the message: [(number, name, type), ...]}."""
    file = descriptor_pb2.FileDescriptorProto(name="channel.proto", package="chat", syntax="proto2")
    for name, members in fields.items():
        message = file.message_type.add(name=name)
        for number, member, kind in members:
            message.field.add(number=number, name=member, type=kind, label=1)  # optional
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(f"chat.{name}")) for name in fields]


CreateRequest, CreateResponse, SendRequest, SendResponse = _messages(
    CreateRequest=[(1, "application_key", STRING), (2, "duration_minutes", INT32)],
    CreateResponse=[(2, "token", STRING), (3, "duration_minutes", INT32)],
    SendRequest=[(1, "application_key", STRING), (2, "message", STRING)],
    SendResponse=[],
)


def create_channel(client, minutes=120):
    """Returns a token with which the client's page opens its channel."""
    response = CreateResponse()
    request = CreateRequest(application_key=client, duration_minutes=minutes)
    apiproxy_stub_map.MakeSyncCall("channel", "CreateChannel", request, response)
    return response.token


def send_message(client, message):
    """Sends a text of up to 32,768 bytes to the client's page."""
    request = SendRequest(application_key=client, message=message)
    apiproxy_stub_map.MakeSyncCall("channel", "SendChannelMessage", request, SendResponse())
