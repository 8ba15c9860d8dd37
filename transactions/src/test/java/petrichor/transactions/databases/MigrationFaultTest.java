package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.migration.Migration;

/** Moves a database while its stores and its owners fail; found by the simulation. */
class MigrationFaultTest {
    private final TestTime time = new TestTime();
    private final FaultyStore home =
            new FaultyStore(MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
    private final FaultyStore other =
            new FaultyStore(MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));

    @AfterEach
    void close() {
        home.close();
        other.close();
    }

    @Test
    void versionsFromBeforeTheSwitchAreReadInTheOtherStore() {
        try (Owner process = new Owner()) {
            Migration migration = process.follow("other");
            long past = committed(put(process.database(), "k", "first"));
            committed(put(process.database(), "k", "second"));
            process.background.runAll();
            migration.switchStores();
            try (Snapshot then = process.database().snapshotAt(past)) {
                assertThat(scan(then, KeyRange.ALL, Direction.FORWARD)).containsExactly("k=first");
            }
        }
    }

    @Test
    void aFormerOwnerRemovesNoRowsOfADatabaseThatHasComeBack() {
        try (Owner former = new Owner()) {
            committed(put(former.database(), "k", "kept"));
            Migration migration = former.follow("other");
            migration.switchStores();
            migration.end();
            try (Owner next = new Owner()) {
                next.database();
                next.background.runAll();
                next.follow("home").switchStores();
                former.background.runAll();
            }
            try (Owner last = new Owner()) {
                assertThat(last.everything()).containsExactly("k=kept");
            }
        }
    }

    @Test
    void noCommitFollowsADecisionWhoseOutcomeIsUnknown() {
        try (Owner process = new Owner()) {
            Migration migration = process.follow("other");
            home.meanwhile =
                    () -> {
                        throw new IllegalStateException("connection lost");
                    };
            home.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
            assertThat(migration.switchStores().store()).isEqualTo("other");
            committed(put(process.database(), "k", "kept"));
        }
        try (Owner last = new Owner()) {
            assertThat(last.everything()).containsExactly("k=kept");
        }
    }

    @Test
    void anInterruptedSwitchIsCompletedAndNotRepeated() {
        try (Owner process = new Owner()) {
            committed(put(process.database(), "k", "kept"));
            Migration migration = process.follow("other");
            other.fault = FaultyStore.Fault.READ_ONLY;
            assertThatThrownBy(migration::switchStores).isInstanceOf(PetrichorException.class);
            other.fault = FaultyStore.Fault.NONE;
            time.advanceMicros(TransactionLimits.DEFAULT.recoveryPause().toNanos() / 1_000 + 1);
            assertThatThrownBy(migration::switchStores)
                    .hasMessageContaining("recovered from a failure");
            process.background.runAll();
            assertThat(migration.switchStores().store()).isEqualTo("home");
            assertThat(process.everything()).containsExactly("k=kept");
        }
    }

    @Test
    @Timeout(60)
    void removalWaitsForOpenSnapshotsWithoutWork() {
        try (Owner process = new Owner()) {
            committed(put(process.database(), "k", "kept"));
            Migration migration = process.follow("other");
            try (Snapshot open = process.database().snapshot()) {
                migration.switchStores();
                migration.end();
                process.background.runAll();
                assertThat(scan(open, KeyRange.ALL, Direction.FORWARD)).containsExactly("k=kept");
                assertThat(migration.status()).isPresent();
            }
            migration.tidy();
            process.background.runAll();
            assertThat(migration.status()).isEmpty();
        }
    }

    private final class Owner implements AutoCloseable {
        final HeldScheduler background = new HeldScheduler(time);
        final RowDatabases databases =
                new RowDatabases(
                        RoutedStores.of(home),
                        new NamedStores(Map.of("other", () -> other)),
                        TransactionLimits.DEFAULT,
                        TransactionMemory.unlimited(),
                        new RowDatabases.Surroundings(time, new SplittableRandom(1), background));

        RowDatabase database() {
            return databases.open("test");
        }

        /** Until the other store is equal. */
        Migration follow(String to) {
            Migration migration = database().migration();
            migration.start(to);
            background.runAll();
            return migration;
        }

        List<String> everything() {
            try (Snapshot snapshot = database().snapshot()) {
                return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
            }
        }

        @Override
        public void close() {
            databases.close();
        }
    }
}
