package petrichor.services.queues.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.queues.rabbitmq.TasksThroughRabbitMq.until;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.TimeSource;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.SimulatedClock;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.SharedRabbitMq;
import petrichor.testing.process.RabbitMqServer;

/**
 * Stops RabbitMQ and the servers at bad moments: every task runs, and no more often than needed.
 */
@Tag("slow")
class RabbitMqOutageTest {
    private static final DispatchRate FAST = new DispatchRate(100_000, 1_000, 100);
    private static final DeliveryResult OK = new DeliveryResult.Answered(200);

    /** Stands still: what is published again does not wait for a timeout. */
    private static final TimeSource WITHOUT_TIMEOUTS = new SimulatedClock();

    @TempDir private static Path folder;
    private static RabbitMqServer rabbitMq;

    private @Nullable TasksThroughRabbitMq started;

    /** Tasks that ran, as often as they ran. */
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

    /** Tasks whose app has not answered. */
    private final ConcurrentHashMap<String, CompletableFuture<DeliveryResult>> unanswered =
            new ConcurrentHashMap<>();

    @BeforeAll
    static void startRabbitMq() {
        rabbitMq = SharedRabbitMq.start(folder);
    }

    @AfterAll
    static void stopRabbitMq() {
        if (rabbitMq != null) {
            rabbitMq.close();
        }
    }

    @BeforeEach
    void deleteQueue() throws Exception {
        try (Connection connection = connection();
                Channel channel = connection.createChannel()) {
            channel.queueDelete(RabbitMqSession.QUEUE);
        }
    }

    @AfterEach
    void close() {
        if (started != null) {
            started.close();
        }
    }

