package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/**
 * A store in a Redis server.
 *
 * <p>Thread-safe, also for virtual threads; calls wait for the server, at most as long as the
 * address says. A server that is unreachable, or fails its checks, fails each call and is retried
 * with the next one. A write without a response may have been executed, or may be executed late; a
 * commit is {@code UNKNOWN} then, and the next owner's fence stops the late one.
 *
 * <p>A batch is one script, during which the server does nothing else: deleting ranges of millions
 * of rows delays all clients. A table that another process drops looks empty to single reads here.
 */
public final class RedisStore implements KeyValueStore {
    /** Every key is stored twice, in the order and with the value. */
    public static final int KEY_BYTES_MAX = 1 << 20;

    public static final int VALUE_BYTES_MAX = 64 << 20;

    /** Keys of one request for several rows. */
    private static final int KEYS_PER_REQUEST = 10_000;

    private final String address;
    private final CheckedConnection connection;
    private final Scripts scripts;
    private final Keyspace names;
    private final RedisFences fences;

    /** The Redis keys of the values of tables that are known to exist. */
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();

    private RedisStore(RedisAddress address, CheckedConnection connection) {
        this.address = address.text();
        this.names = address.keyspace();
        this.connection = connection;
        this.scripts = new Scripts(connection);
        this.fences = new RedisFences(this, scripts, names);
    }

    /** See {@link petrichor.kv.StorePlugin#open}. */
    public static RedisStore open(StoreUrl url) {
        RedisAddress address = RedisAddress.of(url);
        return new RedisStore(address, CheckedConnection.open(address));
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(false, connection.limits());
    }

    @Override
    public Set<String> tables() {
        Set<String> tables = new TreeSet<>();
        for (byte[] name : connection.ask(server -> server.smembers(names.tables())).orThrow()) {
            tables.add(new String(name, US_ASCII));
        }
        return tables;
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        long writes = changeTable(Script.CREATE_TABLE, table);
        if (writes == 0) {
            throw StoreFailures.unfit(
                    address,
                    "there are values of another program under the names of the table '"
                            + table
                            + "'; use another name in its address");
        }
        known.put(table, names.values(table));
    }

    @Override
    public void dropTable(String table) {
        known.remove(table);
        changeTable(Script.DROP_TABLE, table);
    }

    private long changeTable(Script script, String table) {
        byte[][] keys = {names.tables(), names.order(table), names.values(table), names.writes()};
        long writes = scripts.run(script, keys, table.getBytes(US_ASCII)).orThrow();
        connection.noteWrites(writes);
        return writes;
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        byte[] values = values(table);
        return connection.<byte @Nullable []>ask(server -> server.hget(values, key)).orThrow();
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        byte[] values = values(table);
        List<CheckedConnection.Question<List<KeyValue<byte[], byte[]>>>> asked = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += KEYS_PER_REQUEST) {
            byte[][] some =
                    keys.subList(from, Math.min(keys.size(), from + KEYS_PER_REQUEST))
                            .toArray(byte[][]::new);
            asked.add(connection.askAhead(server -> server.hmget(values, some)));
        }
        List<byte @Nullable []> found = new ArrayList<>(keys.size());
        for (var question : asked) {
            for (KeyValue<byte[], byte[]> row : question.answer().orThrow()) {
                found.add(row.getValueOrElse(null));
            }
        }
        return found;
    }

    /** The Redis key of the table's values; NOT_FOUND if the table does not exist. */
    private byte[] values(String table) {
        byte[] values = known.get(table);
        if (values != null) {
            return values;
        }
        byte[] name = table.getBytes(US_ASCII);
        if (!connection.ask(server -> server.sismember(names.tables(), name)).orThrow()) {
            throw StoreFailures.noSuchTable(table);
        }
        values = names.values(table);
        known.put(table, values);
        return values;
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return new RedisScan(scripts, names, table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        StoreFailures.requireFits(batch, capabilities());
        connection.requireOpen();
        if (batch.isEmpty()) {
            return;
        }
        ScriptedBatch scripted = ScriptedBatch.of(names, batch);
        applied(
                scripted,
                scripts.run(Script.APPLY, scripted.keys(), scripted.arguments()).orThrow());
    }

    /** Checks the response of {@link Script#APPLY}; NOT_FOUND if a table was missing. */
    void applied(ScriptedBatch batch, long answer) {
        if (answer < 0) {
            String table = batch.table(-answer);
            known.remove(table);
            throw StoreFailures.noSuchTable(table);
        }
        connection.noteWrites(answer);
    }

    @Override
    public DurableStep durableStep() {
        return fences;
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
