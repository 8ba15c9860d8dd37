package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsResponse;
import com.google.apphosting.base.protos.api.RemoteApiPb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.AppSettings;
import petrichor.server.config.ServerConfig;
import petrichor.services.queues.rabbitmq.RabbitMqBroker;
import petrichor.testing.process.RabbitMqServer;

/**
 * Tasks reach their app, even if the server that accepted them ends: directly, and through
 * RabbitMQ. Needs the package rabbitmq-server; without it, fails if CI is set, and is skipped
 * otherwise.
 */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class AppTasksTest {
    private static final String PROJECT = "demo";
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;

    @TempDir private static Path rabbitMqFolder;
    private static @Nullable RabbitMqServer rabbitMq;

    private final Optional<RabbitMqBroker> broker;
    private final TestApp app = new TestApp();

    AppTasksTest(boolean throughRabbitMq) {
        this.broker =
                throughRabbitMq
                        ? Optional.of(RabbitMqBroker.of(rabbitMq().url()))
                        : Optional.empty();
    }

    private static RabbitMqServer rabbitMq() {
        RabbitMqServer started = rabbitMq;
        if (started == null) {
            assumeTrue(
                    RabbitMqServer.installed() || System.getenv("CI") != null,
                    "install the package rabbitmq-server");
            started = RabbitMqServer.in(rabbitMqFolder);
            rabbitMq = started;
        }
        return started;
    }

    @AfterAll
    static void stopRabbitMq() {
        if (rabbitMq != null) {
            rabbitMq.close();
            rabbitMq = null;
        }
    }

    @AfterEach
    void close() {
        app.close();
    }

    private ServerConfig withApp(ServerConfig config) {
        AppSettings apps = config.apps().withTargets(Map.of(PROJECT, app.url()));
        return config.withApps(
                apps.withTasks(new AppSettings.TaskSettings(apps.tasks().deliveriesMax(), broker)));
    }

    private static BundledCalls calls(int port) {
        return new BundledCalls(port, PROJECT + "/ticket");
    }

    @Test
    void theAppMayCallApisWhileItHandlesATask() throws Exception {
        try (TestServer server = TestServer.start(this::withApp)) {
            app.handle(
                    arrival -> {
                        String ticket = arrival.header("x-appengine-api-ticket");
                        try {
                            var _ =
                                    new BundledCalls(server.port(), ticket)
                                            .call(
                                                    "memcache",
                                                    "Stats",
                                                    MemcacheStatsRequest.getDefaultInstance(),
                                                    MemcacheStatsResponse.parser());
                            return OK;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            String name = calls(server.port()).addTask(BundledCalls.task("body"));
            TestApp.Arrival arrival = app.next();
            assertThat(arrival.body()).isEqualTo("body");
            assertThat(arrival.path()).isEqualTo("/job");
            assertThat(arrival.header("x-appengine-taskname")).isEqualTo(name);
            assertThat(arrival.header("x-appengine-queuename")).isEqualTo("default");
            server.awaitMetrics(
                    "petrichor_task_deliveries_total{outcome=\"success\"} 1.0",
                    "petrichor_tasks_running 0.0");
            RemoteApiPb.Response late =
                    new BundledCalls(server.port(), arrival.header("x-appengine-api-ticket"))
                            .response(
                                    "memcache", "Stats", MemcacheStatsRequest.getDefaultInstance());
            assertThat(late.hasRpcError()).as("the ticket ends with the request").isTrue();
        }
    }

    /** Apps call whichever server is behind the address that they know. */
    @Test
    void theTicketOfATaskIsValidOnEveryServer() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT, this::withApp)) {
            app.handle(
                    arrival -> {
                        for (TestCluster.Node node : cluster.nodes()) {
                            String ticket = arrival.header("x-appengine-api-ticket");
                            if (!mayCall(node.server(), ticket)) {
                                return UNAVAILABLE;
                            }
                        }
                        return OK;
                    });
            calls(cluster.node(0).server().port()).addTask(BundledCalls.task("body"));
            TestApp.Arrival first = app.next();
            assertThat(first.status()).isEqualTo(OK);
        }
    }

    private static boolean mayCall(TestServer server, String ticket) {
        try {
            return new BundledCalls(server.port(), ticket)
                    .response("memcache", "Stats", MemcacheStatsRequest.getDefaultInstance())
                    .hasResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** While the server has no URL for the app, tasks stay in their queue. */
    @Test
    void tasksRunAfterARestart(@TempDir Path folder) throws Exception {
        UnaryOperator<ServerConfig> stored = config -> config.withData(folder);
        try (TestServer server = TestServer.start(stored)) {
            calls(server.port()).addTask(BundledCalls.task("kept"));
        }
        try (TestServer _ = TestServer.start(config -> withApp(stored.apply(config)))) {
            assertThat(app.next().body()).isEqualTo("kept");
        }
    }

    /** No request makes the other server take over. */
    @Test
    void tasksRunAfterATakeover() throws Exception {
        AtomicInteger status = new AtomicInteger(UNAVAILABLE);
        app.handle(_ -> status.get());
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT, this::withApp)) {
            // Through the server that does not own the database.
            TestCluster.put(cluster.node(0), PROJECT, "x", 1);
            TestCluster.Node owner = cluster.owner(PROJECT);
            calls(cluster.other(owner).server().port()).addTask(BundledCalls.task("moved"));
            assertThat(app.next().body()).isEqualTo("moved");
            owner.server().close();
            status.set(OK);
            assertThat(app.next(OK).body()).isEqualTo("moved");
            assertThat(cluster.other(owner).owns(PROJECT)).isTrue();
        }
    }

    @Test
    void withRabbitMqAllServersDeliverTheTasksOfOneOwner() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT, this::withApp)) {
            TestCluster.put(cluster.node(0), PROJECT, "x", 1);
            // The default queue delivers 5 in a second.
            int count = 20;
            for (int i = 0; i < count; i++) {
                calls(cluster.node(0).server().port()).addTask(BundledCalls.task("task " + i));
            }
            Set<String> bodies = new HashSet<>();
            while (bodies.size() < count) {
                bodies.add(app.next().body());
            }
            TestServer owner = cluster.owner(PROJECT).server();
            owner.awaitMetrics("petrichor_tasks_running 0.0");
            for (TestCluster.Node node : cluster.nodes()) {
                String metrics = node.server().get("/metrics").body();
                if (broker.isPresent()) {
                    assertThat(metrics)
                            .contains("petrichor_tasks_rabbitmq_up 1.0")
                            .contains("petrichor_tasks_rabbitmq_waiting 0.0")
                            .containsPattern("petrichor_tasks_rabbitmq_delivered_total [1-9]");
                } else {
                    assertThat(metrics)
                            .contains(
                                    "petrichor_task_deliveries_total{outcome=\"success\"} "
                                            + (node.server() == owner ? count + ".0" : "0.0"))
                            .contains("petrichor_tasks_rabbitmq_up 0.0");
                }
            }
        }
    }
}
