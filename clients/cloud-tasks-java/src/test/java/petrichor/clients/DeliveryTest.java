package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.tasks.v2.HttpMethod;
import com.google.cloud.tasks.v2.HttpRequest;
import com.google.cloud.tasks.v2.Task;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeliveryTest {
    @ParameterizedTest
    @EnumSource
    void httpTasksArriveWithHeadersAndAreRepeated(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol);
                Receiver target = Receiver.open()) {
            HttpRequest request = HttpRequest.newBuilder()
                    .setUrl(target.url("/fails?a=1"))
                    .setHttpMethod(HttpMethod.PUT)
                    .putHeaders("X-Own", "1")
                    .setBody(ByteString.copyFrom(new byte[] {0, -1}))
                    .build();
            Task task = f.client().createTask(f.queue("q"), Task.newBuilder().setHttpRequest(request).build());
            Receiver.Arrival first = target.next();
            assertThat(first.method()).isEqualTo("PUT");
            assertThat(first.uri()).isEqualTo("/fails?a=1");
            assertThat(first.body()).containsExactly(0, -1);
            assertThat(first.header("X-Own")).isEqualTo("1");
            assertThat(first.header("Content-Type")).isEqualTo("application/octet-stream");
            assertThat(first.header("X-CloudTasks-QueueName")).isEqualTo("q");
            assertThat(task.getName()).endsWith("/tasks/" + first.header("X-CloudTasks-TaskName"));
            assertThat(first.header("X-CloudTasks-TaskRetryCount")).isEqualTo("0");
            Receiver.Arrival second = target.next();
            assertThat(second.header("X-CloudTasks-TaskRetryCount")).isEqualTo("1");
            assertThat(second.header("X-CloudTasks-TaskPreviousResponse")).isEqualTo("503");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPausedQueueKeepsItsTasks(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol);
                Receiver target = Receiver.open()) {
            String queue = f.queue("q");
            f.client().pauseQueue(queue);
            f.client().createTask(queue, to(target.url("/paused")).build());
            Task forced = f.client()
                    .createTask(queue, to(target.url("/forced")).setScheduleTime(TasksFixture.inAnHour()).build());
            f.client().runTask(forced.getName());
            assertThat(target.next().uri()).isEqualTo("/forced");
            f.client().resumeQueue(queue);
            assertThat(target.next().uri()).isEqualTo("/paused");
        }
    }

    private static Task.Builder to(String url) {
        return Task.newBuilder().setHttpRequest(HttpRequest.newBuilder().setUrl(url));
    }

    @ParameterizedTest
    @EnumSource
    void tasksOfTheAppArrive(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol);
                Receiver app = Receiver.app()) {
            String queue = TasksFixture.location("pushed-tasks") + "/queues/default";
            f.client().purgeQueue(queue);
            f.client()
                    .createTask(
                            queue,
                            Task.newBuilder()
                                    .setAppEngineHttpRequest(TasksFixture.appRequest("/job?a=1", "body"))
                                    .build());
            Receiver.Arrival arrived = app.next();
            assertThat(arrived.method()).isEqualTo("POST");
            assertThat(arrived.uri()).isEqualTo("/job?a=1");
            assertThat(new String(arrived.body(), StandardCharsets.UTF_8)).isEqualTo("body");
            assertThat(arrived.header("X-AppEngine-QueueName")).isEqualTo("default");
        }
    }
}
