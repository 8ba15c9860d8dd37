package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which keyspaces have enough replicas. */
class ReplicationTest {
    private static final String TOPOLOGY = "org.apache.cassandra.locator.NetworkTopologyStrategy";

    private static Optional<String> unfit(String strategy, String copies, int nodes) {
        return new Replication("shop", Map.of("class", strategy, "datacenter1", copies), nodes)
                .unfit();
    }

    @Test
    void threeReplicasSufficeAndOneOnASingleNode() {
        assertThat(unfit(TOPOLOGY, "3", 3)).isEmpty();
        assertThat(unfit(TOPOLOGY, "3", 9)).isEmpty();
        assertThat(unfit(TOPOLOGY, "5", 9)).isEmpty();
        assertThat(unfit(TOPOLOGY, "1", 1)).isEmpty();
        assertThat(unfit(TOPOLOGY, "2", 2)).isEmpty();
        assertThat(unfit("org.apache.cassandra.locator.SimpleStrategy", "3", 3)).isEmpty();
    }

    @Test
    void tooFewReplicasAreRefusedWithARemedy() {
        assertThat(unfit(TOPOLOGY, "1", 3).orElseThrow())
                .contains("1 of 3 nodes")
                .contains("ALTER KEYSPACE shop to 3 replicas");
        assertThat(unfit(TOPOLOGY, "2", 3)).isPresent();
        assertThat(unfit(TOPOLOGY, "1", 2)).isPresent();
    }

    @Test
    void unsupportedReplicationIsRefused() {
        assertThat(unfit("org.apache.cassandra.locator.LocalStrategy", "3", 3)).isPresent();
        assertThat(unfit(TOPOLOGY, "3/1", 3).orElseThrow()).contains("3/1");
    }
}
