package petrichor.kv.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static petrichor.kv.testkit.Outages.whenBack;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.EmptyStores;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.Seeds;

/** Cases common to both databases, in addition to those of every store. */
interface SqlStoreCases {
    String TABLE = "rows";

    /** MariaDB refreshes its view of locks only for a reader that has not queried it for 100 ms. */
    long POLL_PAUSE_NANOS = 150_000_000;

    RealStore server();

    /** The address of a schema or database with this name on the server. */
    StoreUrl place(String name);

    /** A connection with all privileges. */
    Connection operator(String name) throws SQLException;

    /** SQL that counts the transactions waiting for locks of others. */
    String countOfWaiting();

    /** SQL that ends all other connections. */
    String endOfConnections();

    /** SQL that ends the connections of the store that wait for a lock. */
    String endOfWaiting();

    int ROLLBACKS = 40;

    /** More than are tried within three seconds; without the bound of time, a minute passes. */
    int MANY_ROLLBACKS = 2_000;

    /** SQL that makes the server roll back the next {@code count} transactions that put a row. */
    List<String> conflicts(String name, int count);

    /** SQL that makes deleting a row take three seconds. */
    List<String> slowDeletes();

    default void administer(String name, String... statements) throws SQLException {
        try (Connection connection = operator(name)) {
            execute(connection, statements);
        }
    }

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static KeyValueStore open(StoreUrl url) {
        return new JdbcPlugin().open(url);
    }

    static StoreUrl changed(StoreUrl url, String from, String to) {
        String text =
                url.scheme()
                        + "://"
                        + url.user().orElseThrow()
                        + ":"
                        + url.password().orElseThrow()
                        + url.toString().substring(url.toString().indexOf('@'));
        String options =
                String.join("&", url.options().entrySet().stream().map(String::valueOf).toList());
        return StoreUrl.parse((text + "?" + options).replace(from, to));
    }

    static PetrichorException assertFails(ErrorCode code, ThrowingCallable call) {
        PetrichorException e = catchThrowableOfType(PetrichorException.class, call);
        assertThat(e).isNotNull();
        assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
        assertThat(e.getMessage()).hasLineCount(1);
        return e;
    }

    @Test
    default void checkingAnEmptyStoreLeavesItEmpty() {
        EmptyStores.assertOnlyOpeningMakesAnything(new JdbcPlugin(), place("untouched"));
    }

    @Test
    default void keysTooLongForAnIndexAreOrderedAmongTheOthers() {
        Seeds.each(
                3,
                random -> {
                    String name = "longkeys" + random.split().nextInt(1 << 30);
                    try (KeyValueStore store = open(place(name))) {
                        store.createTable(TABLE);
                        compareWithTree(store, random);
                    }
                });
    }

