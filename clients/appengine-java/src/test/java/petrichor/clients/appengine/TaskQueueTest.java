package petrichor.clients.appengine;

import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withCountdownMillis;
import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withMethod;
import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withTaskName;
import static com.google.appengine.api.taskqueue.TaskOptions.Builder.withUrl;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Entity;
import com.google.appengine.api.datastore.Key;
import com.google.appengine.api.datastore.Transaction;
import com.google.appengine.api.taskqueue.InvalidQueueModeException;
import com.google.appengine.api.taskqueue.LeaseOptions;
import com.google.appengine.api.taskqueue.Queue;
import com.google.appengine.api.taskqueue.QueueFactory;
import com.google.appengine.api.taskqueue.QueueStatistics;
import com.google.appengine.api.taskqueue.TaskAlreadyExistsException;
import com.google.appengine.api.taskqueue.TaskHandle;
import com.google.appengine.api.taskqueue.TaskOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code com.google.appengine.api.taskqueue}: tasks that wait in their queues, and pull queues. */
class TaskQueueTest {
    private static final long HOUR_MILLIS = 3_600_000;

    private final App app = App.unique();
    private final Queue queue = QueueFactory.getDefaultQueue();
    private final Queue pulled = QueueFactory.getQueue("pull");

    /** Defines queues as an administrator does; the SDK has no function for that. */
    static void define(App app, String queueYaml) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + App.server() + "/petrichor/v1/queues/" + app.project()))
                .POST(HttpRequest.BodyPublishers.ofString(queueYaml))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private void withPullQueue(App.Action test) throws Exception {
        define(app, "queue:\n- name: pull\n  mode: pull\n");
        app.run(test);
    }

    private static TaskOptions later() {
        return withUrl("/job").countdownMillis(HOUR_MILLIS);
    }

    private static TaskOptions pull(String payload) {
        return withMethod(TaskOptions.Method.PULL).payload(payload);
    }

    private static String text(TaskHandle task) {
        return new String(task.getPayload(), StandardCharsets.UTF_8);
    }

    @Test
    void anAddedTaskHasANameAndWaits() throws Exception {
        app.run(() -> {
            TaskHandle task = queue.add(later().param("a", "ü"));
            assertThat(task.getName()).isNotEmpty();
            assertThat(task.getQueueName()).isEqualTo("default");
            QueueStatistics statistics = queue.fetchStatistics();
            assertThat(statistics.getNumTasks()).isOne();
            assertThat(statistics.getOldestEtaUsec() / 1000).isGreaterThan(System.currentTimeMillis());
            assertThat(statistics.getEnforcedRate()).isEqualTo(5);
            assertThat(queue.deleteTask(task)).isTrue();
            assertThat(queue.deleteTask(task)).isFalse();
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
            assertThat(queue.fetchStatistics().getOldestEtaUsec()).isNull();
        });
    }

    @Test
    void aNameIsUsedOnce() throws Exception {
        app.run(() -> {
            queue.add(withTaskName("once").countdownMillis(HOUR_MILLIS));
            assertThatThrownBy(() -> queue.add(withTaskName("once"))).isInstanceOf(TaskAlreadyExistsException.class);
            assertThat(queue.deleteTask("once")).isTrue();
            assertThatThrownBy(() -> queue.add(withTaskName("once"))).isInstanceOf(TaskAlreadyExistsException.class);
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
        });
    }

    @Test
    void manyTasksAtOnce() throws Exception {
        app.run(() -> {
            List<TaskOptions> tasks = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                tasks.add(later().taskName("t" + i));
            }
            List<TaskHandle> added = queue.add(tasks);
            assertThat(added).extracting(TaskHandle::getName).startsWith("t0", "t1").hasSize(100);
            assertThatThrownBy(() -> queue.add(List.of(later().taskName("t5"), later().taskName("new"))))
                    .isInstanceOf(TaskAlreadyExistsException.class)
                    .extracting(failure -> ((TaskAlreadyExistsException) failure).getTaskNames())
                    .isEqualTo(List.of("t5"));
            assertThat(queue.fetchStatistics().getNumTasks()).isEqualTo(101);
            assertThat(queue.deleteTask(added)).containsOnly(true).hasSize(100);
            assertThat(queue.addAsync(later()).get().getName()).isNotEmpty();
        });
    }

    @Test
    void whatIsRefused() throws Exception {
        app.run(() -> {
            Queue unknown = QueueFactory.getQueue("unknown");
            assertThatThrownBy(() -> unknown.add(later()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unknown");
            assertThatThrownBy(() -> queue.add(pull("p"))).isInstanceOf(InvalidQueueModeException.class);
            assertThatThrownBy(() -> queue.leaseTasks(60, SECONDS, 1)).isInstanceOf(InvalidQueueModeException.class);
            assertThatThrownBy(() -> queue.add(withCountdownMillis(40L * 24 * HOUR_MILLIS)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
        });
    }

    @Test
    void tasksOfATransactionAreAddedByItsCommit() throws Exception {
        DatastoreService store = DatastoreServiceFactory.getDatastoreService();
        app.run(() -> {
            Transaction failed = store.beginTransaction();
            store.put(failed, new Entity("Order", "o"));
            queue.add(failed, later());
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
            failed.rollback();
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
            Transaction transaction = store.beginTransaction();
            Key order = store.put(transaction, new Entity("Order", "o"));
            queue.add(transaction, List.of(later(), later()));
            transaction.commit();
            assertThat(queue.fetchStatistics().getNumTasks()).isEqualTo(2);
            assertThat(store.get(List.of(order))).hasSize(1);
        });
    }

    @Test
    void aTransactionHasAtMostFiveTasksWithoutNames() throws Exception {
        DatastoreService store = DatastoreServiceFactory.getDatastoreService();
        app.run(() -> {
            Transaction transaction = store.beginTransaction();
            for (int i = 0; i < 5; i++) {
                queue.add(transaction, later());
            }
            assertThatThrownBy(() -> queue.add(transaction, later())).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> queue.add(transaction, later().taskName("a")))
                    .isInstanceOf(IllegalArgumentException.class);
            transaction.rollback();
            assertThat(queue.fetchStatistics().getNumTasks()).isZero();
        });
    }

    @Test
    void purging() throws Exception {
        define(app, "queue:\n- name: other\n  rate: 3/s\n");
        app.run(() -> {
            Queue other = QueueFactory.getQueue("other");
            queue.add(later());
            other.add(later());
            assertThat(other.fetchStatistics().getEnforcedRate()).isEqualTo(3);
            other.purge();
            assertThat(other.fetchStatistics().getNumTasks()).isZero();
            assertThat(queue.fetchStatistics().getNumTasks()).isOne();
        });
    }

    @Test
    void leases() throws Exception {
        withPullQueue(() -> {
            pulled.add(List.of(pull("ä").taskName("a"), pull("b").taskName("b")));
            List<TaskHandle> first = pulled.leaseTasks(60, SECONDS, 1);
            List<TaskHandle> second = pulled.leaseTasks(60, SECONDS, 10);
            assertThat(first).singleElement().returns("ä", TaskQueueTest::text);
            assertThat(second).singleElement().returns("b", TaskQueueTest::text);
            assertThat(first.get(0).getEtaMillis()).isGreaterThan(System.currentTimeMillis());
            assertThat(pulled.leaseTasks(60, SECONDS, 10)).isEmpty();
            TaskHandle released = pulled.modifyTaskLease(first.get(0), 0, SECONDS);
            TaskHandle again = pulled.leaseTasks(60, SECONDS, 10).get(0);
            assertThat(again.getName()).isEqualTo("a");
            assertThat(again.getRetryCount()).isEqualTo(2);
            assertThatThrownBy(() -> pulled.modifyTaskLease(released, 60, SECONDS))
                    .isInstanceOf(IllegalStateException.class);
            long end = again.getEtaMillis();
            assertThat(pulled.modifyTaskLease(again, 3600, SECONDS).getEtaMillis()).isGreaterThan(end);
            assertThat(pulled.deleteTask(List.of(again, second.get(0)))).containsExactly(true, true);
            assertThat(pulled.fetchStatistics().getNumTasks()).isZero();
        });
    }

    @Test
    void leasesByTag() throws Exception {
        withPullQueue(() -> {
            long now = System.currentTimeMillis();
            pulled.add(List.of(
                    pull("1").tag("x").etaMillis(now - 4000),
                    pull("2").tag("y").etaMillis(now - 3000),
                    pull("3").tag("x").etaMillis(now - 2000),
                    pull("4").tag(new byte[] {-1, 0}).etaMillis(now - 1000)));
            assertThat(pulled.leaseTasksByTag(60, SECONDS, 10, "y")).singleElement().returns("2", TaskQueueTest::text);
            List<TaskHandle> oldest = pulled.leaseTasks(
                    LeaseOptions.Builder.withLeasePeriod(60, SECONDS).countLimit(10).groupByTag());
            assertThat(oldest).extracting(TaskQueueTest::text).containsExactly("1", "3");
            assertThat(oldest.get(0).getTag()).isEqualTo("x");
            List<TaskHandle> last = pulled.leaseTasksByTagBytes(60, SECONDS, 10, new byte[] {-1, 0});
            assertThat(last).singleElement().returns("4", TaskQueueTest::text);
            assertThat(last.get(0).getTagAsBytes()).containsExactly(-1, 0);
        });
    }

    @Test
    void parametersOfPullTasks() throws Exception {
        withPullQueue(() -> {
            pulled.add(withMethod(TaskOptions.Method.PULL)
                    .param("a", "ü")
                    .param("a", "2"));
            TaskHandle task = pulled.leaseTasksAsync(60, SECONDS, 1).get().get(0);
            assertThat(task.extractParams())
                    .extracting(parameter -> parameter.getKey() + "=" + parameter.getValue())
                    .containsExactly("a=ü", "a=2");
        });
    }

    @Test
    void appsHaveTheirOwnQueues() throws Exception {
        app.run(() -> queue.add(later().taskName("mine")));
        App.unique().run(() -> {
            queue.add(later().taskName("mine"));
            queue.purge();
        });
        app.run(() -> assertThat(queue.fetchStatistics().getNumTasks()).isOne());
    }
}
