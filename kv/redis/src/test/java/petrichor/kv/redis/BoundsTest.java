package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.count;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/** Operations that need several requests or responses of limited size. */
class BoundsTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final Pattern SCANS = Pattern.compile("cmdstat_evalsha(?:_ro)?:calls=(\\d+)");

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Other clients wait while the server executes a request. */
    @Test
    void manyKeysAreReadByMoreThanOneRequest() {
        int keysAtOnce = 25_000;
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            store.write(put("key 7", "1"));
            List<byte[]> keys = new ArrayList<>();
            for (int i = 0; i < keysAtOnce; i++) {
                keys.add(("key " + i).getBytes(UTF_8));
            }
            server.operator(redis -> redis.configResetstat());
            List<byte @Nullable []> values = store.get(TABLE, keys);
            assertThat(values).hasSameSizeAs(keys);
            assertThat(values.get(7)).isEqualTo("1".getBytes(UTF_8));
            assertThat(values.getLast()).isNull();
            assertThat(server.<String>operator(redis -> redis.info("commandstats")))
                    .contains("cmdstat_hmget:calls=3,");
        }
    }

    /** Lua's stack holds some 8,000 keys. */
    @Test
    void aRangeOfAnyLengthIsDeleted() {
        int rows = 9_000;
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < rows; i++) {
                batch.put(TABLE, ("row " + i).getBytes(UTF_8), new byte[1]);
            }
            store.write(batch.put(TABLE, "x".getBytes(UTF_8), new byte[1]));
            store.write(
                    new WriteBatch().deleteRange(TABLE, KeyRange.ofPrefix("row ".getBytes(UTF_8))));
            assertThat(count(store)).isEqualTo(1);
        }
    }

    /** The server keeps a whole response in memory for each client. */
    @Test
    void aScanReadsAtMostEightLargeRowsAtOnce() {
        int rows = 48;
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            for (int i = 0; i < rows; i++) {
                byte[] key = ("row " + i).getBytes(UTF_8);
                store.write(new WriteBatch().put(TABLE, key, new byte[MEBIBYTE]));
            }
            server.operator(redis -> redis.configResetstat());
            assertThat(count(store)).isEqualTo(rows);
            Matcher scans =
                    SCANS.matcher(server.<String>operator(redis -> redis.info("commandstats")));
            assertThat(scans.find()).isTrue();
            assertThat(Integer.parseInt(scans.group(1))).isGreaterThanOrEqualTo(rows / 8);
        }
    }

    /** Redis closes the connection of a client that sends more. */
    @Test
    void aBatchLargerThanTheServerTakesIsRefused() {
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            byte[] large = new byte[RedisStore.VALUE_BYTES_MAX];
            WriteBatch batch = new WriteBatch();
            for (int i = 0; batch.bytes() <= store.capabilities().limits().batchBytesMax(); i++) {
                batch.put(TABLE, ("row " + i).getBytes(UTF_8), large);
            }
            assertThat(failure(ErrorCode.INVALID_ARGUMENT, () -> store.write(batch)))
                    .contains("limit");
            assertThat(count(store)).isZero();
        }
    }
}
