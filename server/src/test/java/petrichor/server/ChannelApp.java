package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import petrichor.frontends.appengine.wire.CreateChannelRequest;
import petrichor.frontends.appengine.wire.CreateChannelResponse;
import petrichor.frontends.appengine.wire.SendMessageRequest;

/**
 * An app that uses channels as an SDK does.
 *
 * @param api the name under which it calls them
 */
record ChannelApp(TestServer server, String project, String api) {
    ChannelApp(TestServer server, String project) {
        this(server, project, "channel");
    }

    /** The token of a client. */
    String create(String client) {
        try {
            return CreateChannelResponse.parseFrom(
                            call(
                                    "CreateChannel",
                                    CreateChannelRequest.newBuilder()
                                            .setApplicationKey(client)
                                            .build()))
                    .getToken();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    void send(String client, String message) {
        call("SendChannelMessage", message(client, message));
    }

    static SendMessageRequest message(String client, String message) {
        return SendMessageRequest.newBuilder()
                .setApplicationKey(client)
                .setMessage(ByteString.copyFromUtf8(message))
                .build();
    }

    private ByteString call(String method, MessageLite request) {
        RemoteApiPb.Response response = response(method, request);
        assertThat(response.hasResponse()).as(response.toString()).isTrue();
        return response.getResponse();
    }

    RemoteApiPb.Response response(String method, MessageLite request) {
        byte[] body =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName(api)
                        .setMethod(method)
                        .setRequest(request.toByteString())
                        .setRequestId(project + "/ticket")
                        .build()
                        .toByteArray();
        HttpResponse<byte[]> answer =
                server.send(
                        server.request("/rpc_http")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
                        HttpResponse.BodyHandlers.ofByteArray());
        try {
            return RemoteApiPb.Response.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }
}