    private static void compareWithTree(KeyValueStore store, SplittableRandom random) {
        TreeMap<Bytes, byte[]> tree = new TreeMap<>();
        for (int round = 0; round < 12; round++) {
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 30; i++) {
                byte[] key = key(random);
                byte[] value = Seeds.bytes(random, 8);
                if (Seeds.chance(random, 0.2)) {
                    batch.delete(TABLE, key);
                    tree.remove(Bytes.of(key));
                } else {
                    batch.put(TABLE, key, value);
                    tree.put(Bytes.of(key), value);
                }
            }
            if (Seeds.chance(random, 0.3)) {
                KeyRange range = range(random);
                batch.deleteRange(TABLE, range);
                within(tree, range).clear();
            }
            store.write(batch);
            for (int i = 0; i < 6; i++) {
                KeyRange range = range(random);
                int limit = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(40);
                for (Direction direction : Direction.values()) {
                    assertThat(keys(store, range, direction, limit))
                            .as("round %d, %s limit %d", round, direction, limit)
                            .isEqualTo(keys(tree, range, direction, limit));
                }
            }
            List<byte[]> asked = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                asked.add(key(random));
            }
            List<byte[]> expected = new ArrayList<>();
            asked.forEach(key -> expected.add(tree.get(Bytes.of(key))));
            assertThat(store.get(TABLE, asked)).usingRecursiveComparison().isEqualTo(expected);
        }
    }

    /** Few prefixes, and lengths around what an index can hold. */
    private static byte[] key(SplittableRandom random) {
        int length = SplitKey.HEAD_BYTES_MAX - 2 + random.nextInt(6);
        byte[] key = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : length];
        if (key.length > 0) {
            key[0] = (byte) (random.nextInt(3) * 127);
        }
        for (int i = Math.max(1, SplitKey.HEAD_BYTES_MAX - 1); i < key.length; i++) {
            key[i] = (byte) (random.nextInt(3) * 127 + random.nextInt(2));
        }
        return key;
    }

    private static KeyRange range(SplittableRandom random) {
        byte[] one = key(random);
        byte[] other = key(random);
        if (random.nextInt(4) == 0) {
            return new KeyRange(one, null);
        }
        return Bytes.compare(one, other) <= 0 ? new KeyRange(one, other) : new KeyRange(other, one);
    }

    private static Map<Bytes, byte[]> within(NavigableMap<Bytes, byte[]> tree, KeyRange range) {
        byte[] to = range.to();
        return to == null
                ? tree.tailMap(Bytes.of(range.from()))
                : tree.subMap(Bytes.of(range.from()), Bytes.of(to));
    }

    private static List<String> keys(
            NavigableMap<Bytes, byte[]> tree, KeyRange range, Direction direction, int limit) {
        List<String> keys =
                new ArrayList<>(
                        within(tree, range).entrySet().stream()
                                .map(row -> shown(row.getKey().array(), row.getValue()))
                                .toList());
        List<String> ordered = direction == Direction.FORWARD ? keys : keys.reversed();
        return ordered.subList(0, Math.min(limit, ordered.size()));
    }

    private static List<String> keys(
            KeyValueStore store, KeyRange range, Direction direction, int limit) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = store.scan(TABLE, range, direction, limit)) {
            while (scan.next()) {
                keys.add(shown(scan.key(), scan.value()));
            }
        }
        return keys;
    }

    /** Omits zeros, to keep failures readable. */
    private static String shown(byte[] key, byte[] value) {
        HexFormat hex = HexFormat.of();
        String end =
                key.length < 9
                        ? hex.formatHex(key)
                        : hex.formatHex(key, key.length - 8, key.length);
        String start = key.length == 0 ? "" : hex.toHexDigits(key[0]);
        return key.length + ":" + start + "…" + end + "=" + hex.formatHex(value);
    }

    @Test
    default void wrongPasswordIsReported() {
        StoreUrl url = place("password").withPassword("wrong");
        PetrichorException e = assertFails(ErrorCode.UNAUTHENTICATED, () -> open(url));
        assertThat(e).hasMessageContaining(url.toString()).hasMessageContaining("password");
        assertThat(e.getMessage()).doesNotContain("wrong");
    }

    @Test
    default void unknownOptionIsNamed() {
        StoreUrl url = changed(place("option"), "connections=", "conections=");
        assertThat(assertFails(ErrorCode.INVALID_ARGUMENT, () -> open(url)))
                .hasMessageContaining("conections");
    }

    @Test
    default void unreachableAddressIsUnavailable() {
        int port = server().cluster().first().port("client");
        StoreUrl url = changed(place("nobody"), ":" + port, ":1");
        assertThat(assertFails(ErrorCode.UNAVAILABLE, () -> open(url)))
                .hasMessageContaining("127.0.0.1:1/");
    }

    @Test
    default void foreignTablesUnderOurNameAreRefused() throws SQLException {
        open(place("foreign")).close();
        administer("foreign", "DROP TABLE petrichor_format", "CREATE TABLE people (name INT)");
        assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(place("foreign"))))
                .hasMessageContaining("foreign");
    }

    @Test
    default void foreignTableOfFormatIsRefused() throws SQLException {
        open(place("format")).close();
        administer(
                "format", "DROP TABLE petrichor_format", "CREATE TABLE petrichor_format (x INT)");
        assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(place("format"))))
                .hasMessageContaining("petrichor_format");
    }

    @Test
    default void rowsOfANewerFormatAreRefused() throws SQLException {
        open(place("newer")).close();
        administer("newer", "UPDATE petrichor_format SET version = 7");
        assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(place("newer"))))
                .hasMessageContaining("7");
    }

    /** Otherwise the new owner's reads would lack commits that the older owner still completes. */
    @Test
    default void fenceIsTakenOnlyAfterACommitInProgress() throws Exception {
        try (KeyValueStore store = open(place("held"));
                Connection operator = operator("held");
                Connection watcher = operator("held");
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            byte[] domain = bytes("db");
            long older = step.takeFence(domain);
            WriteBatch first = new WriteBatch().put(TABLE, bytes("a"), bytes("1"));
            assertThat(step.commit(domain, older, first)).isEqualTo(Outcome.DONE);
            operator.setAutoCommit(false);
            execute(operator, "UPDATE kv_rows SET value = value");
            WriteBatch second = new WriteBatch().put(TABLE, bytes("a"), bytes("2"));
            Future<Outcome> commit = threads.submit(() -> step.commit(domain, older, second));
            awaitWaiting(watcher, 1, commit);
            Future<Long> newer = threads.submit(() -> step.takeFence(domain));
            awaitWaiting(watcher, 2, newer);
            operator.rollback();
            assertThat(commit.get()).isEqualTo(Outcome.DONE);
            assertThat(newer.get()).isGreaterThan(older);
            assertThat(step.commit(domain, older, first)).isEqualTo(Outcome.FENCED);
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(bytes("2"));
        }
    }

    private void awaitWaiting(Connection watcher, int waiting, Future<?> last) throws SQLException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        try (Statement statement = watcher.createStatement()) {
            while (true) {
                assertThat(last.isDone()).as("it did not wait").isFalse();
                try (ResultSet count = statement.executeQuery(countOfWaiting())) {
                    count.next();
                    if (count.getInt(1) >= waiting) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("%d wait", waiting).isLessThan(end);
                LockSupport.parkNanos(POLL_PAUSE_NANOS);
            }
        }
    }

    @Test
    default void transactionThatTheServerRollsBackIsRetried() throws SQLException {
        try (KeyValueStore store = open(place("conflicts"))) {
            store.createTable(TABLE);
            administer("conflicts", conflicts("conflicts", ROLLBACKS).toArray(String[]::new));
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            WriteBatch batch = new WriteBatch().put(TABLE, bytes("a"), bytes("1"));
            long before = store.retries();
            assertThat(step.commit(bytes("db"), fence, batch)).isEqualTo(Outcome.DONE);
            assertThat(store.retries()).isEqualTo(before + ROLLBACKS);
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(bytes("1"));
        }
    }

    @Test
    default void transactionThatTheServerAlwaysRollsBackHasWrittenNothing() throws SQLException {
        StoreUrl impatient = changed(place("hopeless"), "timeout=60s", "timeout=3s");
        try (KeyValueStore prepared = open(place("hopeless"));
                KeyValueStore store = whenBack(() -> open(impatient))) {
            prepared.createTable(TABLE);
            administer("hopeless", conflicts("hopeless", MANY_ROLLBACKS).toArray(String[]::new));
            WriteBatch batch = new WriteBatch().put(TABLE, bytes("a"), bytes("1"));
            assertThat(assertFails(ErrorCode.UNAVAILABLE, () -> store.write(batch)))
                    .hasMessageContaining("retry");
            assertThat(prepared.get(TABLE, bytes("a"))).isNull();
        }
    }

    @Test
    default void readersDoNotNoticeALostConnection() throws SQLException {
        try (KeyValueStore store = open(place("ended"))) {
            store.createTable(TABLE);
            store.write(new WriteBatch().put(TABLE, bytes("a"), bytes("1")));
            administer("ended", endOfConnections());
            long before = store.retries();
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(bytes("1"));
            // None if the connection was idle for so long that it was tested.
            assertThat(store.retries()).isBetween(before, before + 1);
        }
    }

    /** A read is repeated once, so it may not find another lost connection then. */
    @Test
    default void aLostConnectionEndsTheOthers() throws Exception {
        try (KeyValueStore store = open(place("idle"));
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            store.createTable(TABLE);
            WriteBatch batch = new WriteBatch().put(TABLE, bytes("a"), bytes("1"));
            store.write(batch);
            List<Future<?>> writers = new ArrayList<>();
            try (Connection operator = operator("idle");
                    Connection watcher = operator("idle")) {
                operator.setAutoCommit(false);
                execute(operator, "UPDATE kv_rows SET value = value");
                for (int connections = 1; connections <= 2; connections++) {
                    Future<?> writer = threads.submit(() -> store.write(batch));
                    awaitWaiting(watcher, connections, writer);
                    writers.add(writer);
                }
                operator.rollback();
                for (Future<?> writer : writers) {
                    writer.get();
                }
                execute(watcher, endOfConnections());
                assertThat(store.get(TABLE, bytes("a"))).isEqualTo(bytes("1"));
            }
        }
    }

    /** It may have been committed before the connection was lost. */
    @Test
    default void aCommitWhoseConnectionIsLostIsUnknownAndNotRepeated() throws Exception {
        try (KeyValueStore store = open(place("cut"));
                ExecutorService threads = Executors.newFixedThreadPool(1);
                Connection operator = operator("cut");
                Connection watcher = operator("cut")) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            WriteBatch first = new WriteBatch().put(TABLE, bytes("a"), bytes("1"));
            assertThat(step.commit(bytes("db"), fence, first)).isEqualTo(Outcome.DONE);
            operator.setAutoCommit(false);
            execute(operator, "UPDATE kv_rows SET value = value");
            WriteBatch second = new WriteBatch().put(TABLE, bytes("a"), bytes("2"));
            Future<Outcome> commit = threads.submit(() -> step.commit(bytes("db"), fence, second));
            awaitWaiting(watcher, 1, commit);
            execute(watcher, endOfWaiting());
            assertThat(commit.get(30, TimeUnit.SECONDS)).isEqualTo(Outcome.UNKNOWN);
            operator.rollback();
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(bytes("1"));
        }
    }

    /** The number of rows in a range is unknown. */
    @Test
    default void rangeDeletionsMayExceedTheTimeoutOfARequest() throws SQLException {
        StoreUrl impatient = changed(place("slow"), "timeout=60s", "timeout=2s");
        try (KeyValueStore prepared = open(place("slow"));
                KeyValueStore store = whenBack(() -> open(impatient))) {
            prepared.createTable(TABLE);
            prepared.write(new WriteBatch().put(TABLE, bytes("a"), bytes("1")));
            administer("slow", slowDeletes().toArray(String[]::new));
            store.write(new WriteBatch().deleteRange(TABLE, KeyRange.ALL));
            assertThat(prepared.get(TABLE, bytes("a"))).isNull();
        }
    }

    @Test
    default void invalidNamesDoNotReachTheServer() {
        try (KeyValueStore store = open(place("names"))) {
            store.createTable(TABLE);
            for (String name : List.of("rows\" --", "rows` --", "ROWS", "")) {
                WriteBatch batch = new WriteBatch().put(name, bytes("a"), bytes("1"));
                assertFails(ErrorCode.NOT_FOUND, () -> store.write(batch));
                assertFails(ErrorCode.NOT_FOUND, () -> store.get(name, bytes("a")));
            }
        }
    }

    @Test
    default void moreCallersThanConnectionsTakeTurns() throws Exception {
        StoreUrl url = changed(place("turns"), "connections=8", "connections=2");
        try (KeyValueStore store = open(url)) {
            store.createTable(TABLE);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                byte[] key = bytes("caller " + i);
                callers.add(
                        Thread.startVirtualThread(
                                () -> store.write(new WriteBatch().put(TABLE, key, key))));
            }
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(keys(store, KeyRange.ALL, Direction.FORWARD, 100)).hasSize(40);
        }
    }
}
