package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.kv.StoreFailures;

/**
 * Checks whether a cluster can keep the guarantees of a store: queries every available node, since
 * each has its own settings.
 */
final class CassandraFitness {
    private static final Version OLDEST = Objects.requireNonNull(Version.parse("5.0.0"));
    private static final String PARTITIONER = "org.apache.cassandra.dht.Murmur3Partitioner";

    /** The modes that sync before they acknowledge. */
    private static final Set<String> SYNCED = Set.of("batch", "group");

    /** Values get half of the maximum size of a write: Paxos keeps a second copy of them. */
    private static final int PARTS_PER_WRITE = 2;

    /** Allowance for the rest of a row, and for the rest of the request. */
    private static final int AROUND_VALUE_BYTES = 128 << 10;

    /** An index row with its longest key. */
    private static final int VALUE_BYTES_MIN = 64 << 10;

    /** Larger values would result in requests that delay others. */
    private static final int VALUE_BYTES_MAX = (8 << 20) - AROUND_VALUE_BYTES;

    /**
     * Settings that limit a write, and the fraction available to a value; unset ones are {@code
     * null}.
     */
    private static final Map<String, Integer> WRITE_LIMITS =
            Map.of(
                    "max_mutation_size",
                    PARTS_PER_WRITE,
                    "commitlog_segment_size",
                    // Cassandra writes mutations of up to half a segment.
                    2 * PARTS_PER_WRITE,
                    "native_transport_max_message_size",
                    1,
                    "native_transport_max_frame_size",
                    1,
                    "native_transport_max_request_data_in_flight",
                    1,
                    // If the two settings above are unset, it is a fraction of the server's heap.
                    "native_transport_max_request_data_in_flight_per_ip",
                    1,
                    "column_value_size_fail_threshold",
                    1);

    private final CqlSession session;
    private final String store;

    CassandraFitness(CqlSession session, String store) {
        this.session = session;
        this.store = store;
    }

    /**
     * @return the longest value that every node accepts, in bytes, according to their reported
     *     limits
     */
    int requireFit() {
        Collection<Node> nodes = session.getMetadata().getNodes().values();
        Set<String> datacenters =
                nodes.stream()
                        .map(node -> String.valueOf(node.getDatacenter()))
                        .collect(Collectors.toCollection(TreeSet::new));
        if (datacenters.size() > 1) {
            throw unfit(
                    "it spans the datacenters "
                            + datacenters
                            + "; a store must be in one datacenter");
        }
        try {
            int valueBytesMax = VALUE_BYTES_MAX;
            for (Node node : nodes) {
                if (node.getState() == NodeState.UP) {
                    valueBytesMax = Math.min(valueBytesMax, requireFit(node));
                }
            }
            if (valueBytesMax < VALUE_BYTES_MIN) {
                throw unfit(
                        "its nodes accept values of at most "
                                + valueBytesMax
                                + " bytes; raise the smallest of "
                                + new TreeSet<>(WRITE_LIMITS.keySet())
                                + " in cassandra.yaml");
            }
            return valueBytesMax;
        } catch (DriverException failed) {
            throw new CassandraFailures(store).of(failed);
        }
    }

    private int requireFit(Node node) {
        Version version = node.getCassandraVersion();
        if (version == null || version.nextStable().compareTo(OLDEST) < 0) {
            throw unfit(
                    "its node "
                            + name(node)
                            + " runs Cassandra "
                            + version
                            + "; at least "
                            + OLDEST
                            + " is needed");
        }
        Row local = first(node, "SELECT partitioner FROM system.local");
        String partitioner = local == null ? "" : String.valueOf(local.getString("partitioner"));
        if (!partitioner.equals(PARTITIONER)) {
            throw unfit(
                    "its partitioner is " + partitioner + "; only Murmur3Partitioner is supported");
        }
        String sync = setting(node, "commitlog_sync");
        if (!SYNCED.contains(sync)) {
            throw unfit(
                    "its node "
                            + name(node)
                            + " acknowledges writes before they are on disk (commitlog_sync: "
                            + sync
                            + "); set commitlog_sync: batch (or group) in its cassandra.yaml");
        }
        return valueBytesMax(WRITE_LIMITS.keySet(), limit -> setting(node, limit));
    }

    /**
     * The part of the smallest limit available to a value.
     *
     * @param setting returns a node's value of a setting
     */
    static int valueBytesMax(Set<String> limits, UnaryOperator<String> setting) {
        long bytesMax = VALUE_BYTES_MAX;
        for (String limit : limits) {
            long bytes = DataSize.bytes(setting.apply(limit));
            if (bytes > 0) {
                bytesMax =
                        Math.min(
                                bytesMax,
                                bytes / WRITE_LIMITS.getOrDefault(limit, 1) - AROUND_VALUE_BYTES);
            }
        }
        return (int) bytesMax;
    }

    private String setting(Node node, String setting) {
        Row row =
                first(
                        node,
                        "SELECT value FROM system_views.settings WHERE name = '" + setting + "'");
        return row == null ? "" : String.valueOf(row.getString("value"));
    }

    private @Nullable Row first(Node node, String cql) {
        return session.execute(SimpleStatement.newInstance(cql).setNode(node).setIdempotent(true))
                .one();
    }

    private static String name(Node node) {
        return node.getEndPoint().toString();
    }

    private RuntimeException unfit(String what) {
        return StoreFailures.unfit(store, what);
    }

    /** Sizes in the format of Cassandra's settings. */
    static final class DataSize {
        private static final Map<String, Integer> SHIFTS =
                Map.of("B", 0, "KiB", 10, "MiB", 20, "GiB", 30);

        private DataSize() {}

        /** 0 if it is not a size. */
        static long bytes(String text) {
            for (Map.Entry<String, Integer> unit : SHIFTS.entrySet()) {
                if (text.matches("[0-9]{1,12}" + unit.getKey())) {
                    String number = text.substring(0, text.length() - unit.getKey().length());
                    return Long.parseLong(number) << unit.getValue();
                }
            }
            return 0;
        }
    }
}
