package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskState;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.rabbitmq.RabbitMqBroker;
import petrichor.services.queues.rabbitmq.RabbitMqDelivery;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

class HttpTaskDeliveryTest {
    private static final int STATUS_OK = 200;

    private HttpServer server;
    private HttpTaskDelivery delivery;
    private final Map<String, String> received = new ConcurrentHashMap<>();
    private final Set<String> tickets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger status = new AtomicInteger(STATUS_OK);
    private final CountDownLatch never = new CountDownLatch(1);
    private boolean reachable = true;

    @BeforeEach
    void start() throws IOException {
        server =
                HttpServer.create(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
        delivery = new HttpTaskDelivery(new Targets(), this::toOthers);
    }

    @AfterEach
    void stop() {
        never.countDown();
        delivery.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        exchange.getRequestHeaders()
                .forEach(
                        (name, values) ->
                                received.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
        received.put(":path", exchange.getRequestURI().toString());
        received.put(":method", exchange.getRequestMethod());
        received.put(
                ":body",
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        received.put(":tickets", String.valueOf(tickets.size()));
        if (exchange.getRequestURI().getPath().equals("/never")) {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        exchange.getResponseHeaders().add("Location", "/elsewhere");
        exchange.sendResponseHeaders(status.get(), -1);
        exchange.close();
    }

    private URI base() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private final class Targets implements AppTargets {
        @Override
        public boolean reaches(String project) {
            return reachable;
        }

        @Override
        public CompletableFuture<Optional<Place>> acquire(
                String project, String target, Duration deadline) {
            if (!reachable) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            tickets.add("ticket-" + project);
            return CompletableFuture.completedFuture(
                    Optional.of(
                            new Place() {
                                @Override
                                public URI base() {
                                    return HttpTaskDeliveryTest.this.base();
                                }

                                @Override
                                public String ticket() {
                                    return "ticket-" + project;
                                }

                                @Override
                                public void close() {
                                    tickets.remove("ticket-" + project);
                                }
                            }));
        }
    }

    private CompletableFuture<DeliveryResult> toOthers(
            String project, TaskWork.Push request, Map<String, String> headers, Duration deadline) {
        received.put(":project", project);
        received.put(":url", request.url());
        received.put(":deadline", deadline.toString());
        headers.forEach((name, value) -> received.put(name.toLowerCase(Locale.ROOT), value));
        return CompletableFuture.completedFuture(new DeliveryResult.Answered(STATUS_OK));
    }

    private DeliveryResult deliver(String url, Duration deadline) {
        Task task =
                new Task(
                        "t1",
                        new Task.Content(
                                new TaskWork.Push(
                                        TaskMethod.PUT,
                                        url,
                                        List.of(
                                                new TaskWork.Header("X-Own", "1"),
                                                new TaskWork.Header("Host", "evil.example"),
                                                new TaskWork.Header("X-AppEngine-Cron", "true"),
                                                new TaskWork.Header(
                                                        "X-AppEngine-Current-Namespace", "n"),
                                                new TaskWork.Header("content-type", "text/plain")),
                                        "payload".getBytes(StandardCharsets.UTF_8)),
                                0,
                                Optional.empty(),
                                deadline),
                        new TaskState(
                                1_700_000_000_123_456L,
                                new TaskState.Attempts(3, 2, 1, 1, 503),
                                true,
                                new byte[0]));
        return delivery.deliver(new Delivery("demo", Queue.push("mail"), task)).join();
    }

    private DeliveryResult deliver(String url) {
        return deliver(url, Duration.ofSeconds(30));
    }

    @Test
    void aRequestHasTheHeadersOfAppEngine() {
        assertThat(deliver("/job?a=1")).isEqualTo(new DeliveryResult.Answered(STATUS_OK));
        assertThat(received)
                .containsEntry(":path", "/job?a=1")
                .containsEntry(":method", "PUT")
                .containsEntry(":body", "payload")
                .containsEntry("content-type", "text/plain")
                .containsEntry("x-own", "1")
                .containsEntry("x-appengine-current-namespace", "n")
                .containsEntry("x-appengine-queuename", "mail")
                .containsEntry("x-appengine-taskname", "t1")
                .containsEntry("x-appengine-taskretrycount", "3")
                .containsEntry("x-appengine-taskexecutioncount", "2")
                .containsEntry("x-appengine-tasketa", "1700000000.123456")
                .containsEntry("x-appengine-taskpreviousresponse", "503")
                .containsEntry("x-appengine-remote-addr", "0.1.0.2")
                .containsEntry("x-appengine-api-ticket", "ticket-demo")
                .containsEntry(":tickets", "1")
                .doesNotContainKey("x-appengine-cron");
        assertThat(received.get("user-agent")).startsWith("AppEngine-Google");
        assertThat(received.get("host")).startsWith("127.0.0.1:");
        assertThat(tickets).isEmpty();
    }

    @Test
    void requestsToOtherServersCarryNoTicket() {
        assertThat(deliver("https://example.com/x"))
                .isEqualTo(new DeliveryResult.Answered(STATUS_OK));
        assertThat(received)
                .containsEntry(":project", "demo")
                .containsEntry(":url", "https://example.com/x")
                .containsEntry(":deadline", "PT30S")
                .containsEntry("x-cloudtasks-taskname", "t1")
                .containsEntry("content-type", "text/plain")
                .doesNotContainKey("x-appengine-api-ticket");
    }

    @Test
    void redirectsAndErrorsAreFailures() {
        status.set(302);
        assertThat(deliver("/job").succeeded()).isFalse();
        assertThat(received).containsEntry(":path", "/job");
        status.set(500);
        assertThat(deliver("/job")).isEqualTo(new DeliveryResult.Answered(500));
        status.set(204);
        assertThat(deliver("/job").succeeded()).isTrue();
    }

    @Test
    void aDeadlineEndsADelivery() {
        assertThat(deliver("/never", Duration.ofMillis(100)))
                .isInstanceOf(DeliveryResult.Unanswered.class);
        assertThat(tickets).isEmpty();
    }

    @Test
    void anAppThatIsNotThereDoesNotAnswer() {
        server.stop(0);
        assertThat(deliver("/job")).isInstanceOf(DeliveryResult.Unanswered.class);
        assertThat(tickets).isEmpty();
        assertThat(delivery.ready("demo")).isTrue();
        reachable = false;
        assertThat(delivery.ready("demo")).isFalse();
        assertThat(deliver("/job")).isInstanceOf(DeliveryResult.Unanswered.class);
    }

    /** {@code -Ddrained=10000} for a measurement; the rate is printed. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void tasksDrainThroughARealServer(Transport transport, @TempDir Path folder)
            throws InterruptedException {
        int count = Integer.getInteger("drained", 1_000);
        CountDownLatch arrived = new CountDownLatch(count);
        Set<String> bodies = ConcurrentHashMap.newKeySet();
        server.removeContext("/");
        server.createContext(
                "/",
                exchange -> {
                    byte[] body = exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(STATUS_OK, -1);
                    exchange.close();
                    if (bodies.add(new String(body, StandardCharsets.UTF_8))) {
                        arrived.countDown();
                    }
                });
        try (RocksStore store = RocksStore.open(folder);
                RowDatabases databases = new RowDatabases(store);
                SystemScheduler scheduler = new SystemScheduler();
                RabbitMqDelivery through = through(transport, scheduler);
                Dispatchers dispatchers =
                        new Dispatchers(
                                () -> databases,
                                QueueLimits.DEFAULT,
                                DispatchLimits.DEFAULT,
                                through == null ? delivery : through,
                                MemoryBudget.of("tasks", 16 << 20),
                                TimeSource.SYSTEM,
                                scheduler,
                                new SecureRandom())) {
            ProjectQueues queues = dispatchers.open("demo");
            queues.define(
                    List.of(
                            Queue.push("q")
                                    .withRate(new DispatchRate(100_000, 1_000, 100))
                                    .withPaused(true)));
            for (int from = 0; from < count; from += 100) {
                List<NewTask> tasks = new ArrayList<>();
                for (int i = from; i < from + 100; i++) {
                    tasks.add(
                            NewTask.of(
                                    new TaskWork.Push(
                                            TaskMethod.POST,
                                            "/job",
                                            List.of(),
                                            String.valueOf(i).getBytes(StandardCharsets.UTF_8))));
                }
                queues.add("q", tasks);
            }
            long start = System.nanoTime();
            queues.resume("q");
            assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
            long end = System.nanoTime();
            System.out.printf(
                    "%d tasks drained at %.0f/s, %s%n",
                    count, count / ((end - start) / 1e9), transport);
            assertThat(bodies).hasSize(count);
        }
    }

    private @Nullable RabbitMqDelivery through(Transport transport, SystemScheduler scheduler) {
        if (transport == Transport.DIRECT) {
            return null;
        }
        RabbitMqDelivery through =
                new RabbitMqDelivery(
                        RabbitMqBroker.of(SharedRabbitMq.url()),
                        delivery,
                        owner -> owner,
                        DispatchLimits.DEFAULT.deliveriesMax(),
                        MemoryBudget.of("tasks", 16 << 20),
                        TimeSource.SYSTEM,
                        scheduler,
                        new SecureRandom());
        through.start();
        return through;
    }
}
