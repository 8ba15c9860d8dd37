package petrichor.kv.dynamodb;

import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.WriteBatch;

/**
 * A store in tables of DynamoDB. All reads are strongly consistent. A table's rows have one
 * partition key: DynamoDB orders them by the sort key, and itself spreads a large or busy partition
 * key over several machines.
 *
 * <p>Thread-safe. While DynamoDB is unreachable or overloaded, each call fails with {@code
 * UNAVAILABLE} after the address's timeout.
 */
public final class DynamoDbStore implements KeyValueStore {
    private static final Capabilities CAPABILITIES =
            new Capabilities(
                    false, new StoreLimits(StoredItem.KEY_BYTES_MAX, StoredItem.VALUE_BYTES_MAX));

    private final DynamoDbConnection connection;
    private final DynamoDbTables tables;
    private final BigValues bigValues;
    private final DynamoDbReads reads;
    private final DynamoDbWrites writes;
    private final DynamoDbStep step;

    private DynamoDbStore(DynamoDbConnection connection, DynamoDbTables tables) {
        this.connection = connection;
        this.tables = tables;
        this.bigValues = new BigValues(connection);
        this.reads = new DynamoDbReads(connection, tables, bigValues);
        this.writes =
                new DynamoDbWrites(
                        connection, tables, bigValues, CAPABILITIES, InstantSource.system());
        this.step = new DynamoDbStep(connection, reads, writes, bigValues, CAPABILITIES);
    }

    static DynamoDbStore open(DynamoDbAddress address) {
        DynamoDbConnection connection = new DynamoDbConnection(address);
        try {
            return new DynamoDbStore(connection, DynamoDbTables.open(connection));
        } catch (RuntimeException unfit) {
            connection.close();
            throw unfit;
        }
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<String> tables() {
        return tables.names();
    }

    @Override
    public void createTable(String table) {
        tables.create(table);
    }

    @Override
    public void dropTable(String table) {
        tables.drop(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return reads.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return new DynamoDbScan(
                table,
                new ItemPages(
                        connection, table, ItemPages.Query.rows(range, direction, limit, false)),
                reads,
                bigValues,
                tables.notes(table),
                range,
                limit);
    }

    @Override
    public void write(WriteBatch batch) {
        writes.write(batch);
    }

    @Override
    public DurableStep durableStep() {
        return step;
    }

    @Override
    public long retries() {
        return connection.retries();
    }

    @Override
    public void close() {
        connection.close();
    }
}
