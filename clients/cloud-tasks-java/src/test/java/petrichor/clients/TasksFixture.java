package petrichor.clients;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.tasks.v2.AppEngineHttpRequest;
import com.google.cloud.tasks.v2.CloudTasksClient;
import com.google.cloud.tasks.v2.CloudTasksSettings;
import com.google.cloud.tasks.v2.Queue;
import com.google.cloud.tasks.v2.Task;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.time.Instant;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The official client, with a project that no other test uses. */
record TasksFixture(CloudTasksClient client, String parent) implements AutoCloseable {
    /** Of the client. */
    enum Protocol {
        GRPC(StatusCode.Code.ALREADY_EXISTS),
        REST(StatusCode.Code.ABORTED);

        /** Over REST, the client makes its code of the HTTP status alone, and that of both codes is 409. */
        final StatusCode.Code exists;

        Protocol(StatusCode.Code exists) {
            this.exists = exists;
        }
    }

    private static final int HOUR_SECONDS = 3_600;

    static TasksFixture open(Protocol protocol) throws IOException {
        String project = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
        return new TasksFixture(client(protocol), location(project));
    }

    static String location(String project) {
        return "projects/" + project + "/locations/europe-west1";
    }

    private static CloudTasksClient client(Protocol protocol) throws IOException {
        String address = variable("API_HOST") + ":" + variable("API_PORT");
        CloudTasksSettings.Builder settings =
                switch (protocol) {
                    case GRPC -> CloudTasksSettings.newBuilder()
                            .setTransportChannelProvider(InstantiatingGrpcChannelProvider.newBuilder()
                                    .setEndpoint(address)
                                    .setChannelConfigurator(ManagedChannelBuilder::usePlaintext)
                                    .build());
                    case REST -> CloudTasksSettings.newHttpJsonBuilder().setEndpoint("http://" + address);
                };
        return CloudTasksClient.create(
                settings.setCredentialsProvider(NoCredentialsProvider.create()).build());
    }

    static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException("set " + name + ", or start these tests with clients/run");
        }
        return value;
    }

    /** Creates a queue and returns its name. */
    String queue(String name) {
        return client.createQueue(parent, named(name)).getName();
    }

    Queue named(String name) {
        return Queue.newBuilder().setName(parent + "/queues/" + name).build();
    }

    /** A task that no test executes. */
    static Task.Builder waiting() {
        return Task.newBuilder().setScheduleTime(inAnHour()).setAppEngineHttpRequest(appRequest("/job", "body"));
    }

    static AppEngineHttpRequest appRequest(String uri, String body) {
        return AppEngineHttpRequest.newBuilder()
                .setRelativeUri(uri)
                .setBody(ByteString.copyFromUtf8(body))
                .build();
    }

    static Timestamp inAnHour() {
        return Timestamp.newBuilder()
                .setSeconds(Instant.now().getEpochSecond() + HOUR_SECONDS)
                .build();
    }

    static void assertRefused(ThrowingCallable call, StatusCode.Code code) {
        Assertions.assertThatExceptionOfType(ApiException.class)
                .isThrownBy(call)
                .satisfies(failure -> Assertions.assertThat(failure.getStatusCode().getCode()).isEqualTo(code));
    }

    @Override
    public void close() {
        client.close();
    }
}
