package petrichor.workflows;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.rpc.AlreadyExistsException;
import com.google.cloud.tasks.v2.AppEngineHttpRequest;
import com.google.cloud.tasks.v2.CloudTasksClient;
import com.google.cloud.tasks.v2.CloudTasksSettings;
import com.google.cloud.tasks.v2.HttpMethod;
import com.google.cloud.tasks.v2.QueueName;
import com.google.cloud.tasks.v2.Task;
import com.google.cloud.tasks.v2.TaskName;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * The queues of an app in Cloud Tasks; tasks are requests to the app itself. Thread-safe.
 *
 * @param location of the queues, such as {@code europe-west1}; Petrichor's server accepts any
 */
public record TaskQueues(CloudTasksClient client, String project, String location) implements AutoCloseable {
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int NANOS_PER_MILLI = 1_000_000;

    /** A Petrichor server without TLS. */
    public static TaskQueues at(String address, String project) {
        try {
            CloudTasksSettings settings =
                    CloudTasksSettings.newBuilder()
                            .setEndpoint(address)
                            .setCredentialsProvider(NoCredentialsProvider.create())
                            .setTransportChannelProvider(
                                    InstantiatingGrpcChannelProvider.newBuilder()
                                            .setEndpoint(address)
                                            .setChannelConfigurator(channel -> channel.usePlaintext())
                                            .build())
                            .build();
            return new TaskQueues(CloudTasksClient.create(settings), project, "local");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Adds a task that is due at a time in milliseconds since 1970, unless its name has been used. */
    void add(String queue, String name, String path, Map<String, String> fields, long dueMillis) {
        AppEngineHttpRequest request =
                AppEngineHttpRequest.newBuilder()
                        .setHttpMethod(HttpMethod.POST)
                        .setRelativeUri(path)
                        .putHeaders("Content-Type", "application/json")
                        .setBody(ByteString.copyFromUtf8(Values.text(fields)))
                        .build();
        Task.Builder task =
                Task.newBuilder()
                        .setName(TaskName.of(project, location, queue, name).toString())
                        .setAppEngineHttpRequest(request);
        if (dueMillis > System.currentTimeMillis()) {
            task.setScheduleTime(
                    Timestamp.newBuilder()
                            .setSeconds(dueMillis / MILLIS_PER_SECOND)
                            .setNanos((int) (dueMillis % MILLIS_PER_SECOND) * NANOS_PER_MILLI));
        }
        try {
            client.createTask(QueueName.of(project, location, queue), task.build());
        } catch (AlreadyExistsException known) {
            // Added before, by a process that ended before it acknowledged its own task.
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