    private static Connection connection() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(rabbitMq.url());
        return factory.newConnection();
    }

    private TasksThroughRabbitMq start(
            int deliveriesMax, DispatchRate rate, TasksThroughRabbitMq.App app) {
        return start(deliveriesMax, TimeSource.SYSTEM, rate, app);
    }

    private TasksThroughRabbitMq start(
            int deliveriesMax, TimeSource time, DispatchRate rate, TasksThroughRabbitMq.App app) {
        TasksThroughRabbitMq tasks =
                new TasksThroughRabbitMq(rabbitMq.url(), deliveriesMax, time, rate, app);
        started = tasks;
        return tasks;
    }

    private CompletableFuture<DeliveryResult> answer(String task) {
        ran.add(task);
        return CompletableFuture.completedFuture(OK);
    }

    private CompletableFuture<DeliveryResult> answerLater(String task) {
        CompletableFuture<DeliveryResult> answer = new CompletableFuture<>();
        unanswered.put(task, answer);
        ran.add(task);
        return answer;
    }

    private void answerAll() {
        unanswered.values().forEach(answer -> answer.complete(OK));
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    @Test
    void allServersDeliverTheTasksOfOneOwner() {
        Set<String> elsewhere = ConcurrentHashMap.newKeySet();
        TasksThroughRabbitMq tasks = start(10, FAST, this::answer);
        tasks.join(
                task -> {
                    elsewhere.add(task);
                    return answer(task);
                });
        tasks.add(0, 300);
        tasks.awaitNoTasks();
        assertThat(ran).as("each once").containsExactlyInAnyOrderElementsOf(numbers(300));
        assertThat(elsewhere).hasSizeBetween(50, 250);
    }

    @Test
    void noTaskIsLostWhenRabbitMqIsKilled() {
        TasksThroughRabbitMq tasks = start(20, WITHOUT_TIMEOUTS, FAST, this::answer);
        tasks.join(this::answer);
        int count = 0;
        for (int kill = 0; kill < 3; kill++) {
            int before = ran.size();
            for (int i = 0; i < 5; i++) {
                tasks.add(count, 100);
                count += 100;
            }
            until("tasks run", () -> ran.size() > before + 50);
            rabbitMq.kill();
            tasks.add(count, 100);
            count += 100;
            rabbitMq.start();
        }
        tasks.awaitNoTasks();
        assertThat(ran).containsAll(numbers(count));
        assertThat(ran.size() - count).as("second runs").isLessThan(count / 2);
    }

    @Test
    void aPausedRabbitMqDelaysTasksWithoutABurst() {
        List<Long> starts = Collections.synchronizedList(new ArrayList<>());
        TasksThroughRabbitMq tasks =
                start(
                        100,
                        new DispatchRate(20, 2, 100),
                        task -> {
                            starts.add(System.nanoTime());
                            return answer(task);
                        });
        tasks.add(0, 200);
        until("tasks run", () -> ran.size() >= 10);
        rabbitMq.pause();
        until("the server notices", () -> !tasks.first().accepting());
        until("the connection ends", () -> tasks.first().counts().unconfirmed() == 0);
        int before = ran.size();
        rabbitMq.resume();
        tasks.awaitNoTasks();
        assertThat(before).isLessThan(150);
        assertThat(ran).containsAll(numbers(200));
        List<Long> sorted = starts.stream().sorted().toList();
        // At most what was published before the server noticed the pause, and what the rate allows.
        int within = 0;
        for (int i = 0; i < sorted.size(); i++) {
            long end = sorted.get(i) + Duration.ofSeconds(1).toNanos();
            within = Math.max(within, (int) sorted.stream().filter(at -> at <= end).count() - i);
        }
        assertThat(within).isLessThan(100);
    }

    @Test
    void noticesThatRabbitMqLostArePublishedAgain() {
        // One delivery is in progress, so that the other notices wait in RabbitMQ.
        TasksThroughRabbitMq tasks = start(1, WITHOUT_TIMEOUTS, FAST, this::answerLater);
        tasks.add(0, 20);
        until("a task runs", () -> ran.size() == 1);
        until("the others wait", () -> tasks.first().counts().waiting() == 19);
        rabbitMq.kill();
        rabbitMq.wipe();
        rabbitMq.start();
        until(
                "all tasks run",
                () -> {
                    answerAll();
                    return ran.size() >= 20;
                });
        tasks.awaitNoTasks();
        assertThat(ran).containsExactlyInAnyOrderElementsOf(numbers(20));
        assertThat(tasks.first().counts().republished()).isPositive();
    }

    @Test
    void aResultIsRecordedWhileRabbitMqIsDown() {
        TasksThroughRabbitMq tasks = start(10, FAST, this::answerLater);
        tasks.add(0, 1);
        until("the task runs", () -> ran.size() == 1);
        rabbitMq.kill();
        answerAll();
        tasks.awaitNoTasks();
        rabbitMq.start();
        until("it connects again", tasks.first()::accepting);
        tasks.add(1, 1);
        until("another task runs", () -> ran.contains("1"));
        answerAll();
        tasks.awaitNoTasks();
        assertThat(ran).containsExactly("0", "1");
    }

    @Test
    void aDeliveryContinuesAfterItsConnectionIsLost() {
        TasksThroughRabbitMq tasks = start(10, FAST, this::answerLater);
        tasks.add(0, 5);
        until("the tasks run", () -> ran.size() == 5);
        rabbitMq.kill();
        rabbitMq.start();
        until("it connects again", tasks.first()::accepting);
        // Behind the notices that RabbitMQ delivers again.
        tasks.add(5, 1);
        until("another task runs", () -> ran.contains("5"));
        answerAll();
        tasks.awaitNoTasks();
        assertThat(ran).containsExactlyInAnyOrderElementsOf(numbers(6));
    }

    @Test
    void theTasksOfAServerThatFailsRunElsewhere() {
        Set<String> abandoned = ConcurrentHashMap.newKeySet();
        TasksThroughRabbitMq tasks = start(10, FAST, this::answerLater);
        RabbitMqDelivery other =
                tasks.join(
                        task -> {
                            abandoned.add(task);
                            return new CompletableFuture<>();
                        });
        tasks.add(0, 10);
        until("all tasks run", () -> ran.size() + abandoned.size() == 10);
        assertThat(abandoned).isNotEmpty();
        other.close();
        until("all tasks run on the first server", () -> ran.size() == 10);
        answerAll();
        tasks.awaitNoTasks();
        assertThat(ran).containsExactlyInAnyOrderElementsOf(numbers(10));
    }

    @Test
    void aDeletedQueueIsDeclaredAgain() throws Exception {
        TasksThroughRabbitMq tasks = start(10, FAST, this::answer);
        tasks.add(0, 1);
        tasks.awaitNoTasks();
        deleteQueue();
        tasks.add(1, 50);
        tasks.awaitNoTasks();
        assertThat(ran).containsAll(numbers(51));
    }

    @Test
    void foreignAndOutdatedMessagesAreDropped() throws Exception {
        TasksThroughRabbitMq tasks = start(10, FAST, this::answer);
        try (Connection connection = connection();
                Channel channel = connection.createChannel()) {
            byte[] outdated =
                    new TaskNotice(TasksThroughRabbitMq.PROJECT, "former-1", 1, 10).encode();
            for (byte[] body : List.of("not a notice".getBytes(StandardCharsets.UTF_8), outdated)) {
                channel.basicPublish(
                        "", RabbitMqSession.QUEUE, MessageProperties.PERSISTENT_BASIC, body);
            }
            until(
                    "no message is left",
                    () -> {
                        try {
                            return channel.queueDeclarePassive(RabbitMqSession.QUEUE)
                                            .getMessageCount()
                                    == 0;
                        } catch (java.io.IOException failed) {
                            throw new java.io.UncheckedIOException(failed);
                        }
                    });
        }
        tasks.add(0, 1);
        tasks.awaitNoTasks();
        assertThat(ran).containsExactly("0");
    }
}
