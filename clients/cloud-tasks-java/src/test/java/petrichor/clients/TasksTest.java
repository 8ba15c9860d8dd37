package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.TasksFixture.assertRefused;
import static petrichor.clients.TasksFixture.waiting;

import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.tasks.v2.GetTaskRequest;
import com.google.cloud.tasks.v2.HttpMethod;
import com.google.cloud.tasks.v2.ListTasksRequest;
import com.google.cloud.tasks.v2.Task;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TasksTest {
    @ParameterizedTest
    @EnumSource
    void tasksAreCreatedReadListedAndDeleted(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            String queue = f.queue("q");
            Task created = f.client().createTask(queue, waiting().build());
            assertThat(created.getName()).startsWith(queue + "/tasks/");
            assertThat(created.getView()).isEqualTo(Task.View.BASIC);
            assertThat(created.getAppEngineHttpRequest().getBody()).isEmpty();
            Task full = f.client()
                    .getTask(GetTaskRequest.newBuilder()
                            .setName(created.getName())
                            .setResponseView(Task.View.FULL)
                            .build());
            assertThat(full.getAppEngineHttpRequest().getBody().toStringUtf8()).isEqualTo("body");
            assertThat(full.getAppEngineHttpRequest().getHttpMethod()).isEqualTo(HttpMethod.POST);
            assertThat(full.getScheduleTime().getSeconds() - Instant.now().getEpochSecond()).isBetween(3_500L, 3_600L);

            List<String> names = new ArrayList<>(List.of(created.getName()));
            for (int i = 0; i < 4; i++) {
                names.add(f.client().createTask(queue, waiting().build()).getName());
            }
            ListTasksRequest request =
                    ListTasksRequest.newBuilder().setParent(queue).setPageSize(2).build();
            assertThat(f.client().listTasks(request).iterateAll())
                    .extracting(Task::getName)
                    .containsExactlyInAnyOrderElementsOf(names);
            f.client().deleteTask(created.getName());
            assertRefused(() -> f.client().getTask(created.getName()), Code.NOT_FOUND);
            f.client().purgeQueue(queue);
            assertThat(f.client().listTasks(queue).iterateAll()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNameIsUsedOnce(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            String queue = f.queue("q");
            Task once = waiting().setName(queue + "/tasks/once").build();
            assertThat(f.client().createTask(queue, once).getName()).isEqualTo(once.getName());
            assertRefused(() -> f.client().createTask(queue, once), protocol.exists);
            f.client().deleteTask(once.getName());
            assertRefused(() -> f.client().createTask(queue, once), protocol.exists);
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorsHaveTheDocumentedCodes(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            Task task = waiting().build();
            assertRefused(() -> f.client().createTask(f.parent() + "/queues/unknown", task), Code.NOT_FOUND);
            String queue = f.queue("q");
            assertRefused(() -> f.client().createTask(queue, Task.getDefaultInstance()), Code.INVALID_ARGUMENT);
            Task large = Task.newBuilder()
                    .setAppEngineHttpRequest(TasksFixture.appRequest("/job", "x".repeat(200_000)))
                    .build();
            assertRefused(() -> f.client().createTask(queue, large), Code.INVALID_ARGUMENT);
            assertRefused(() -> f.client().runTask(queue + "/tasks/unknown"), Code.NOT_FOUND);
        }
    }
}
