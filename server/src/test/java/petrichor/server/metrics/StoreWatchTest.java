package petrichor.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryStore;

/** Tests the metrics of a store, and the detection of a store that stops answering. */
@Timeout(120)
class StoreWatchTest {
    private static final Duration NOTICED_MAX = Duration.ofSeconds(60);

    /** A store that can be paused like a server after SIGSTOP, and can fail. */
    private static final class Troubled extends ForwardingStore {
        volatile CountDownLatch paused = new CountDownLatch(0);
        volatile boolean away;

        /** Reads started since the store was paused. */
        final AtomicInteger asked = new AtomicInteger();

        Troubled() {
            super(MemoryStore.open());
            below().createTable("rows");
        }

        @Override
        public byte @Nullable [] get(String table, byte[] key) {
            try {
                if (paused.getCount() > 0) {
                    asked.incrementAndGet();
                }
                paused.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            if (away) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "nobody answers");
            }
            return below().get(table, key);
        }

        @Override
        public long retries() {
            return 7;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String written(StoreWatch watch) {
        Readings readings = new Readings();
        watch.add(readings);
        return ExpositionFormats.init()
                .getPrometheusTextFormatWriter()
                .toDebugString(readings.snapshots());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + NOTICED_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time until it is noticed").isLessThan(end);
            Thread.sleep(20);
        }
    }

    @Test
    void operationsAreMeasuredByKind() {
        try (MeteredStore store =
                        new MeteredStore("home", StoreWatch.EMBEDDED, MemoryStore.open());
                StoreWatch watch = StoreWatch.of(List.of(store))) {
            store.createTable("rows");
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("d"));
            assertThat(
                            step.commit(
                                    bytes("d"),
                                    fence,
                                    new WriteBatch().put("rows", bytes("k"), bytes("v"))))
                    .isEqualTo(DurableStep.Outcome.DONE);
            assertThat(store.get("rows", bytes("k"))).isEqualTo(bytes("v"));
            try (Scan scan =
                    store.scan("rows", KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                assertThat(scan.next()).isTrue();
                assertThat(scan.next()).isFalse();
            }
            assertThatThrownBy(() -> store.get("nothing", bytes("k")))
                    .isInstanceOf(PetrichorException.class);
            assertThat(written(watch))
                    .contains(
                            count("tables", 1),
                            count("take_fence", 1),
                            count("commit", 1),
                            count("get", 1),
                            count("scan", 1),
                            "petrichor_store_errors_total{kind=\"NOT_FOUND\",operation=\"get\",store=\"home\"}"
                                + " 1.0\n",
                            "petrichor_store_retries_total{store=\"home\"} 0.0\n",
                            "petrichor_store_up{scheme=\"rocksdb\",store=\"home\"} 1.0\n");
        }
    }

    private static String count(String operation, int count) {
        return "petrichor_store_operation_seconds_count{operation=\""
                + operation
                + "\",store=\"home\"} "
                + count
                + "\n";
    }

    @Test
    void pausedStoreIsAProblemUntilItAnswers() throws Exception {
        Troubled troubled = new Troubled();
        try (MeteredStore store = new MeteredStore("photos", "redis", troubled);
                StoreWatch watch = StoreWatch.of(List.of(store))) {
            assertThat(watch.problem()).isEmpty();
            CountDownLatch resumed = new CountDownLatch(1);
            troubled.paused = resumed;
            await(() -> watch.problem().isPresent());
            assertThat(watch.problem().orElseThrow())
                    .startsWith("the store photos (redis) has not answered a read for ");
            assertThat(written(watch))
                    .contains("petrichor_store_up{scheme=\"redis\",store=\"photos\"} 0.0\n");
            resumed.countDown();
            await(() -> watch.problem().isEmpty());
            assertThat(written(watch))
                    .contains("petrichor_store_retries_total{store=\"photos\"} 7.0\n");
        }
    }

    /**
     * Drivers give up after some seconds; the time until the next probe does not mean that the
     * store answers.
     */
    @Test
    void aStoreWhoseDriverTimesOutStaysAProblemBetweenProbes() throws Exception {
        Troubled troubled = new Troubled();
        try (MeteredStore store = new MeteredStore("photos", "redis", troubled);
                StoreWatch watch = StoreWatch.of(List.of(store))) {
            CountDownLatch timedOut = new CountDownLatch(1);
            troubled.away = true;
            troubled.paused = timedOut;
            await(() -> watch.problem().isPresent());
            CountDownLatch next = new CountDownLatch(1);
            troubled.paused = next;
            timedOut.countDown();
            await(() -> troubled.asked.get() > 1);
            assertThat(watch.problem()).isPresent();
            next.countDown();
        }
    }

    @Test
    void storeThatFailsIsAProblemUnlessItStillAnswersOthers() throws Exception {
        Troubled troubled = new Troubled();
        try (MeteredStore store = new MeteredStore("home", "redis", troubled);
                StoreWatch watch = StoreWatch.of(List.of(store))) {
            troubled.away = true;
            await(() -> watch.problem().isPresent());
            assertThat(watch.problem()).contains("nobody answers");
            // A store that completes writes is reachable.
            store.write(new WriteBatch().put("rows", bytes("k"), bytes("v")));
            assertThat(watch.problem()).isEmpty();
            assertThat(written(watch))
                    .contains(
                            "petrichor_store_errors_total{kind=\"UNAVAILABLE\",operation=\"probe\",store=\"home\"}"
                                + " ")
                    .contains(
                            "petrichor_store_errors_total{kind=\"UNAVAILABLE\",operation=\"get\",store=\"home\"}"
                                + " 0.0\n")
                    .doesNotContain(
                            "petrichor_store_errors_total{kind=\"UNAVAILABLE\",operation=\"probe\",store=\"home\"}"
                                + " 0.0\n");
        }
    }
}
