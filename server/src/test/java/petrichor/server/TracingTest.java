package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.LookupRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.config.TraceSettings;

/** Requests as spans in a collector of OpenTelemetry. */
final class TracingTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CLIENT_SPAN = "b7ad6b7169203331";
    private static final String SAMPLED = "00-" + TRACE + "-" + CLIENT_SPAN + "-01";
    private static final String NOT_SAMPLED = "00-" + TRACE + "-" + CLIENT_SPAN + "-00";
    private static final String COMMIT = "google.datastore.v1.Datastore/Commit";
    private static final String LOOKUP = "google.datastore.v1.Datastore/Lookup";

    private final TraceCollector collector = TraceCollector.start();

    @AfterEach
    void stop() {
        collector.close();
    }

    private UnaryOperator<ServerConfig> traced(double sampled) {
        ServerConfig.Log log = ServerConfig.defaults().log();
        TraceSettings traces = new TraceSettings(Optional.of(URI.create(collector.url())), sampled);
        return config ->
                config.withLog(
                        new ServerConfig.Log(log.format(), log.level(), log.audit(), traces));
    }

    private static Channel from(TestServer server, String traceparent) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), traceparent);
        return ClientInterceptors.intercept(
                server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static void lookup(TestServer server, String traceparent, String project) {
        var _ =
                ClientCalls.blockingUnaryCall(
                        from(server, traceparent),
                        TestServer.LOOKUP,
                        io.grpc.CallOptions.DEFAULT,
                        LookupRequest.newBuilder()
                                .setProjectId(project)
                                .addKeys(TestCluster.key(project, "x"))
                                .build());
    }

    @Test
    void aForwardedCommitIsAChildOfTheSpanOfTheServerThatForwardedIt() {
        try (TestCluster cluster =
                TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews(), traced(0))) {
            TestCluster.put(cluster.node(0), "shop", "x", 1);
            TestCluster.Node owner = cluster.owner("shop");
            var _ =
                    ClientCalls.blockingUnaryCall(
                            from(cluster.other(owner).server(), SAMPLED),
                            TestCluster.COMMIT,
                            io.grpc.CallOptions.DEFAULT,
                            CommitRequest.newBuilder()
                                    .setProjectId("shop")
                                    .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                    .build());
        }
        assertThat(collector.spans()).hasSize(2);
        assertThat(collector.spans())
                .allSatisfy(
                        one -> {
                            assertThat(one.trace()).isEqualTo(TRACE);
                            assertThat(one.span().getName()).isEqualTo(COMMIT);
                            assertThat(one.attribute("db.namespace")).isEqualTo("shop");
                            assertThat(one.isError()).isFalse();
                        });
        TraceCollector.Received first = withParent(CLIENT_SPAN);
        assertThat(withParent(first.id()).trace()).isEqualTo(TRACE);
    }

    private TraceCollector.Received withParent(String parent) {
        return collector.spans().stream()
                .filter(one -> one.parent().equals(parent))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theClientDecidesWhetherItsTraceIsRecorded() {
        try (TestServer server = TestServer.start(traced(1))) {
            lookup(server, NOT_SAMPLED, "shop");
            lookup(server, SAMPLED, "shop");
        }
        assertThat(collector.spans())
                .singleElement()
                .satisfies(one -> assertThat(one.span().getName()).isEqualTo(LOOKUP));
    }

    @Test
    void requestsWithoutATraceAreSampledByTheConfiguredShare() {
        int requests = 200;
        for (double share : new double[] {1, 0.5, 0}) {
            int before = collector.spans().size();
            try (TestServer server = TestServer.start(traced(share))) {
                IntStream.range(0, requests)
                        .forEach(_ -> lookup(server, "malformed, and so not used", "shop"));
            }
            int recorded = collector.spans().size() - before;
            if (share == 0.5) {
                // 200 fair coins: outside of this range once in 10^14 runs
                assertThat(recorded).isBetween(50, 150);
            } else {
                assertThat(recorded).isEqualTo((int) (share * requests));
            }
        }
        assertThat(collector.spans()).allSatisfy(one -> assertThat(one.parent()).isEmpty());
    }

    @Test
    void errorsAndRequestsOverHttpAreSpansToo() throws Exception {
        try (TestServer server = TestServer.start(traced(1));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThatThrownBy(() -> lookup(server, SAMPLED, "no such project!"))
                    .isInstanceOf(StatusRuntimeException.class);
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://localhost:"
                                                            + server.port()
                                                            + "/v1/projects/shop:lookup"))
                                    .header("Content-Type", "application/json")
                                    .header("traceparent", SAMPLED)
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"keys\": []}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.headers().firstValue("traceparent"))
                    .hasValueSatisfying(own -> assertThat(own).startsWith("00-" + TRACE));
        }
        assertThat(collector.spans()).hasSize(2);
        TraceCollector.Received failed =
                collector.spans().stream()
                        .filter(TraceCollector.Received::isError)
                        .findFirst()
                        .orElseThrow();
        assertThat(failed.attribute("error.type")).isEqualTo("INVALID_ARGUMENT");
        assertThat(collector.spans().stream().map(one -> one.attribute("rpc.system")))
                .containsExactlyInAnyOrder("grpc", "rest");
    }

    @Test
    void anUnreachableCollectorDoesNotConcernClients() {
        UnaryOperator<ServerConfig> toNowhere = traced(1);
        collector.close();
        try (TestServer server = TestServer.start(toNowhere)) {
            for (int i = 0; i < 5_000; i++) {
                lookup(server, SAMPLED, "shop");
            }
        }
        assertThat(collector.spans()).isEmpty();
    }

    @Test
    void anEndpointThatIsNotAUrlIsRefused() {
        for (String endpoint : List.of("localhost:4318", "ftp://host/x", "http://", "a b")) {
            Settings settings =
                    Settings.read(
                            Optional.empty(),
                            Map.of(),
                            Map.of(ConfigKey.TRACES_ENDPOINT, endpoint));
            assertThatThrownBy(() -> TraceSettings.of(settings))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("traces.endpoint");
        }
    }
}
