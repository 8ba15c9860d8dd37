package petrichor.server;

import com.google.appengine.api.search.proto.SearchServicePb.IndexDocumentRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksResponse;
import com.google.apphosting.api.logservice.LogServicePb.FlushRequest;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogGroup;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogLine;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.NextRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.QueryResult;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.Message;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.imageio.ImageIO;

/** Stores a secret through every service, as an app does, and knows what refers to it. */
final class AppData {
    static final String SECRET = "SECRET-7";

    private final TestServer server;
    private final BundledCalls app;
    private final String project;
    private final String token;
    private final Map<String, String> references = new HashMap<>();

    /**
     * @param token with access to the project
     */
    AppData(TestServer server, BundledCalls app, String project, String token) {
        this.server = server;
        this.app = app;
        this.project = project;
        this.token = token;
    }

    /** Stores the data; returns the values of placeholders that refer to it. */
    Map<String, String> store() throws Exception {
        storeEntities();
        storeItems();
        storeTasks();
        storeBlob();
        storeDocumentAndLog();
        return Map.copyOf(references);
    }

    private void storeEntities() throws Exception {
        StringBuilder entities = new StringBuilder();
        for (String name : new String[] {"a", "b", "c"}) {
            entities.append(
                    """
                    entity { key { app: "%s" %s } entity_group { %s }
                      property { name: "text" multiple: false value { stringValue: "%s" } }
                    }
                    """
                            .formatted(
                                    project,
                                    "path { Element { type: \"Secret\" name: \"" + name + "\" } }",
                                    "Element { type: \"Secret\" name: \"" + name + "\" }",
                                    SECRET));
        }
        call("datastore_v3", "Put", message("DatastoreV3Pb.PutRequest", entities.toString()));
        QueryResult first =
                QueryResult.parseFrom(
                        call(
                                "datastore_v3",
                                "RunQuery",
                                message(
                                        "DatastoreV3Pb.Query",
                                        "app: \"" + project + "\" kind: \"Secret\" count: 1")));
        // The first cursor names what has not been read yet; later ones name the same batch always.
        QueryResult second =
                QueryResult.parseFrom(
                        call("datastore_v3", "Next", next(first).toBuilder().setCount(1).build()));
        references.put("CURSOR", Base64.getEncoder().encodeToString(next(second).toByteArray()));
        Transaction open =
                Transaction.parseFrom(
                        call(
                                "datastore_v3",
                                "BeginTransaction",
                                message(
                                        "DatastoreV3Pb.BeginTransactionRequest",
                                        "app: \"" + project + "\"")));
        references.put("TRANSACTION", Long.toUnsignedString(open.getHandle()));
    }

    private static NextRequest next(QueryResult batch) {
        return NextRequest.newBuilder().setCursor(batch.getCursor()).build();
    }

    private void storeItems() throws Exception {
        call(
                "memcache",
                "Set",
                message(
                        "MemcacheServicePb.MemcacheSetRequest",
                        "item { key: \"secret\" value: \""
                                + SECRET
                                + "\" } item { key: \"count\" value: \"1\" }"));
    }

    private void storeTasks() throws Exception {
        call(
                "taskqueue",
                "UpdateQueue",
                message(
                        "TaskQueuePb.TaskQueueUpdateQueueRequest",
                        "queue_name: \"pull\" bucket_refill_per_second: 0 bucket_capacity: 0 mode:"
                                + " PULL"));
        long inAnHour = System.currentTimeMillis() * 1_000 + 3_600_000_000L;
        var _ =
                TaskQueueAddResponse.parseFrom(
                        call(
                                "taskqueue",
                                "Add",
                                message(
                                        "TaskQueuePb.TaskQueueAddRequest",
                                        "queue_name: \"default\" task_name: \"secret\" url:"
                                                + " \"/job\" eta_usec: "
                                                + inAnHour
                                                + " body: \""
                                                + SECRET
                                                + "\"")));
        call(
                "taskqueue",
                "Add",
                message(
                        "TaskQueuePb.TaskQueueAddRequest",
                        "queue_name: \"pull\" task_name: \"secret\" eta_usec: 0 mode: PULL body:"
                                + " \""
                                + SECRET
                                + "\""));
        TaskQueueQueryAndOwnTasksResponse leased =
                TaskQueueQueryAndOwnTasksResponse.parseFrom(
                        call(
                                "taskqueue",
                                "QueryAndOwnTasks",
                                message(
                                        "TaskQueuePb.TaskQueueQueryAndOwnTasksRequest",
                                        "queue_name: \"pull\" lease_seconds: 3600 max_tasks: 1")));
        references.put("ETA", Long.toString(leased.getTask(0).getEtaUsec()));
    }

    /** A picture, with the secret behind its end. */
    private void storeBlob() throws Exception {
        ByteArrayOutputStream picture = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(4, 4, BufferedImage.TYPE_INT_RGB), "png", picture);
        picture.write(SECRET.getBytes(StandardCharsets.UTF_8));
        String bucket = project + ".appspot.com";
        post(
                "/storage/v1/b?project=" + project,
                ("{\"name\": \"" + bucket + "\"}").getBytes(StandardCharsets.UTF_8));
        post(
                "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=secret",
                picture.toByteArray());
        references.put(
                "BLOB",
                "encoded_gs_file:"
                        + Base64.getUrlEncoder()
                                .encodeToString(
                                        (bucket + "/secret").getBytes(StandardCharsets.UTF_8)));
    }

    private void storeDocumentAndLog() throws Exception {
        call(
                "search",
                "IndexDocument",
                IndexDocumentRequest.parseFrom(
                        message(
                                        "SearchServicePb.IndexDocumentRequest",
                                        "params { index_spec { name: \"index\" } document { id:"
                                                + " \"a\" field { name: \"t\" value { string_value:"
                                                + " \""
                                                + SECRET
                                                + "\" } } } }")
                                .toByteString()));
        UserAppLogLine line =
                UserAppLogLine.newBuilder()
                        .setTimestampUsec(System.currentTimeMillis() * 1_000)
                        .setLevel(1)
                        .setMessage(SECRET)
                        .build();
        call(
                "logservice",
                "Flush",
                FlushRequest.newBuilder()
                        .setLogs(
                                UserAppLogGroup.newBuilder()
                                        .addLogLine(line)
                                        .build()
                                        .toByteString())
                        .build());
    }

    private byte[] call(String api, String method, Message request) throws Exception {
        return BundledCalls.successful(app.response(api, method, request)).toByteArray();
    }

    private static Message message(String type, String text) throws Exception {
        return AppMessages.parse(type, text);
    }

    private void post(String path, byte[] body) {
        int status =
                server.send(
                                server.request(path)
                                        .header("Authorization", "Bearer " + token)
                                        .POST(HttpRequest.BodyPublishers.ofByteArray(body)))
                        .statusCode();
        if (status != 200) {
            throw new AssertionError(path + ": " + status);
        }
    }
}
