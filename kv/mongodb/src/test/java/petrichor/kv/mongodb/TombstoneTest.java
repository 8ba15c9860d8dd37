package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.count;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/** Which tombstones are kept, and for how long. */
class TombstoneTest {
    private static final MongoServer SERVER = MongoServer.shared();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deletedRowsAreRememberedForADayAndThenForgotten(boolean writesOfMongo) {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        InstantSource clock = now::get;
        StoreUrl url = SERVER.newStore();
        try (MongoStore store = MongoStore.open(url, new MongoStore.Form(clock, writesOfMongo))) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(put("kept", "1"), 10);
            step.putIfNewer(put("a", "1"), 10);
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("a")), 20);
            step.putIfNewer(new WriteBatch().deleteRange(TABLE, KeyRange.ofPrefix(bytes("b"))), 20);
            assertThat(documents(url)).as("two rows and a deleted range").isEqualTo(3);

            now.set(now.get().plus(MongoStore.TOMBSTONE_AGE).minus(Duration.ofMinutes(1)));
            store.purgeTombstones();
            step.putIfNewer(put("a", "late").put(TABLE, bytes("bb"), bytes("late")), 15);
            assertThat(value(store, "a")).isNull();
            assertThat(value(store, "bb")).isNull();

            now.set(now.get().plus(Duration.ofMinutes(2)));
            store.purgeTombstones();
            assertThat(documents(url)).as("the row that was never deleted").isEqualTo(1);
            assertThat(count(store)).isEqualTo(1);
        }
    }

    @Test
    void writersRemoveOldTombstones() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        StoreUrl url = SERVER.newStore();
        try (MongoStore store = MongoStore.open(url, new MongoStore.Form(now::get, false))) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("a")), 20);
            now.set(now.get().plus(MongoStore.TOMBSTONE_AGE).plus(Duration.ofHours(2)));
            step.putIfNewer(put("b", "1"), 30);
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (documents(url) > 1 && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertThat(documents(url)).as("the row that was put").isEqualTo(1);
        }
    }

    /** Documents of the table's collection, and of range deletions. */
    private static long documents(StoreUrl url) {
        AtomicLong documents = new AtomicLong();
        SERVER.operator(
                url,
                database ->
                        documents.set(
                                database.getCollection("kv_rows").countDocuments()
                                        + database.getCollection("petrichor")
                                                .countDocuments(new Document("kind", "range"))));
        return documents.get();
    }
}
