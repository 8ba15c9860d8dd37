package petrichor.kv.dynamodb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** DynamoDB under load, and over bad networks: it throttles, refuses, loses responses. */
class DynamoDbTroubleTest {
    private static final String TABLE = "rows";
    private static final int ALWAYS = Integer.MAX_VALUE;

    /** Maximum duration, on a busy machine, of two calls that take three seconds each. */
    private static final Duration CALL_MAX = Duration.ofSeconds(60);

    @Test
    void slotWithALostResponseIsRecognizedByItsMark() {
        try (DynamoDbProxy proxy = new DynamoDbProxy(TestDynamoDb.newUrl());
                KeyValueStore store = open(proxy)) {
            var step = (DurableStep.ConditionalRow) store.durableStep();
            proxy.next(1, "PutItem", new DynamoDbProxy.Fault.LosesAnswer());
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1"))).isEqualTo(Outcome.DONE);
            assertThat(proxy.left()).isZero();
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1")))
                    .isEqualTo(Outcome.FENCED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ProvisionedThroughputExceededException", "TransactionConflictException"})
    void throttledAndConflictingRequestsAreRetried(String throttled) {
        try (DynamoDbProxy proxy = new DynamoDbProxy(TestDynamoDb.newUrl());
                KeyValueStore store = open(proxy)) {
            var step = (DurableStep.ConditionalRow) store.durableStep();
            proxy.next(2, "PutItem", new DynamoDbProxy.Fault.Refuses(400, throttled));
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1"))).isEqualTo(Outcome.DONE);
            assertThat(proxy.left()).isZero();
            proxy.next(2, "GetItem", new DynamoDbProxy.Fault.Refuses(400, throttled));
            assertThat(step.read(TABLE, bytes("slot"))).isEqualTo(bytes("1"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ThrottlingException", "InternalServerError"})
    void aThrottledRequestIsUnavailableInTimeAndASlotUnknown(String code) {
        int status = code.equals("InternalServerError") ? 500 : 400;
        try (DynamoDbProxy proxy = new DynamoDbProxy(TestDynamoDb.newUrl());
                KeyValueStore store = open(proxy)) {
            var step = (DurableStep.ConditionalRow) store.durableStep();
            proxy.next(ALWAYS, "PutItem", new DynamoDbProxy.Fault.Refuses(status, code));
            long started = System.nanoTime();
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1")))
                    .isEqualTo(Outcome.UNKNOWN);
            assertThat(failure(ErrorCode.UNAVAILABLE, () -> step.putIfNewer(put("a"), 1)))
                    .contains(code);
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(CALL_MAX);
            proxy.next(0, "", new DynamoDbProxy.Fault.LeavesOver());
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("2"))).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    void unprocessedItemsAreRetriedForALimitedTime() {
        try (DynamoDbProxy proxy = new DynamoDbProxy(TestDynamoDb.newUrl());
                KeyValueStore store = open(proxy)) {
            List<byte[]> keys = List.of(bytes("a"), bytes("b"));
            WriteBatch both = put("a").put(TABLE, bytes("b"), bytes("v"));
            var leavesOver = new DynamoDbProxy.Fault.LeavesOver();
            proxy.next(3, "BatchWriteItem", leavesOver);
            store.write(both);
            proxy.next(3, "BatchGetItem", leavesOver);
            assertThat(store.get(TABLE, keys)).containsExactly(bytes("v"), bytes("v"));
            proxy.next(ALWAYS, "BatchWriteItem", leavesOver);
            long started = System.nanoTime();
            assertThat(failure(ErrorCode.UNAVAILABLE, () -> store.write(both)))
                    .contains("request queue is full");
            proxy.next(ALWAYS, "BatchGetItem", leavesOver);
            assertThat(failure(ErrorCode.UNAVAILABLE, () -> store.get(TABLE, keys)))
                    .contains("request queue is full");
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(CALL_MAX);
        }
    }

    @Test
    void missingPermissionIsReportedWithARemedy() {
        try (DynamoDbProxy proxy = new DynamoDbProxy(TestDynamoDb.newUrl());
                KeyValueStore store = open(proxy)) {
            var step = (DurableStep.ConditionalRow) store.durableStep();
            proxy.next(
                    ALWAYS,
                    "PutItem",
                    new DynamoDbProxy.Fault.Refuses(400, "AccessDeniedException"));
            assertThat(
                            failure(
                                    ErrorCode.PERMISSION_DENIED,
                                    () -> step.putIfAbsent(TABLE, bytes("slot"), bytes("1"))))
                    .contains("allow");
        }
    }

    private static KeyValueStore open(DynamoDbProxy proxy) {
        try (KeyValueStore patient = TestDynamoDb.open(proxy.url() + "?timeout=30s")) {
            patient.createTable(TABLE);
        }
        return TestDynamoDb.open(proxy.url() + "?timeout=3s");
    }

    private static String failure(ErrorCode code, ThrowingCallable call) {
        PetrichorException failure = catchThrowableOfType(PetrichorException.class, call);
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
        return String.valueOf(failure.getMessage());
    }

    private static WriteBatch put(String key) {
        return new WriteBatch().put(TABLE, bytes(key), bytes("v"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
