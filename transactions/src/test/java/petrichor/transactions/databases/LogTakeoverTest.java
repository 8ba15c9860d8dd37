package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.CommitLog;
import petrichor.transactions.log.LogCodec;
import petrichor.transactions.log.LogRecord;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;

/** Two processes that compete for one log: which of them owns it, and what the next owner reads. */
class LogTakeoverTest {
    /** Applied steps after which a checkpoint is written and the log before it removed. */
    private static final int STEPS_PER_NOTE = 128;

    /** The nonce of another walker. */
    private static final long RIVAL = 7;

    /** More than any process should try; the rival then gives up, or the test would not end. */
    private static final int RIVAL_SEALS_MAX = 3_000;

    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore();
    private final HeldScheduler background = new HeldScheduler(time);
    private final RowDatabases databases = open(background, 1);
    private final RowDatabase database = databases.open("test");
    private int rivalSeals;

    private RowDatabases open(Scheduler behind, long seed) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT,
                time,
                new SplittableRandom(seed),
                behind);
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void aSealOfUnknownOutcomeIsNotATakeover() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(new HeldScheduler(time), 2)) {
            store.dropsSeal = true;
            assertThatThrownBy(() -> others.open("test")).hasMessageContaining("is unknown");
            // The log still belongs to its owner: its next slot is free.
            committed(put(database, "a", "2"));
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2");
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
        }
    }

    @Test
    void aSealWithALostAnswerFencesTheOwnerAndIsSkippedByTheNextWalk() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(new HeldScheduler(time), 2)) {
            store.losesAnswer = true;
            assertThatThrownBy(() -> others.open("test")).hasMessageContaining("is unknown");
            assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Refused.class);
            assertThat(everything(others.open("test"))).containsExactly("a=1");
        }
    }

    @Test
    void unappliedSlotsAreNeitherCheckpointedNorRemoved() {
        for (int i = 0; i < STEPS_PER_NOTE; i++) {
            committed(put(database, "a", "value " + i));
        }
        store.afterRows =
                () -> {
                    if (store.rows("rows") > 0) {
                        store.afterRows = () -> {};
                        committed(put(database, "late", "1"));
                        store.rowsFail = true;
                    }
                };
        background.runOnce();
        // Applied slots are checkpointed and removed; later ones could not be applied.
        assertThat(store.rows("log")).as("the first owner's seal, and one step").isEqualTo(2);
        assertThat(store.rows("rows")).isEqualTo(1);
        databases.close();
        assertThat(store.rows("log")).isEqualTo(2);
        store.rowsFail = false;
        try (RowDatabases others = open(new HeldScheduler(time), 2)) {
            assertThat(everything(others.open("test")))
                    .containsExactly("a=value " + (STEPS_PER_NOTE - 1), "late=1");
        }
    }

    @Test
    void aWalkerWhoseSlotsAreRemovedOverwritesNothingNewer() {
        committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        HeldScheduler behindOthers = new HeldScheduler(time);
        try (RowDatabases slow = open(new HeldScheduler(time), 2);
                RowDatabases fast = open(behindOthers, 3)) {
            store.calls();
            int[] slots = {0};
            store.beforeRead =
                    () -> {
                        slots[0] += Collections.frequency(store.calls(), "read log");
                        // The walker has read the first seal and a=1, and is about to read a=2.
                        if (slots[0] == 3) {
                            store.beforeRead = () -> {};
                            RowDatabase owner = fast.open("test");
                            behindOthers.runAll();
                            committed(put(owner, "b", "1"));
                        }
                    };
            assertThat(everything(slow.open("test"))).containsExactly("a=2", "b=1");
        }
    }

    @Test
    void aWalkerThatLosesEverySlotGivesUpAndCanRetry() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(new HeldScheduler(time), 2)) {
            store.beforePutIfAbsent = this::sealTheEnd;
            assertThatThrownBy(() -> others.open("test"))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("other servers kept doing so at the same time");
            store.beforePutIfAbsent = () -> {};
            assertThat(everything(others.open("test"))).containsExactly("a=1");
        }
    }

    /** Acts as another walker that is always faster. */
    private void sealTheEnd() {
        if (++rivalSeals > RIVAL_SEALS_MAX) {
            return;
        }
        byte[] end;
        try (Scan scan = store.scan(CommitLog.TABLE, KeyRange.ALL, Direction.REVERSE, 1)) {
            assertThat(scan.next()).isTrue();
            end = scan.key();
            ByteBuffer at = ByteBuffer.wrap(end, Integer.BYTES, 2 * Long.BYTES).slice();
            switch (LogCodec.decode(scan.value())) {
                case LogRecord.Seal seal -> at.putLong(seal.nextEpoch()).putLong(0);
                case LogRecord.Batch _ -> at.putLong(Long.BYTES, at.getLong(Long.BYTES) + 1);
            }
            byte[] seal = LogCodec.encode(new LogRecord.Seal(at.getLong(0) + 1, RIVAL));
            store.write(new WriteBatch().put(CommitLog.TABLE, end, seal));
        }
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }
}
