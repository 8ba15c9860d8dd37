package petrichor.kv.dynamodb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Outages.whenBack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.RealStore;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/**
 * Cases specific to DynamoDB: chunks of big values, foreign tables, keys, an unreachable server.
 */
class DynamoDbStoreTest {
    private static final String TABLE = "rows";
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /**
     * Allowance for a busy machine in addition to a timeout, including class loading of the SDK.
     */
    private static final Duration LATE = Duration.ofSeconds(60);

    private static final int WRITES_BEFORE_KILL = 60;

    @Test
    void bigValueThatIsReplacedOrDeletedLeavesNoChunks() {
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore store = TestDynamoDb.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            byte[] big = new byte[StoredItem.VALUE_BYTES_MAX];
            new SplittableRandom(1).nextBytes(big);
            store.write(new WriteBatch().put(TABLE, bytes("a"), big));
            store.write(new WriteBatch().put(TABLE, bytes("a"), big));
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(big);
            assertThat(chunks(url)).isEqualTo(22);
            assertThat(step.putIfAbsent(TABLE, bytes("a"), big)).isEqualTo(Outcome.FENCED);
            step.putIfNewer(new WriteBatch().put(TABLE, bytes("b"), big), 20);
            step.putIfNewer(new WriteBatch().put(TABLE, bytes("b"), big), 10);
            assertThat(chunks(url)).isEqualTo(44);
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("b")), 30);
            store.write(new WriteBatch().delete(TABLE, bytes("a")));
            assertThat(chunks(url)).isZero();
        }
    }

    private static int chunks(String url) {
        try (DynamoDbConnection operator =
                new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
            ItemPages pages =
                    new ItemPages(
                            operator,
                            TABLE,
                            new ItemPages.Query(
                                    StoredItem.CHUNK_PARTITION,
                                    new byte[] {0},
                                    new byte[] {(byte) 0xFF, (byte) 0xFF},
                                    petrichor.kv.Direction.FORWARD,
                                    Integer.MAX_VALUE,
                                    true));
            int chunks = 0;
            for (var page = pages.next(); page != null; page = pages.next()) {
                chunks += page.size();
            }
            return chunks;
        }
    }

    @Test
    void tableOfAnotherProgramUnderOurNameIsRefused() {
        String url = TestDynamoDb.newUrl();
        try (DynamoDbConnection operator =
                new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
            operator.call(
                    null,
                    client ->
                            client.createTable(
                                    request ->
                                            request.tableName(operator.name(TABLE))
                                                    .keySchema(
                                                            KeySchemaElement.builder()
                                                                    .attributeName("id")
                                                                    .keyType(KeyType.HASH)
                                                                    .build())
                                                    .attributeDefinitions(
                                                            AttributeDefinition.builder()
                                                                    .attributeName("id")
                                                                    .attributeType(
                                                                            ScalarAttributeType.S)
                                                                    .build())
                                                    .billingMode(BillingMode.PAY_PER_REQUEST)));
        }
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                () -> TestDynamoDb.open(url),
                "not Petrichor's",
                TABLE);
    }

    @Test
    void tableOfAnotherProgramCreatedLaterIsNotTakenOver() {
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore store = TestDynamoDb.open(url);
                KeyValueStore other = TestDynamoDb.open(url)) {
            other.createTable(TABLE);
            try (DynamoDbConnection operator =
                    new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
                operator.call(
                        null,
                        client -> {
                            String name = operator.name(TABLE);
                            client.putItem(
                                    put ->
                                            put.tableName(name)
                                                    .item(StoredItem.row(bytes("theirs"))));
                            return client.deleteItem(
                                    delete -> delete.tableName(name).key(formatKey()));
                        });
            }
            assertFails(
                    ErrorCode.FAILED_PRECONDITION,
                    () -> store.createTable(TABLE),
                    "not Petrichor's");
        }
    }

    private static Map<String, AttributeValue> formatKey() {
        return StoredItem.at(StoredItem.NOTES, bytes("format"));
    }

    @Test
    void unmarkedTableOfAFailedProcessIsFinished() {
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore store = TestDynamoDb.open(url);
                DynamoDbConnection operator =
                        new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
            store.createTable(TABLE);
            operator.call(
                    null,
                    client ->
                            client.deleteItem(
                                    delete ->
                                            delete.tableName(operator.name(TABLE))
                                                    .key(formatKey())));
            try (KeyValueStore next = TestDynamoDb.open(url)) {
                next.write(put("a"));
                assertThat(next.tables()).containsExactly(TABLE);
            }
        }
    }

    @Test
    void tombstonesExpireAndCoveredRangesAreRemoved() {
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore store = TestDynamoDb.open(url);
                DynamoDbConnection operator =
                        new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
            store.createTable(TABLE);
            String name = operator.name(TABLE);
            assertThat(
                            operator.call(
                                            TABLE,
                                            client ->
                                                    client.describeTimeToLive(
                                                            request -> request.tableName(name)))
                                    .timeToLiveDescription()
                                    .attributeName())
                    .isEqualTo(StoredItem.EXPIRES);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("a")), 5);
            long inAnHour = Instant.now().plus(Duration.ofHours(1)).getEpochSecond();
            assertThat(
                            operator.call(
                                            TABLE,
                                            client ->
                                                    client.getItem(
                                                            get ->
                                                                    get.tableName(name)
                                                                            .key(
                                                                                    StoredItem.row(
                                                                                            bytes(
                                                                                                    "a")))))
                                    .item())
                    .satisfies(
                            tombstone ->
                                    assertThat(StoredItem.longOf(tombstone, StoredItem.EXPIRES))
                                            .isGreaterThan(inAnHour));
            for (int hour = 1; hour <= 5; hour++) {
                KeyRange upToNow = new KeyRange(new byte[0], bytes("hour " + hour));
                step.putIfNewer(new WriteBatch().deleteRange(TABLE, upToNow), 10 + hour);
            }
            ItemPages notes =
                    new ItemPages(
                            operator,
                            TABLE,
                            ItemPages.Query.of(
                                    StoredItem.NOTES, new byte[] {'r'}, new byte[] {'s'}));
            assertThat(notes.next()).hasSize(1);
        }
    }

    @Test
    void formatOfANewerPetrichorIsRefused() {
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore store = TestDynamoDb.open(url)) {
            store.createTable(TABLE);
        }
        try (DynamoDbConnection operator =
                new DynamoDbConnection(DynamoDbAddress.of(StoreUrl.parse(url)))) {
            var format = StoredItem.at(StoredItem.NOTES, bytes("format"));
            format.put(StoredItem.VERSION, StoredItem.number(2));
            operator.call(
                    null,
                    client ->
                            client.putItem(
                                    put -> put.tableName(operator.name(TABLE)).item(format)));
        }
        assertFails(ErrorCode.FAILED_PRECONDITION, () -> TestDynamoDb.open(url), "format 2");
    }

    @Test
    void accessKeyThatDynamoDbRejectsIsReported() {
        String url = TestDynamoDb.newUrl().replace("petrichor:", "not_a_key:");
        assertFails(ErrorCode.UNAUTHENTICATED, () -> TestDynamoDb.open(url), "access key");
    }

    @Test
    void addressesWithUnknownPartsAreRefused() {
        for (Map.Entry<String, String> wrong :
                Map.of(
                                "dynamodb://127.0.0.1/p?replicas=2", "replicas",
                                "dynamodb://id@127.0.0.1/p", "secret",
                                "dynamodb://127.0.0.1/a%20b", "letters")
                        .entrySet()) {
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> TestDynamoDb.open(wrong.getKey()),
                    wrong.getValue());
        }
    }

    @Test
    void remoteAddressUsesTls() {
        assertThat(DynamoDbAddress.of(StoreUrl.parse("dynamodb://192.0.2.1/p")).endpoint())
                .hasScheme("https");
        assertThat(DynamoDbAddress.of(StoreUrl.parse("dynamodb://127.0.0.1:8000/p")).endpoint())
                .hasScheme("http");
    }

    @Test
    void addressWithoutAServerIsUnavailableWithinTheTimeout() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertAway(() -> TestDynamoDb.open(withTimeout("dynamodb://a:b@127.0.0.1:" + port + "/p")));
    }

    @Test
    void pausedServerIsUnavailableInTimeAndBackWhenItResumes() {
        RealStore server = TestDynamoDb.server();
        String url = TestDynamoDb.newUrl();
        try (KeyValueStore prepared = TestDynamoDb.open(url);
                KeyValueStore store = whenBack(() -> TestDynamoDb.open(withTimeout(url)))) {
            prepared.createTable(TABLE);
            prepared.write(put("a"));
            assertThat(whenBack(() -> store.get(TABLE, bytes("a")))).isEqualTo(bytes("v"));
            var step = (DurableStep.ConditionalRow) store.durableStep();
            server.pause(1);
            try {
                assertAway(() -> store.get(TABLE, bytes("a")));
                assertAway(() -> store.write(put("b")));
                assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1")))
                        .isEqualTo(Outcome.UNKNOWN);
            } finally {
                server.resume(1);
            }
            assertThat(whenBack(() -> store.get(TABLE, bytes("a")))).isEqualTo(bytes("v"));
            prepared.write(put("c"));
            assertThat(whenBack(() -> store.get(TABLE, bytes("c")))).isEqualTo(bytes("v"));
        }
    }

    @Test
    @Tag("slow")
    void killedServerLosesNoAcknowledgedWrite() throws Exception {
        try (RealStore server = RealStore.start(new DynamoDbDeployment(), 1);
                KeyValueStore store = TestDynamoDb.open(TestDynamoDb.newUrl(server))) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            List<String> acknowledged = new ArrayList<>();
            Thread killer = null;
            for (int i = 0; ; i++) {
                if (i == WRITES_BEFORE_KILL) {
                    killer = Thread.ofPlatform().start(() -> server.kill(1));
                }
                String key = "row " + i;
                if (step.putIfAbsent(TABLE, bytes(key), bytes("v")) != Outcome.DONE) {
                    break;
                }
                acknowledged.add(key);
            }
            if (killer != null) {
                killer.join();
            }
            server.start(1);
            assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(WRITES_BEFORE_KILL);
            for (String key : acknowledged) {
                assertThat(store.get(TABLE, bytes(key))).as(key).isEqualTo(bytes("v"));
            }
            store.write(put("after"));
        }
    }

    private static String withTimeout(String url) {
        return url + "?timeout=" + TIMEOUT.toMillis() + "ms";
    }

    private static void assertAway(ThrowingCallable call) {
        long began = System.nanoTime();
        assertFails(ErrorCode.UNAVAILABLE, call, "127.0.0.1");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.plus(LATE));
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
                            assertThat(e.getMessage()).contains(words).doesNotContain("\n");
                        });
    }

    private static WriteBatch put(String key) {
        return new WriteBatch().put(TABLE, bytes(key), bytes("v"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
