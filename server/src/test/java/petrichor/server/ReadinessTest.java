package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.kv.ForwardingStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;
import petrichor.server.metrics.MeteredStore;

/** Tests that a server's readiness follows its store's reports. */
class ReadinessTest {
    private static final String STUCK =
            "splitting a partition of the table 'rows' has failed 2 times";

    private static final class Stuck extends ForwardingStore {
        volatile @Nullable String problem = STUCK;

        Stuck() {
            super(MemoryStore.open());
        }

        @Override
        public Optional<String> problem() {
            return Optional.ofNullable(problem);
        }
    }

    @Test
    void storeWithAStuckPartitionFailsReadinessAndNotLiveness() {
        Stuck store = new Stuck();
        ServerConfig config = ServerConfig.defaults().withMemory().withPort(0);
        Data data = Data.on(new MeteredStore("home", "cassandra", store), config, List.of());
        try (TestServer server = TestServer.of(Server.start(config, data))) {
            assertThat(server.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(server.get("/readyz").body()).contains("[-]store " + STUCK);
            assertThat(server.get("/livez").statusCode()).isEqualTo(200);
            assertThat(server.get("/metrics").body())
                    .contains("petrichor_store_up{scheme=\"cassandra\",store=\"home\"} 0.0\n");
            store.problem = null;
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }
}
