package petrichor.bench.drivers.stores;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;

/** A table with one partition per row, read and written at QUORUM. */
final class CassandraRawRows implements RawRows {
    private static final int PORT = 9042;

    /** Creating or dropping a table takes a busy node several seconds. */
    private static final Duration CHANGE_TIMEOUT = Duration.ofMinutes(1);

    private final CqlSession session;
    private final String table;
    private final PreparedStatement get;
    private final PreparedStatement put;

    private CassandraRawRows(CqlSession session, String keyspace) {
        this.session = session;
        this.table = keyspace + ".raw";
        change("CREATE TABLE IF NOT EXISTS " + table + " (k blob PRIMARY KEY, v blob)");
        this.get = session.prepare("SELECT v FROM " + table + " WHERE k = ?");
        this.put = session.prepare("INSERT INTO " + table + " (k, v) VALUES (?, ?)");
    }

    static CassandraRawRows open(StoreUrl url) {
        Duration timeout = BareDrivers.timeout(url);
        CqlSessionBuilder builder =
                CqlSession.builder()
                        .withConfigLoader(
                                DriverConfigLoader.programmaticBuilder(
                                                CqlSession.class.getClassLoader())
                                        .withString(
                                                DefaultDriverOption.REQUEST_CONSISTENCY,
                                                DefaultConsistencyLevel.QUORUM.name())
                                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
                                        .withDuration(
                                                DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT,
                                                timeout)
                                        .withClass(
                                                DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS,
                                                DcInferringLoadBalancingPolicy.class)
                                        .build());
        for (StoreUrl.Node node : url.nodes()) {
            builder.addContactPoint(new InetSocketAddress(node.host(), node.portOr(PORT)));
        }
        if (url.user().isPresent() && url.password().isPresent()) {
            builder.withAuthCredentials(url.user().get(), url.password().get());
        }
        CqlSession session = builder.build();
        try {
            return new CassandraRawRows(session, keyspace(url));
        } catch (RuntimeException failed) {
            session.close();
            throw failed;
        }
    }

    /** Without the part after a dot, which distinguishes stores in one keyspace. */
    private static String keyspace(StoreUrl url) {
        String name = BareDrivers.name(url);
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    private void change(String cql) {
        session.execute(SimpleStatement.newInstance(cql).setTimeout(CHANGE_TIMEOUT));
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Row row = session.execute(get.bind(ByteBuffer.wrap(key))).one();
        ByteBuffer value = row == null ? null : row.getByteBuffer(0);
        if (value == null) {
            return null;
        }
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        return bytes;
    }

    @Override
    public void put(byte[] key, byte[] value) {
        session.execute(put.bind(ByteBuffer.wrap(key), ByteBuffer.wrap(value)));
    }

    @Override
    public void close() {
        try (session) {
            change("DROP TABLE IF EXISTS " + table);
        }
    }
}
