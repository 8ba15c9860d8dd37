package petrichor.server;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddResponse;
import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Calls of App Engine's bundled services, as SDKs send them. */
final class BundledCalls {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final int port;
    private final String ticket;

    BundledCalls(int port, String ticket) {
        this.port = port;
        this.ticket = ticket;
    }

    /** IOException if there is no answer. */
    RemoteApiPb.Response response(String api, String method, MessageLite request)
            throws IOException {
        RemoteApiPb.Request envelope =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName(api)
                        .setMethod(method)
                        .setRequest(request.toByteString())
                        .setRequestId(ticket)
                        .build();
        HttpRequest post =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/rpc_http"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(envelope.toByteArray()))
                        .build();
        try {
            return RemoteApiPb.Response.parseFrom(
                    HTTP.send(post, HttpResponse.BodyHandlers.ofByteArray()).body());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** The response of a successful call. */
    <T> T call(String api, String method, MessageLite request, Parser<T> parser)
            throws IOException {
        return parser.parseFrom(successful(response(api, method, request)));
    }

    /** The message of a successful response. */
    static ByteString successful(RemoteApiPb.Response response) {
        if (!response.hasResponse()) {
            throw new AssertionError(response.toString());
        }
        return response.getResponse();
    }

    /** Adds a task to the queue {@code default}; returns its name. */
    String addTask(TaskQueueAddRequest.Builder task) throws IOException {
        return call("taskqueue", "Add", task.build(), TaskQueueAddResponse.parser())
                .getChosenTaskName()
                .toStringUtf8();
    }

    static TaskQueueAddRequest.Builder task(String body) {
        return TaskQueueAddRequest.newBuilder()
                .setQueueName(ByteString.copyFromUtf8("default"))
                .setTaskName(ByteString.EMPTY)
                .setEtaUsec(0)
                .setUrl(ByteString.copyFromUtf8("/job"))
                .setBody(ByteString.copyFromUtf8(body));
    }
}
