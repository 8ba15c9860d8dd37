package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.kv.RawRows;

/** A table with one partition per row, read and written at QUORUM. */
final class CassandraRawRows implements RawRows {
    private static final String TABLE = "$.raw";

    /** Creating or dropping a table takes a busy node several seconds. */
    private static final Duration CHANGE_TIMEOUT = Duration.ofMinutes(1);

    private final Queries queries;
    private final PreparedStatement get;
    private final PreparedStatement put;

    private CassandraRawRows(Queries queries) {
        this.queries = queries;
        change("CREATE TABLE IF NOT EXISTS " + TABLE + " (k blob PRIMARY KEY, v blob)");
        this.get = queries.read("SELECT v FROM " + TABLE + " WHERE k = ?");
        this.put = queries.timestampedWrite("INSERT INTO " + TABLE + " (k, v) VALUES (?, ?)");
    }

    static CassandraRawRows open(CassandraAddress address) {
        // The store creates the keyspace, and refuses one that loses acknowledged writes.
        CassandraStores.open(address).close();
        CqlSession session = CassandraSessions.open(address);
        try {
            return new CassandraRawRows(
                    new Queries(
                            session, address.keyspace(), new CassandraFailures(address.text())));
        } catch (RuntimeException failed) {
            session.close();
            throw failed;
        }
    }

    private void change(String cql) {
        SimpleStatement statement =
                SimpleStatement.newInstance(cql.replace("$", queries.keyspace()))
                        .setTimeout(CHANGE_TIMEOUT);
        try {
            queries.session().execute(statement);
        } catch (DriverException failed) {
            throw queries.failures().of(failed);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Row row = queries.row(get.bind(ByteBuffer.wrap(key)));
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
        queries.await(queries.ask(put.bind(ByteBuffer.wrap(key), ByteBuffer.wrap(value))));
    }

    @Override
    public void close() {
        try (var _ = queries.session()) {
            change("DROP TABLE IF EXISTS " + TABLE);
        }
    }
}
